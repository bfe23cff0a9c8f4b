/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_ZYDIS
#include "plugin/access.h"

/* True if QEMU makes each memory operand of the instruction in one access. */
static bool access_is_plain(const ZydisDecodedInstruction *in)
{
  switch (in->meta.category) {
  case ZYDIS_CATEGORY_AVX:
  case ZYDIS_CATEGORY_BINARY:
  case ZYDIS_CATEGORY_CALL:
  case ZYDIS_CATEGORY_CMOV:
  case ZYDIS_CATEGORY_CONVERT:
  case ZYDIS_CATEGORY_DATAXFER:
  case ZYDIS_CATEGORY_LOGICAL:
  case ZYDIS_CATEGORY_POP:
  case ZYDIS_CATEGORY_PUSH:
  case ZYDIS_CATEGORY_RET:
  case ZYDIS_CATEGORY_SETCC:
  case ZYDIS_CATEGORY_SHIFT:
  case ZYDIS_CATEGORY_SSE:
  case ZYDIS_CATEGORY_UNCOND_BR: break;
  default: return false;
  }
  return in->meta.branch_type != ZYDIS_BRANCH_TYPE_FAR && in->mnemonic != ZYDIS_MNEMONIC_MASKMOVQ &&
         !(in->attributes & (ZYDIS_ATTRIB_HAS_LOCK | ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPNE));
}

/* Returns the only memory operand, at one address; NULL: there is none, or several. */
static const ZydisDecodedOperand *access_only(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *o)
{
  const ZydisDecodedOperand *access = NULL;

  for (unsigned i = 0; i < in->operand_count; i++) {
    if (o[i].type != ZYDIS_OPERAND_TYPE_MEMORY || o[i].mem.type == ZYDIS_MEMOP_TYPE_AGEN)
      continue;
    if (access || o[i].mem.type != ZYDIS_MEMOP_TYPE_MEM)
      return NULL;
    access = &o[i];
  }
  return access;
}

bool access_is_alone(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *o)
{
  const ZydisDecodedOperand *access = access_only(in, o);

  if (!access || !access_is_plain(in))
    return false;
  const bool loads = access->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
  const bool stores = access->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
  return loads != stores && access->size <= 64 && access->size && !(access->size & (access->size - 1));
}

/* Masked moves: they store or load only parts of a vector. */
static bool access_is_masked(ZydisMnemonic mnemonic)
{
  switch (mnemonic) {
  case ZYDIS_MNEMONIC_MASKMOVDQU:
  case ZYDIS_MNEMONIC_VMASKMOVDQU:
  case ZYDIS_MNEMONIC_VMASKMOVPS:
  case ZYDIS_MNEMONIC_VMASKMOVPD:
  case ZYDIS_MNEMONIC_VPMASKMOVD:
  case ZYDIS_MNEMONIC_VPMASKMOVQ: return true;
  default: return false;
  }
}

/* false for instructions that save several registers and for gathers, whose elements have separate addresses. */
bool access_is_vector(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *o)
{
  const ZydisDecodedOperand *access = access_only(in, o);
  bool has_register = false;

  for (unsigned i = 0; i < in->operand_count; i++) {
    const ZydisRegisterClass class =
        o[i].type == ZYDIS_OPERAND_TYPE_REGISTER ? ZydisRegisterGetClass(o[i].reg.value) : ZYDIS_REGCLASS_INVALID;

    has_register |= class == ZYDIS_REGCLASS_XMM || class == ZYDIS_REGCLASS_YMM;
  }
  return access && has_register && (access->size == 128 || access->size == 256) &&
         (access->actions == ZYDIS_OPERAND_ACTION_READ || access->actions == ZYDIS_OPERAND_ACTION_WRITE) &&
         !access_is_masked(in->mnemonic);
}

#endif
