/* SPDX-License-Identifier: MIT */
/*
 * Synthetic programs that use more of the processor than caches and branches: predicates, the ALAT, the register stack
 * engine, threads and interruptions. The program's own accesses and calls determine which checks fail, and which
 * registers the register stack engine moves.
 */
#include "machine/montecito/stream/generate.h"

enum { ADVANCED_BYTES = 1 << 20, LEAST_FRAME = 8, FRAME_SPREAD = 17, HANDLER_BUNDLES = 12 };
#define HANDLER UINT64_C(0x4000000000900000)
#define SHARED (GENERATOR_DATA + (UINT64_C(1) << 30))

static struct montecito_slot off_at_random(struct generator *g, struct montecito_slot s)
{
  if (generator_random(g) & 1)
    s.flags |= SLOT_OFF;
  return s;
}

void generator_run_predicates(struct generator *g, struct montecito_record *r)
{
  const unsigned at = g->step++ % 4;
  const uint64_t random = generator_random(g);
  g->data = (g->data + 8) % 65536;
  const uint64_t address = GENERATOR_DATA + g->data;
  if (at < 3) {
    const uint8_t op = at == 1 ? OP_STORE : OP_LOAD;
    generator_emit(g, &r->bundle, off_at_random(g, generator_memory_slot(op, address, at == 0 ? SLOT_USED : 0)),
                   off_at_random(g, generator_plain_slot(OP_PLAIN, SLOT_A)),
                   off_at_random(g, generator_plain_slot(at == 2 ? OP_PLAIN : OP_NOP, SLOT_I)));
    return;
  }
  struct montecito_slot branch = generator_branch(OP_BRANCH, GENERATOR_CODE + random % 16 * 64, random >> 8 & 1);
  if (random >> 16 & 1 && !(branch.flags & SLOT_TAKEN))
    branch.flags |= SLOT_OFF;
  generator_emit(g, &r->bundle, off_at_random(g, generator_plain_slot(OP_PLAIN, SLOT_A)),
                 off_at_random(g, generator_plain_slot(OP_PLAIN, SLOT_A)), branch);
  if (g->ip > GENERATOR_CODE + 65536)
    g->ip = GENERATOR_CODE;
}

/* Puts an advanced load into the ALAT. Returns whether it displaces a valid entry. */
static bool alat_enter(struct generator *g, uint64_t address)
{
  uint64_t *const entry = &g->alat[generator_random(g) % GENERATOR_ALAT];
  const bool displaced = *entry && *entry != address;
  *entry = address;
  return displaced;
}

/* Removes the address from the ALAT. Returns whether it was there. */
static bool alat_remove(struct generator *g, uint64_t address)
{
  uint64_t any = 0;
  for (unsigned i = 0; i < GENERATOR_ALAT; i++) {
    const uint64_t is = -(uint64_t)(g->alat[i] == address);
    any |= is;
    g->alat[i] &= ~is;
  }
  return any;
}

/* A store; one in four is to the address of the load that is about to be checked. */
static struct montecito_slot speculation_store(struct generator *g)
{
  const uint64_t random = generator_random(g);
  const uint64_t address = random % 4 ? GENERATOR_DATA + random / 4 % ADVANCED_BYTES / 8 * 8 : g->checked;
  alat_remove(g, address);
  return generator_memory_slot(OP_STORE, address, 0);
}

void generator_run_speculation(struct generator *g, struct montecito_record *r)
{
  const unsigned at = g->step++ % 8;
  const uint32_t fp = g->step / 8 % 2 ? SLOT_FP : 0;
  const struct montecito_slot plain = generator_plain_slot(OP_PLAIN, SLOT_A),
                              nop = generator_plain_slot(OP_NOP, SLOT_I);
  struct montecito_slot first = plain, last = nop;
  switch (at) {
  case 0:
  case 3: /* advanced loads; the check of the first is ld.c, of the second chk.a */
    g->checked = GENERATOR_DATA + generator_random(g) % ADVANCED_BYTES / 8 * 8;
    first = generator_memory_slot(OP_LOAD_ADVANCED, g->checked, fp | (alat_enter(g, g->checked) ? SLOT_ALAT_FULL : 0));
    break;
  case 1:
  case 4: first = speculation_store(g); break;
  case 2:
  case 5: {
    if (g->step / 8 % 4 == 0) /* no check: the entry stays */
      break;
    const bool fails = !alat_remove(g, g->checked);
    first = generator_memory_slot(at == 2 ? OP_LOAD_CHECK : OP_CHECK_A, g->checked, fp | (fails ? SLOT_FAIL : 0));
    break;
  }
  case 6: {
    const uint64_t random = generator_random(g);
    g->natted = random % 16 == 0;
    first = generator_memory_slot(OP_LOAD_SPECULATIVE, GENERATOR_DATA + random / 16 % ADVANCED_BYTES / 8 * 8,
                                  g->natted ? SLOT_FAIL : 0);
    if (g->natted)
      first.tlb = random >> 40 & 1 ? TLB_FAULT : TLB_WALK;
    break;
  }
  default:
    first = generator_plain_slot(OP_CHECK_S, SLOT_M);
    first.flags |= fp | (g->natted ? SLOT_FAIL : 0);
    last = generator_branch(OP_BRANCH, GENERATOR_CODE, true);
  }
  generator_emit(g, &r->bundle, first, plain, last);
}

/* ---- the register stack ---- */

/* Makes the record of the register stack engine's loads and stores for the next branch. */
static void frames_move(struct generator *g, struct montecito_record *r, unsigned loads, unsigned stores)
{
  g->spilled = g->spilled + stores - loads;
  r->kind = RECORD_RSE;
  r->n = loads;
  r->b = (uint8_t)stores;
  r->address = GENERATOR_DATA + (UINT64_C(1) << 32) + g->spilled * 8 - (loads ? 0 : stores * 8);
  r->value = g->frame[g->depth] | (uint64_t)g->dirty << 8;
  g->moved = true;
}

/* Calls a function. False: its frame does not fit, and the record stores callers' registers first. */
static bool frames_call(struct generator *g, struct montecito_record *r)
{
  const unsigned frame = LEAST_FRAME + (unsigned)(generator_random(g) % FRAME_SPREAD);
  if (!g->moved) {
    g->frame[g->depth + 1] = (uint8_t)frame;
    const unsigned needed = g->dirty + g->frame[g->depth] + frame;
    if (needed > GENERATOR_STACKED) {
      g->dirty -= needed - GENERATOR_STACKED;
      frames_move(g, r, 0, needed - GENERATOR_STACKED);
      return false;
    }
  }
  g->dirty += g->frame[g->depth];
  g->returns[g->depth++] = g->ip + 16;
  return true;
}

/* Returns to the caller. False: registers of its frame are in memory, and the record loads them first. */
static bool frames_return(struct generator *g, struct montecito_record *r)
{
  const unsigned frame = g->frame[g->depth - 1];
  if (!g->moved && g->dirty < frame) {
    const unsigned missing = frame - g->dirty;
    g->dirty = frame;
    frames_move(g, r, missing, 0);
    return false;
  }
  g->dirty -= frame;
  g->depth--;
  return true;
}

void generator_run_frames(struct generator *g, struct montecito_record *r)
{
  const struct montecito_slot plain = generator_plain_slot(OP_PLAIN, SLOT_A),
                              nop = generator_plain_slot(OP_NOP, SLOT_I);
  if (g->step % 4 < 3) {
    const bool first = g->step++ % 4 == 0;
    generator_emit(g, &r->bundle, first && g->depth ? generator_plain_slot(OP_ALLOC, SLOT_M) : plain, plain, nop);
    return;
  }
  if (!g->moved) /* long runs of calls and of returns */
    g->trip = g->depth == GENERATOR_FRAMES ? 1 : !g->depth ? 0 : generator_random(g) % 8 ? g->trip : !g->trip;
  if (!(g->trip ? frames_return(g, r) : frames_call(g, r)))
    return;
  g->moved = false;
  g->step++;
  generator_emit(g, &r->bundle, plain, nop,
                 g->trip ? generator_branch(OP_RETURN, g->returns[g->depth], true)
                         : generator_branch(OP_CALL, GENERATOR_CODE + 4096 * (1 + generator_random(g) % 8), true));
}

/* ---- threads and interruptions ---- */

static void threads_switch(struct generator *g, struct montecito_record *r)
{
  const uint64_t place = g->ip;
  r->kind = RECORD_SWITCH;
  r->a = (uint8_t)(generator_random(g) % SWITCH_N);
  g->ip = g->other_ip;
  g->other_ip = place;
  g->active = !g->active;
}

/* Makes a bundle of a device's interruption handler. The last one returns to the interrupted code. */
static void threads_handle(struct generator *g, struct montecito_record *r)
{
  const struct montecito_slot plain = generator_plain_slot(OP_PLAIN, SLOT_A),
                              nop = generator_plain_slot(OP_NOP, SLOT_I);
  if (--g->handler) {
    generator_emit(g, &r->bundle, generator_memory_slot(OP_LOAD, SHARED + g->handler * 64, 0), plain, nop);
    return;
  }
  generator_emit(g, &r->bundle, plain, nop, generator_branch(OP_RFI, g->resume, true));
}

/* The other core stores to the data that core 0 reads. */
static void threads_other_core(struct generator *g, struct montecito_record *r)
{
  r->thread = 2;
  r->bundle = (struct montecito_bundle){
      .address = HANDLER + 65536 + g->step % 64 * 16,
      .n_slots = 3,
      .slot = {generator_memory_slot(g->step % 3 ? OP_STORE : OP_LOAD, SHARED + generator_random(g) % 65536 / 8 * 8, 0),
               generator_plain_slot(OP_PLAIN, SLOT_A), generator_plain_slot(OP_NOP, SLOT_I)}};
}

void generator_run_threads(struct generator *g, struct montecito_record *r)
{
  const struct montecito_slot plain = generator_plain_slot(OP_PLAIN, SLOT_A),
                              nop = generator_plain_slot(OP_NOP, SLOT_I);
  const uint64_t random = generator_random(g);
  r->thread = g->active;
  g->step++;
  if (g->handler) {
    threads_handle(g, r);
    return;
  }
  if (random % 8 == 0) {
    threads_other_core(g, r);
  } else if (random % 256 == 1) {
    threads_switch(g, r);
  } else if (random % 1024 == 2) {
    r->kind = RECORD_INTERRUPT;
    g->handler = HANDLER_BUNDLES;
    g->resume = g->ip;
    g->ip = HANDLER;
  } else if (random % 4096 == 3) {
    r->kind = RECORD_HALT;
    r->n = 100 + (uint32_t)(random / 4096 % 400);
  } else if (random % 4 == 1) {
    generator_emit(g, &r->bundle, plain, nop, generator_branch(OP_BRANCH, GENERATOR_CODE, random >> 20 & 1));
    if (g->ip > GENERATOR_CODE + 8192)
      g->ip = GENERATOR_CODE;
  } else {
    generator_emit(g, &r->bundle,
                   generator_memory_slot(random >> 21 & 3 ? OP_LOAD : OP_STORE, SHARED + (random >> 24) % 65536 / 8 * 8,
                                         random >> 40 & 1 ? SLOT_USED : 0),
                   plain, nop);
  }
}

uint64_t generator_random(struct generator *g)
{
  g->random ^= g->random << 13;
  g->random ^= g->random >> 7;
  g->random ^= g->random << 17;
  return g->random;
}
