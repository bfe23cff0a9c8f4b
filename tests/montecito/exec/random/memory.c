/* SPDX-License-Identifier: MIT */
/*
 * Loads, stores and semaphores (formats M1 to M17), floating-point ones among them. A check load (ld.c) is a load: the
 * programs never change a register between its advanced load and its check.
 */
#include <string.h>
#include "tests/montecito/exec/random/state.h"

/* Returns the bytes at an address of the data; NULL: no page. */
static uint8_t *bytes_at(struct sim *s, uint64_t address, unsigned n)
{
  return address >= DATA_BASE && address - DATA_BASE <= DATA_BYTES - n ? &s->data[address - DATA_BASE] : NULL;
}

/* Returns the `n` bytes at the address in r3; NULL: the program ended. */
static uint8_t *accessed(struct sim *s, const struct insn *v, unsigned n)
{
  const uint64_t address = sim_gr_consumed(s, v->r3);
  uint8_t *at = bytes_at(s, address, n);
  if (!at)
    sim_stop(s, SIM_PAGE);
  return s->end == SIM_RUNS ? at : NULL;
}

static uint64_t read_bytes(const uint8_t *from, unsigned n)
{
  uint64_t r = 0;
  memcpy(&r, from, n);
  return r;
}

/* After the access, adds r2 or an immediate to the address register. */
static void address_add(struct sim *s, const struct insn *v)
{
  const struct value x = sim_gr(s, v->r3);
  if (v->row->form == FORM_LD_REG) {
    const struct value y = sim_gr(s, v->r2);
    sim_gr_set(s, v->r3, x.v + y.v, x.nat || y.nat);
  } else if (v->row->form == FORM_LD_IMM || v->row->form == FORM_ST_IMM) {
    sim_gr_set(s, v->r3, x.v + (uint64_t)v->imm, x.nat);
  }
}

/* a: size in bytes. */
static void do_ld(struct sim *s, const struct insn *v)
{
  const uint8_t *at = accessed(s, v, (unsigned)v->row->a);
  if (!at)
    return;
  const uint64_t x = read_bytes(at, (unsigned)v->row->a);
  address_add(s, v);
  sim_gr_set(s, v->r1, x, false);
}
static void do_ld_speculative(struct sim *s, const struct insn *v)
{
  const struct value address = sim_gr(s, v->r3);
  const uint8_t *at = address.nat ? NULL : bytes_at(s, address.v, (unsigned)v->row->a);
  const uint64_t x = at ? read_bytes(at, (unsigned)v->row->a) : 0;
  address_add(s, v);
  sim_gr_set(s, v->r1, x, !at);
}
static void do_fill(struct sim *s, const struct insn *v)
{
  const uint64_t address = sim_gr(s, v->r3).v;
  const uint8_t *at = accessed(s, v, 8);
  if (!at)
    return;
  const uint64_t x = read_bytes(at, 8);
  address_add(s, v);
  sim_gr_set(s, v->r1, x, s->unat >> (address >> 3 & 63) & 1);
}
static void do_st(struct sim *s, const struct insn *v)
{
  const uint64_t x = sim_gr_consumed(s, v->r2);
  uint8_t *at = accessed(s, v, (unsigned)v->row->a);
  if (!at)
    return;
  memcpy(at, &x, (size_t)v->row->a);
  address_add(s, v);
}
static void do_spill(struct sim *s, const struct insn *v)
{
  const struct value x = sim_gr(s, v->r2);
  const unsigned bit = sim_gr(s, v->r3).v >> 3 & 63;
  uint8_t *at = accessed(s, v, 8);
  if (!at)
    return;
  memcpy(at, &x.v, 8);
  s->unat = (s->unat & ~(UINT64_C(1) << bit)) | (uint64_t)x.nat << bit;
  address_add(s, v);
}
static void do_xchg(struct sim *s, const struct insn *v)
{
  const uint64_t x = sim_gr_consumed(s, v->r2);
  uint8_t *at = accessed(s, v, (unsigned)v->row->a);
  if (!at)
    return;
  const uint64_t was = read_bytes(at, (unsigned)v->row->a);
  memcpy(at, &x, (size_t)v->row->a);
  sim_gr_set(s, v->r1, was, false);
}
static void do_cmpxchg(struct sim *s, const struct insn *v)
{
  const uint64_t x = sim_gr_consumed(s, v->r2);
  uint8_t *at = accessed(s, v, (unsigned)v->row->a);
  if (!at)
    return;
  const uint64_t was = read_bytes(at, (unsigned)v->row->a);
  if (was == s->ccv)
    memcpy(at, &x, (size_t)v->row->a);
  sim_gr_set(s, v->r1, was, false);
}
static void do_fetchadd(struct sim *s, const struct insn *v)
{
  uint8_t *at = accessed(s, v, (unsigned)v->row->a);
  if (!at)
    return;
  const uint64_t was = read_bytes(at, (unsigned)v->row->a), is = was + (uint64_t)v->imm;
  memcpy(at, &is, (size_t)v->row->a);
  sim_gr_set(s, v->r1, was, false);
}

static void do_ldf8(struct sim *s, const struct insn *v)
{
  const uint8_t *at = accessed(s, v, 8);
  if (at)
    sim_fr_set(s, v->r1, (struct float_value){read_bytes(at, 8), FLOAT_INTEGER, false});
}
static void do_ldf_fill(struct sim *s, const struct insn *v)
{
  const uint8_t *at = accessed(s, v, 16);
  if (!at)
    return;
  const uint32_t top = (uint32_t)read_bytes(at + 8, 4);
  sim_fr_set(s, v->r1, (struct float_value){read_bytes(at, 8), top & 0x1ffff, top >> 17 & 1});
}
static bool is_natval(struct float_value x)
{
  return x.exponent == FLOAT_NATVAL && !x.significand && !x.sign;
}
static void do_stf8(struct sim *s, const struct insn *v)
{
  const struct float_value x = sim_fr(s, v->r2);
  if (is_natval(x))
    sim_stop(s, SIM_NAT);
  uint8_t *at = accessed(s, v, 8);
  if (at)
    memcpy(at, &x.significand, 8);
}
static void do_stf_spill(struct sim *s, const struct insn *v)
{
  const struct float_value x = sim_fr(s, v->r2);
  const uint64_t top = x.exponent | (uint64_t)x.sign << 17;
  uint8_t *at = accessed(s, v, 16);
  if (!at)
    return;
  memcpy(at, &x.significand, 8);
  memcpy(at + 8, &top, 8);
}

#define X6(x) AT(x, 30)
#define M1(x6) (MAJOR(4) | X6(x6))
#define M2(x6) (MAJOR(4) | AT(1, 36) | X6(x6))
#define M3(x6) (MAJOR(5) | X6(x6))
#define M16(x6) (MAJOR(4) | AT(1, 27) | X6(x6))
/* A load of 1, 2, 4 and 8 bytes in its three forms. */
#define LOADS(name, form, bits, x6, fn)                                                                                \
  {name "1", 'M', form, bits(x6), fn, 1, 0}, {name "2", 'M', form, bits((x6) + 1), fn, 2, 0},                          \
      {name "4", 'M', form, bits((x6) + 2), fn, 4, 0},                                                                 \
  {                                                                                                                    \
    name "8", 'M', form, bits((x6) + 3), fn, 8, 0                                                                      \
  }

const struct row rows_memory[] = {
    LOADS("ld", FORM_LD, M1, 0x00, do_ld),
    LOADS("ld.reg", FORM_LD_REG, M2, 0x00, do_ld),
    LOADS("ld.imm", FORM_LD_IMM, M3, 0x00, do_ld),
    LOADS("ld.s", FORM_LD, M1, 0x04, do_ld_speculative),
    LOADS("ld.s.reg", FORM_LD_REG, M2, 0x04, do_ld_speculative),
    LOADS("ld.s.imm", FORM_LD_IMM, M3, 0x04, do_ld_speculative),
    LOADS("ld.bias", FORM_LD, M1, 0x10, do_ld),
    LOADS("ld.acq", FORM_LD, M1, 0x14, do_ld),
    LOADS("ld.acq.imm", FORM_LD_IMM, M3, 0x14, do_ld),
    {"ld8.fill", 'M', FORM_LD, M1(0x1b), do_fill, 8, 0},
    {"ld8.fill.imm", 'M', FORM_LD_IMM, M3(0x1b), do_fill, 8, 0},
    LOADS("st", FORM_ST, M1, 0x30, do_st),
    LOADS("st.imm", FORM_ST_IMM, M3, 0x30, do_st),
    LOADS("st.rel", FORM_ST, M1, 0x34, do_st),
    {"st8.spill", 'M', FORM_ST, M1(0x3b), do_spill, 8, 0},
    {"st8.spill.imm", 'M', FORM_ST_IMM, M3(0x3b), do_spill, 8, 0},
    LOADS("cmpxchg.acq", FORM_XCHG, M16, 0x00, do_cmpxchg),
    LOADS("cmpxchg.rel", FORM_XCHG, M16, 0x04, do_cmpxchg),
    LOADS("xchg", FORM_XCHG, M16, 0x08, do_xchg),
    {"fetchadd4.acq", 'M', FORM_FETCHADD, M16(0x12), do_fetchadd, 4, 0},
    {"fetchadd8.acq", 'M', FORM_FETCHADD, M16(0x13), do_fetchadd, 8, 0},
    {"fetchadd4.rel", 'M', FORM_FETCHADD, M16(0x16), do_fetchadd, 4, 0},
    {"fetchadd8.rel", 'M', FORM_FETCHADD, M16(0x17), do_fetchadd, 8, 0},
    {"ldf8", 'M', FORM_LDF, MAJOR(6) | X6(0x01), do_ldf8, 8, 0},
    {"ldf.fill", 'M', FORM_LDF, MAJOR(6) | X6(0x1b), do_ldf_fill, 16, 0},
    {"stf8", 'M', FORM_STF, MAJOR(6) | X6(0x31), do_stf8, 8, 0},
    {"stf.spill", 'M', FORM_STF, MAJOR(6) | X6(0x3b), do_stf_spill, 16, 0},
    /* Only in pairs, with dedicated registers (generate.c). */
    {"ld8.a", 'M', FORM_LD, M1(0x0b), do_ld, 8, 1},
    {"ld8.c.clr", 'M', FORM_LD, M1(0x23), do_ld, 8, 1},
    {"ld8.c.nc", 'M', FORM_LD, M1(0x27), do_ld, 8, 1},
};
const size_t n_rows_memory = sizeof rows_memory / sizeof *rows_memory;
