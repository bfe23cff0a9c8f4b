/* SPDX-License-Identifier: MIT */
/* Loads and stores of floating-point registers, and moves between them and general registers. */
#include <string.h>
#include "machine/montecito/exec/fp.h"
#include "machine/montecito/machine.h"

/* Formats by the low two bits of x6; kinds by the others. */
enum { FORMAT_E, FORMAT_8, FORMAT_S, FORMAT_D };
enum { KIND_S = 1, KIND_A = 2, KIND_SA = 3, KIND_FILL = 6, KIND_C_CLR = 8, KIND_C_NC = 9, KIND_SPILL = 14 };

static unsigned access_bytes(unsigned x6)
{
  static const uint8_t bytes[] = {[FORMAT_E] = 10, [FORMAT_8] = 8, [FORMAT_S] = 4, [FORMAT_D] = 8};
  return x6 >> 2 == KIND_FILL || x6 >> 2 == KIND_SPILL ? 16 : bytes[x6 & 3];
}

static struct exec_float value_of(unsigned x6, const uint64_t raw[2])
{
  if (x6 >> 2 == KIND_FILL)
    return (struct exec_float){raw[0], raw[1] & 0x1ffff, raw[1] >> 17 & 1};
  switch (x6 & 3) {
  case FORMAT_E: return fp_of_extended(raw[0], (uint16_t)raw[1]);
  case FORMAT_8: return (struct exec_float){raw[0], EXPONENT_INTEGER, false};
  case FORMAT_S: return fp_of_single((uint32_t)raw[0]);
  default: return fp_of_double(raw[0]);
  }
}

static void raw_of(unsigned x6, struct exec_float x, uint64_t raw[2])
{
  raw[0] = x.significand;
  raw[1] = 0;
  if (x6 >> 2 == KIND_SPILL)
    raw[1] = x.exponent | (uint64_t)x.sign << 17;
  else if ((x6 & 3) == FORMAT_E)
    raw[1] = fp_to_extended(x);
  else if ((x6 & 3) != FORMAT_8)
    raw[0] = (x6 & 3) == FORMAT_S ? fp_to_single(x) : fp_to_double(x);
}

static void load_mark(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s, bool valid)
{
  const uint64_t reg = exec_alat_register(c, v->r1, true);
  if (!valid)
    exec_alat_check(c, reg, true, true);
  else if (exec_alat_insert(c, reg, true, s->address, (v->operation >= EXEC_LDFP ? 2 : 1) * access_bytes(v->sub)))
    s->flags |= SLOT_ALAT_FULL;
}

static void load_values(struct exec_cpu *c, const struct exec_instruction *v, const uint8_t *raw, bool valid)
{
  const unsigned bytes = access_bytes(v->sub), n = v->operation >= EXEC_LDFP ? 2 : 1;
  for (unsigned i = 0; i < n; i++) {
    uint64_t one[2] = {0, 0};
    memcpy(one, raw + i * bytes, bytes);
    exec_fr_set(c, i ? v->r2 : v->r1, valid ? value_of(v->sub, one) : exec_natval());
  }
}

static void load_fp(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_value a = exec_gr(c, v->r3);
  const unsigned kind = v->sub >> 2, bytes = access_bytes(v->sub), all = (v->operation >= EXEC_LDFP ? 2 : 1) * bytes;
  uint8_t raw[32] = {0};
  s->address = a.v;
  if (a.v % (bytes == 10 ? 16 : all))
    exec_mark_misaligned(c, s, all);
  exec_attribute_mark(c, s);
  if (kind == KIND_S || kind == KIND_SA) {
    const bool forbidden = exec_guard_defers(c);
    const bool valid = !a.nat && !forbidden && !(c->psr & PSR_ED) && !(s->flags & SLOT_UC) &&
                       exec_memory_read(c->memory, a.v, raw, all);
    if (!valid)
      exec_defer_load(c, a.nat, s);
    load_values(c, v, raw, valid);
    if (kind == KIND_SA)
      load_mark(c, v, s, valid);
    return;
  }
  if (a.nat) {
    exec_set_fault(c, FAULT_NAT, a.v);
    return;
  }
  if (kind == KIND_C_CLR || kind == KIND_C_NC) {
    if (exec_alat_check(c, exec_alat_register(c, v->r1, true), true, kind == KIND_C_CLR))
      return;
    s->flags |= SLOT_FAIL;
  }
  if (c->fault.kind || !exec_read(c, a.v, raw, all))
    return;
  load_values(c, v, raw, true);
  if ((kind == KIND_A || kind == KIND_C_NC) && !(s->flags & SLOT_UC))
    load_mark(c, v, s, true);
}

static void load_fp_and_add_register(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_value a = exec_gr(c, v->r3), b = exec_gr(c, v->r2);
  load_fp(c, v, s);
  if (!c->fault.kind)
    exec_gr_set(c, v->r3, a.v + b.v, a.nat || b.nat);
}

static void load_fp_and_add(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_value a = exec_gr(c, v->r3);
  load_fp(c, v, s);
  if (!c->fault.kind)
    exec_gr_set(c, v->r3, a.v + (uint64_t)v->imm, a.nat);
}

static void store_fp(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_float x = exec_fr(c, v->r2);
  const unsigned bytes = access_bytes(v->sub);
  uint64_t raw[2];
  s->address = exec_gr_consume(c, v->r3);
  if (s->address % (bytes == 10 ? 16 : bytes))
    exec_mark_misaligned(c, s, bytes);
  exec_attribute_mark(c, s);
  if (exec_is_natval(x) && v->sub >> 2 != KIND_SPILL)
    exec_set_fault(c, FAULT_NAT, s->address);
  if (c->fault.kind)
    return;
  raw_of(v->sub, x, raw);
  exec_write(c, s->address, raw, bytes);
}

static void store_fp_and_add(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  store_fp(c, v, s);
  if (!c->fault.kind)
    exec_gr_set(c, v->r3, s->address + (uint64_t)v->imm, false);
}

static void move_to_fp(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_value x = exec_gr(c, v->r2);
  struct exec_float f = {x.v, EXPONENT_INTEGER, false};
  (void)s;
  if (v->sub == 1)
    f = (struct exec_float){UINT64_C(1) << 63, x.v & 0x1ffff, x.v >> 17 & 1};
  else if (v->sub)
    f = v->sub == 2 ? fp_of_single((uint32_t)x.v) : fp_of_double(x.v);
  exec_fr_set(c, v->r1, x.nat ? exec_natval() : f);
}

static void move_from_fp(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_float f = exec_fr(c, v->r2);
  uint64_t value = f.significand;
  (void)s;
  if (v->sub == 1)
    value = f.exponent | (uint64_t)f.sign << 17;
  else if (v->sub)
    value = v->sub == 2 ? fp_to_single(f) : fp_to_double(f);
  exec_gr_set(c, v->r1, value, exec_is_natval(f));
}

exec_fn *const exec_fp_data[EXEC_OPERATIONS] = {[EXEC_LDF] = load_fp,
                                                [EXEC_LDF_REG] = load_fp_and_add_register,
                                                [EXEC_LDF_IMM] = load_fp_and_add,
                                                [EXEC_LDFP] = load_fp,
                                                [EXEC_LDFP_IMM] = load_fp_and_add,
                                                [EXEC_STF] = store_fp,
                                                [EXEC_STF_IMM] = store_fp_and_add,
                                                [EXEC_SETF] = move_to_fp,
                                                [EXEC_GETF] = move_from_fp};
