/* SPDX-License-Identifier: MIT */
/* Floating-point registers that contain integers and bits (formats F2, F3, F9, M18, M19). Rounding is tested against
 * exact fractions (exact.py) and the host's arithmetic. */
#include "tests/montecito/exec/random/state.h"

static bool is_natval(struct float_value x)
{
  return x.exponent == FLOAT_NATVAL && !x.significand && !x.sign;
}
static const struct float_value natval = {0, FLOAT_NATVAL, false};

static void do_setf(struct sim *s, const struct insn *v)
{
  const struct value x = sim_gr(s, v->r2);
  sim_fr_set(s, v->r1, x.nat ? natval : (struct float_value){x.v, FLOAT_INTEGER, false});
}
static void do_getf(struct sim *s, const struct insn *v)
{
  const struct float_value x = sim_fr(s, v->r2);
  sim_gr_set(s, v->r1, x.significand, is_natval(x));
}

/* The upper half of a product, from four products of halves; a: 0 lower half, 2 upper unsigned, 3 upper signed. */
static uint64_t product(int a, uint64_t x, uint64_t y, uint64_t addend)
{
  const uint64_t xl = x & UINT32_MAX, xh = x >> 32, yl = y & UINT32_MAX, yh = y >> 32;
  const uint64_t middle = xh * yl + (xl * yl >> 32), cross = xl * yh + (middle & UINT32_MAX);
  const uint64_t low = x * y;
  uint64_t high = xh * yh + (middle >> 32) + (cross >> 32);
  if (a == 0)
    return low + addend;
  if (a == 3) { /* the addend is unsigned in both */
    high -= x >> 63 ? y : 0;
    high -= y >> 63 ? x : 0;
  }
  return high + (low + addend < low);
}
static void do_xma(struct sim *s, const struct insn *v)
{
  const struct float_value x = sim_fr(s, v->r3), y = sim_fr(s, v->r4), z = sim_fr(s, v->r2);
  const uint64_t r = product(v->row->a, x.significand, y.significand, z.significand);
  sim_fr_set(s, v->r1,
             is_natval(x) || is_natval(y) || is_natval(z) ? natval : (struct float_value){r, FLOAT_INTEGER, false});
}
static void do_fselect(struct sim *s, const struct insn *v)
{
  const struct float_value x = sim_fr(s, v->r3), y = sim_fr(s, v->r4), z = sim_fr(s, v->r2);
  const uint64_t r = (x.significand & z.significand) | (y.significand & ~z.significand);
  sim_fr_set(s, v->r1,
             is_natval(x) || is_natval(y) || is_natval(z) ? natval : (struct float_value){r, FLOAT_INTEGER, false});
}
/* a: 0 s, 1 ns, 2 se. */
static void do_fmerge(struct sim *s, const struct insn *v)
{
  const struct float_value x = sim_fr(s, v->r2), y = sim_fr(s, v->r3);
  struct float_value r = {y.significand, v->row->a == 2 ? x.exponent : y.exponent, v->row->a == 1 ? !x.sign : x.sign};
  sim_fr_set(s, v->r1, is_natval(x) || is_natval(y) ? natval : r);
}
static void do_flogical(struct sim *s, const struct insn *v)
{
  const struct float_value x = sim_fr(s, v->r2), y = sim_fr(s, v->r3);
  const uint64_t a = x.significand, b = y.significand;
  const uint64_t r = v->row->a == 0 ? (a & b) : v->row->a == 1 ? (a & ~b) : v->row->a == 2 ? (a | b) : (a ^ b);
  sim_fr_set(s, v->r1, is_natval(x) || is_natval(y) ? natval : (struct float_value){r, FLOAT_INTEGER, false});
}

#define F9(x6) AT(x6, 27)
const struct row rows_floating[] = {
    {"setf.sig", 'M', FORM_SETF, MAJOR(6) | AT(0x1c, 30) | AT(1, 27), do_setf, 0, 0},
    {"getf.sig", 'M', FORM_GETF, MAJOR(4) | AT(0x1c, 30) | AT(1, 27), do_getf, 0, 0},
    {"xma.l", 'F', FORM_F4, MAJOR(14) | AT(1, 36), do_xma, 0, 0},
    {"xma.hu", 'F', FORM_F4, MAJOR(14) | AT(1, 36) | AT(2, 34), do_xma, 2, 0},
    {"xma.h", 'F', FORM_F4, MAJOR(14) | AT(1, 36) | AT(3, 34), do_xma, 3, 0},
    {"fselect", 'F', FORM_F4, MAJOR(14), do_fselect, 0, 0},
    {"fmerge.s", 'F', FORM_F3, F9(0x10), do_fmerge, 0, 0},
    {"fmerge.ns", 'F', FORM_F3, F9(0x11), do_fmerge, 1, 0},
    {"fmerge.se", 'F', FORM_F3, F9(0x12), do_fmerge, 2, 0},
    {"fand", 'F', FORM_F3, F9(0x2c), do_flogical, 0, 0},
    {"fandcm", 'F', FORM_F3, F9(0x2d), do_flogical, 1, 0},
    {"for", 'F', FORM_F3, F9(0x2e), do_flogical, 2, 0},
    {"fxor", 'F', FORM_F3, F9(0x2f), do_flogical, 3, 0},
};
const size_t n_rows_floating = sizeof rows_floating / sizeof *rows_floating;
