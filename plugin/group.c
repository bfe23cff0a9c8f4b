/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/group.h"

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>
#include "machine/trace/ring.h"

enum { REGISTERS = 16, SP = 4, NONE = REGISTERS, BASES };

/* A register's content: the unknown value number `id`, plus `more`. */
struct content {
  uint32_t id;
  int64_t more;
};

/* An address without its constant part: base + index * scale, as numbers of unknown values. */
struct sum {
  uint32_t base, index;
  uint8_t scale;
  bool store;
};
struct open_group {
  struct sum sum;
  int64_t first, low, high; /* constant parts: the first access, the lowest one, the end of the highest one */
  struct group group;
};

static struct {
  struct content content[BASES];
  uint32_t ids;
  struct open_group open[RECORD_MAX_COUNT];
  unsigned groups, insns;
  int8_t group_of[RECORD_MAX_COUNT]; /* -1: none */
  bool contained[RECORD_MAX_COUNT];
  enum group_kind kind[RECORD_MAX_COUNT];
  bool accesses; /* an instruction so far accesses memory, or may */
  int first;     /* the first instruction that accesses memory, if plain; -1: it is not, or none accesses */
} block;
static ZydisDecoder decoder;

bool groups_install(bool is_64_bit)
{
  return is_64_bit && ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64));
}

void groups_begin(void)
{
  block.groups = block.insns = 0;
  block.accesses = false;
  block.first = -1;
  for (block.ids = 0; block.ids < BASES; block.ids++)
    block.content[block.ids] = (struct content){.id = block.ids};
}

/* Returns the number of a general register; -1: another register. */
static int register_number(ZydisRegister reg)
{
  const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

  return ZydisRegisterGetClass(whole) == ZYDIS_REGCLASS_GPR64 ? ZydisRegisterGetId(whole) : -1;
}

static int register_whole(const ZydisDecodedOperand *o)
{
  return o->type == ZYDIS_OPERAND_TYPE_REGISTER && ZydisRegisterGetClass(o->reg.value) == ZYDIS_REGCLASS_GPR64
             ? ZydisRegisterGetId(o->reg.value)
             : -1;
}

/* ---- register contents ---- */

/* Updates the content of a 64-bit register that the instruction changes by a constant or copies. false: it does
 * neither. */
static bool content_follow(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *o)
{
  const int to = in->operand_count_visible ? register_whole(&o[0]) : -1;
  const int from = in->operand_count_visible > 1 ? register_whole(&o[1]) : -1;
  const bool number = in->operand_count_visible > 1 && o[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
  struct content c = to >= 0 ? block.content[to] : (struct content){0};

  if (to < 0)
    return false;
  if (in->mnemonic == ZYDIS_MNEMONIC_ADD && number)
    c.more += o[1].imm.value.s;
  else if (in->mnemonic == ZYDIS_MNEMONIC_SUB && number)
    c.more -= o[1].imm.value.s;
  else if (in->mnemonic == ZYDIS_MNEMONIC_INC)
    c.more++;
  else if (in->mnemonic == ZYDIS_MNEMONIC_DEC)
    c.more--;
  else if (in->mnemonic == ZYDIS_MNEMONIC_MOV && from >= 0)
    c = block.content[from];
  else if (in->mnemonic == ZYDIS_MNEMONIC_LEA && in->address_width == 64 && o[1].mem.index == ZYDIS_REGISTER_NONE &&
           register_number(o[1].mem.base) >= 0)
    c = (struct content){block.content[register_number(o[1].mem.base)].id,
                         block.content[register_number(o[1].mem.base)].more + o[1].mem.disp.value};
  else
    return false;
  block.content[to] = c;
  return true;
}

static bool is_push(const ZydisDecodedInstruction *in)
{
  return (in->mnemonic == ZYDIS_MNEMONIC_PUSH || in->mnemonic == ZYDIS_MNEMONIC_CALL) && in->operand_width == 64;
}
static bool is_pop(const ZydisDecodedInstruction *in)
{
  return in->mnemonic == ZYDIS_MNEMONIC_POP && in->operand_width == 64;
}

static void content_update(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *o)
{
  const struct content sp = block.content[SP];

  if (content_follow(in, o))
    return;
  for (unsigned i = 0; i < in->operand_count; i++) {
    const bool writes = o[i].type == ZYDIS_OPERAND_TYPE_REGISTER && o[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    const int reg = writes ? register_number(o[i].reg.value) : -1;

    if (reg >= 0)
      block.content[reg] = (struct content){.id = block.ids++};
  }
  const bool pops = is_pop(in) && register_whole(&o[0]) != SP;
  if (is_push(in) || pops)
    block.content[SP] = (struct content){sp.id, sp.more + (pops ? 8 : -8)};
}

/* ---- accesses ---- */

/* Instructions whose accesses QEMU makes at another address, several times, or conditionally. */
static bool is_special(const ZydisDecodedInstruction *in)
{
  static const ZydisMnemonic bits[] = {ZYDIS_MNEMONIC_BT, ZYDIS_MNEMONIC_BTS, ZYDIS_MNEMONIC_BTR, ZYDIS_MNEMONIC_BTC,
                                       ZYDIS_MNEMONIC_MOVNTI};

  for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
    if (in->mnemonic == bits[i])
      return true;
  const ZydisInstructionCategory category = in->meta.category;
  const bool stack =
      category == ZYDIS_CATEGORY_PUSH || category == ZYDIS_CATEGORY_POP || category == ZYDIS_CATEGORY_CALL;
  if (stack && !is_push(in) && !is_pop(in))
    return true; /* PUSHFQ and 16-bit forms: they move the stack pointer by another amount */
  switch (category) {
  case ZYDIS_CATEGORY_DATAXFER:
  case ZYDIS_CATEGORY_BINARY:
  case ZYDIS_CATEGORY_LOGICAL:
  case ZYDIS_CATEGORY_SHIFT:
  case ZYDIS_CATEGORY_CMOV:
  case ZYDIS_CATEGORY_PUSH:
  case ZYDIS_CATEGORY_POP:
  case ZYDIS_CATEGORY_CALL:
  case ZYDIS_CATEGORY_RET:
  case ZYDIS_CATEGORY_UNCOND_BR: break;
  default: return true;
  }
  return in->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY || in->address_width != 64 ||
         in->attributes & (ZYDIS_ATTRIB_HAS_LOCK | ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPNE);
}

/* Returns the only access of a plain instruction, a load or a store; NULL: the instruction is not plain, or makes no
 * access. */
static const ZydisDecodedOperand *plain_access(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *o)
{
  const ZydisDecodedOperand *access = NULL;

  for (unsigned i = 0; i < in->operand_count; i++) {
    if (o[i].type == ZYDIS_OPERAND_TYPE_REGISTER && register_number(o[i].reg.value) < 0 &&
        ZydisRegisterGetClass(o[i].reg.value) != ZYDIS_REGCLASS_FLAGS &&
        ZydisRegisterGetClass(o[i].reg.value) != ZYDIS_REGCLASS_IP)
      return NULL; /* vector registers: QEMU makes the access in pieces; segment registers */
    if (o[i].type != ZYDIS_OPERAND_TYPE_MEMORY || o[i].mem.type == ZYDIS_MEMOP_TYPE_AGEN)
      continue;
    if (access || o[i].mem.type != ZYDIS_MEMOP_TYPE_MEM || o[i].mem.segment == ZYDIS_REGISTER_FS ||
        o[i].mem.segment == ZYDIS_REGISTER_GS)
      return NULL; /* WRFSBASE can change a segment's base */
    access = &o[i];
  }
  if (!access || is_special(in))
    return NULL;
  const bool loads = access->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
  const bool stores = access->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
  const unsigned bytes = access->size / 8;
  return loads != stores && bytes && bytes <= 8 && !(bytes & (bytes - 1)) ? access : NULL;
}

/* Returns the common kind of an instruction's accesses. */
static enum group_kind accesses_kind(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *o)
{
  bool loads = false, stores = false;

  for (unsigned i = 0; i < in->operand_count; i++) {
    if (o[i].type != ZYDIS_OPERAND_TYPE_MEMORY || o[i].mem.type == ZYDIS_MEMOP_TYPE_AGEN)
      continue;
    loads |= (o[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
    stores |= (o[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    block.accesses = true;
  }
  return loads == stores ? GROUP_ANY : loads ? GROUP_LOADS : GROUP_STORES;
}

/* Splits an address into its sum of registers and its constant part, which is returned. */
static int64_t address_split(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *o, uint64_t next,
                             struct sum *ret)
{
  const int base = o->mem.base == ZYDIS_REGISTER_NONE ? NONE : register_number(o->mem.base);
  const int index = o->mem.index == ZYDIS_REGISTER_NONE ? NONE : register_number(o->mem.index);
  const struct content b = block.content[base < 0 ? NONE : base], i = block.content[index < 0 ? NONE : index];
  const int64_t pushed = is_push(in) && o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE ? -8 : 0;

  *ret = (struct sum){b.id, i.id, o->mem.scale, o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE};
  return (o->mem.disp.has_displacement ? o->mem.disp.value : 0) + b.more + i.more * o->mem.scale + pushed +
         (o->mem.base == ZYDIS_REGISTER_RIP ? (int64_t)next : 0);
}

static bool sum_equals(const struct sum *a, const struct sum *b)
{
  return a->base == b->base && a->index == b->index && a->scale == b->scale && a->store == b->store;
}

/* Adds the access at constant part `at` to the group; false: it is too far away, or the group is full. */
static bool group_join(struct open_group *g, int64_t at, unsigned bytes, unsigned insn)
{
  const int64_t low = at < g->low ? at : g->low;
  const int64_t high = at + bytes > g->high ? at + bytes : g->high;
  const unsigned n = g->group.n;

  if (high - low > GROUP_SPAN || n == GROUP_MOST)
    return false;
  g->low = low;
  g->high = high;
  g->group.insn[n] = (uint8_t)insn;
  g->group.size_log2[n] = (uint8_t)__builtin_ctz(bytes);
  g->group.at[n] = (int16_t)(at - g->first);
  g->group.n++;
  return true;
}

static void access_add(const struct sum *sum, int64_t at, unsigned bytes, unsigned insn)
{
  for (unsigned i = block.groups; i-- > 0;)
    if (sum_equals(&block.open[i].sum, sum) && group_join(&block.open[i], at, bytes, insn)) {
      block.contained[insn] = true;
      return;
    }
  struct open_group *g = &block.open[block.groups];
  *g = (struct open_group){.sum = *sum, .first = at, .low = at, .high = at, .group = {.store = sum->store}};
  group_join(g, at, bytes, insn);
  block.group_of[insn] = (int8_t)block.groups++;
}

void groups_add(const void *code, size_t n, uint64_t address)
{
  ZydisDecodedInstruction in;
  ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
  const unsigned insn = block.insns++;

  block.group_of[insn] = -1;
  block.contained[insn] = false;
  block.kind[insn] = GROUP_ANY;
  if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, n, &in, o))) {
    for (unsigned reg = 0; reg < REGISTERS; reg++)
      block.content[reg] = (struct content){.id = block.ids++};
    block.accesses = true; /* unknown */
    return;
  }
  const ZydisDecodedOperand *access = plain_access(&in, o);
  if (access && !block.accesses)
    block.first = (int)insn;
  block.kind[insn] = accesses_kind(&in, o);
  if (access) {
    struct sum sum;
    const int64_t at = address_split(&in, access, address + n, &sum);
    access_add(&sum, at, access->size / 8, insn);
  }
  content_update(&in, o);
}

const struct group *group_of(size_t insn)
{
  return block.group_of[insn] < 0 ? NULL : &block.open[block.group_of[insn]].group;
}

bool group_contains(size_t insn)
{
  return block.contained[insn];
}

enum group_kind group_kind_of(size_t insn)
{
  return block.kind[insn];
}

int group_first(void)
{
  return block.first;
}

#else

bool groups_install(bool is_64_bit)
{
  (void)is_64_bit;
  return false;
}

void groups_begin(void)
{
}

void groups_add(const void *code, size_t n, uint64_t address)
{
  (void)code, (void)n, (void)address;
}

const struct group *group_of(size_t insn)
{
  (void)insn;
  return NULL;
}

bool group_contains(size_t insn)
{
  (void)insn;
  return false;
}

enum group_kind group_kind_of(size_t insn)
{
  (void)insn;
  return GROUP_ANY;
}

int group_first(void)
{
  return -1;
}

#endif
