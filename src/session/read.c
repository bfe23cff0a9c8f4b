/* SPDX-License-Identifier: MIT */
/* Reads counters into counts, with as few accesses as possible: one for each register, two for those in halves. */
#include <math.h>
#include "src/access/register.h"
#include "src/session/counts.h"
#include "src/session/overlap.h"
#include "src/session/session.h"

enum { RATE_MARGIN = 2 }; /* factor by which a rate may exceed that of the facts and clocks */

bool session_runs_in_halves(const struct session_register *r)
{
  return r->phase == PHASE_CTR && r->address.space == PMON_SPACE_PCI && r->address.width_bits == 64;
}

/* True for a counter in two halves that runs while it is read, at an unknown rate. */
static bool runs_unknown(const struct pmon_session *s, const struct session_run *run)
{
  return !run->freezable && run->rate_max <= 0 && session_runs_in_halves(&s->regs[run->counter]);
}

/* Reads each counter: one access for each register, two for those in halves. A counter in halves that runs at an
 * unknown rate is read until its high half is stable. */
static int read_counters(struct pmon_session *s)
{
  for (uint32_t i = 0; i < s->n_runs; i++)
    if (session_counts_now(s, &s->runs[i]) && !runs_unknown(s, &s->runs[i]))
      session_sweep_add(s, s->runs[i].counter);
  int status = session_sweep(s);
  for (uint32_t i = 0; !status && i < s->n_runs; i++) {
    struct session_register *counter = &s->regs[s->runs[i].counter];
    if (!session_counts_now(s, &s->runs[i]) || !runs_unknown(s, &s->runs[i]))
      continue;
    status = access_read(s->backend, &counter->address, &counter->seen);
    status = status ? session_fail_or_lose(s, counter, "cannot read", status) : 0;
  }
  return status;
}

/* True if there may have been a carry between the reads of the halves. The low half is then no higher than the maximum
 * count since the carry, and the whole value is 2^32 too low; the time since the previous read must suffice for such a
 * count. */
static bool may_be_torn(const struct session_run *run, uint64_t value, double read_seconds, double seconds)
{
  const double most = RATE_MARGIN * run->rate_max;
  const uint64_t mask = run->width_bits < 64 ? (UINT64_C(1) << run->width_bits) - 1 : UINT64_MAX;
  const uint64_t carried = (value + (UINT64_C(1) << 32) - run->before) & mask;
  return value != UINT64_MAX && (double)(value & UINT32_MAX) <= most * read_seconds &&
         (double)carried <= most * (seconds + read_seconds);
}

/* Reads pairs that may be torn again, until the high half is the same before and after the low one. */
static int mend_torn(struct pmon_session *s, uint64_t since_ns)
{
  const double read_seconds = (double)since_ns * 1e-9, seconds = (double)(s->now_ns - s->from_ns) * 1e-9;
  for (uint32_t i = 0; i < s->n_runs; i++) {
    struct session_run *run = &s->runs[i];
    struct session_register *counter = &s->regs[run->counter];
    if (!session_counts_now(s, run) || run->freezable || runs_unknown(s, run) || !session_runs_in_halves(counter) ||
        !may_be_torn(run, counter->seen, read_seconds, seconds))
      continue;
    int status = access_read(s->backend, &counter->address, &counter->seen);
    status = status ? session_fail_or_lose(s, counter, "cannot read", status) : 0;
    if (status)
      return status;
  }
  return 0;
}

/* True if a count is a reason to check the unit's controls: the counter has decreased, has stopped counting, or counts
 * faster than its clock. Software that takes over a counter usually resets it. */
static bool is_odd_count(const struct session_run *run, const struct sample_reading *reading, uint64_t delta,
                         uint32_t flags)
{
  return (flags & (PMON_VALUE_WRAPPED | PMON_VALUE_BACKWARDS)) || (run->counted && !delta) ||
         (reading->rate_max > 0 && (double)delta > RATE_MARGIN * reading->rate_max * reading->seconds + 1);
}

/* Adds the run's count since the previous read. */
static void take_count(struct pmon_session *s, struct session_run *run, double seconds)
{
  struct sample_reading reading = {.before = run->before,
                                   .after = s->regs[run->counter].seen,
                                   .width_bits = run->width_bits,
                                   .seconds = fmax(0, seconds - (double)run->paused_ns * 1e-9),
                                   .rate_max = run->rate_max};
  uint64_t delta;
  if (run->extended)
    reading.after &= (UINT64_C(1) << run->width_bits) - 1;
  uint32_t flags = run->gauge ? session_gauge(run, &reading, &delta) : sample_delta(&reading, &delta);
  run->odd = is_odd_count(run, &reading, delta, flags);
  run->counted = delta != 0;
  /* A counter with an initial value close to its maximum wraps on purpose. */
  if (run->first)
    flags &= ~(uint32_t)PMON_VALUE_WRAPPED;
  run->before = reading.after;
  delta <<= run->shift;
  run->count += (double)delta;
  run->slices++;
  run->flags |= flags;
  session_count(s, run, delta, reading.seconds, flags);
  run->paused_ns = 0;
}

int session_read_round(struct pmon_session *s)
{
  const double seconds = (double)(s->now_ns - s->from_ns) * 1e-9;
  overlap_add_pauses(s);
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
  for (uint32_t i = 0; i < s->n_runs; i++)
    if (session_counts_now(s, &s->runs[i]))
      take_count(s, &s->runs[i], seconds);
  session_end_sums(s);
  return session_verify_due(s);
}

int session_read_baseline(struct pmon_session *s)
{
  int status = read_counters(s);
  for (uint32_t i = 0; !status && i < s->n_runs; i++) {
    struct session_run *run = &s->runs[i];
    if (!session_counts_now(s, run))
      continue;
    run->paused_ns = 0;
    run->before = s->regs[run->counter].seen;
    if (run->extended)
      run->before &= (UINT64_C(1) << run->width_bits) - 1;
  }
  return status;
}
