/* SPDX-License-Identifier: MIT */
/* Bits of instructions, from the manual's formats; and the choice of rows. */
#include <string.h>
#include "tests/montecito/exec/random/state.h"

static const uint8_t templates_stop = 1;
static const uint64_t nop = UINT64_C(1) << 27, nop_b = UINT64_C(2) << 37;

static uint64_t imm8(int64_t imm)
{
  return AT(imm & 0x7f, 13) | AT(imm >> 7 & 1, 36);
}
static uint64_t imm9(int64_t imm, unsigned low)
{
  return AT(imm & 0x7f, low) | AT(imm >> 7 & 1, 27) | AT(imm >> 8 & 1, 36);
}
static uint64_t registers(const struct insn *v)
{
  return AT(v->r1, 6) | AT(v->r2, 13) | AT(v->r3, 20);
}
static uint64_t displacement(const struct insn *v, unsigned number, unsigned low)
{
  const int64_t bundles = (int64_t)v->target - (int64_t)number;
  return AT(bundles & 0xfffff, low) | AT(bundles >> 20 & 1, 36);
}
static uint64_t fetchadd_code(int64_t imm)
{
  const uint64_t n = (uint64_t)(imm < 0 ? -imm : imm);
  return AT(n == 16 ? 0 : n == 8 ? 1 : n == 4 ? 2 : 3, 13) | AT(imm < 0, 15);
}

static uint64_t fields_integer(const struct insn *v)
{
  const uint64_t r = registers(v), predicates = AT(v->p1, 6) | AT(v->p2, 27);
  switch (v->row->form) {
  case FORM_COUNT: return r | AT(v->len - 1, 27);
  case FORM_IMM8: return AT(v->r1, 6) | AT(v->r3, 20) | imm8(v->imm);
  case FORM_IMM14:
    return AT(v->r1, 6) | AT(v->r3, 20) | AT(v->imm & 0x7f, 13) | AT(v->imm >> 7 & 63, 27) | AT(v->imm >> 13 & 1, 36);
  case FORM_IMM22:
    return AT(v->r1, 6) | AT(v->r3, 20) | AT(v->imm & 0x7f, 13) | AT(v->imm >> 7 & 511, 27) |
           AT(v->imm >> 16 & 31, 22) | AT(v->imm >> 21 & 1, 36);
  case FORM_CMP: return predicates | AT(v->r2, 13) | AT(v->r3, 20);
  case FORM_CMP_ZERO:
  case FORM_TNAT: return predicates | AT(v->r3, 20);
  case FORM_CMP_IMM: return predicates | AT(v->r3, 20) | imm8(v->imm);
  case FORM_TBIT: return predicates | AT(v->r3, 20) | AT(v->pos, 14);
  case FORM_RIGHT: return AT(v->r1, 6) | AT(v->r3, 20) | AT(v->pos, 14);
  case FORM_LEFT: return AT(v->r1, 6) | AT(v->r2, 13) | AT(31 - v->pos, 20);
  case FORM_R1_R3: return AT(v->r1, 6) | AT(v->r3, 20);
  case FORM_MUX1: return AT(v->r1, 6) | AT(v->r2, 13);
  case FORM_MUX2: return AT(v->r1, 6) | AT(v->r2, 13) | AT(v->imm & 255, 20);
  case FORM_MULTIPLY: return r | AT(v->len == 0 ? 0 : v->len == 7 ? 1 : v->len == 15 ? 2 : 3, 30);
  case FORM_SHRP: return r | AT(v->pos, 27);
  case FORM_EXTR: return AT(v->r1, 6) | AT(v->r3, 20) | AT(v->pos, 14) | AT(v->len - 1, 27);
  case FORM_DEPZ: return AT(v->r1, 6) | AT(v->r2, 13) | AT(63 - v->pos, 20) | AT(v->len - 1, 27);
  case FORM_DEPZ_IMM: return AT(v->r1, 6) | imm8(v->imm) | AT(63 - v->pos, 20) | AT(v->len - 1, 27);
  case FORM_DEP_IMM:
    return AT(v->r1, 6) | AT(v->r3, 20) | AT(v->imm & 1, 36) | AT(63 - v->pos, 14) | AT(v->len - 1, 27);
  case FORM_DEP: return r | AT(63 - v->pos, 31) | AT(v->len - 1, 27);
  default: return r;
  }
}

static uint64_t fields_other(const struct insn *v, unsigned number)
{
  switch (v->row->form) {
  case FORM_TO_BR: return AT(v->r1, 6) | AT(v->r2, 13);
  case FORM_TO_PR:
    return AT(v->r2, 13) | AT(v->imm >> 1 & 127, 6) | AT(v->imm >> 8 & 255, 24) | AT(v->imm >> 16 & 1, 36);
  case FORM_PR_ROT: return AT(v->imm >> 16 & 0x7ffffff, 6) | AT(v->imm >> 43 & 1, 36);
  case FORM_FROM_BR:
  case FORM_R1: return AT(v->r1, 6) | AT(v->r2, 13);
  case FORM_TO_AR: return AT(v->r2, 13);
  case FORM_TO_EC: return imm8(v->imm);
  case FORM_CHK_S: {
    const int64_t bundles = (int64_t)v->target - (int64_t)number;
    return AT(v->r2, 13) | AT(bundles & 0x7f, 6) | AT(bundles >> 7 & 0x1fff, 20) | AT(bundles >> 20 & 1, 36);
  }
  case FORM_CHK_A: return AT(v->r1, 6) | displacement(v, number, 13);
  case FORM_LD_IMM: return AT(v->r1, 6) | AT(v->r3, 20) | imm9(v->imm, 13);
  case FORM_ST: return AT(v->r2, 13) | AT(v->r3, 20);
  case FORM_ST_IMM: return AT(v->r2, 13) | AT(v->r3, 20) | imm9(v->imm, 6);
  case FORM_FETCHADD: return AT(v->r1, 6) | AT(v->r3, 20) | fetchadd_code(v->imm);
  case FORM_ALLOC: return AT(v->r1, 6) | AT(v->pos, 13) | AT(v->len, 20) | AT(v->imm, 27);
  case FORM_BREAK: return AT(5, 6);
  case FORM_F4: return registers(v) | AT(v->r4, 27);
  case FORM_APPROXIMATE: return registers(v) | AT(v->p2, 27);
  case FORM_BR: return displacement(v, number, 13);
  case FORM_CALL: return displacement(v, number, 13) | AT(v->r1, 6);
  case FORM_RET: return AT(v->r2, 13);
  case FORM_NOTHING: return 0;
  default: return registers(v);
  }
}

static uint64_t slot_bits(const struct insn *v, unsigned number)
{
  return v->row->bits | v->qp | (v->row->form <= FORM_TNAT ? fields_integer(v) : fields_other(v, number));
}

static uint64_t movl_bits(const struct insn *v, uint64_t *ret_long)
{
  const uint64_t imm = (uint64_t)v->imm;
  *ret_long = imm >> 22 & ((UINT64_C(1) << 41) - 1);
  return v->row->bits | v->qp | AT(v->r1, 6) | AT(imm & 0x7f, 13) | AT(imm >> 21 & 1, 21) | AT(imm >> 16 & 31, 22) |
         AT(imm >> 7 & 511, 27) | AT(imm >> 63, 36);
}

/* True if the slot is a branch slot, whose nop is different. */
static bool is_branch_slot(unsigned template, unsigned slot)
{
  const unsigned t = template & ~(unsigned)templates_stop;
  return t == 0x16 || (t == 0x12 && slot) || ((t == 0x10 || t == 0x18 || t == 0x1c) && slot == 2);
}

void bundle_encode(const struct bundle *b, unsigned number, uint64_t ret_bits[2])
{
  uint64_t bits[3];
  for (unsigned i = 0; i < 3; i++)
    bits[i] = b->slot[i].row ? slot_bits(&b->slot[i], number) : is_branch_slot(b->template, i) ? nop_b : nop;
  if ((b->template & ~1u) == 4)
    bits[2] = movl_bits(&b->slot[2], &bits[1]);
  ret_bits[0] = b->template | bits[0] << 5 | bits[1] << 46;
  ret_bits[1] = bits[1] >> 18 | bits[2] << 23;
}

static const struct {
  const struct row *rows;
  const size_t *n;
} all[] = {{rows_integer, &n_rows_integer},   {rows_parallel, &n_rows_parallel},
           {rows_floating, &n_rows_floating}, {rows_approximate, &n_rows_approximate},
           {rows_control, &n_rows_control},   {rows_memory, &n_rows_memory}};

size_t row_count(void)
{
  size_t n = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    n += *all[i].n;
  return n;
}

/* True for instructions that a slot can have without preparation: no branches, memory accesses, or registers that
 * structure the program. */
static bool is_free(const struct row *r)
{
  static const char *const bound[] = {"alloc",        "chk.s.i",   "chk.s.m",    "chk.a.nc",   "chk.a.clr",
                                      "break.m",      "mov.to.lc", "mov.lc.imm", "mov.ec.imm", "mov.to.pfs",
                                      "mov.from.pfs", "mov.to.br", "mov.to.pr",  "mov.to.ccv", "mov.to.unat"};
  for (size_t i = 0; i < sizeof bound / sizeof *bound; i++)
    if (!strcmp(r->name, bound[i]))
      return false;
  return true;
}

const struct row *row_random(char unit, uint64_t random)
{
  for (;; random = random * 6364136223846793005u + 1442695040888963407u) {
    const unsigned part = (unsigned)(random >> 20) % 5;
    const struct row *r = &all[part].rows[(random >> 32) % *all[part].n];
    if ((r->unit == unit || (r->unit == 'A' && (unit == 'M' || unit == 'I'))) && is_free(r))
      return r;
  }
}

const struct row *row_random_access(uint64_t random)
{
  return &rows_memory[(random >> 20) % (n_rows_memory - 3)]; /* the last three come in pairs */
}

const struct row *row_find(const char *name)
{
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    for (size_t k = 0; k < *all[i].n; k++)
      if (!strcmp(all[i].rows[k].name, name))
        return &all[i].rows[k];
  return NULL;
}
