/* SPDX-License-Identifier: MIT */
#include "cli/stat/measure.h"

#include <stdlib.h>
#include <string.h>
#include <pmon/record.h>
#include "cli/stat/dry.h"
#include "cli/stat/hooks.h"
#include "cli/stat/host.h"
#include "cli/stat/open.h"
#include "cli/stat/print.h"
#include "cli/stat/run.h"
#include "cli/stat/stop.h"
#include "cli/stat/summary.h"

/* Measured time that a recording of a long interval may lack after SIGKILL: in the host's time, and in the machine's,
 * which passes more slowly. */
enum { UPDATE_HOST_NS = 1000000000, UPDATE_MACHINE_NS = 10000000 };

static bool stat_on_tick(void *user, uint64_t now_ns)
{
  return stat_tick(user, now_ns);
}

/* Returns when the recording is updated next; UINT64_MAX: not before the interval's end. A replay makes only the
 * accesses of its log. */
static uint64_t next_update_ns(const struct stat_run *s, const struct pmon_session *session)
{
  if (!s->files.record || s->source.replay || s->times.every_count || s->samples.add || s->delaying)
    return UINT64_MAX;
  return pmon_session_now_ns(session) + (s->source.host ? UPDATE_HOST_NS : UPDATE_MACHINE_NS);
}

/* Runs to the end of the interval, or until the counters are disabled; checks control and filter registers at the end
 * of the last one. */
static int run_interval(struct stat_run *s, struct pmon_session *session, uint64_t until_ns, bool *ret_ended,
                        bool *ret_last)
{
  uint64_t update_ns = next_update_ns(s, session);
  bool done = false;
  int status;
  do {
    bool commanded = false;
    status = pmon_session_run(session, until_ns < update_ns ? until_ns : update_ns, ret_ended);
    const bool marked = stat_regions_take(&s->regions, session);
    if (!status)
      status = stat_control_take(s, session, &commanded);
    const uint64_t now_ns = status ? 0 : pmon_session_now_ns(session);
    done = status || (!marked && !commanded && now_ns < update_ns) || s->control.disabled || *ret_ended ||
           stat_stop.number || s->quit || now_ns >= until_ns;
    if (!done && now_ns >= update_ns) {
      status = pmon_record_update(s->files.record);
      update_ns = next_update_ns(s, session);
    }
  } while (!status && !done);
  if (!status && s->control.disabled && s->files.record && !s->source.replay && !s->times.interval_ns)
    status = pmon_record_update(s->files.record); /* for a long time there is nothing new */
  *ret_last = status || *ret_ended || stat_stop.number || s->quit;
  if (!status && *ret_last && !*ret_ended && s->times.interval_ns)
    status = pmon_session_verify(session);
  return status;
}

/* Reports that the session could not start or go on. */
static int fail_session(const struct stat_run *s)
{
  const int result = cli_fail_context(s->cli, NULL);
  return s->source.replay ? stat_fail_replay(s->cli, s->source.replay, result) : result;
}

/* --delay: lets the beginning of the workload pass, which no interval contains. CLI_DONE, or an exit code. */
static int pass_delay(struct stat_run *s, struct pmon_session *session, bool *ret_ended)
{
  bool last;
  if (!s->times.delay_ns)
    return CLI_DONE;
  s->delaying = true;
  const int status = run_interval(s, session, pmon_session_now_ns(session) + s->times.delay_ns, ret_ended, &last);
  s->delaying = false;
  stat_progress_clear(&s->progress);
  pmon_session_mark(session);
  if (status)
    return fail_session(s);
  if (!last)
    return CLI_DONE;
  cli_fail(s->cli, "-D: the measurement ended before the delay of %g ms was over; nothing was measured",
           (double)s->times.delay_ns * 1e-6);
  return CLI_FAILED;
}

struct intervals {
  uint64_t next_ns, stop_ns; /* ends of the current interval, and of the measurement by --duration */
  bool last;
  bool measured, reported; /* the session has run; one of the intervals had a report */
};

/* Runs to the end of an interval. Disabled time passes before it; the ends of intervals stay at multiples of their
 * length. */
static int pass_interval(struct stat_run *s, struct pmon_session *session, struct intervals *at, bool *ret_ended)
{
  if (s->control.disabled) {
    const int result = stat_control_pass(s, session, at->stop_ns, ret_ended);
    at->last = s->control.disabled;
    if (result != CLI_DONE && s->source.replay)
      return stat_fail_replay(s->cli, s->source.replay, result);
    if (result != CLI_DONE || at->last)
      return result;
  }
  while (s->times.interval_ns && at->next_ns <= pmon_session_now_ns(session)) /* top can change it */
    at->next_ns += s->times.interval_ns;
  const uint64_t until = s->times.interval_ns && at->next_ns < at->stop_ns ? at->next_ns : at->stop_ns;
  const int status = run_interval(s, session, until, ret_ended, &at->last);
  at->last |= pmon_session_now_ns(session) >= at->stop_ns;
  at->measured = true;
  stat_progress_clear(&s->progress);
  return status ? fail_session(s) : CLI_DONE;
}

/* Reports an interval. An empty one is skipped, unless it is all that the whole workload had. */
static int report_interval(struct stat_run *s, struct pmon_session *session, uint32_t packages, struct intervals *at,
                           bool ended)
{
  int result = CLI_DONE;
  const bool whole = ended && at->last && at->measured && !at->reported;
  if (!s->samples.add && (pmon_session_seconds(session) > 0 || whole)) {
    at->reported = true;
    if (s->files.record && pmon_record_add(s->files.record))
      result = cli_fail_context(s->cli, NULL);
    int printed = stat_print_report(s, session, packages);
    result = result ? result : printed;
  }
  stat_checks_changed(s->cli, &s->checks, session, s->progress.origin_ns);
  stat_checks_overflows(s, session, packages);
  if (stat_times_has_intervals(&s->times)) {
    pmon_session_mark(session);
    s->control.paused_ns = 0;
  }
  return result;
}

/* Runs the session to its end, with a report for each interval. */
static int measure_intervals(struct stat_run *s, struct pmon_session *session, uint32_t packages, bool *ret_ended)
{
  if (pmon_session_start(session))
    return fail_session(s);
  int result = pass_delay(s, session, ret_ended);
  const uint64_t start = pmon_session_now_ns(session);
  struct intervals at = {.next_ns = start, .stop_ns = s->times.duration_ns ? start + s->times.duration_ns : UINT64_MAX};
  stat_progress_begin_at(&s->progress, s->names.backend, start);
  if (result == CLI_DONE && stat_control_begin(s, session))
    result = fail_session(s);
  at.last = s->quit;
  while (result == CLI_DONE && !at.last) {
    const int passed = pass_interval(s, session, &at, ret_ended);
    /* Without intervals, one report covers all enabled times. */
    const bool goes_on = s->control.disabled && !at.last && !s->times.interval_ns;
    result = goes_on ? passed : report_interval(s, session, packages, &at, *ret_ended);
    result = passed ? passed : result;
  }
  if (result == CLI_DONE && !at.reported)
    result = stat_control_check(s->cli, &s->control);
  /* Including the time in which counters are frozen between intervals. */
  s->measured_seconds = (double)(pmon_session_now_ns(session) - start) * 1e-9;
  const int series = stat_intervals_end(&s->intervals, &s->output);
  s->samples.loss.size = sizeof s->samples.loss;
  if (s->samples.add)
    pmon_session_sample_loss(session, &s->samples.loss);
  const int reported = stat_regions_report(s, session, packages);
  return result ? result : series ? series : reported;
}

/* --dry-run: prints the accesses that a measurement would make. */
static int dry_run_session(struct cli *cli, const struct pmon_plan *plan, struct pmon_session *session,
                           uint32_t packages)
{
  dry_print_first(cli, plan, session);
  const int result = pmon_session_start(session) ? cli_fail_context(cli, NULL) : CLI_DONE;
  dry_print_rest(cli, plan, packages);
  out_text(&cli->out, "# the measurement would run here; then all registers are restored\n");
  return result;
}

/* Closes recording and session. Returns `result`, or CLI_FAILED if it was CLI_DONE and closing failed. A log has no
 * registers to restore: after an access that differs from it, nothing is left to report. */
static int close_session(struct stat_run *s, struct pmon_session *session, int result)
{
  const bool recorded = !pmon_record_close(s->files.record);
  if (!recorded)
    cli_fail_context(s->cli, NULL);
  const bool restored = !pmon_session_close(session);
  if (s->source.replay && !restored)
    return result ? result : stat_fail_replay(s->cli, s->source.replay, CLI_FAILED);
  if (!restored)
    cli_fail_context(s->cli, NULL);
  return result || (recorded && restored) ? result : CLI_FAILED;
}

/* Leaves a run that a signal cut off out of the mean, if runs were complete `before` it. Returns what is reported. */
static const char *after_signal(struct stat_repeats *r, uint64_t before)
{
  if (r->compared)
    return "nothing is compared";
  if (before && r->n > before)
    pmon_report_free(r->reports[--r->n]);
  return before ? "the report covers the complete runs" : "the report covers the time before the signal";
}

static struct pmon_session_options session_options(struct stat_run *s, const struct target *t)
{
  return (struct pmon_session_options){
      .size = sizeof(struct pmon_session_options),
      .slice_ns = s->method.slice_ns,
      .clocks = t->clocks,
      .n_clocks = t->n_clocks,
      .limits = t->limits.limit,
      .n_limits = t->limits.n,
      .tick = stat_on_tick,
      .tick_user = s,
      .every_event = s->times.every_event,
      .every_count = s->times.every_count,
      .freeze = s->method.freeze,
      .every_poll_ns = s->samples.poll_ns,
      .tick_ns = stat_tick_ns(s),
      .verify_ns = stat_method_verify_ns(&s->method, s->times.interval_ns != 0, !strcmp(s->names.backend, "machine")),
      .seed = s->repeats.n,
      .source = s->samples.source,
      .sample = s->samples.add,
      .sample_user = s->samples.user,
      .journal = *s->files.journal ? s->files.journal : NULL};
}

/* Measures with the session, or prints what it would do, and closes it. */
static int use_session(struct stat_run *s, struct target *t, struct pmon_session *session, bool *ret_ended)
{
  stat_checks_filters(s->cli, session);
  int result =
      s->source.replay ? CLI_DONE : host_check_conflicts(s->cli, &s->source.hardware, session, s->source.force);
  if (result == CLI_DONE && !s->source.dry)
    result = stat_files_begin_record(s, session);
  if (result == CLI_DONE && s->source.dry)
    result = dry_run_session(s->cli, s->wanted.plan, session, t->backend->packages);
  else if (result == CLI_DONE) {
    stat_regions_follow(s, t);
    stat_control_follow(&s->control, t);
    result = measure_intervals(s, session, t->backend->packages, ret_ended);
  }
  return close_session(s, session, result);
}

/* Returns the exit code of the command that was measured; a signal explains its exit status. */
static int command_result(struct stat_run *s, struct target *t)
{
  int child = 0;
  const int result = s->source.host && !s->source.replay
                         ? host_command_result(s->cli, &s->source.command, s->names.command, &child)
                         : target_result(s->cli, t, s->names.command, &child);
  if (stat_stop.number)
    return CLI_DONE;
  return s->pass_exit && child ? child : result;
}

static int run_session(struct stat_run *s, struct target *t)
{
  const uint64_t runs_before = s->repeats.n;
  struct pmon_session *session = NULL;
  bool ended = false;
  int result = stat_wrap_backend(s, t);
  if (result == CLI_DONE)
    result = stat_files_choose_journal(s);
  if (result != CLI_DONE)
    return result;
  const struct pmon_session_options options = session_options(s, t);
  if (pmon_session_new(s->wanted.plan, t->backend, &options, &session))
    return s->source.replay ? stat_fail_replay(s->cli, s->source.replay, cli_fail_context(s->cli, NULL))
                            : cli_fail_registers(s->cli);
  result = use_session(s, t, session, &ended);
  const char *covered = stat_stop.number && !ended ? after_signal(&s->repeats, runs_before) : NULL;
  if (covered && stat_stop.number != SIGPIPE && !s->watch.on_report) /* a service has no report */
    cli_note(s->cli, "signal %d: stopped; %s", (int)stat_stop.number, covered);
  /* A command that --duration cut off has no end to report. */
  if (result == CLI_DONE && !s->source.dry && (ended || (!stat_stop.number && !s->times.duration_ns && !s->quit)))
    result = command_result(s, t);
  if (s->checks.checker && findings_print(s->cli, s->checks.checker) != CLI_DONE && result == CLI_DONE)
    result = CLI_FAILED;
  if (result == CLI_DONE && s->checks.given && s->checks.invariant_violations)
    result = CLI_FAILED;
  return result == CLI_DONE && stat_stop.number ? CLI_SIGNALLED + (int)stat_stop.number : result;
}

int stat_measure_once(struct stat_run *s)
{
  struct target target = {0};
  int result = stat_hook_run(s->cli, "--pre", s->source.dry ? NULL : s->pre);
  if (result != CLI_DONE)
    return result;
  sampled_begin(s, &target);
  stat_control_prepare(&s->control, &s->target);
  result = stat_open_backend(s, &target);
  if (result == CLI_DONE)
    result = run_session(s, &target);
  target_close(&target);
  if (stat_stop.late && stat_stop.count == 1)
    cli_note(s->cli, "%s did not exit within %d s after the signal, and was killed", s->names.command,
             LIVE_END_SECONDS);
  if (s->source.host && !s->source.replay)
    host_command_close(&s->source.command);
  if (!monitor_group_close(s->cli, &s->source.group) && result == CLI_DONE)
    result = CLI_FAILED;
  const int after =
      stat_hook_run(s->cli, "--post", s->source.dry ? NULL : s->post); /* also after a failure: it may clean up */
  return result ? result : after;
}

int stat_begin(struct stat_run *s)
{
  int result = stat_output_open(&s->output);
  if (result == CLI_DONE)
    result = stat_files_open_log(s->cli, &s->files);
  stat_names_take_machine(&s->names, s->cli->platform, s->source.host);
  stat_progress_begin(&s->progress);
  if ((s->repeats.runs > 1 || s->repeats.compared) &&
      !(s->repeats.reports = calloc(s->repeats.runs, sizeof(struct pmon_report *))))
    result = cli_fail_memory(s->cli);
  if (result == CLI_DONE && !s->source.dry)
    result = stat_control_open(s->cli, &s->control);
  if (result == CLI_DONE)
    stat_handle_signals();
  return result;
}

int stat_end(struct stat_run *s, int result)
{
  hardware_fini(&s->source.hardware);
  stat_control_close(&s->control);
  stat_output_close(&s->output);
  const bool logged = stat_files_close_log(s->cli, &s->files);
  if (stat_stop.number == SIGPIPE)
    return CLI_SIGNALLED + SIGPIPE;
  return result == CLI_DONE && (s->output.failed || !logged) ? CLI_FAILED : result;
}

int stat_measure(struct stat_run *s)
{
  int result = stat_begin(s);
  const bool begun = result == CLI_DONE;
  s->repeats.with_regions = true;
  for (uint32_t i = 0; result == CLI_DONE && (i < s->repeats.runs || !i); i++)
    result = stat_measure_once(s);
  if (s->summary && s->files.recorded) {
    int printed = stat_print_summary(s);
    result = result ? result : printed;
  }
  if (begun) {
    int printed = stat_print_mean(s);
    result = result ? result : printed;
    if (s->samples.print)
      s->samples.print(s);
    result = stat_print_lost(s, result);
  }
  return stat_end(s, result);
}
