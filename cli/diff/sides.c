/* SPDX-License-Identifier: MIT */
/* The two sides that are compared: recordings, which are read in parts, or runs of commands. */
#include <stdlib.h>
#include <string.h>
#include "cli/diff/diff.h"
#include "cli/stat/measure.h"
#include "cli/stat/plan.h"
#include "cli/stat/print.h"
#include "cli/common/groups.h"
#include "cli/common/recording.h"

/* Limit of the values of all parts of a side together: some 120 MB. Beyond it, adjacent intervals become one part. */
enum { MOST_VALUES = 1 << 18, LEAST_PARTS = 20 };

static uint32_t intervals_a_part(uint32_t intervals, const struct pmon_report *whole)
{
  struct pmon_report_row row = {.size = sizeof row};
  uint32_t values = 0;
  while (!pmon_report_get(whole, values, &row))
    values++;
  const uint32_t fit = MOST_VALUES / (values ? values : 1);
  const uint32_t parts = fit > LEAST_PARTS ? fit : LEAST_PARTS;
  return (uint32_t)(((uint64_t)intervals + parts - 1) / parts);
}

/* Makes the report of the values that the session has loaded. */
static int report_loaded(struct diff_side *side, struct pmon_session *session, uint32_t packages,
                         struct pmon_report **ret_report)
{
  return stat_make_report(&side->stat, session, packages, ret_report) ? cli_fail_memory(side->stat.cli) : CLI_DONE;
}

static int load_parts(struct diff_side *side, struct pmon_recording *r, struct pmon_session *session)
{
  struct pmon_recording_info info = {.size = sizeof info};
  pmon_recording_describe(r, &info);
  const uint32_t n = info.intervals;
  if (pmon_recording_load(r, session, UINT32_MAX))
    return cli_fail_context(side->stat.cli, NULL);
  int result = report_loaded(side, session, info.packages, &side->whole);
  if (result != CLI_DONE || n < 2)
    return result;
  const uint32_t step = intervals_a_part(n, side->whole);
  if (!(side->parts = calloc(n / step + 1, sizeof *side->parts)))
    return cli_fail_memory(side->stat.cli);
  for (uint32_t i = 0; result == CLI_DONE && i < n; i += step) {
    if (pmon_recording_load_span(r, session, i, n - i < step ? n - i : step))
      return cli_fail_context(side->stat.cli, NULL);
    result = report_loaded(side, session, info.packages, &side->parts[side->n_parts]);
    side->n_parts += result == CLI_DONE;
  }
  return result;
}

int diff_load(struct diff_side *side, const char *path, const struct diff_request *request)
{
  struct cli *const cli = side->stat.cli;
  struct pmon_recording *r = NULL;
  struct pmon_session *session = NULL;
  struct pmon_recording_info info = {.size = sizeof info};
  int result = recording_open(cli, path, &r);
  if (result != CLI_DONE)
    return result;
  pmon_recording_describe(r, &info);
  stat_names_take_recording(&side->stat.names, &info);
  side->name = path;
  side->stat.output.breakdown = request->breakdown;
  char *metrics = NULL;
  result = groups_recorded(cli, r, request->lists.groups, request->lists.metrics, &metrics);
  if (result == CLI_DONE &&
      (pmon_recording_plan(r, cli->platform, request->lists.events, metrics, &side->stat.wanted.plan) ||
       pmon_recording_session(r, side->stat.wanted.plan, &session))) {
    cli_fail(cli, "%s: %s", path, pmon_context_error(cli->context));
    result = cli_exit_code(pmon_context_error_status(cli->context));
  }
  free(metrics);
  if (result == CLI_DONE)
    result = load_parts(side, r, session);
  pmon_session_close(session);
  pmon_recording_close(r);
  return result;
}

/* Prepares the measurement of a side. `first`: NULL for the first side, which determines what all measure: host or
 * machine. */
static int prepare(struct diff_side *side, const struct diff_side *first, const struct diff_request *request)
{
  struct stat_run *s = &side->stat;
  s->output.breakdown = request->breakdown;
  s->repeats.compared = true;
  int result = stat_wanted_add_lists(s->cli, &s->source.hardware, &s->wanted, &request->lists);
  if (first)
    s->source.host = first->stat.source.host;
  else if (result == CLI_DONE)
    result = stat_source_choose(s->cli, &s->source, &s->target, s->times.duration_ns);
  if (result != CLI_DONE)
    return result;
  stat_names_describe_command(&s->names, &s->target);
  side->name = s->names.command;
  return stat_make_plan(s);
}

/* Moves the runs' reports to the side. */
static int take_runs(struct diff_side *side)
{
  struct stat_run *s = &side->stat;
  side->parts = s->repeats.reports;
  side->n_parts = s->repeats.n;
  side->runs = true;
  s->repeats.reports = NULL;
  s->repeats.n = 0;
  if (!side->n_parts)
    return CLI_FAILED;
  return pmon_report_new_mean((const struct pmon_report *const *)side->parts, side->n_parts, &side->whole)
             ? cli_fail_memory(s->cli)
             : CLI_DONE;
}

int diff_measure(struct diff_side *sides, uint32_t n, const struct diff_request *request)
{
  int result = CLI_DONE;
  uint32_t begun = 0;
  for (uint32_t i = 0; result == CLI_DONE && i < n; i++)
    result = prepare(&sides[i], i ? &sides[0] : NULL, request);
  for (; result == CLI_DONE && begun < n; begun++)
    result = stat_begin(&sides[begun].stat);
  for (uint32_t run = 0; result == CLI_DONE && run < sides[0].stat.repeats.runs; run++)
    for (uint32_t i = 0; result == CLI_DONE && i < n; i++)
      result = stat_measure_once(&sides[i].stat);
  for (uint32_t i = 0; i < begun; i++)
    result = stat_end(&sides[i].stat, result);
  for (uint32_t i = 0; result == CLI_DONE && i < n; i++)
    result = take_runs(&sides[i]);
  return result;
}

struct pmon_side diff_side_of(const struct diff_side *s)
{
  return (struct pmon_side){.size = sizeof(struct pmon_side),
                            .name = s->name,
                            .whole = s->whole,
                            .parts = (const struct pmon_report *const *)s->parts,
                            .n_parts = s->n_parts,
                            .runs = s->runs};
}

void diff_side_fini(struct diff_side *side)
{
  for (uint32_t i = 0; i < side->n_parts; i++)
    pmon_report_free(side->parts[i]);
  for (uint32_t i = 0; i < side->stat.repeats.n; i++)
    pmon_report_free(side->stat.repeats.reports[i]);
  free(side->parts);
  free(side->stat.repeats.reports);
  pmon_report_free(side->whole);
  stat_run_fini(&side->stat);
}
