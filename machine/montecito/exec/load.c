/* SPDX-License-Identifier: MIT */
/* Loads, stores and semaphores of general registers, with their speculative and advanced forms. */
#include <string.h>
#include "machine/montecito/machine.h"
#include "machine/montecito/core/stall.h"
#include "machine/montecito/exec/privileged.h"

/* The kinds of loads: x6 >> 2. */
enum {
  KIND_S = 1,
  KIND_A = 2,
  KIND_SA = 3,
  KIND_FILL = 6,
  KIND_C_CLR = 8,
  KIND_C_NC = 9,
  KIND_C_CLR_ACQ = 10,
  KIND_SPILL = 14
};

static void datum_copy(void *to, const void *from, unsigned bytes)
{
  switch (bytes) {
  case 1: memcpy(to, from, 1); break;
  case 4: memcpy(to, from, 4); break;
  case 8: memcpy(to, from, 8); break;
  default: memcpy(to, from, bytes); break;
  }
}

__attribute__((hot)) bool exec_read(struct exec_cpu *c, uint64_t address, void *to, unsigned bytes)
{
  const uint8_t *from = exec_memory_at(c->memory, address, bytes, EXEC_READ);
  if (from) {
    datum_copy(to, from, bytes);
    return true;
  }
  if (exec_memory_read(c->memory, address, to, bytes))
    return true;
  exec_set_fault(c, FAULT_PAGE, address);
  return false;
}

__attribute__((hot)) bool exec_write(struct exec_cpu *c, uint64_t address, const void *from, unsigned bytes)
{
  uint8_t *to = exec_memory_at(c->memory, address, bytes, EXEC_WRITE);
  exec_alat_store(c, address, bytes);
  if (to) {
    datum_copy(to, from, bytes);
    return true;
  }
  if (exec_memory_write(c->memory, address, from, bytes))
    return true;
  exec_set_fault(c, FAULT_PAGE, address);
  return false;
}

__attribute__((noinline)) void exec_mark_misaligned(const struct exec_cpu *c, struct montecito_slot *s, unsigned bytes)
{
  const unsigned window = s->op == OP_STORE || s->op == OP_FSTORE ? 16 : 8;
  if (!(c->psr & PSR_AC) && s->address % window + bytes <= window)
    s->flags |= SLOT_MISALIGNED;
}

/* Takes the address from r3, with its effects on the slot. False: it is a NaT. */
static bool data_address(struct exec_cpu *c, const struct exec_instruction *v, unsigned bytes, struct montecito_slot *s)
{
  const struct exec_value a = exec_gr(c, v->r3);
  s->address = a.v;
  if (a.v & (bytes - 1))
    exec_mark_misaligned(c, s, bytes);
  exec_attribute_mark(c, s);
  return !a.nat;
}

static __attribute__((noinline)) void unat_restore(struct exec_cpu *c, unsigned r, struct montecito_slot *s,
                                                   uint64_t value)
{
  const bool nat = c->ar[AR_UNAT] >> (s->address >> 3 & 63) & 1;
  s->flags |= SLOT_UNAT;
  s->detail = nat ? STALL_L1D_NAT : 0; /* the data are returned once more, for the NaT bit */
  exec_gr_set(c, r, value, nat);
}

void exec_defer_load(struct exec_cpu *c, bool nat, struct montecito_slot *s)
{
  enum { VHPT_MISSED = 1, TLB_MISSED, FAULTED, NAT_CONSUMED, ALWAYS };
  uint64_t physical;
  s->flags |= SLOT_FAIL;
  if (nat)
    s->detail = NAT_CONSUMED;
  else if (c->psr & PSR_ED)
    s->detail = ALWAYS;
  else if (exec_memory_physical(c->memory, s->address, &physical))
    s->detail = FAULTED;
  else
    s->detail = exec_walk_is_on(c, s->address) ? VHPT_MISSED : TLB_MISSED;
  c->psr &= ~PSR_ED; /* PSR.ed holds for one instruction */
}

/* A speculative load: if it cannot be performed, the register becomes NaT. */
static __attribute__((noinline)) void load_speculative(struct exec_cpu *c, const struct exec_instruction *v, bool valid,
                                                       struct montecito_slot *s)
{
  const unsigned bytes = 1u << (v->sub & 3);
  uint64_t value = 0;
  const bool nat = !valid, forbidden = exec_guard_defers(c);
  valid = valid && !forbidden && !(c->psr & PSR_ED) && !(s->flags & SLOT_UC) &&
          exec_memory_read(c->memory, s->address, &value, bytes);
  exec_gr_set(c, v->r1, valid ? value : 0, !valid);
  const uint64_t reg = exec_alat_register(c, v->r1, false);
  if (!valid)
    exec_defer_load(c, nat, s);
  if (v->sub >> 2 != KIND_SA)
    return;
  if (!valid)
    exec_alat_check(c, reg, false, true);
  else if (exec_alat_insert(c, reg, false, s->address, bytes))
    s->flags |= SLOT_ALAT_FULL;
}

/* True: the check load found its entry, so the register already has the value. */
static bool load_is_checked(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const unsigned kind = v->sub >> 2;
  if (kind < KIND_C_CLR)
    return false;
  if (exec_alat_check(c, exec_alat_register(c, v->r1, false), false, kind != KIND_C_NC))
    return true;
  s->flags |= SLOT_FAIL;
  return false;
}

static __attribute__((hot)) void load_plain(struct exec_cpu *c, const struct exec_instruction *v,
                                            struct montecito_slot *s)
{
  const unsigned kind = v->sub >> 2, bytes = 1u << (v->sub & 3);
  const bool valid = data_address(c, v, bytes, s);
  uint64_t value = 0;
  if (kind == KIND_S || kind == KIND_SA) {
    load_speculative(c, v, valid, s);
    return;
  }
  if (!valid) {
    exec_set_fault(c, FAULT_NAT, s->address);
    return;
  }
  if (c->fault.kind || load_is_checked(c, v, s) || !exec_read(c, s->address, &value, bytes))
    return;
  if (kind == KIND_FILL)
    unat_restore(c, v->r1, s, value);
  else
    exec_gr_set(c, v->r1, value, false);
  if ((kind == KIND_A || kind == KIND_C_NC) && !(s->flags & SLOT_UC) &&
      exec_alat_insert(c, exec_alat_register(c, v->r1, false), false, s->address, bytes))
    s->flags |= SLOT_ALAT_FULL;
}

static void increment_check(struct exec_cpu *c, const struct exec_instruction *v)
{
  if (v->r1 == v->r3)
    exec_set_fault(c, FAULT_ILLEGAL, 0);
}

static void load_and_add_register(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_value a = exec_gr(c, v->r3), b = exec_gr(c, v->r2);
  increment_check(c, v);
  load_plain(c, v, s);
  if (!c->fault.kind)
    exec_gr_set(c, v->r3, a.v + b.v, a.nat || b.nat);
}

static void load_and_add(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_value a = exec_gr(c, v->r3);
  increment_check(c, v);
  load_plain(c, v, s);
  if (!c->fault.kind)
    exec_gr_set(c, v->r3, a.v + (uint64_t)v->imm, a.nat);
}

static void store_plain(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const unsigned bytes = 1u << (v->sub & 3);
  const struct exec_value x = exec_gr(c, v->r2);
  const bool spill = v->sub >> 2 == KIND_SPILL;
  s->flags |= spill ? SLOT_UNAT : 0;
  if (!data_address(c, v, bytes, s) || (x.nat && !spill)) {
    exec_set_fault(c, FAULT_NAT, s->address);
    return;
  }
  if (!c->fault.kind && exec_write(c, s->address, &x.v, bytes) && spill) {
    const unsigned bit = s->address >> 3 & 63;
    c->ar[AR_UNAT] = (c->ar[AR_UNAT] & ~(UINT64_C(1) << bit)) | (uint64_t)x.nat << bit;
  }
  if (s->flags & SLOT_UC && !c->fault.kind && exec_memory_attribute(c->memory, s->address) & EXEC_DEVICE)
    exec_device_store(c, s->address);
}

static __attribute__((hot)) void store_and_add(struct exec_cpu *c, const struct exec_instruction *v,
                                               struct montecito_slot *s)
{
  store_plain(c, v, s);
  if (!c->fault.kind)
    exec_gr_set(c, v->r3, s->address + (uint64_t)v->imm, false);
}

/* ---- semaphores ---- */

/* Reads the datum of a semaphore, which must be aligned. */
static bool semaphore_read(struct exec_cpu *c, const struct exec_instruction *v, unsigned bytes,
                           struct montecito_slot *s, uint64_t *ret)
{
  *ret = 0;
  if (!data_address(c, v, bytes, s))
    exec_set_fault(c, FAULT_NAT, s->address);
  else if (s->address & (bytes - 1))
    exec_set_fault(c, FAULT_ALIGNMENT, s->address);
  else if (!c->fault.kind)
    return exec_read(c, s->address, ret, bytes);
  return false;
}

/* The value in memory, with zeros above, is compared with all 64 bits of ar.ccv. */
static void semaphore_compare(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const unsigned bytes = 1u << (v->sub & 3);
  const uint64_t fresh = exec_gr_consume(c, v->r2);
  uint64_t old;
  if (c->fault.kind || !semaphore_read(c, v, bytes, s, &old))
    return;
  if (old == c->ar[AR_CCV] && !exec_write(c, s->address, &fresh, bytes))
    return;
  exec_gr_set(c, v->r1, old, false);
}

static void semaphore_exchange(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const unsigned bytes = 1u << (v->sub & 3);
  const uint64_t fresh = exec_gr_consume(c, v->r2);
  uint64_t old;
  if (!c->fault.kind && semaphore_read(c, v, bytes, s, &old) && exec_write(c, s->address, &fresh, bytes))
    exec_gr_set(c, v->r1, old, false);
}

static void semaphore_add(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const unsigned bytes = 1u << (v->sub & 3);
  uint64_t old, fresh;
  if (!semaphore_read(c, v, bytes, s, &old))
    return;
  fresh = old + (uint64_t)v->imm;
  if (exec_write(c, s->address, &fresh, bytes))
    exec_gr_set(c, v->r1, old, false);
}

/* Compares 8 bytes, exchanges 16 that begin at a multiple of 16. */
static void semaphore_compare16(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const uint64_t pair[2] = {exec_gr_consume(c, v->r2), c->ar[AR_CSD]};
  uint64_t old;
  if (c->fault.kind || !semaphore_read(c, v, 8, s, &old))
    return;
  if (old == c->ar[AR_CCV] && !exec_write(c, s->address & ~UINT64_C(15), pair, sizeof pair))
    return;
  exec_gr_set(c, v->r1, old, false);
}

static void load_pair(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  uint64_t pair[2];
  if (!data_address(c, v, 16, s))
    exec_set_fault(c, FAULT_NAT, s->address);
  else if (s->address & 15)
    exec_set_fault(c, FAULT_ALIGNMENT, s->address);
  else if (!c->fault.kind && exec_read(c, s->address, pair, sizeof pair)) {
    exec_gr_set(c, v->r1, pair[0], false);
    c->ar[AR_CSD] = pair[1];
  }
}

static void store_pair(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const uint64_t pair[2] = {exec_gr_consume(c, v->r2), c->ar[AR_CSD]};
  if (!data_address(c, v, 16, s))
    exec_set_fault(c, FAULT_NAT, s->address);
  else if (s->address & 15)
    exec_set_fault(c, FAULT_ALIGNMENT, s->address);
  else if (!c->fault.kind)
    exec_write(c, s->address, pair, sizeof pair);
}

/* ---- prefetch ---- */

/* Bit 1 of x6 is .fault. Without it, an address that cannot be accessed is not prefetched. */
static void prefetch_line(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const bool valid = data_address(c, v, 1, s);
  uint8_t byte;
  if (!(v->sub & 2)) {
    if (!valid || s->flags & SLOT_UC || !exec_memory_at(c->memory, s->address, 1, EXEC_READ))
      s->op = OP_PLAIN;
    return;
  }
  if (!valid)
    exec_set_fault(c, FAULT_NAT, s->address);
  else
    exec_read(c, s->address, &byte, 1);
}

static void prefetch_and_add_register(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_value a = exec_gr(c, v->r3), b = exec_gr(c, v->r2);
  prefetch_line(c, v, s);
  if (!c->fault.kind)
    exec_gr_set(c, v->r3, a.v + b.v, a.nat || b.nat);
}

static void prefetch_and_add(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_value a = exec_gr(c, v->r3);
  prefetch_line(c, v, s);
  if (!c->fault.kind)
    exec_gr_set(c, v->r3, a.v + (uint64_t)v->imm, a.nat);
}

exec_fn *const exec_data[EXEC_OPERATIONS] = {[EXEC_LD] = load_plain,
                                             [EXEC_LD_REG] = load_and_add_register,
                                             [EXEC_LD_IMM] = load_and_add,
                                             [EXEC_ST] = store_plain,
                                             [EXEC_ST_IMM] = store_and_add,
                                             [EXEC_CMPXCHG] = semaphore_compare,
                                             [EXEC_XCHG] = semaphore_exchange,
                                             [EXEC_FETCHADD] = semaphore_add,
                                             [EXEC_CMP8XCHG16] = semaphore_compare16,
                                             [EXEC_LD16] = load_pair,
                                             [EXEC_ST16] = store_pair,
                                             [EXEC_LFETCH] = prefetch_line,
                                             [EXEC_LFETCH_REG] = prefetch_and_add_register,
                                             [EXEC_LFETCH_IMM] = prefetch_and_add};
