/* SPDX-License-Identifier: MIT */
/*
 * The guide names the front end's causes of lost cycles without their timing. The model's own: the buffer holds eight
 * bundles, and the front end delivers two a cycle. The front end loses a cycle at: a taken branch, unless the first
 * level of prediction has its target (resteer); a counted loop whose count was written at most 8 cycles before (perfect
 * loop prediction); an indirect branch whose register was written as late (interlock); the first branch of a line since
 * it arrived (initialisation); more than eight branches that wait for retirement at one a cycle; a fetch while a line
 * moves to the L1I. Only programs lose such cycles: a stream states them.
 */
#include "machine/montecito/core/cycles.h"
#include "machine/montecito/events/umasks.h"
#include "machine/montecito/front/front.h"
#include "machine/montecito/monitors/counters.h"
#include "machine/montecito/monitors/monitors.h"
#include "machine/montecito/pipeline/pipeline.h"

enum {
  EV_LINES_FULL = 0x60,
  EV_LINES_ALMOST = 0x64,
  EV_PREFETCH_STALL = 0x67,
  EV_OVERFLOW = 0x69,
  EV_LOST = 0x70,
  EV_FE = 0x71
};
enum {
  LINE = 64,
  L2_LINE = 128,
  DELIVERED = 2,
  LATE = 8,
  MOST_BRANCHES = 8,
  ALMOST = FRONT_LINES - 2,
  WAITING = 4,
  MOVE_CYCLES = 2
};

static void buffer_add(struct montecito_core *c, unsigned bundles)
{
  const unsigned n = c->front.buffered + bundles;
  c->front.buffered = (uint8_t)(n < FRONT_BUNDLES ? n : FRONT_BUNDLES);
}

__attribute__((hot)) void front_retire(struct montecito_core *c)
{
  struct montecito_front *f = &c->front;
  const unsigned used = c->window_bundles < f->buffered ? c->window_bundles : f->buffered;
  f->buffered = (uint8_t)(f->buffered - used);
  if (f->buffered + DELIVERED > FRONT_BUNDLES) {
    montecito_pulse(c, EV_FE, 0x0821, 1);
    montecito_pulse(c, EV_LOST, UM(0) | UM(5), FRONT_BUNDLES - f->buffered ? 1 : 2);
  }
  buffer_add(c, DELIVERED);
}

__attribute__((hot)) uint64_t front_stall(struct montecito_core *c, unsigned reason, uint64_t cycles)
{
  struct montecito_front *f = &c->front;
  if (reason >= STALL_FE_FLUSH || reason <= STALL_FLUSH_XPN) {
    f->buffered = 0;
    return reason >= STALL_FE_FLUSH ? cycles : 0;
  }
  const uint64_t room = (unsigned)(FRONT_BUNDLES - f->buffered) / DELIVERED, filled = cycles < room ? cycles : room;
  buffer_add(c, (unsigned)filled * DELIVERED);
  return filled;
}

void front_bubble(struct montecito_core *c, unsigned reason)
{
  struct montecito_front *f = &c->front;
  if (f->buffered < DELIVERED) {
    montecito_stall_add(c, reason, 1);
    return;
  }
  f->buffered = (uint8_t)(f->buffered - DELIVERED);
  montecito_pulse(c, EV_FE, stall_front_umasks(reason, false), 1);
  montecito_pulse(c, EV_LOST, stall_front_umasks(reason, true), DELIVERED);
}

/* True if the register was written at most LATE cycles ago. */
static bool written_late(const struct montecito_core *c, unsigned number)
{
  const uint64_t at = c->scoreboard[c->active].of[number].at;
  return at && c->cycle - at <= LATE;
}

/* Returns the register from `first` to `last` that the branch reads, or SCORE_N. */
static unsigned branch_reads(const struct montecito_instruction *v, unsigned first, unsigned last)
{
  for (unsigned i = 0; i < DEPENDENCE_READS && v->s->uses.read[i]; i++) {
    const unsigned n = v->s->uses.read[i] & SCORE_MASK;
    if (n >= first && n <= last)
      return n;
  }
  return SCORE_N;
}

static bool branch_reads_late(const struct montecito_core *c, const struct montecito_instruction *v, unsigned first,
                              unsigned last)
{
  const unsigned n = branch_reads(v, first, last);
  return n != SCORE_N && written_late(c, n);
}

static bool branches_wait(struct montecito_core *c)
{
  struct montecito_front *f = &c->front;
  const uint64_t passed = c->cycle - f->branches_at;
  f->branches = (uint8_t)((f->branches > passed ? f->branches - passed : 0) + 1);
  f->branches_at = c->cycle;
  if (f->branches <= MOST_BRANCHES)
    return false;
  f->branches = 0;
  return true;
}

__attribute__((hot)) bool front_knows_count(const struct montecito_core *c, const struct montecito_instruction *v)
{
  return branch_reads(v, SCORE_LC, SCORE_LC) == SCORE_LC && !written_late(c, SCORE_LC);
}

__attribute__((hot)) void front_branch(struct montecito_core *c, const struct montecito_instruction *v,
                                       const struct etb_event *e, const struct montecito_prediction *is)
{
  struct montecito_front *f = &c->front;
  const bool waits = branches_wait(c);
  if (e->taken)
    f->stream = 0;
  if (e->flushed)
    return;
  if (branch_reads_late(c, v, SCORE_LC, SCORE_LC))
    front_bubble(c, STALL_FE_PLP);
  else if (e->kind == KIND_INDIRECT && branch_reads_late(c, v, SCORE_BR, SCORE_AR - 1))
    front_bubble(c, STALL_FE_BR_ILOCK);
  else if (waits)
    front_bubble(c, STALL_FE_BRQ);
  else if (is->fresh)
    front_bubble(c, STALL_FE_BI);
  else if (is->resteers)
    front_bubble(c, STALL_FE_BUBBLE);
}

/* ---- lines ---- */

/* Lines move to the L1I MOVE_CYCLES after they have arrived. */
static void lines_advance(struct montecito_core *c)
{
  struct montecito_front *f = &c->front;
  unsigned n = 0;
  for (unsigned i = 0; i < f->n_lines; i++) {
    if (f->of[i].at + MOVE_CYCLES >= c->cycle)
      f->of[n++] = f->of[i];
  }
  if (n < f->n_lines)
    f->waiting = 0;
  f->n_lines = (uint8_t)n;
}

bool front_pending(struct montecito_core *c, uint64_t ip, uint32_t *ret_left)
{
  struct montecito_front *f = &c->front;
  lines_advance(c);
  for (unsigned i = 0; i < f->n_lines; i++)
    if (f->of[i].line == ip / LINE && f->of[i].at + MOVE_CYCLES > c->cycle) {
      *ret_left = f->of[i].at > c->cycle ? (uint32_t)(f->of[i].at - c->cycle) : 0;
      return true;
    }
  return false;
}

bool front_accepts(struct montecito_core *c, uint64_t ip)
{
  struct montecito_front *f = &c->front;
  lines_advance(c);
  if (ip / LINE <= c->fetch_line / 2 + 2 && ip / LINE >= c->fetch_line / 2)
    montecito_pulse(c, EV_PREFETCH_STALL, UM_XX10 | UM_XX11, 1);
  if (f->n_lines < FRONT_LINES - 1) /* one request is reserved for demands */
    return true;
  montecito_pulse(c, EV_PREFETCH_STALL, UM_XX11, 1);
  if (++f->waiting > WAITING) {
    montecito_pulse(c, EV_OVERFLOW, UM_ANY, 1);
    f->waiting = WAITING;
  }
  return false;
}

void front_request(struct montecito_core *c, uint64_t ip, uint32_t latency, bool prefetch)
{
  struct montecito_front *f = &c->front;
  lines_advance(c);
  if (f->n_lines == FRONT_LINES)
    return;
  f->of[f->n_lines++] = (struct montecito_front_line){ip / LINE, c->cycle + latency, prefetch};
  if (c->levels_selected)
    montecito_deferred_add(c,
                           &(struct montecito_deferred){.at = c->cycle + latency + MOVE_CYCLES, .kind = DEFERRED_TICK});
}

bool front_has_half(struct montecito_core *c, uint64_t ip)
{
  const struct montecito_front *f = &c->front;
  for (unsigned i = 0; i < f->n_lines; i++)
    if (f->of[i].line == (ip / LINE ^ L2_LINE / LINE / 2) && f->of[i].at > c->cycle)
      return true;
  return false;
}

bool front_arrives(struct montecito_core *c)
{
  const struct montecito_front *f = &c->front;
  for (unsigned i = 0; i < f->n_lines; i++)
    if (f->of[i].at == c->cycle || f->of[i].at + 1 == c->cycle)
      return true;
  return false;
}

bool front_has_line(const struct montecito_core *c, uint64_t ip)
{
  const struct montecito_front *f = &c->front;
  for (unsigned i = 0; i < f->n_lines; i++)
    if (f->of[i].line == ip / LINE && f->of[i].at + MOVE_CYCLES > c->cycle)
      return true;
  return false;
}

bool front_moves(const struct montecito_core *c)
{
  const struct montecito_front *f = &c->front;
  for (unsigned i = 0; i < f->n_lines; i++)
    if (f->of[i].at + MOVE_CYCLES == c->cycle)
      return true;
  return false;
}

void front_levels(struct montecito_core *c)
{
  lines_advance(c);
  montecito_pulse(c, EV_LINES_FULL, UM_ANY, c->front.n_lines == FRONT_LINES);
  montecito_pulse(c, EV_LINES_ALMOST, UM_ANY, c->front.n_lines >= ALMOST);
}
