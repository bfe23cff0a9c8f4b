/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dataflow of a block: after each instruction, for each register, the sources that its content depends on. An
 * instruction's results depend on everything that it reads, unless more is known about the instruction. Dependences
 * through memory (a value that is stored and loaded again) are not followed.
 */
#include "plugin/flow.h"
#include "machine/trace/ring.h"

#ifdef HAVE_ZYDIS
#include <string.h>
#include "plugin/access.h"

/* The longest dependence chain from a register at the block's start: its cycles, and its number of instructions of each
 * kind (one byte per kind). */
struct chain {
  uint32_t cycles;
  bool exists;
  uint64_t kinds;
};

struct flow {
  uint64_t source[NOTE_REGISTERS];                    /* the sources of each register's current content */
  struct chain chain[NOTE_REGISTERS][NOTE_REGISTERS]; /* [current register][register at the start] */
  bool changed[NOTE_REGISTERS]; /* chain[] was replaced; else only chain[i][i] exists, of length 0 */
  uint8_t part[NOTE_PARTS_N];
  bool full; /* flow_is_full() */
  uint64_t note[NOTE_MOST];
  size_t notes;
  unsigned ordinal; /* instructions so far that access memory */
};
static struct flow flow; /* one for all threads: QEMU translates one block of a program at a time */
static ZydisDecoder decoder;
static ZydisMachineMode mode;

bool flow_install(bool is_64_bit)
{
  mode = is_64_bit ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32;
  return ZYAN_SUCCESS(ZydisDecoderInit(&decoder, mode, is_64_bit ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32));
}

/* Returns the number of a register in notes; -1: notes do not cover it. */
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

/* True if the result does not depend on the operands: XOR, SUB and their vector forms of a register with itself. */
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

/* Pointers that an instruction updates implicitly (stack, string instructions): they do not depend on the loaded data.
 */
static bool flow_is_pointer(const ZydisDecodedOperand *o)
{
  const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(mode, o->reg.value);
  const int id = ZydisRegisterGetId(whole);

  return o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN && flow_register(whole) >= 0 &&
         flow_register(whole) < (int)NOTE_FLAGS && (id == 4 || id == 6 || id == 7); /* SP, SI, DI */
}

/* Returns the sources of everything that an instruction reads; *ret_address: those of its memory operands' addresses.
 */
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
  if (o->size < 32 && reg < (int)NOTE_FLAGS) /* the rest of the register is unchanged */
    sources |= flow.source[reg];
  flow.source[reg] = sources;
}

/* ---- the latency of results ---- */

/* Cycles that select the longest chain, for the first kinds of NOTE_PARTS: the latencies of a recent core. The machine
 * computes the chain's actual time. */
static const uint8_t cycles_of[] = {1, 5, 3, 12, 3, 4, 13, 1};
enum { KINDS = sizeof cycles_of, KIND_NONE = KINDS };

/* Kinds of instructions by the prefix of their mnemonics, without the `v` of AVX; the first match counts. */
static const struct {
  const char *begin;
  uint8_t kind;
} names[] = {{"muls", NOTE_PART_FMUL},  {"mulp", NOTE_PART_FMUL},  {"mul", NOTE_PART_MUL},    {"imul", NOTE_PART_MUL},
             {"fmul", NOTE_PART_FMUL},  {"fmadd", NOTE_PART_FMUL}, {"fmsub", NOTE_PART_FMUL}, {"fnma", NOTE_PART_FMUL},
             {"fnms", NOTE_PART_FMUL},  {"pmul", NOTE_PART_FMUL},  {"pmadd", NOTE_PART_FMUL}, {"divs", NOTE_PART_FDIV},
             {"divp", NOTE_PART_FDIV},  {"fdiv", NOTE_PART_FDIV},  {"sqrt", NOTE_PART_FDIV},  {"fsqrt", NOTE_PART_FDIV},
             {"div", NOTE_PART_DIV},    {"idiv", NOTE_PART_DIV},   {"adds", NOTE_PART_FADD},  {"addp", NOTE_PART_FADD},
             {"subs", NOTE_PART_FADD},  {"subp", NOTE_PART_FADD},  {"mins", NOTE_PART_FADD},  {"minp", NOTE_PART_FADD},
             {"maxs", NOTE_PART_FADD},  {"maxp", NOTE_PART_FADD},  {"cvt", NOTE_PART_FADD},   {"fadd", NOTE_PART_FADD},
             {"fsub", NOTE_PART_FADD},  {"hadd", NOTE_PART_FADD},  {"round", NOTE_PART_FADD}, {"comis", NOTE_PART_FADD},
             {"ucomis", NOTE_PART_FADD}};

/* Returns the kind of an instruction. A move has KIND_NONE: it is eliminated, or only loads. So have MOVS and STOS,
 * whose repetitions do not wait for each other. */
static unsigned flow_kind(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *o)
{
  const char *name = ZydisMnemonicGetString(in->mnemonic);

  if (in->meta.category == ZYDIS_CATEGORY_DATAXFER || !strncmp(name, "vmov", 4) || !strncmp(name, "mov", 3) ||
      !strncmp(name, "stos", 4))
    return KIND_NONE;
  name += name[0] == 'v';
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncmp(name, names[i].begin, strlen(names[i].begin)))
      return names[i].kind;
  const int first = o[0].type == ZYDIS_OPERAND_TYPE_REGISTER ? flow_register(o[0].reg.value) : -1;
  return first >= (int)NOTE_VECTORS ? NOTE_PART_VECTOR : NOTE_PART_ALU;
}

/* Extends the chains that end in `reg` by `cycles` and `kinds`; keeps in `to` the longer chain from each register at
 * the start. */
static void chains_extend(struct chain *to, ZydisRegister reg, unsigned cycles, uint64_t kinds)
{
  const int from = reg == ZYDIS_REGISTER_NONE ? -1 : flow_register(reg);

  for (unsigned i = 0; from >= 0 && i < NOTE_REGISTERS; i++) {
    const struct chain *w = &flow.chain[from][i];

    if (w->exists && (!to[i].exists || w->cycles + cycles > to[i].cycles))
      to[i] = (struct chain){w->cycles + cycles, true, w->kinds + kinds};
  }
}

/* Computes the chains that end in the results of an instruction of that kind. */
static void chains_find(struct chain *to, unsigned kind, const ZydisDecodedInstruction *in,
                        const ZydisDecodedOperand *o)
{
  const unsigned cycles = kind < KINDS ? cycles_of[kind] : 0;
  const uint64_t kinds = kind < KINDS ? UINT64_C(1) << 8 * kind : 0;

  for (unsigned i = 0; i < in->operand_count && !flow_clears(in, o); i++) {
    if (o[i].type == ZYDIS_OPERAND_TYPE_MEMORY) {
      const bool loads = flow_accesses(in, &o[i]) && o[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ;
      const unsigned more = loads ? cycles_of[NOTE_PART_LOAD] : 0;
      const uint64_t one = loads ? UINT64_C(1) << 8 * NOTE_PART_LOAD : 0;

      chains_extend(to, o[i].mem.base, cycles + more, kinds + one);
      chains_extend(to, o[i].mem.index, cycles + more, kinds + one);
    } else if (o[i].type == ZYDIS_OPERAND_TYPE_REGISTER && !flow_is_pointer(&o[i]) &&
               o[i].actions & (ZYDIS_OPERAND_ACTION_MASK_READ | ZYDIS_OPERAND_ACTION_CONDWRITE)) {
      chains_extend(to, o[i].reg.value, cycles, kinds);
    }
  }
}

/* The greatest value of each part of a summary. */
#define PART_MOST(what, bits) (1u << (bits)) - 1,
static const uint8_t part_most[NOTE_PARTS_N] = {NOTE_PARTS(PART_MOST)};
#undef PART_MOST

static void flow_count(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *o, unsigned kind)
{
  if (kind == NOTE_PART_DIV || kind == NOTE_PART_FDIV)
    flow.part[kind == NOTE_PART_DIV ? NOTE_PART_DIVS : NOTE_PART_FDIVS]++;
  flow.part[NOTE_PART_BRANCH] = in->meta.category == ZYDIS_CATEGORY_COND_BR; /* the last instruction decides */
  for (unsigned i = 0; in->mnemonic == ZYDIS_MNEMONIC_XCHG && i < in->operand_count; i++)
    if (o[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
      flow.part[NOTE_PART_LOCKED]++;
  if (in->attributes & ZYDIS_ATTRIB_HAS_LOCK && in->mnemonic != ZYDIS_MNEMONIC_XCHG)
    flow.part[NOTE_PART_LOCKED]++;
  switch (in->mnemonic) {
  case ZYDIS_MNEMONIC_MFENCE:
  case ZYDIS_MNEMONIC_LFENCE:
  case ZYDIS_MNEMONIC_SFENCE: flow.part[NOTE_PART_FENCES]++; break;
  case ZYDIS_MNEMONIC_CPUID:
  case ZYDIS_MNEMONIC_SERIALIZE: flow.part[NOTE_PART_SERIAL]++; break;
  default: break;
  }
  for (unsigned i = KINDS; i < NOTE_PART_BRANCH; i++)
    flow.full |= flow.part[i] == part_most[i];
}

/* Notes that a chain from a register to itself is as long as a summary can count. */
static void flow_check_chain(const struct chain *w)
{
  for (unsigned k = 0; k < KINDS && w->exists; k++)
    flow.full |= (uint8_t)(w->kinds >> 8 * k) >= part_most[k];
}

/* Updates counts and chains for an instruction. Called before the sources of its results replace the sources that it
 * reads. */
static void flow_update_chains(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *o)
{
  const unsigned kind = flow_kind(in, o);
  struct chain to[NOTE_REGISTERS] = {0};

  flow_count(in, o, kind);
  chains_find(to, kind, in, o);
  for (unsigned i = 0; i < in->operand_count; i++) {
    const bool writes = o[i].type == ZYDIS_OPERAND_TYPE_REGISTER && o[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    const int reg = writes && !flow_is_pointer(&o[i]) ? flow_register(o[i].reg.value) : -1;

    if (reg < 0)
      continue;
    memcpy(flow.chain[reg], to, sizeof to);
    flow.changed[reg] = true;
    flow_check_chain(&to[reg]);
  }
}

/* Summarizes the block by its longest chain from a register to itself: if the block repeats, each iteration takes at
 * least as long. */
static void flow_summarize(void)
{
  const struct chain *longest = &flow.chain[0][0];

  for (unsigned i = 1; i < NOTE_REGISTERS; i++)
    if (flow.chain[i][i].exists && (!longest->exists || flow.chain[i][i].cycles > longest->cycles))
      longest = &flow.chain[i][i];
  for (unsigned k = 0; k < KINDS && longest->exists; k++)
    flow.part[k] = (uint8_t)(longest->kinds >> 8 * k);
  flow.note[flow.notes++] = record_note_summary(flow.part);
}

void flow_begin(void)
{
  flow.notes = 0;
  flow.ordinal = 0;
  flow.full = false;
  memset(flow.part, 0, sizeof flow.part);
  for (unsigned i = 0; i < NOTE_REGISTERS; i++) {
    if (flow.changed[i])
      memset(flow.chain[i], 0, sizeof flow.chain[i]);
    flow.changed[i] = false;
    flow.source[i] = UINT64_C(1) << i;
    flow.chain[i][i].exists = true;
  }
}

struct flow_place flow_add(const void *code, size_t n)
{
  ZydisDecodedInstruction in;
  ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
  struct flow_place place = {.ordinal = (uint8_t)flow.ordinal};
  uint64_t sources, address;
  bool accesses;

  if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, n, &in, o))) {
    flow.ordinal++; /* it may access memory */
    return place;
  }
  place.alone = access_is_alone(&in, o);
  sources = flow_read(&in, o, &address, &accesses);
  flow_update_chains(&in, o);
  if (accesses && address)
    flow.note[flow.notes++] = record_note(NOTE_ACCESS, flow.ordinal, address);
  for (unsigned i = 0; i < in.operand_count; i++)
    if (o[i].type == ZYDIS_OPERAND_TYPE_REGISTER && (o[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
      flow_write(&o[i], sources);
  flow.ordinal += accesses;
  place.vector = accesses && access_is_vector(&in, o);
  return place;
}

bool flow_is_full(void)
{
  return flow.full;
}

size_t flow_end(uint64_t *to)
{
  for (unsigned i = 0; i < NOTE_REGISTERS; i++)
    if (flow.source[i] != UINT64_C(1) << i)
      flow.note[flow.notes++] = record_note(NOTE_OUT, i, flow.source[i]);
  flow_summarize();
  for (size_t i = 0; i < flow.notes; i++)
    to[i] = flow.note[i];
  return flow.notes;
}

#else

static uint8_t ordinal;

bool flow_install(bool is_64_bit)
{
  (void)is_64_bit;
  return false;
}

void flow_begin(void)
{
  ordinal = 0;
}

struct flow_place flow_add(const void *code, size_t n)
{
  (void)code, (void)n;
  return (struct flow_place){.ordinal = ordinal++};
}

bool flow_is_full(void)
{
  return false;
}

size_t flow_end(uint64_t *to)
{
  (void)to;
  return 0;
}

#endif
