/* SPDX-License-Identifier: MIT */
#include "machine/montecito/core/cycles.h"
#include "machine/montecito/core/stall.h"
#include "machine/montecito/pipeline/scoreboard.h"

/* Latencies by producer and consumer (Table 2-8); pairs that the table omits have the ALU's latency. For a variable
 * producer, the value is added to the latency of the access. The table gives ranges for application and indirect
 * registers: the values within the ranges are the model's own. */
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
    [WRITES_FP_LOAD] /*          */ = {0, 0, 0, 1, 2, 0, 0, 0, 0, 0}, /* the access includes the cycle of the
                                                                       * conversion */
    [WRITES_IEU2] /*             */ = {2, 2, 2, 2, 3, 2, 2, 2, 2, 2},
    [WRITES_LOOP_AR] /*          */ = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
    [WRITES_SLOW_AR] /*          */ = {10, 10, 10, 10, 10, 10, 10, 10, 10, 10},
    [WRITES_OTHER_AR] /*         */ = {5, 5, 5, 5, 5, 5, 5, 5, 5, 5},
    [WRITES_ALL_PREDICATES] /*   */ = {1, 0, 2, 2, 3, 2, 2, 2, 2, 2},
    [WRITES_FAST_INDIRECT] /*    */ = {6, 6, 6, 6, 6, 6, 6, 6, 6, 6},
    [WRITES_INDIRECT] /*         */ = {35, 35, 35, 35, 35, 35, 35, 35, 35, 35},
};
/* The largest latency of each row, except for multimedia operations. */
static const uint8_t most[WRITES_N] = {[WRITES_ADDER] = 1,          [WRITES_MULTIMEDIA] = 4,
                                       [WRITES_TRANSLATION] = 6,    [WRITES_GETF] = 6,
                                       [WRITES_SETF] = 6,           [WRITES_FMAC] = 4,
                                       [WRITES_FMISC] = 4,          [WRITES_PREDICATE] = 1,
                                       [WRITES_FP_PREDICATE] = 2,   [WRITES_FP_APPROXIMATION] = 2,
                                       [WRITES_LOAD] = 1,           [WRITES_FP_LOAD] = 1,
                                       [WRITES_IEU2] = 2,           [WRITES_LOOP_AR] = 2,
                                       [WRITES_SLOW_AR] = 10,       [WRITES_OTHER_AR] = 5,
                                       [WRITES_ALL_PREDICATES] = 2, [WRITES_FAST_INDIRECT] = 6,
                                       [WRITES_INDIRECT] = 35};

/* Returns the stall of a group that waits for the result of a producer (Table 4-44). */
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

/* Returns the first cycle, `at` or later, in which all registers that these slots read are ready. *ret_reason: the
 * stall for the last of them. */
static __attribute__((hot)) uint64_t slots_ready(const struct montecito_scoreboard *b,
                                                 const struct montecito_slot *slot, unsigned n, uint64_t at,
                                                 unsigned *ret_reason)
{
  uint64_t latest = at;
  unsigned last = 0;
  for (unsigned i = 0; i < n; i++)
    for (unsigned k = 0; k < DEPENDENCE_READS && slot[i].uses.read[k]; k++) {
      const unsigned read = slot[i].uses.read[k];
      const struct montecito_score *s = &b->of[read & SCORE_MASK];
      const uint64_t ready = s->at + s->latency + latencies[s->producer][read >> SCORE_BITS];
      if (ready > latest) {
        latest = ready;
        last = read;
      }
    }
  if (last)
    *ret_reason = wait_reason(b->of[last & SCORE_MASK].producer, last & SCORE_MASK);
  return latest;
}

/* True if all registers are ready that the bundle, and its follower in the same cycle, can read. */
static bool scoreboard_is_quiet(const struct montecito_core *c, const struct montecito_bundle *b)
{
  return !(b->timing & TIMING_WAITS) || !c->modelled ||
         (c->scoreboard[c->active].last <= c->cycle && !(b->timing & TIMING_MULTIMEDIA) &&
          !(b->timing & TIMING_AHEAD && b->follower->timing & TIMING_MULTIMEDIA));
}

/* Returns the end of the first part of a bundle, which issues with the previous bundle. */
static unsigned follower_end(const struct montecito_bundle *b)
{
  if (b->flags & BUNDLE_STOP_AFTER_0 || b->timing & TIMING_SPLIT_0)
    return 1;
  return b->flags & BUNDLE_STOP_AFTER_1 || b->timing & TIMING_SPLIT_1 ? 2 : b->n_slots;
}

static bool wait_for_registers(struct montecito_core *c, const struct montecito_bundle *b, unsigned from, unsigned to)
{
  unsigned reason = STALL_EXE_GR, reason_follower = STALL_EXE_GR;
  uint64_t ready;
  const struct montecito_scoreboard *of = &c->scoreboard[c->active];
  ready = slots_ready(of, &b->slot[from], to - from, c->cycle, &reason);
  if (b->timing & TIMING_AHEAD && to == b->n_slots) {
    const uint64_t follower = slots_ready(of, b->follower->slot, follower_end(b->follower), c->cycle, &reason_follower);
    if (follower > ready) {
      ready = follower;
      reason = reason_follower;
    }
  }
  return ready <= c->cycle || montecito_pass_wait(c, reason, ready - c->cycle);
}

__attribute__((hot)) bool scoreboard_wait(struct montecito_core *c, const struct montecito_bundle *b, unsigned from,
                                          unsigned to)
{
  return scoreboard_is_quiet(c, b) || wait_for_registers(c, b, from, to);
}

__attribute__((hot)) int scoreboard_is_ready(const struct montecito_core *c, const struct montecito_bundle *b,
                                             unsigned from, unsigned to)
{
  unsigned reason;
  return scoreboard_is_quiet(c, b) ||
         slots_ready(&c->scoreboard[c->active], &b->slot[from], to - from, c->cycle, &reason) <= c->cycle;
}

__attribute__((hot)) void scoreboard_write(struct montecito_core *c, const struct montecito_slot *s, uint32_t latency)
{
  struct montecito_scoreboard *b = &c->scoreboard[c->active];
  if (s->uses.write[0] >> SCORE_BITS == WRITES_ALL_PREDICATES)
    for (unsigned i = SCORE_PR; i < SCORE_BR; i++)
      b->of[i] = (struct montecito_score){c->cycle, 0, WRITES_ALL_PREDICATES};
  for (unsigned k = 0; k < DEPENDENCE_WRITES && s->uses.write[k]; k++) {
    const unsigned producer = s->uses.write[k] >> SCORE_BITS;
    const bool variable = producer == WRITES_LOAD || producer == WRITES_FP_LOAD;
    struct montecito_score *of = &b->of[s->uses.write[k] & SCORE_MASK];
    of->at = c->cycle;
    of->latency = variable ? latency : 0;
    of->producer = (uint8_t)producer;
    const uint64_t last = c->cycle + of->latency + most[producer];
    if (last > b->last)
      b->last = last;
  }
}
