/* SPDX-License-Identifier: MIT */
#include "machine/montecito/scoreboard.h"
#include <stdbool.h>
#include "machine/montecito/stall.h"
#include "machine/montecito/state.h"

/* Latencies by producer and consumer (Table 2-8); pairs that the table leaves out have that of the ALU. For variable
 * producers they are what is added to the latency of the access. The table gives ranges for application registers and
 * indirect ones: the values within are the model's own. */
static const uint8_t latencies[WRITES_N][READS_N] = {
    /*                              qp br alu adr mm std fma fmi gtf stf */
    [WRITES_ADDER] /*            */ = {1, 1, 1, 1, 3, 1, 1, 1, 1, 1},
    [WRITES_MULTIMEDIA] /*       */ = {3, 3, 3, 4, 2, 3, 3, 3, 3, 3},
    [WRITES_TRANSLATION] /*      */ = {5, 5, 5, 6, 6, 5, 5, 5, 5, 5},
    [WRITES_GETF] /*             */ = {5, 5, 5, 6, 6, 5, 5, 5, 5, 5},
    [WRITES_SETF] /*             */ = {6, 6, 6, 6, 6, 6, 6, 6, 6, 6},
    [WRITES_FMAC] /*             */ = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4},
    [WRITES_FMISC] /*            */ = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4},
    [WRITES_PREDICATE] /*        */ = {1, 0, 1, 1, 1, 1, 1, 1, 1, 1},
    [WRITES_FP_PREDICATE] /*     */ = {2, 1, 2, 2, 2, 2, 2, 2, 2, 2},
    [WRITES_FP_APPROXIMATION] /* */ = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
    [WRITES_LOAD] /*             */ = {0, 0, 0, 1, 2, 0, 0, 0, 0, 0},
    [WRITES_FP_LOAD] /*          */ = {0, 0, 0, 1, 2, 0, 0, 0, 0, 0}, /* the access has the cycle of the conversion */
    [WRITES_IEU2] /*             */ = {2, 2, 2, 2, 3, 2, 2, 2, 2, 2},
    [WRITES_LOOP_AR] /*          */ = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
    [WRITES_SLOW_AR] /*          */ = {10, 10, 10, 10, 10, 10, 10, 10, 10, 10},
    [WRITES_OTHER_AR] /*         */ = {5, 5, 5, 5, 5, 5, 5, 5, 5, 5},
    [WRITES_ALL_PREDICATES] /*   */ = {1, 0, 2, 2, 3, 2, 2, 2, 2, 2},
    [WRITES_FAST_INDIRECT] /*    */ = {6, 6, 6, 6, 6, 6, 6, 6, 6, 6},
    [WRITES_INDIRECT] /*         */ = {35, 35, 35, 35, 35, 35, 35, 35, 35, 35},
};
enum { MOST_LATENCY = 35 };

/* The stall of a group that waits for the result of a producer (Table 4-44). */
static unsigned wait_reason(unsigned producer, unsigned number)
{
  if (producer >= WRITES_LOOP_AR && producer != WRITES_ALL_PREDICATES)
    return STALL_EXE_ARCR;
  if (number >= SCORE_PR && number < SCORE_AR)
    return STALL_EXE_PR;
  if (number >= SCORE_FR)
    return STALL_EXE_FR;
  return producer == WRITES_LOAD || producer == WRITES_GETF || producer == WRITES_TRANSLATION ? STALL_EXE_GR
                                                                                              : STALL_EXE_GRGR;
}

static uint64_t register_ready(const struct montecito_scoreboard *b, uint16_t read)
{
  const struct montecito_score *s = &b->of[read & SCORE_MASK];
  return s->at + s->latency + latencies[s->producer][read >> SCORE_BITS];
}

/* The latest cycle in which a register becomes ready that these slots read; *ret_reason is its stall. */
static uint64_t slots_ready(const struct montecito_core *c, const struct montecito_slot *slot, unsigned n,
                            unsigned *ret_reason)
{
  const struct montecito_scoreboard *b = &c->scoreboard[c->active];
  uint64_t latest = 0;
  for (unsigned i = 0; i < n; i++)
    for (unsigned k = 0; k < DEPENDENCE_READS && slot[i].uses.read[k]; k++) {
      const uint64_t ready = register_ready(b, slot[i].uses.read[k]);
      if (ready <= latest)
        continue;
      latest = ready;
      *ret_reason = wait_reason(b->of[slot[i].uses.read[k] & SCORE_MASK].producer, slot[i].uses.read[k] & SCORE_MASK);
    }
  return latest;
}

/* The end of the first part of a bundle that issues with the one before. */
static unsigned follower_end(const struct montecito_bundle *b)
{
  if (b->flags & BUNDLE_STOP_AFTER_0 || b->timing & TIMING_SPLIT_0)
    return 1;
  return b->flags & BUNDLE_STOP_AFTER_1 || b->timing & TIMING_SPLIT_1 ? 2 : b->n_slots;
}

void scoreboard_wait(struct montecito_core *c, const struct montecito_bundle *b, unsigned from, unsigned to)
{
  unsigned reason = STALL_EXE_GR, reason_follower = STALL_EXE_GR;
  uint64_t ready;
  if (!(b->timing & TIMING_WAITS) || !c->modelled || c->scoreboard[c->active].last <= c->cycle)
    return;
  ready = slots_ready(c, &b->slot[from], to - from, &reason);
  if (b->timing & TIMING_AHEAD && to == b->n_slots) {
    const uint64_t follower = slots_ready(c, b->follower->slot, follower_end(b->follower), &reason_follower);
    if (follower > ready) {
      ready = follower;
      reason = reason_follower;
    }
  }
  if (ready > c->cycle)
    montecito_pass_cycles(c, (int)reason, ready - c->cycle);
}

int scoreboard_is_ready(const struct montecito_core *c, const struct montecito_bundle *b, unsigned from, unsigned to)
{
  unsigned reason;
  if (!(b->timing & TIMING_WAITS) || !c->modelled || c->scoreboard[c->active].last <= c->cycle)
    return true;
  return slots_ready(c, &b->slot[from], to - from, &reason) <= c->cycle;
}

void scoreboard_write(struct montecito_core *c, const struct montecito_slot *s, uint32_t latency)
{
  struct montecito_scoreboard *b = &c->scoreboard[c->active];
  if (s->uses.write[0] >> SCORE_BITS == WRITES_ALL_PREDICATES)
    for (unsigned i = SCORE_PR; i < SCORE_BR; i++)
      b->of[i] = (struct montecito_score){c->cycle, 0, WRITES_ALL_PREDICATES};
  for (unsigned k = 0; k < DEPENDENCE_WRITES && s->uses.write[k]; k++) {
    const uint8_t producer = (uint8_t)(s->uses.write[k] >> SCORE_BITS);
    const bool variable = producer == WRITES_LOAD || producer == WRITES_FP_LOAD;
    b->of[s->uses.write[k] & SCORE_MASK] = (struct montecito_score){c->cycle, variable ? latency : 0, producer};
    const uint64_t last = c->cycle + (variable ? latency + 2 : MOST_LATENCY);
    if (producer != WRITES_ADDER && producer != WRITES_PREDICATE && last > b->last)
      b->last = last;
    else if (c->cycle + 3 > b->last)
      b->last = c->cycle + 3;
  }
}
