/* SPDX-License-Identifier: MIT */
#include "machine/montecito/exec/decode.h"
#include "machine/montecito/exec/operations.h"
#include "machine/montecito/exec/row.h"

static const struct exec_row rows_a[] = {
#include "machine/montecito/exec/table_a.inc"
};
static const struct exec_row rows_i[] = {
#include "machine/montecito/exec/table_i.inc"
};
static const struct exec_row rows_m[] = {
#include "machine/montecito/exec/table_m.inc"
};
static const struct exec_row rows_b[] = {
#include "machine/montecito/exec/table_b.inc"
};
static const struct exec_row rows_f[] = {
#include "machine/montecito/exec/table_f.inc"
};
static const struct exec_row rows_x[] = {
#include "machine/montecito/exec/table_x.inc"
};

#define ROWS(table) table, sizeof table / sizeof *table
static const struct {
  const struct exec_row *rows;
  size_t n;
} tables[UNIT_N] = {[UNIT_NONE] = {ROWS(rows_a)}, [UNIT_M] = {ROWS(rows_m)}, [UNIT_I] = {ROWS(rows_i)},
                    [UNIT_F] = {ROWS(rows_f)},    [UNIT_B] = {ROWS(rows_b)}, [UNIT_X] = {ROWS(rows_x)}};

#define TEMPLATE(a, b, c, stops)                                                                                       \
  {                                                                                                                    \
    {UNIT_##a, UNIT_##b, UNIT_##c}, stops                                                                              \
  }
const struct exec_template exec_templates[32] = {
    [0x00] = TEMPLATE(M, I, I, 0), [0x01] = TEMPLATE(M, I, I, 4), [0x02] = TEMPLATE(M, I, I, 2),
    [0x03] = TEMPLATE(M, I, I, 6), [0x04] = TEMPLATE(M, L, X, 0), [0x05] = TEMPLATE(M, L, X, 4),
    [0x08] = TEMPLATE(M, M, I, 0), [0x09] = TEMPLATE(M, M, I, 4), [0x0a] = TEMPLATE(M, M, I, 1),
    [0x0b] = TEMPLATE(M, M, I, 5), [0x0c] = TEMPLATE(M, F, I, 0), [0x0d] = TEMPLATE(M, F, I, 4),
    [0x0e] = TEMPLATE(M, M, F, 0), [0x0f] = TEMPLATE(M, M, F, 4), [0x10] = TEMPLATE(M, I, B, 0),
    [0x11] = TEMPLATE(M, I, B, 4), [0x12] = TEMPLATE(M, B, B, 0), [0x13] = TEMPLATE(M, B, B, 4),
    [0x16] = TEMPLATE(B, B, B, 0), [0x17] = TEMPLATE(B, B, B, 4), [0x18] = TEMPLATE(M, M, B, 0),
    [0x19] = TEMPLATE(M, M, B, 4), [0x1c] = TEMPLATE(M, F, B, 0), [0x1d] = TEMPLATE(M, F, B, 4)};

const struct exec_row *exec_rows(unsigned unit, size_t *ret_n)
{
  *ret_n = tables[unit].n;
  return tables[unit].rows;
}

uint64_t exec_slot_bits(const uint64_t bundle[2], unsigned n)
{
  const uint64_t slot = BITS(40, 0);
  if (n == 0)
    return bundle[0] >> 5 & slot;
  return n == 1 ? (bundle[0] >> 46 | bundle[1] << 18) & slot : bundle[1] >> 23;
}

static uint64_t bits_get(uint64_t bits, unsigned low, unsigned width)
{
  return bits >> low & ((UINT64_C(1) << width) - 1);
}

/* Returns the value as a signed number of `width` bits. */
static int64_t bits_signed(uint64_t value, unsigned width)
{
  return (int64_t)(value << (64 - width)) >> (64 - width);
}

static int64_t target_of(uint64_t bits, unsigned low)
{
  return bits_signed(bits_get(bits, 36, 1) << 20 | bits_get(bits, low, 20), 21) * 16;
}

static int64_t immediate_of_long(unsigned kind, uint64_t bits, uint64_t l)
{
  const uint64_t sign = bits_get(bits, 36, 1);
  if (kind == IMM_62)
    return (int64_t)(l << 21 | sign << 20 | bits_get(bits, 6, 20));
  if (kind == IMM_60)
    return (int64_t)(sign << 63 | bits_get(l, 2, 39) << 24 | bits_get(bits, 13, 20) << 4);
  return (int64_t)(sign << 63 | l << 22 | bits_get(bits, 21, 1) << 21 | bits_get(bits, 22, 5) << 16 |
                   bits_get(bits, 27, 9) << 7 | bits_get(bits, 13, 7));
}

static int64_t immediate_of_integer(unsigned kind, uint64_t bits)
{
  static const uint8_t shift16[] = {0, 7, 15, 16};
  static const int8_t inc3[] = {16, 8, 4, 1};
  const uint64_t sign = bits_get(bits, 36, 1), imm7b = bits_get(bits, 13, 7);
  switch (kind) {
  case IMM_8: return bits_signed(sign << 7 | imm7b, 8);
  case IMM_14: return bits_signed(sign << 13 | bits_get(bits, 27, 6) << 7 | imm7b, 14);
  case IMM_22: return bits_signed(sign << 21 | bits_get(bits, 22, 5) << 16 | bits_get(bits, 27, 9) << 7 | imm7b, 22);
  case IMM_9_LOAD: return bits_signed(sign << 8 | bits_get(bits, 27, 1) << 7 | imm7b, 9);
  case IMM_9_STORE: return bits_signed(sign << 8 | bits_get(bits, 27, 1) << 7 | bits_get(bits, 6, 7), 9);
  case IMM_21: return (int64_t)(sign << 20 | bits_get(bits, 6, 20));
  case IMM_24: return (int64_t)(sign << 23 | bits_get(bits, 31, 2) << 21 | bits_get(bits, 6, 21));
  case IMM_44: return bits_signed(sign << 27 | bits_get(bits, 6, 27), 28) * 65536;
  case IMM_MASK17: return bits_signed(sign << 16 | bits_get(bits, 24, 8) << 8 | bits_get(bits, 6, 7) << 1, 17);
  case IMM_COUNT2: return (int64_t)bits_get(bits, 27, 2) + 1;
  case IMM_SHIFT16: return shift16[bits_get(bits, 30, 2)];
  case IMM_POS6: return (int64_t)bits_get(bits, 14, 6);
  case IMM_POS5_TF: return (int64_t)bits_get(bits, 14, 5) + 32;
  case IMM_COUNT6: return (int64_t)bits_get(bits, 27, 6);
  case IMM_COUNT5: return (int64_t)bits_get(bits, 14, 5);
  case IMM_COUNT5C: return 31 - (int64_t)bits_get(bits, 20, 5);
  case IMM_MBTYPE: return (int64_t)bits_get(bits, 20, 4);
  case IMM_MHTYPE: return (int64_t)bits_get(bits, 20, 8);
  case IMM_INC3: return inc3[bits_get(bits, 13, 2)] * (bits_get(bits, 15, 1) ? -1 : 1);
  case IMM_2: return (int64_t)bits_get(bits, 13, 2);
  case IMM_FCLASS: return (int64_t)(bits_get(bits, 20, 7) << 2 | bits_get(bits, 33, 2));
  case IMM_FSETC: return (int64_t)(bits_get(bits, 20, 7) << 7 | bits_get(bits, 13, 7));
  default: return 0;
  }
}

/* Decodes position (from 0) and length (from 1) of a bit field. */
static void decode_field(uint64_t bits, struct exec_instruction *v)
{
  v->len = (uint8_t)(bits_get(bits, 27, 6) + 1);
  switch (v->row->immediate) {
  case IMM_EXTR: v->pos = (uint8_t)bits_get(bits, 14, 6); break;
  case IMM_DEP_Z8: v->imm = immediate_of_integer(IMM_8, bits); /* fall through */
  case IMM_DEP_Z: v->pos = (uint8_t)(63 - bits_get(bits, 20, 6)); break;
  case IMM_DEP1:
    v->pos = (uint8_t)(63 - bits_get(bits, 14, 6));
    v->imm = -(int64_t)bits_get(bits, 36, 1);
    break;
  default:
    v->pos = (uint8_t)(63 - bits_get(bits, 31, 6));
    v->len = (uint8_t)(bits_get(bits, 27, 4) + 1);
    break;
  }
}

static void decode_immediate(uint64_t bits, uint64_t long_bits, struct exec_instruction *v)
{
  switch (v->row->immediate) {
  case IMM_EXTR:
  case IMM_DEP_Z:
  case IMM_DEP_Z8:
  case IMM_DEP1:
  case IMM_DEP: decode_field(bits, v); break;
  case IMM_PAIR: v->imm = v->sub % 4 == 2 ? 8 : 16; break;
  case IMM_BRANCH:
  case IMM_BRP: v->imm = target_of(bits, 13); break;
  case IMM_FCHKF: v->imm = target_of(bits, 6); break;
  case IMM_CHECK:
    v->imm = bits_signed(bits_get(bits, 36, 1) << 20 | bits_get(bits, 20, 13) << 7 | bits_get(bits, 6, 7), 21) * 16;
    break;
  case IMM_62:
  case IMM_60:
  case IMM_64: v->imm = immediate_of_long(v->row->immediate, bits, long_bits); break;
  default: v->imm = immediate_of_integer(v->row->immediate, bits); break;
  }
}

static bool row_matches(const struct exec_row *r, uint64_t bits)
{
  if ((bits & r->mask) != r->value)
    return false;
  switch (r->condition) {
  case WHEN_SAME_23: return bits_get(bits, 13, 7) == bits_get(bits, 20, 7);
  case WHEN_SHIFT_LEFT: /* the field reaches bit 63 */
    return 63 - bits_get(bits, 20, 6) + bits_get(bits, 27, 6) + 1 == 64;
  case WHEN_SHIFT_RIGHT: return bits_get(bits, 14, 6) + bits_get(bits, 27, 6) + 1 == 64;
  default: return true;
  }
}

static const struct exec_row *row_find(unsigned unit, uint64_t bits)
{
  const unsigned from = (unit == UNIT_M || unit == UNIT_I) && bits >> 40 ? (unsigned)UNIT_NONE : unit;
  for (size_t i = 0; i < tables[from].n; i++)
    if (row_matches(&tables[from].rows[i], bits))
      return &tables[from].rows[i];
  return NULL;
}

bool exec_decode(unsigned unit, uint64_t bits, uint64_t long_bits, struct exec_instruction *ret)
{
  const struct exec_row *row = row_find(unit, bits);
  *ret = (struct exec_instruction){.row = row,
                                   .operation = EXEC_ILLEGAL,
                                   .qp = (uint8_t)bits_get(bits, 0, 6),
                                   .r1 = (uint8_t)bits_get(bits, 6, 7),
                                   .r2 = (uint8_t)bits_get(bits, 13, 7),
                                   .r3 = (uint8_t)bits_get(bits, 20, 7),
                                   .r4 = (uint8_t)bits_get(bits, 27, 7),
                                   .p1 = (uint8_t)bits_get(bits, 6, 6),
                                   .p2 = (uint8_t)bits_get(bits, 27, 6)};
  if (!row)
    return false;
  ret->operation = row->operation;
  ret->sub = row->sub;
  if (row->immediate)
    decode_immediate(bits, long_bits, ret);
  if (row->immediate == IMM_22)
    ret->r3 &= 3;
  return true;
}
