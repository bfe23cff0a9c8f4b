/* SPDX-License-Identifier: MIT */
/*
 * Counters on their way into counts, with as few accesses as can be: one for each register, two for those in halves.
 * Whether controls still select what was programmed is looked at from time to time, and where a counter gives reason
 * to.
 */
#include <math.h>
#include "overlap.h"
#include "src/access/register.h"
#include "src/session/counts.h"
#include "src/session/session.h"

enum { TORN_MARGIN = 2 }; /* by how much more a counter may count than the facts and clocks let expect */

static bool counts_now(const struct pmon_session *s, const struct session_run *run)
{
  return !run->gone && (run->round == s->round || run->round == UINT32_MAX);
}

/* Flags of a run whose control register, as it was seen, selects something else than was programmed. */
static uint32_t changed_control(struct pmon_session *s, const struct session_run *run)
{
  if (!run->n_writes)
    return 0;
  const struct session_write *w = &run->writes[run->n_writes - 1];
  const uint64_t value = s->regs[w->reg].seen;
  if (!((value ^ w->value) & run->check))
    return 0;
  s->changed += value != UINT64_MAX;
  return value == UINT64_MAX ? PMON_VALUE_UNAVAILABLE : PMON_VALUE_STOLEN;
}

int session_look(struct pmon_session *s)
{
  const uint32_t before = s->changed;
  for (uint32_t i = 0; i < s->n_runs; i++)
    if (counts_now(s, &s->runs[i]) && s->runs[i].n_writes)
      session_sweep_add(s, s->runs[i].writes[s->runs[i].n_writes - 1].reg);
  int status = session_sweep(s);
  for (uint32_t i = 0; !status && i < s->n_runs; i++) {
    struct session_run *run = &s->runs[i];
    const uint32_t flags = counts_now(s, run) ? changed_control(s, run) : 0;
    run->flags |= flags;
    s->cells[run->cell].flags |= flags;
  }
  if (!before && s->changed)
    s->changed_from_ns = s->verified_ns;
  s->verified_ns = s->now_ns;
  return status;
}

bool session_runs_in_halves(const struct session_register *r)
{
  return r->phase == PHASE_CTR && r->address.space == PMON_SPACE_PCI && r->address.width_bits == 64;
}

/* A counter in two halves that runs while it is read, at an unknown rate. */
static bool runs_unknown(const struct pmon_session *s, const struct session_run *run)
{
  return !run->still && run->rate_max <= 0 && session_runs_in_halves(&s->regs[run->counter]);
}

/* Each counter as it stands: one access for each register, two for those in halves. Where such a one runs and nothing
 * is known of how fast, it is read until its high half is stable. */
static int read_counters(struct pmon_session *s)
{
  for (uint32_t i = 0; i < s->n_runs; i++)
    if (counts_now(s, &s->runs[i]) && !runs_unknown(s, &s->runs[i]))
      session_sweep_add(s, s->runs[i].counter);
  int status = session_sweep(s);
  for (uint32_t i = 0; !status && i < s->n_runs; i++) {
    struct session_register *counter = &s->regs[s->runs[i].counter];
    if (!counts_now(s, &s->runs[i]) || !runs_unknown(s, &s->runs[i]))
      continue;
    status = access_read(s->backend, &counter->address, &counter->seen);
    status = status ? session_fail_or_lose(s, counter, "cannot read", status) : 0;
  }
  return status;
}

/* Whether a carry may lie between the reads of the halves: it leaves the low one no higher than what can have been
 * counted since, and the whole 2^32 too low, which the time since the reading before must have sufficed for. */
static bool may_be_torn(const struct session_run *run, uint64_t value, double read_seconds, double seconds)
{
  const double most = TORN_MARGIN * run->rate_max;
  const uint64_t mask = run->width_bits < 64 ? (UINT64_C(1) << run->width_bits) - 1 : UINT64_MAX;
  const uint64_t carried = (value + (UINT64_C(1) << 32) - run->before) & mask;
  return value != UINT64_MAX && (double)(value & UINT32_MAX) <= most * read_seconds &&
         (double)carried <= most * (seconds + read_seconds);
}

/* Only pairs that may be torn are read again, until the high half is the same before and after the low one. */
static int mend_torn(struct pmon_session *s, uint64_t since_ns)
{
  const double read_seconds = (double)since_ns * 1e-9, seconds = (double)(s->now_ns - s->from_ns) * 1e-9;
  for (uint32_t i = 0; i < s->n_runs; i++) {
    struct session_run *run = &s->runs[i];
    struct session_register *counter = &s->regs[run->counter];
    if (!counts_now(s, run) || run->still || runs_unknown(s, run) || !session_runs_in_halves(counter) ||
        !may_be_torn(run, counter->seen, read_seconds, seconds))
      continue;
    int status = access_read(s->backend, &counter->address, &counter->seen);
    status = status ? session_fail_or_lose(s, counter, "cannot read", status) : 0;
    if (status)
      return status;
  }
  return 0;
}

/* What the run counted since the reading before. *ret_odd: the counter shows less than then. */
static void take_count(struct pmon_session *s, struct session_run *run, double seconds, bool *ret_odd)
{
  struct sample_reading reading = {.before = run->before,
                                   .after = s->regs[run->counter].seen,
                                   .width_bits = run->width_bits,
                                   .seconds = fmax(0, seconds - (double)run->held_ns * 1e-9),
                                   .rate_max = run->rate_max};
  uint64_t delta;
  if (run->extended)
    reading.after &= (UINT64_C(1) << run->width_bits) - 1;
  uint32_t flags = run->gauge ? session_gauge(run, &reading, &delta) : sample_delta(&reading, &delta);
  *ret_odd |= (flags & (PMON_VALUE_WRAPPED | PMON_VALUE_BACKWARDS)) != 0;
  /* A counter that begins close to its end passes it on purpose. */
  if (run->first)
    flags &= ~(uint32_t)PMON_VALUE_WRAPPED;
  run->before = reading.after;
  delta <<= run->shift;
  run->count += (double)delta;
  run->slices++;
  run->flags |= flags;
  session_count(s, run, delta, reading.seconds, flags);
  run->held_ns = 0;
}

int session_read_round(struct pmon_session *s)
{
  const double seconds = (double)(s->now_ns - s->from_ns) * 1e-9;
  overlap_settle(s);
  bool look = s->rounds > 1 || s->every_count || s->ended || s->now_ns - s->verified_ns >= s->verify_ns;
  uint64_t end_ns = s->now_ns;
  int status = read_counters(s);
  if (!status)
    status = session_clock(s, &end_ns);
  if (!status)
    status = mend_torn(s, end_ns - s->now_ns);
  if (status)
    return status;
  s->last_skew_ns = end_ns - s->now_ns;
  if (s->last_skew_ns > s->skew_ns)
    s->skew_ns = s->last_skew_ns;
  /* Whoever sets up a counter for himself begins it anew as a rule: then a look is due. */
  for (uint32_t i = 0; i < s->n_runs; i++)
    if (counts_now(s, &s->runs[i]))
      take_count(s, &s->runs[i], seconds, &look);
  session_end_sums(s);
  return look ? session_look(s) : 0;
}

int session_read_baseline(struct pmon_session *s)
{
  int status = read_counters(s);
  for (uint32_t i = 0; !status && i < s->n_runs; i++) {
    struct session_run *run = &s->runs[i];
    if (!counts_now(s, run))
      continue;
    run->held_ns = 0;
    run->before = s->regs[run->counter].seen;
    if (run->extended)
      run->before &= (UINT64_C(1) << run->width_bits) - 1;
  }
  return status;
}
