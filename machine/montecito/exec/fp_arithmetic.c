/* SPDX-License-Identifier: MIT */
/* Floating-point instructions: arithmetic, comparison, conversion, and 64-bit multiplication. */
#include "machine/montecito/exec/fp.h"

/* Writes the result. A trap or fault that is not masked ends the program instead. */
static void arithmetic_finish(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s,
                              struct exec_float x, const struct fp_control *k)
{
  s->detail =
      (uint8_t)((k->tiny ? k->flush ? FP_FLUSHED : FP_TINY : 0) | (k->tiny || k->flags & FP_OVERFLOW ? FP_CHECKED : 0));
  if (!fp_control_end(c, fp_status_field(s), k))
    exec_fr_set(c, v->r1, x);
}

static struct exec_float float_negate(struct exec_float x)
{
  if (!exec_is_natval(x) && !fp_is_nan(x))
    x.sign = !x.sign;
  return x;
}

/* f1 = f3 * f4 + f2, with the signs of the three operations; if f2 is f0, only the product. */
static void arithmetic_multiply_add(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  struct fp_control k = fp_control_of(c->ar[AR_FPSR], fp_status_field(s), v->sub);
  struct exec_float a = exec_fr(c, v->r3), b = exec_fr(c, v->r4), d = exec_fr(c, v->r2);
  if (v->operation == EXEC_FNMA)
    a = float_negate(a);
  if (v->operation == EXEC_FMS)
    d = float_negate(d);
  arithmetic_finish(c, v, s, v->r2 ? fp_multiply_add(a, b, d, &k) : fp_multiply(a, b, &k), &k);
}

static void arithmetic_integer(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_float a = exec_fr(c, v->r3), b = exec_fr(c, v->r4), d = exec_fr(c, v->r2);
  unsigned __int128 product = (unsigned __int128)a.significand * b.significand;
  struct exec_float x = {.exponent = EXPONENT_INTEGER};
  (void)s;
  if (v->sub == 3) /* signed */
    product = (unsigned __int128)((__int128)(int64_t)a.significand * (int64_t)b.significand);
  product += d.significand;
  x.significand = (uint64_t)(v->sub ? product >> 64 : product);
  exec_fr_set(c, v->r1, exec_is_natval(a) || exec_is_natval(b) || exec_is_natval(d) ? exec_natval() : x);
}

static bool relation_holds(unsigned relation, int order)
{
  enum { UNORDERED = 2 };
  switch (relation) {
  case 0: return order == 0;
  case 1: return order == -1;
  case 2: return order == 0 || order == -1;
  default: return order == UNORDERED;
  }
}

static void predicates_write(struct exec_cpu *c, const struct exec_instruction *v, bool result, bool nat)
{
  exec_pr_set(c, v->p1, !nat && result);
  exec_pr_set(c, v->p2, !nat && !result);
}

static void arithmetic_compare(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  struct fp_control k = fp_control_of(c->ar[AR_FPSR], fp_status_field(s), 0);
  const struct exec_float a = exec_fr(c, v->r2), b = exec_fr(c, v->r3);
  const unsigned relation = v->sub & 3;
  const bool nat = exec_is_natval(a) || exec_is_natval(b), quiet = relation == 0 || relation == 3;
  const bool result = !nat && relation_holds(relation, fp_compare(a, b, quiet, &k));
  if (!fp_control_end(c, fp_status_field(s), &k))
    predicates_write(c, v, result, nat);
}

static void arithmetic_classify(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  enum {
    POSITIVE = 1,
    NEGATIVE = 2,
    ZERO = 4,
    UNNORMAL = 8,
    NORMAL = 16,
    INFINITE = 32,
    SIGNALLING = 64,
    QUIET = 128,
    NATVAL = 256
  };
  const struct exec_float x = exec_fr(c, v->r2);
  const unsigned mask = (unsigned)v->imm, sign = x.sign ? NEGATIVE : POSITIVE;
  bool result;
  (void)s;
  if (exec_is_natval(x)) {
    predicates_write(c, v, true, !(mask & NATVAL));
    return;
  }
  if (fp_is_nan(x))
    result = mask & (fp_is_signalling(x) ? SIGNALLING : QUIET);
  else
    result = mask & sign && mask & (fp_is_zero(x)       ? ZERO
                                    : fp_is_infinite(x) ? INFINITE
                                    : fp_is_unnormal(x) ? UNNORMAL
                                                        : NORMAL);
  predicates_write(c, v, result, false);
}

/* ---- minimum, conversion, status ---- */

static void arithmetic_minimum(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  struct fp_control k = fp_control_of(c->ar[AR_FPSR], fp_status_field(s), 0);
  const struct exec_float a = exec_fr(c, v->r2), b = exec_fr(c, v->r3);
  struct exec_float x = a, y = b;
  if (exec_is_natval(a) || exec_is_natval(b)) {
    exec_fr_set(c, v->r1, exec_natval());
    return;
  }
  if (v->sub & 2)
    x.sign = y.sign = false;
  const bool first = fp_compare(x, y, false, &k) == (v->sub & 1 ? 1 : -1);
  arithmetic_finish(c, v, s, first ? a : b, &k);
}

static void arithmetic_to_integer(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  struct fp_control k = fp_control_of(c->ar[AR_FPSR], fp_status_field(s), 0);
  const struct exec_float a = exec_fr(c, v->r2);
  if (exec_is_natval(a)) {
    exec_fr_set(c, v->r1, a);
    return;
  }
  if (v->sub & 2)
    k.rounding = TO_ZERO;
  const struct exec_float x = {fp_to_integer(a, v->sub & 1, &k), EXPONENT_INTEGER, false};
  arithmetic_finish(c, v, s, x, &k);
}

static void arithmetic_from_integer(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_float a = exec_fr(c, v->r2);
  (void)s;
  exec_fr_set(c, v->r1, exec_is_natval(a) ? a : fp_of_integer(a.significand));
}

enum { FIELD_SHIFT = 6, FIELD_BITS = 13, CONTROLS = 0x7f, FLAGS_SHIFT = 7, FLAGS = 0x3f };

static void status_set_controls(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const unsigned shift = FIELD_SHIFT + FIELD_BITS * fp_status_field(s);
  const uint64_t first = c->ar[AR_FPSR] >> FIELD_SHIFT & CONTROLS;
  const uint64_t controls = (first & (uint64_t)v->imm & CONTROLS) | ((uint64_t)v->imm >> 7 & CONTROLS);
  c->ar[AR_FPSR] = (c->ar[AR_FPSR] & ~((uint64_t)CONTROLS << shift)) | controls << shift;
}

static void status_clear_flags(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)v;
  c->ar[AR_FPSR] &= ~((uint64_t)FLAGS << (FIELD_SHIFT + FIELD_BITS * fp_status_field(s) + FLAGS_SHIFT));
}

/* Branches if the field has flags of traps that are not masked, or flags that field 0 does not have. */
static void status_check_flags(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const uint64_t fpsr = c->ar[AR_FPSR];
  const unsigned flags = (unsigned)(fpsr >> (FIELD_SHIFT + FIELD_BITS * fp_status_field(s) + FLAGS_SHIFT)) & FLAGS;
  const unsigned first = (unsigned)(fpsr >> (FIELD_SHIFT + FLAGS_SHIFT)) & FLAGS;
  if (!(flags & ~(unsigned)fpsr & FLAGS) && !(flags & ~first))
    return;
  s->flags |= SLOT_FAIL;
  c->next_ip = c->ip + (uint64_t)v->imm;
  c->taken = true;
}

exec_fn *const exec_arithmetic[EXEC_OPERATIONS] = {
    [EXEC_FMA] = arithmetic_multiply_add,     [EXEC_FMS] = arithmetic_multiply_add,
    [EXEC_FNMA] = arithmetic_multiply_add,    [EXEC_XMA] = arithmetic_integer,
    [EXEC_FCMP] = arithmetic_compare,         [EXEC_FCLASS] = arithmetic_classify,
    [EXEC_FMIN] = arithmetic_minimum,         [EXEC_FCVT_FX] = arithmetic_to_integer,
    [EXEC_FCVT_XF] = arithmetic_from_integer, [EXEC_FSETC] = status_set_controls,
    [EXEC_FCLRF] = status_clear_flags,        [EXEC_FCHKF] = status_check_flags};
