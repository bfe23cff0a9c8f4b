/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dataflow of a block: for each register the sources that its content depends on, instruction by instruction. An
 * instruction's results depend on everything that it reads, except where it is known better. Dependences through memory
 * (a value that is stored and loaded again) are not followed.
 */
#include "plugin/flow.h"
#include "machine/trace/ring.h"

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>

struct flow {
  uint64_t source[NOTE_REGISTERS]; /* of each register now */
  uint64_t note[NOTE_MOST];
  size_t notes;
  unsigned ordinal; /* instructions so far that access memory */
};
static struct flow flow; /* QEMU translates one block of a program at a time */
static ZydisDecoder decoder;
static ZydisMachineMode mode;

bool flow_install(bool is_64_bit)
{
  mode = is_64_bit ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32;
  return ZYAN_SUCCESS(ZydisDecoderInit(&decoder, mode, is_64_bit ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32));
}

/* The number of a register in notes; -1: none. */
static int flow_register(ZydisRegister reg)
{
  const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(mode, reg);
  const int id = ZydisRegisterGetId(whole);

  switch (ZydisRegisterGetClass(whole)) {
  case ZYDIS_REGCLASS_GPR32:
  case ZYDIS_REGCLASS_GPR64: return id >= 0 && id < 16 ? id : -1;
  case ZYDIS_REGCLASS_FLAGS: return (int)NOTE_FLAGS;
  case ZYDIS_REGCLASS_XMM:
  case ZYDIS_REGCLASS_YMM:
  case ZYDIS_REGCLASS_ZMM: return id >= 0 && id < 16 ? (int)NOTE_VECTORS + id : -1;
  default: return -1;
  }
}

static uint64_t flow_sources(ZydisRegister reg)
{
  const int i = reg == ZYDIS_REGISTER_NONE ? -1 : flow_register(reg);

  return i < 0 ? 0 : flow.source[i];
}

static uint64_t flow_address(const ZydisDecodedOperand *o)
{
  return flow_sources(o->mem.base) | flow_sources(o->mem.index);
}

static bool flow_accesses(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *o)
{
  return o->type == ZYDIS_OPERAND_TYPE_MEMORY &&
         (o->mem.type == ZYDIS_MEMOP_TYPE_MEM || o->mem.type == ZYDIS_MEMOP_TYPE_VSIB) &&
         in->mnemonic != ZYDIS_MNEMONIC_NOP && in->meta.category != ZYDIS_CATEGORY_PREFETCH;
}

/* Whether the result does not depend on the registers: XOR, SUB and their vector forms of a register with itself. */
static bool flow_clears(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *o)
{
  const unsigned n = in->operand_count_visible;

  if (n < 2 || o[n - 1].type != ZYDIS_OPERAND_TYPE_REGISTER || o[n - 2].type != ZYDIS_OPERAND_TYPE_REGISTER ||
      o[n - 1].reg.value != o[n - 2].reg.value)
    return false;
  switch (in->mnemonic) {
  case ZYDIS_MNEMONIC_XOR:
  case ZYDIS_MNEMONIC_SUB:
  case ZYDIS_MNEMONIC_PXOR:
  case ZYDIS_MNEMONIC_XORPS:
  case ZYDIS_MNEMONIC_XORPD:
  case ZYDIS_MNEMONIC_VPXOR:
  case ZYDIS_MNEMONIC_VXORPS:
  case ZYDIS_MNEMONIC_VXORPD: return true;
  default: return false;
  }
}

/* Pointers that an instruction moves along as it goes: they do not depend on what it loads. */
static bool flow_is_pointer(const ZydisDecodedOperand *o)
{
  const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(mode, o->reg.value);
  const int id = ZydisRegisterGetId(whole);

  return o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN && flow_register(whole) >= 0 &&
         flow_register(whole) < (int)NOTE_FLAGS && (id == 4 || id == 6 || id == 7); /* SP, SI, DI */
}

/* Everything that an instruction reads; *ret_address: its memory operands' addresses. */
static uint64_t flow_read(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *o, uint64_t *ret_address,
                          bool *ret_accesses)
{
  uint64_t sources = 0;
  bool loads = false;

  *ret_address = 0;
  *ret_accesses = false;
  for (unsigned i = 0; i < in->operand_count; i++) {
    if (flow_accesses(in, &o[i])) {
      *ret_address |= flow_address(&o[i]);
      *ret_accesses = true;
      loads |= (o[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
    } else if (o[i].type == ZYDIS_OPERAND_TYPE_MEMORY) {
      sources |= flow_address(&o[i]); /* LEA */
    } else if (o[i].type == ZYDIS_OPERAND_TYPE_REGISTER && !flow_is_pointer(&o[i]) &&
               (o[i].actions & (ZYDIS_OPERAND_ACTION_MASK_READ | ZYDIS_OPERAND_ACTION_CONDWRITE))) {
      sources |= flow_sources(o[i].reg.value);
    }
  }
  if (flow_clears(in, o))
    sources = 0;
  if (loads)
    sources |= flow.ordinal < NOTE_LOADS ? UINT64_C(1) << (NOTE_REGISTERS + flow.ordinal) : *ret_address;
  return sources;
}

static void flow_write(const ZydisDecodedOperand *o, uint64_t sources)
{
  const int reg = flow_register(o->reg.value);

  if (reg < 0 || flow_is_pointer(o))
    return;
  if (o->size < 32 && reg < (int)NOTE_FLAGS) /* the rest of the register stays */
    sources |= flow.source[reg];
  flow.source[reg] = sources;
}

void flow_begin(void)
{
  flow.notes = 0;
  flow.ordinal = 0;
  for (unsigned i = 0; i < NOTE_REGISTERS; i++)
    flow.source[i] = UINT64_C(1) << i;
}

size_t flow_add(const void *code, size_t n)
{
  ZydisDecodedInstruction in;
  ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
  const size_t ordinal = flow.ordinal;
  uint64_t sources, address;
  bool accesses;

  if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, n, &in, o)))
    return flow.ordinal++; /* it may access memory */
  sources = flow_read(&in, o, &address, &accesses);
  if (accesses && address)
    flow.note[flow.notes++] = record_note(NOTE_ACCESS, flow.ordinal, address);
  for (unsigned i = 0; i < in.operand_count; i++)
    if (o[i].type == ZYDIS_OPERAND_TYPE_REGISTER && (o[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
      flow_write(&o[i], sources);
  flow.ordinal += accesses;
  return ordinal;
}

size_t flow_end(uint64_t *to)
{
  for (unsigned i = 0; i < NOTE_REGISTERS; i++)
    if (flow.source[i] != UINT64_C(1) << i)
      flow.note[flow.notes++] = record_note(NOTE_OUT, i, flow.source[i]);
  for (size_t i = 0; i < flow.notes; i++)
    to[i] = flow.note[i];
  return flow.notes;
}

#else

static size_t ordinal;

bool flow_install(bool is_64_bit)
{
  (void)is_64_bit;
  return false;
}

void flow_begin(void)
{
  ordinal = 0;
}

size_t flow_add(const void *code, size_t n)
{
  (void)code, (void)n;
  return ordinal++;
}

size_t flow_end(uint64_t *to)
{
  (void)to;
  return 0;
}

#endif
