/* SPDX-License-Identifier: MIT */
/*
 * Intervals that end when an event has happened so many times: its counter begins that far below its end, and its
 * overflow freezes the whole package (817509 1.10.4, 1.10.5 b). Then the status registers say who overflowed, from the
 * global ones down to the block's; they are cleared, the counter begins anew, and everything counts again (1.10.6).
 */
#include <inttypes.h>
#include <string.h>
#include "session.h"
#include "src/access/register.h"
#include "src/platform/context.h"

static int fail(struct pmon_session *s, int status, const char *what)
{
  return context_fail(s->plan->context, status, 0, "%s cannot end intervals: %s",
                      pmon_event_name(s->plan->events[s->every_event].event), what);
}

/* The run's control register is to tell its overflow to the package. */
static int tell_overflow(struct pmon_session *s, struct session_run *run)
{
  const struct pmon_platform *p = s->plan->platform;
  if (!run->own || !run->n_writes)
    return fail(s, PMON_E_UNSUPPORTED, "its counter cannot be set");
  struct session_write *w = &run->writes[run->n_writes - 1];
  uint64_t bit = access_field(p, &s->regs[w->reg].id, "frz_ovf");
  bit = bit ? bit : access_field(p, &s->regs[w->reg].id, "ov_en");
  if (!bit)
    return fail(s, PMON_E_UNSUPPORTED, "its control register has no bit that freezes on overflow");
  if (run->width_bits > 63 || s->every_count >= UINT64_C(1) << run->width_bits)
    return fail(s, PMON_E_RANGE, "the count does not fit into its counter");
  w->value |= bit;
  w->mask |= bit;
  run->first = (UINT64_C(1) << run->width_bits) - s->every_count;
  return 0;
}

int session_lay_out_overflow(struct pmon_session *s)
{
  if (!s->every_count)
    return 0;
  if (s->every_event >= s->plan->n_events)
    return context_fail(s->plan->context, PMON_E_RANGE, 0, "the plan has no event %" PRIu32, s->every_event);
  if (s->rounds > 1)
    return fail(s, PMON_E_UNSUPPORTED, "the plan's events take turns; fewer of them would count all the time");
  if (!s->global_freeze)
    return fail(s, PMON_E_UNSUPPORTED, "this platform cannot freeze all of a package");
  for (uint32_t i = 0; i < s->n_runs; i++) {
    int status = s->runs[i].event == s->every_event ? tell_overflow(s, &s->runs[i]) : 0;
    if (status)
      return status;
  }
  int status = session_add_global_status(s);
  for (uint32_t i = 0; !status && i < s->n_regs; i++)
    s->regs[i].global_status = session_is_role(s, &s->regs[i].id, PMON_ROLE_GLOBAL_STATUS);
  return status;
}

/* Whether any block of any package told of an overflow. */
static int read_global(struct pmon_session *s, bool *ret_any)
{
  *ret_any = false;
  for (uint32_t i = 0; i < s->n_regs; i++) {
    struct session_register *r = &s->regs[i];
    uint64_t value;
    if (!r->global_status || r->missing)
      continue;
    int status = access_read(s->backend, &r->address, &value);
    if (status)
      return session_fail(s, r, "cannot read", status);
    *ret_any |= (value & r->writable) != 0;
  }
  return 0;
}

/* Clears the overflow bits of the blocks and then the global ones: a freeze takes place with both clear only. */
int session_clear_overflows(struct pmon_session *s)
{
  if (!s->every_count)
    return 0;
  for (int global = 0; global < 2; global++)
    for (uint32_t i = 0; i < s->n_regs; i++) {
      struct session_register *r = &s->regs[i];
      uint64_t value;
      if (r->missing || r->phase != PHASE_STATUS || r->global_status != global)
        continue;
      int status = access_read(s->backend, &r->address, &value);
      if (!status && value & r->writable)
        status = access_write(s->backend, &r->address, value & r->writable);
      if (status)
        return session_fail(s, r, "cannot clear", status);
    }
  return 0;
}

/* Lets the counters of the event begin anew. Everything is frozen. */
static int begin_again(struct pmon_session *s)
{
  for (uint32_t i = 0; i < s->n_runs; i++) {
    struct session_run *run = &s->runs[i];
    struct session_register *counter = &s->regs[run->counter];
    if (run->event != s->every_event || run->gone)
      continue;
    int status = access_write(s->backend, &counter->address, run->first);
    if (status)
      return session_fail(s, counter, "cannot write", status);
    run->before = run->first;
  }
  return 0;
}

int session_run_to_overflow(struct pmon_session *s, uint64_t until_ns, bool *ret_ended)
{
  uint64_t from_ns = s->now_ns;
  bool overflowed = false, stop = false;
  int status = 0;
  while (!status && !overflowed && !stop && !*ret_ended && s->now_ns < until_ns) {
    uint64_t goal_ns = until_ns - s->now_ns > s->every_poll_ns ? s->now_ns + s->every_poll_ns : until_ns;
    status = s->backend->ops->wait(s->backend, goal_ns, &s->now_ns, ret_ended);
    if (status)
      session_fail(s, NULL, "the measured thing cannot go on", status);
    else
      status = read_global(s, &overflowed);
    stop = s->tick && s->tick(s->tick_user, s->now_ns);
  }
  int waited = status;
  status = session_freeze(s);
  if (!status)
    status = session_read(s, (double)(s->now_ns - from_ns) * 1e-9);
  if (!status && overflowed)
    status = session_clear_overflows(s);
  if (!status && overflowed)
    status = begin_again(s);
  if (!status)
    status = session_unfreeze(s);
  return waited ? waited : status;
}
