/* SPDX-License-Identifier: MIT */
/*
 * Intervals that end after a number of counts of an event. Its counter starts that far below its maximum, and its
 * overflow freezes the whole package (817509 1.10.4, 1.10.5 b). The status registers then show which counters
 * overflowed, from the global ones down to the block's; they are cleared, the counter starts again, and all counters
 * resume (1.10.6). Montecito's threads freeze themselves, and one register has both freeze and overflow bits (3.3.4).
 */
#include <inttypes.h>
#include <string.h>
#include "src/access/register.h"
#include "src/plan/witness.h"
#include "src/platform/context.h"
#include "src/session/counts.h"
#include "src/session/samples.h"
#include "src/session/session.h"

static int overflow_fail(struct pmon_session *s, int status, const char *what)
{
  return context_fail(s->plan->context, status, 0, "%s cannot end intervals: %s",
                      pmon_event_name(s->plan->events[s->every_event].event), what);
}

/* Makes the run's control register report its overflow to the package. */
static int report_overflow_globally(struct pmon_session *s, struct session_run *run)
{
  const struct pmon_platform *p = s->plan->platform;
  if (!run->own || !run->n_writes)
    return overflow_fail(s, PMON_E_UNSUPPORTED, "its counter cannot be set");
  struct session_write *w = &run->writes[run->n_writes - 1];
  static const char *const names[] = {"frz_ovf", "ov_en", "oi"};
  uint64_t bit = 0;
  for (size_t i = 0; !bit && i < sizeof names / sizeof *names; i++)
    bit = access_field(p, &s->regs[w->reg].id, names[i]);
  if (!bit)
    return overflow_fail(s, PMON_E_UNSUPPORTED,
                         "its control register has no bit that freezes on overflow; end intervals by time");
  if (run->width_bits > 63 || s->every_count >= UINT64_C(1) << run->width_bits)
    return overflow_fail(s, PMON_E_RANGE, "the count does not fit into its counter");
  w->value |= bit;
  w->mask |= bit;
  run->first = (UINT64_C(1) << run->width_bits) - s->every_count;
  return 0;
}

/* Returns the bits of a thread's status that belong to the event's counters: bit n is that of PMDn (Table 3-8). */
static uint64_t overflow_bits(const struct pmon_session *s, const struct session_register *r)
{
  uint64_t bits = 0;
  for (uint32_t i = 0; i < s->n_runs; i++) {
    const struct pmon_address *counter = &s->regs[s->runs[i].counter].address;
    if (s->runs[i].event == s->every_event && counter->package == r->address.package && counter->offset < 64)
      bits |= UINT64_C(1) << counter->offset;
  }
  return bits & access_field(s->plan->platform, &r->id, "overflow");
}

/* Marks the overflow status registers: those of the global freeze, or the one of each thread. */
static int find_status_registers(struct pmon_session *s)
{
  uint32_t n = 0;
  int status = s->freeze == PMON_FREEZE_GLOBAL ? session_add_global_status(s) : 0;
  for (uint32_t i = 0; !status && i < s->n_regs; i++) {
    struct session_register *r = &s->regs[i];
    if (s->freeze == PMON_FREEZE_GLOBAL && session_is_role(s, &r->id, PMON_ROLE_GLOBAL_STATUS))
      r->overflow_mask = r->writable;
    else if (s->freeze == PMON_FREEZE_BOX && r->phase == PHASE_UNIT_CTL)
      r->overflow_mask = overflow_bits(s, r);
    n += r->overflow_mask != 0;
  }
  if (!status && !n)
    return overflow_fail(s, PMON_E_UNSUPPORTED, "this freeze scope has no overflow status");
  return status;
}

int session_lay_out_overflow(struct pmon_session *s)
{
  if (!s->every_count)
    return s->source.kind ? context_fail(s->plan->context, PMON_E_INVALID, 0, "samples need every_count") : 0;
  if (s->every_event >= plan_own_events(s->plan))
    return context_fail(s->plan->context, PMON_E_RANGE, 0, "the plan has no event %" PRIu32, s->every_event);
  if (s->rounds > 1)
    return overflow_fail(s, PMON_E_UNSUPPORTED, "the plan's events are multiplexed: select fewer events");
  for (uint32_t i = 0; i < s->n_runs; i++) {
    int status = s->runs[i].event == s->every_event ? report_overflow_globally(s, &s->runs[i]) : 0;
    if (status)
      return status;
  }
  int status = find_status_registers(s);
  return status ? status : session_lay_out_buffers(s);
}

/* Reads the overflow status registers; *ret_any: a block of a package has reported an overflow. */
static int read_status_registers(struct pmon_session *s, bool *ret_any)
{
  *ret_any = false;
  for (uint32_t i = 0; i < s->n_regs; i++) {
    struct session_register *r = &s->regs[i];
    uint64_t value;
    if (!r->overflow_mask || r->missing)
      continue;
    int status = access_read(s->backend, &r->address, &value);
    if (status)
      return session_fail(s, r, "cannot read", status);
    r->overflowed = value & r->overflow_mask;
    *ret_any |= r->overflowed != 0;
  }
  return 0;
}

static int clear_status(struct pmon_session *s, struct session_register *r)
{
  uint64_t value;
  int status = access_read(s->backend, &r->address, &value);
  if (!status && value & r->writable)
    status = access_write(s->backend, &r->address, value & r->writable);
  return status ? session_fail(s, r, "cannot clear", status) : 0;
}

/* Clears the overflow bits of the blocks, and then the global ones: a freeze requires both to be clear. If overflow
 * bits are in the same register as the freeze bit, writing zeros clears them, here and when counting resumes. */
int session_clear_overflows(struct pmon_session *s)
{
  int status = 0;
  for (int status_regs = 0; s->every_count && status_regs < 2; status_regs++)
    for (uint32_t i = 0; !status && i < s->n_regs; i++) {
      struct session_register *r = &s->regs[i];
      if (r->missing || (r->overflow_mask != 0) != status_regs)
        continue;
      if (r->phase == PHASE_STATUS)
        status = clear_status(s, r);
      else if (r->overflow_mask)
        status = session_write(s, r, r->freeze);
    }
  return status;
}

/* True if the run's counter overflowed, according to its thread's status. */
static bool has_overflowed(const struct pmon_session *s, const struct session_run *run)
{
  const struct pmon_address *counter = &s->regs[run->counter].address;
  for (uint32_t i = 0; i < s->n_regs; i++)
    if (s->regs[i].overflowed && s->regs[i].address.package == counter->package)
      return s->freeze != PMON_FREEZE_BOX || s->regs[i].overflowed >> counter->offset & 1;
  return false;
}

/* Sets the counters of the event to their initial value; with a sample source, only those that overflowed. All counters
 * are frozen. */
static int begin_again(struct pmon_session *s)
{
  for (uint32_t i = 0; i < s->n_runs; i++) {
    struct session_run *run = &s->runs[i];
    struct session_register *counter = &s->regs[run->counter];
    if (run->event != s->every_event || run->gone || (s->source.kind && !has_overflowed(s, run)))
      continue;
    int status = access_write(s->backend, &counter->address, run->first);
    if (status)
      return session_fail(s, counter, "cannot write", status);
    run->before = run->first;
  }
  return 0;
}

/* True if one of the event's counters wrapped although no status register showed it before the freeze. It starts close
 * to its maximum: the value read is then lower. */
static bool has_passed(const struct pmon_session *s)
{
  for (uint32_t i = 0; i < s->n_runs; i++)
    if (s->runs[i].event == s->every_event && !s->runs[i].gone && s->runs[i].before < s->runs[i].first)
      return true;
  return false;
}

/* Waits for an overflow until goal_ns, polling every every_poll_ns. */
static int wait_overflow(struct pmon_session *s, uint64_t goal_ns, bool *ret_overflowed, bool *ret_ended,
                         bool *ret_stop)
{
  while (!*ret_overflowed && !*ret_stop && !*ret_ended && s->now_ns < goal_ns) {
    s->looked_ns = s->now_ns;
    uint64_t next_ns = goal_ns - s->now_ns > s->every_poll_ns ? s->now_ns + s->every_poll_ns : goal_ns;
    int status = s->backend->ops->wait(s->backend, next_ns, &s->now_ns, ret_ended);
    if (status)
      return session_fail(s, NULL, "the workload cannot continue", status);
    if (s->now_ns < next_ns && !*ret_ended)
      s->looked_ns = s->now_ns; /* the backend returned at the freeze */
    status = read_status_registers(s, ret_overflowed);
    if (status)
      return status;
    *ret_stop = s->tick && s->tick(s->tick_user, s->now_ns);
  }
  return 0;
}

/* Adds the slice's time to open regions after the counters were read and resumed. */
static void count_slice(struct pmon_session *s)
{
  session_region_slice(s, s->now_ns > s->from_ns ? s->now_ns - s->from_ns : 0);
  s->gap_ns = s->resume_ns > s->now_ns ? s->resume_ns - s->now_ns : 0;
}

int session_run_to_overflow(struct pmon_session *s, uint64_t until_ns, bool *ret_ended)
{
  bool overflowed = s->passed, stop = false;
  s->passed = false;
  while (!overflowed && !stop && !*ret_ended && s->now_ns < until_ns) {
    /* Other counters may wrap before the event overflows: they are read within limit_ns. */
    uint64_t goal_ns = until_ns - s->now_ns > s->limit_ns ? s->now_ns + s->limit_ns : until_ns;
    int waited = wait_overflow(s, goal_ns, &overflowed, ret_ended, &stop);
    const uint64_t noticed_ns = s->now_ns;
    s->from_ns = s->resume_ns;
    int status = session_freeze_timed(s);
    /* The status is cleared before the counters are read (817509 1.10.5); `overflowed` keeps it. */
    if (!status && !waited)
      status = session_clear_overflows(s);
    if (!status)
      status = session_read_round(s);
    /* The counters that overflowed are not known then: counters are not changed. */
    if (waited)
      return waited;
    if (!status && overflowed)
      status = session_take_samples(s);
    const bool passed = !overflowed && !s->source.kind && has_passed(s);
    if (!status && (overflowed || passed))
      status = begin_again(s);
    if (!status)
      status = session_resume(s, overflowed || passed);
    if (status)
      return session_note_failure(s, status);
    count_slice(s);
    overflowed |= passed;
    /* After a stop the next run ends at once: a stop and the end of an interval are two separate returns. */
    s->passed = overflowed && stop;
    if (overflowed && s->source.kind)
      session_note_frozen(s, s->looked_ns, noticed_ns);
  }
  return 0;
}
