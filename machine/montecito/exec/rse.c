/* SPDX-License-Identifier: MIT */
/*
 * The register stack: frames in 96 physical registers, and the engine that stores and loads callers' registers (manual,
 * volume 2, chapter 6). Each register has a place in the sequence of all frames, which is also its place in the backing
 * store; there, a collection of NaT bits follows each 63 registers.
 *
 * `base` is the place of r32. Below it lie `dirty` registers, which only the register file has, then `clean` registers,
 * which the backing store has, too. The engine is lazy: it stores registers when a frame needs the room, and loads them
 * when a return needs the values.
 */
#include "machine/montecito/exec/cpu.h"

enum { GROUP = 63, GROUP_BYTES = 512, COLLECTION = 63 * 8 };
enum { MARKER_SOL = 7, MARKER_SOR = 14, MARKER_RRB_GR = 18, MARKER_RRB_FR = 25, MARKER_RRB_PR = 32 };

static uint64_t place_address(uint64_t place)
{
  return place / GROUP * GROUP_BYTES + place % GROUP * 8;
}

static uint64_t address_place(uint64_t address)
{
  return address / GROUP_BYTES * GROUP + (address >> 3 & 63);
}

static void transfer_add(struct exec_cpu *c, uint64_t address, bool store)
{
  struct exec_transfer *t = c->n_transfers ? &c->transfer[c->n_transfers - 1] : NULL;
  if (t && t->store == store && address == t->address + (store ? UINT64_C(8) * t->n : -UINT64_C(8))) {
    t->address = store ? t->address : address;
    t->n++;
  } else if (c->n_transfers < EXEC_TRANSFERS) {
    c->transfer[c->n_transfers++] = (struct exec_transfer){address, 1, store};
  }
}

static void backing_store(struct exec_cpu *c, uint64_t address, uint64_t value)
{
  if (exec_write(c, address, &value, sizeof value))
    transfer_add(c, address, true);
}

static uint64_t backing_load(struct exec_cpu *c, uint64_t address)
{
  uint64_t value = 0;
  if (exec_read(c, address, &value, sizeof value))
    transfer_add(c, address, false);
  return value;
}

/* Stores the oldest dirty register. */
static void stack_spill(struct exec_cpu *c)
{
  const uint64_t place = c->base - c->dirty;
  const unsigned i = (c->bottom + STACKED - c->dirty) % STACKED, bit = (unsigned)(place % GROUP);
  backing_store(c, place_address(place), c->stack[i]);
  c->ar[AR_RNAT] = (c->ar[AR_RNAT] & ~(UINT64_C(1) << bit)) | (uint64_t)c->stack_nat[i] << bit;
  if (bit == GROUP - 1) {
    backing_store(c, place / GROUP * GROUP_BYTES + COLLECTION, c->ar[AR_RNAT]);
    c->ar[AR_RNAT] = 0;
  }
  c->dirty--;
  c->clean++;
}

/* Makes room for the frame in the register file. */
static void stack_make_room(struct exec_cpu *c)
{
  while (c->frame.sof + c->dirty > STACKED && !c->fault.kind)
    stack_spill(c);
  if (c->frame.sof + c->dirty + c->clean > STACKED)
    c->clean = c->frame.sof + c->dirty < STACKED ? STACKED - c->frame.sof - c->dirty : 0;
}

uint64_t exec_bsp(const struct exec_cpu *c)
{
  return place_address(c->base);
}

void exec_set_bspstore(struct exec_cpu *c, uint64_t address)
{
  c->base = address_place(address & ~UINT64_C(7)) + c->dirty;
  c->clean = 0;
}

static uint64_t rotation_of(unsigned base, unsigned size)
{
  return base && size ? base : 0;
}

uint64_t exec_frame_marker(const struct exec_cpu *c)
{
  const struct exec_frame *f = &c->frame;
  return f->sof | (uint64_t)f->sol << MARKER_SOL | (uint64_t)(f->sor / 8) << MARKER_SOR |
         rotation_of(f->rrb_gr, f->sor) << MARKER_RRB_GR | (uint64_t)f->rrb_fr << MARKER_RRB_FR |
         (uint64_t)f->rrb_pr << MARKER_RRB_PR;
}

/* The frame's first n registers become dirty registers of callers. */
static void stack_advance(struct exec_cpu *c, unsigned n)
{
  c->bottom = (c->bottom + n) % STACKED;
  c->base += n;
  c->dirty += n;
}

void exec_stack_call(struct exec_cpu *c)
{
  stack_advance(c, c->frame.sol);
  c->frame = (struct exec_frame){.sof = (uint8_t)(c->frame.sof - c->frame.sol)};
}

static void exec_stack_cover(struct exec_cpu *c)
{
  stack_advance(c, c->frame.sof);
  c->frame = (struct exec_frame){0};
}

/* Moves the frame down by one register, which is taken from the register file or loaded. */
static void stack_fill(struct exec_cpu *c)
{
  c->base--;
  c->bottom = (c->bottom + STACKED - 1) % STACKED;
  if (c->dirty) {
    c->dirty--;
    return;
  }
  if (c->base % GROUP == GROUP - 1)
    c->ar[AR_RNAT] = backing_load(c, c->base / GROUP * GROUP_BYTES + COLLECTION);
  if (c->clean) {
    c->clean--;
    return;
  }
  c->stack[c->bottom] = backing_load(c, place_address(c->base));
  c->stack_nat[c->bottom] = c->ar[AR_RNAT] >> (c->base % GROUP) & 1;
}

static uint8_t marker_get(uint64_t marker, unsigned low, unsigned width)
{
  return (uint8_t)(marker >> low & ((1u << width) - 1));
}

/* `all`: the whole frame was covered, else only its locals. */
static void stack_return(struct exec_cpu *c, uint64_t marker, bool all)
{
  struct exec_frame f = {.sof = marker_get(marker, 0, 7),
                         .sol = marker_get(marker, MARKER_SOL, 7),
                         .sor = (uint8_t)(8 * marker_get(marker, MARKER_SOR, 4)),
                         .rrb_gr = marker_get(marker, MARKER_RRB_GR, 7),
                         .rrb_fr = marker_get(marker, MARKER_RRB_FR, 7),
                         .rrb_pr = marker_get(marker, MARKER_RRB_PR, 6)};
  if (f.sof > STACKED || f.sol > f.sof || f.sor > f.sof || (f.sor && f.rrb_gr >= f.sor) || f.rrb_fr >= STACKED ||
      f.rrb_pr >= ROTATING_PR) {
    exec_set_fault(c, FAULT_RESERVED, marker);
    return;
  }
  for (unsigned i = 0; i < (all ? f.sof : f.sol) && !c->fault.kind; i++)
    stack_fill(c);
  c->frame = f;
  stack_make_room(c);
}

void exec_stack_return(struct exec_cpu *c, uint64_t marker)
{
  stack_return(c, marker, false);
}

void exec_stack_return_to(struct exec_cpu *c, uint64_t marker)
{
  stack_return(c, marker, true);
}

static void stack_alloc(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const unsigned sof = v->r2, sol = v->r3, sor = 8u * (v->r4 & 15);
  exec_stack_note(c, s);
  if (sof > STACKED || sol > sof || sor > sof || v->r1 - 32u >= sof) {
    if (v->r1 > 31 || sof > STACKED || sol > sof || sor > sof) {
      exec_set_fault(c, FAULT_ILLEGAL, 0);
      return;
    }
  }
  if (sor != c->frame.sor && (c->frame.rrb_gr || c->frame.rrb_fr || c->frame.rrb_pr)) {
    exec_set_fault(c, FAULT_RESERVED, 0);
    return;
  }
  c->frame.sof = (uint8_t)sof;
  c->frame.sol = (uint8_t)sol;
  c->frame.sor = (uint8_t)sor;
  stack_make_room(c);
  exec_gr_set(c, v->r1, c->ar[AR_PFS], false);
}

static void stack_flush(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)v;
  exec_stack_note(c, s);
  while (c->dirty && !c->fault.kind)
    stack_spill(c);
}

/* loadrs: loads the registers down to the address that ar.rsc states, and discards those below. */
static void stack_load(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const uint64_t distance = c->ar[AR_RSC] >> 16 & 0x3ff8, from = address_place(exec_bsp(c) - distance);
  const unsigned n = (unsigned)(c->base - from), bottom = c->bottom;
  (void)v;
  exec_stack_note(c, s);
  if ((c->ar[AR_RSC] & 3) || (c->frame.sof && distance) || n > STACKED) {
    exec_set_fault(c, FAULT_ILLEGAL, 0);
    return;
  }
  for (unsigned i = 0; i < n && !c->fault.kind; i++)
    stack_fill(c);
  c->base += n;
  c->bottom = bottom;
  c->dirty = n;
  c->clean = 0;
}

static void stack_cover(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)v;
  exec_stack_note(c, s);
  if (!(c->psr >> 13 & 1))
    c->cr[CR_IFS] = exec_frame_marker(c) | UINT64_C(1) << 63;
  exec_stack_cover(c);
}

exec_fn *const exec_stack[EXEC_OPERATIONS] = {
    [EXEC_ALLOC] = stack_alloc, [EXEC_FLUSHRS] = stack_flush, [EXEC_LOADRS] = stack_load, [EXEC_COVER] = stack_cover};
