/* SPDX-License-Identifier: MIT */
/*
 * Counters on their way into counts, with as few accesses as can be: one for each register, two for those in halves. Whether
 * controls still select what was programmed is looked at from time to time, and where a counter gives reason to.
 */
#include "session.h"
#include "src/access/register.h"

enum { TORN_MARGIN = 4 };      /* by how much more a counter may count than the facts and clocks let expect */

/* Whether the control register still selects what was programmed. */
static int check_control(struct pmon_session *s, const struct session_run *run, uint32_t *flags)
{
  if (!run->n_writes)
    return 0;
  const struct session_write *w = &run->writes[run->n_writes - 1];
  const struct session_register *r = &s->regs[w->reg];
  uint64_t value;
  int status = access_read_still(s->backend, &r->address, &value);
  if (status)
    return session_fail_or_lose(s, r, "cannot read", status);
  if (!((value ^ w->value) & run->check))
    return 0;
  *flags |= value == UINT64_MAX ? PMON_VALUE_UNAVAILABLE : PMON_VALUE_STOLEN;
  s->changed += value != UINT64_MAX;
  return 0;
}

static bool counts_now(const struct pmon_session *s, const struct session_run *run)
{
  return !run->gone && (run->round == s->round || run->round == UINT32_MAX);
}

int session_look(struct pmon_session *s)
{
  const uint32_t before = s->changed;
  for (uint32_t i = 0; i < s->n_runs; i++) {
    struct session_run *run = &s->runs[i];
    uint32_t flags = 0;
    int status = counts_now(s, run) ? check_control(s, run, &flags) : 0;
    if (status)
      return status;
    run->flags |= flags;
    s->cells[run->cell].flags |= flags;
  }
  if (!before && s->changed)
    s->changed_from_ns = s->verified_ns;
  s->verified_ns = s->now_ns;
  return 0;
}

/* A counter in two halves that runs on while it is read. */
static bool can_tear(const struct session_run *run, const struct session_register *counter)
{
  return !run->still && counter->address.space == PMON_SPACE_PCI && counter->address.width_bits == 64;
}

/* Each counter as it stands, with as few accesses as can be: the halves of a pair once each, the high one first. */
static int read_counters(struct pmon_session *s)
{
  for (uint32_t i = 0; i < s->n_runs; i++) {
    struct session_run *run = &s->runs[i];
    const struct session_register *counter = &s->regs[run->counter];
    if (!counts_now(s, run))
      continue;
    int status = run->still || (can_tear(run, counter) && run->rate_max > 0)
                     ? access_read_still(s->backend, &counter->address, &run->after)
                     : access_read(s->backend, &counter->address, &run->after);
    status = status ? session_fail_or_lose(s, counter, "cannot read", status) : 0;
    if (status)
      return status;
  }
  return 0;
}

/* Whether a carry may lie between the reads of the halves: it leaves the low one no higher than what can have been
 * counted since, and the whole 2^32 too low, which the time since the reading before must have sufficed for. */
static bool may_be_torn(const struct session_run *run, double read_seconds, double seconds)
{
  const double most = TORN_MARGIN * run->rate_max;
  const uint64_t mask = run->width_bits < 64 ? (UINT64_C(1) << run->width_bits) - 1 : UINT64_MAX;
  const uint64_t carried = (run->after + (UINT64_C(1) << 32) - run->before) & mask;
  return run->rate_max > 0 && run->after != UINT64_MAX && (double)(run->after & UINT32_MAX) <= most * read_seconds &&
         (double)carried <= most * (seconds + read_seconds);
}

/* Only pairs that may be torn are read again, until the high half is the same before and after the low one. */
static int mend_torn(struct pmon_session *s, uint64_t since_ns)
{
  const double read_seconds = (double)since_ns * 1e-9, seconds = (double)(s->now_ns - s->from_ns) * 1e-9;
  for (uint32_t i = 0; i < s->n_runs; i++) {
    struct session_run *run = &s->runs[i];
    const struct session_register *counter = &s->regs[run->counter];
    if (!counts_now(s, run) || !can_tear(run, counter) || !may_be_torn(run, read_seconds, seconds))
      continue;
    int status = access_read(s->backend, &counter->address, &run->after);
    status = status ? session_fail_or_lose(s, counter, "cannot read", status) : 0;
    if (status)
      return status;
  }
  return 0;
}

/* What the run counted since the reading before. */
static int take_count(struct pmon_session *s, struct session_run *run, double seconds, bool look)
{
  struct sample_reading reading = {.before = run->before, .after = run->after, .width_bits = run->width_bits,
                                   .seconds = seconds, .rate_max = run->rate_max};
  uint64_t delta;
  if (run->extended)
    reading.after &= (UINT64_C(1) << run->width_bits) - 1;
  uint32_t flags = sample_delta(&reading, &delta);
  /* Whoever sets up a counter for himself begins it anew as a rule. */
  const bool odd = (flags & (PMON_VALUE_WRAPPED | PMON_VALUE_BACKWARDS)) != 0;
  /* A counter that begins close to its end passes it on purpose. */
  if (run->first)
    flags &= ~(uint32_t)PMON_VALUE_WRAPPED;
  int status = look || odd ? check_control(s, run, &flags) : 0;
  if (status)
    return status;
  run->before = reading.after;
  run->count += (double)delta;
  run->slices++;
  run->flags |= flags;
  sample_add(&s->cells[run->cell], delta, seconds, flags);
  return 0;
}

int session_read(struct pmon_session *s)
{
  const double seconds = (double)(s->now_ns - s->from_ns) * 1e-9;
  const bool look = s->rounds > 1 || s->every_count || s->ended || s->now_ns - s->verified_ns >= s->verify_ns;
  const uint32_t changed = s->changed;
  uint64_t end_ns = s->now_ns;
  int status = read_counters(s);
  if (!status)
    status = session_clock(s, &end_ns);
  if (!status)
    status = mend_torn(s, end_ns - s->now_ns);
  if (!status && end_ns - s->now_ns > s->skew_ns)
    s->skew_ns = end_ns - s->now_ns;
  for (uint32_t i = 0; !status && i < s->n_runs; i++)
    if (counts_now(s, &s->runs[i]))
      status = take_count(s, &s->runs[i], seconds, look);
  if (!changed && s->changed)
    s->changed_from_ns = s->verified_ns;
  if (!status && look)
    s->verified_ns = s->now_ns;
  return status;
}
