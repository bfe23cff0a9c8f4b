/* SPDX-License-Identifier: MIT */
#include "cli/stat/summary.h"

#include <pmon/record.h>
#include "cli/stat/print.h"
#include "cli/stat/run.h"

/* Prints the counts of the recording with a plan for them. */
static int summary_print(struct stat_run *s, struct pmon_recording *r, struct pmon_session *session)
{
  struct pmon_recording_info info = {.size = sizeof info};
  pmon_recording_describe(r, &info);
  if (pmon_recording_load(r, session, UINT32_MAX))
    return cli_fail_context(s->cli, NULL);
  stat_progress_begin_at(&s->progress, s->names.backend,
                         pmon_session_now_ns(session) - (uint64_t)(pmon_session_seconds(session) * 1e9 + 0.5));
  s->control.paused_ns = s->control.all_paused_ns;
  if (s->intervals.used) /* tables are followed by an empty line anyway */
    stat_output_write(&s->output, "\n", 1);
  return stat_print_report(s, session, info.packages);
}

int stat_print_summary(struct stat_run *s)
{
  struct pmon_plan *const intervals = s->wanted.plan;
  struct pmon_recording *r = NULL;
  struct pmon_session *session = NULL;
  int result = CLI_DONE;
  if (pmon_recording_open(s->cli->context, s->files.record_path, &r))
    return cli_fail_context(s->cli, NULL);
  s->times.interval_ns = s->times.every_count = 0; /* it is no interval */
  s->output.histogram = false;
  if (!s->output.breakdown_given && !s->output.by_device)
    s->output.breakdown = stat_output_default_breakdown(&s->output, false);
  if (pmon_recording_plan(r, s->cli->platform, NULL, NULL, &s->wanted.plan) ||
      pmon_recording_session(r, s->wanted.plan, &session))
    result = cli_fail_context(s->cli, NULL);
  else
    result = summary_print(s, r, session);
  pmon_session_close(session);
  if (s->wanted.plan != intervals)
    pmon_plan_free(s->wanted.plan);
  s->wanted.plan = intervals;
  pmon_recording_close(r);
  return result;
}
