/* SPDX-License-Identifier: MIT */
/*
 * A session that the measured program drives itself: it is read, reset, stopped and resumed at points of the program,
 * not by waiting. Counters are frozen, read and released as in a run. A stopped session leaves them frozen if the
 * platform can; otherwise it does not count what they do meanwhile.
 */
#include "src/platform/context.h"
#include "src/session/counts.h"
#include "src/session/session.h"

static int check_started(const struct pmon_session *s, const char *verb)
{
  if (s->failed)
    return session_check_counting(s);
  if (!s->started)
    return context_fail(s->plan->context, PMON_E_STATE, 0, "the session cannot be %s: it has not begun", verb);
  if (s->every_count)
    return context_fail(s->plan->context, PMON_E_UNSUPPORTED, 0,
                        "the session cannot be %s: overflows end its intervals; use pmon_session_run()", verb);
  return 0;
}

/* True if counters have been frozen since the last read, which then has all that they counted. */
static bool is_final(const struct pmon_session *s)
{
  return s->stopped || (s->ended && (s->frozen || s->released));
}

int pmon_session_read(struct pmon_session *s)
{
  int status = check_started(s, "read");
  if (status || is_final(s))
    return status;
  status = session_clock(s, &s->now_ns);
  if (!status)
    status = session_end_slice(s, s->now_ns >= session_round_end_ns(s));
  session_find_bursts(s);
  return status;
}

int pmon_session_reset(struct pmon_session *s)
{
  int status = pmon_session_read(s);
  if (!status)
    pmon_session_mark(s);
  return status;
}

int pmon_session_stop(struct pmon_session *s)
{
  int status = check_started(s, "stopped");
  if (!status && s->stopped)
    return context_fail(s->plan->context, PMON_E_STATE, 0, "the session is stopped already");
  if (status)
    return status;
  if (!is_final(s)) {
    status = session_clock(s, &s->now_ns);
    if (status)
      return status;
    s->stopped = s->ended = true;
    status = session_end_slice(s, false);
    session_find_bursts(s);
  }
  s->stopped = !status;
  s->ended = !status;
  return status;
}
