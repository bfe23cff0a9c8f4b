/* SPDX-License-Identifier: MIT */
/* --summary: the values of the whole measurement, after those of the intervals. */
#include <pmon/record.h>
#include "cli/stat/stat.h"

/* Prints the counts of the recording with a plan for them. */
static int summary_print(struct stat_run *s, struct pmon_recording *r, struct pmon_session *session)
{
  struct pmon_recording_info info = {.size = sizeof info};
  pmon_recording_describe(r, &info);
  if (pmon_recording_load(r, session, UINT32_MAX))
    return cli_fail_context(s->cli, NULL);
  stat_begin_at(s, pmon_session_now_ns(session) - (uint64_t)(pmon_session_seconds(session) * 1e9 + 0.5));
  s->control.paused_ns = s->control.all_paused_ns;
  if (s->series_used) /* tables are followed by an empty line anyway */
    stat_sink(s, "\n", 1);
  return stat_print_report(s, session, info.packages);
}

int stat_print_summary(struct stat_run *s)
{
  struct pmon_plan *const intervals = s->plan;
  struct pmon_recording *r = NULL;
  struct pmon_session *session = NULL;
  int result = CLI_DONE;
  if (pmon_recording_open(s->cli->context, s->record_path, &r))
    return cli_fail_context(s->cli, NULL);
  s->interval_ns = s->every_count = 0; /* it is no interval */
  s->wants_histogram = false;
  if (!s->breakdown_given && !s->by_device)
    s->breakdown = stat_default_breakdown(s, false);
  if (pmon_recording_plan(r, s->cli->platform, NULL, NULL, &s->plan) || pmon_recording_session(r, s->plan, &session))
    result = cli_fail_context(s->cli, NULL);
  else
    result = summary_print(s, r, session);
  pmon_session_close(session);
  if (s->plan != intervals)
    pmon_plan_free(s->plan);
  s->plan = intervals;
  pmon_recording_close(r);
  return result;
}
