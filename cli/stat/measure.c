/* SPDX-License-Identifier: MIT */
/* The sessions of `pmon stat`: opening, supervising, running and closing a measurement. */
#include <stdlib.h>
#include <string.h>
#include <pmon/record.h>
#include "cli/stat/stat.h"

/* Maximum time between checks of control and filter registers during intervals, if each check costs accesses. */
enum { VERIFY_NS = 1000000000 };

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
  if (!s->record || s->replay || s->every_count || s->samples.add || s->delaying)
    return UINT64_MAX;
  return pmon_session_now_ns(session) + (s->host ? UPDATE_HOST_NS : UPDATE_MACHINE_NS);
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
    const bool marked = stat_regions_take(s, session);
    if (!status)
      status = stat_control_take(s, session, &commanded);
    const uint64_t now_ns = status ? 0 : pmon_session_now_ns(session);
    done = status || (!marked && !commanded && now_ns < update_ns) || s->control.disabled || *ret_ended ||
           stat_stop.number || s->quit || now_ns >= until_ns;
    if (!done && now_ns >= update_ns) {
      status = pmon_record_update(s->record);
      update_ns = next_update_ns(s, session);
    }
  } while (!status && !done);
  if (!status && s->control.disabled && s->record && !s->replay && !s->interval_ns)
    status = pmon_record_update(s->record); /* for a long time there is nothing new */
  *ret_last = status || *ret_ended || stat_stop.number || s->quit;
  if (!status && *ret_last && !*ret_ended && s->interval_ns)
    status = pmon_session_verify(session);
  return status;
}

/* Reports that the session could not start or go on. */
static int fail_session(const struct stat_run *s)
{
  const int result = cli_fail_context(s->cli, NULL);
  return s->replay ? stat_fail_replay(s, result) : result;
}

/* --delay: lets the beginning of the workload pass, which no interval contains. CLI_DONE, or an exit code. */
static int pass_delay(struct stat_run *s, struct pmon_session *session, bool *ret_ended)
{
  bool last;
  if (!s->delay_ns)
    return CLI_DONE;
  s->delaying = true;
  const int status = run_interval(s, session, pmon_session_now_ns(session) + s->delay_ns, ret_ended, &last);
  s->delaying = false;
  stat_clear_progress(s);
  pmon_session_mark(session);
  if (status)
    return fail_session(s);
  if (!last)
    return CLI_DONE;
  cli_fail(s->cli, "-D: the measurement ended before the delay of %g ms was over; nothing was measured",
           (double)s->delay_ns * 1e-6);
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
    if (result != CLI_DONE && s->replay)
      return stat_fail_replay(s, result);
    if (result != CLI_DONE || at->last)
      return result;
  }
  while (s->interval_ns && at->next_ns <= pmon_session_now_ns(session)) /* top can change it */
    at->next_ns += s->interval_ns;
  const uint64_t until = s->interval_ns && at->next_ns < at->stop_ns ? at->next_ns : at->stop_ns;
  const int status = run_interval(s, session, until, ret_ended, &at->last);
  at->last |= pmon_session_now_ns(session) >= at->stop_ns;
  at->measured = true;
  stat_clear_progress(s);
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
    if (s->record && pmon_record_add(s->record))
      result = cli_fail_context(s->cli, NULL);
    int printed = stat_print_report(s, session, packages);
    result = result ? result : printed;
  }
  stat_warn_changed(s, session);
  stat_warn_missed_overflows(s, session, packages);
  if (s->interval_ns || s->every_count) {
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
  struct intervals at = {.next_ns = start, .stop_ns = s->duration_ns ? start + s->duration_ns : UINT64_MAX};
  stat_begin_at(s, start);
  if (result == CLI_DONE && stat_control_begin(s, session))
    result = fail_session(s);
  at.last = s->quit;
  while (result == CLI_DONE && !at.last) {
    const int passed = pass_interval(s, session, &at, ret_ended);
    /* Without intervals, one report covers all enabled times. */
    const bool goes_on = s->control.disabled && !at.last && !s->interval_ns;
    result = goes_on ? passed : report_interval(s, session, packages, &at, *ret_ended);
    result = passed ? passed : result;
  }
  if (result == CLI_DONE && !at.reported)
    result = stat_control_check(s);
  /* Including the time in which counters are frozen between intervals. */
  s->measured_seconds = (double)(pmon_session_now_ns(session) - start) * 1e-9;
  const int series = stat_end_series(s);
  s->samples.loss.size = sizeof s->samples.loss;
  if (s->samples.add)
    pmon_session_sample_loss(session, &s->samples.loss);
  const int reported = stat_regions_report(s, session, packages);
  return result ? result : series ? series : reported;
}

/* --dry-run: prints the accesses that a measurement would make. */
static int dry_run_session(struct stat_run *s, struct pmon_session *session, uint32_t packages)
{
  dry_print_first(s->cli, s->plan, session);
  const int result = pmon_session_start(session) ? cli_fail_context(s->cli, NULL) : CLI_DONE;
  dry_print_rest(s->cli, s->plan, packages);
  out_text(&s->cli->out, "# the measurement would run here; then all registers are restored\n");
  return result;
}

/* A single reading is always checked; checking the emulated machine's registers costs nothing. */
static uint64_t verify_ns(const struct stat_run *s)
{
  if (s->verify_given)
    return s->verify_ns;
  return s->interval_ns && strcmp(s->backend, "machine") ? VERIFY_NS : 0;
}

/* Closes recording and session. Returns `result`, or CLI_FAILED if it was CLI_DONE and closing failed. A log has no
 * registers to restore: after an access that differs from it, nothing is left to report. */
static int close_session(struct stat_run *s, struct pmon_session *session, int result)
{
  const bool recorded = !pmon_record_close(s->record);
  if (!recorded)
    cli_fail_context(s->cli, NULL);
  const bool restored = !pmon_session_close(session);
  if (s->replay && !restored)
    return result ? result : stat_fail_replay(s, CLI_FAILED);
  if (!restored)
    cli_fail_context(s->cli, NULL);
  return result || (recorded && restored) ? result : CLI_FAILED;
}

/* Leaves a run that a signal cut off out of the mean, if runs were complete `before` it. Returns what is reported. */
static const char *after_signal(struct stat_run *s, uint64_t before)
{
  if (s->compared)
    return "nothing is compared";
  if (before && s->n_reports > before)
    pmon_report_free(s->reports[--s->n_reports]);
  return before ? "the report covers the complete runs" : "the report covers the time before the signal";
}

static struct pmon_session_options session_options(struct stat_run *s, const struct target *t)
{
  return (struct pmon_session_options){.size = sizeof(struct pmon_session_options),
                                       .slice_ns = s->slice_ns,
                                       .clocks = t->clocks,
                                       .n_clocks = t->n_clocks,
                                       .limits = t->limits.limit,
                                       .n_limits = t->limits.n,
                                       .tick = stat_on_tick,
                                       .tick_user = s,
                                       .every_event = s->every_event,
                                       .every_count = s->every_count,
                                       .freeze = s->freeze,
                                       .every_poll_ns = s->samples.poll_ns,
                                       .tick_ns = stat_tick_ns(s),
                                       .verify_ns = verify_ns(s),
                                       .seed = s->n_reports,
                                       .source = s->samples.source,
                                       .sample = s->samples.add,
                                       .sample_user = s->samples.user,
                                       .journal = *s->journal ? s->journal : NULL};
}

/* Measures with the session, or prints what it would do, and closes it. */
static int use_session(struct stat_run *s, struct target *t, struct pmon_session *session, bool *ret_ended)
{
  stat_warn_filters(s, session);
  int result = s->replay ? CLI_DONE : direct_check_conflicts(s->cli, &s->hardware, session, s->force);
  if (result == CLI_DONE && !s->dry)
    result = stat_begin_record(s, session);
  if (result == CLI_DONE && s->dry)
    result = dry_run_session(s, session, t->backend->packages);
  else if (result == CLI_DONE) {
    stat_regions_follow(s, t);
    stat_control_follow(s, t);
    result = measure_intervals(s, session, t->backend->packages, ret_ended);
  }
  return close_session(s, session, result);
}

/* Returns the exit code of the command that was measured; a signal explains its exit status. */
static int command_result(struct stat_run *s, struct target *t)
{
  int child = 0;
  const int result = s->host && !s->replay ? host_command_result(s->cli, &s->command, s->command_text, &child)
                                           : target_result(s->cli, t, s->command_text, &child);
  if (stat_stop.number)
    return CLI_DONE;
  return s->pass_exit && child ? child : result;
}

static int run_session(struct stat_run *s, struct target *t)
{
  const uint64_t runs_before = s->n_reports;
  struct pmon_session *session = NULL;
  bool ended = false;
  int result = stat_wrap_backend(s, t);
  if (result == CLI_DONE)
    result = stat_choose_journal(s);
  if (result != CLI_DONE)
    return result;
  const struct pmon_session_options options = session_options(s, t);
  if (pmon_session_new(s->plan, t->backend, &options, &session))
    return s->replay ? stat_fail_replay(s, cli_fail_context(s->cli, NULL)) : cli_fail_registers(s->cli);
  result = use_session(s, t, session, &ended);
  const char *covered = stat_stop.number && !ended ? after_signal(s, runs_before) : NULL;
  if (covered && stat_stop.number != SIGPIPE && !s->watch.on_report) /* a service has no report */
    cli_note(s->cli, "signal %d: stopped; %s", (int)stat_stop.number, covered);
  /* A command that --duration cut off has no end to report. */
  if (result == CLI_DONE && !s->dry && (ended || (!stat_stop.number && !s->duration_ns && !s->quit)))
    result = command_result(s, t);
  if (s->checker && findings_print(s->cli, s->checker) != CLI_DONE && result == CLI_DONE)
    result = CLI_FAILED;
  if (result == CLI_DONE && s->check && s->invariant_violations)
    result = CLI_FAILED;
  return result == CLI_DONE && stat_stop.number ? CLI_SIGNALLED + (int)stat_stop.number : result;
}

int stat_measure_once(struct stat_run *s)
{
  struct target target = {0};
  int result = stat_run_hook(s, "--pre", s->pre);
  if (result != CLI_DONE)
    return result;
  sampled_begin(s, &target);
  stat_control_prepare(s);
  result = stat_open_backend(s, &target);
  if (result == CLI_DONE)
    result = run_session(s, &target);
  target_close(&target);
  if (stat_stop.late && stat_stop.count == 1)
    cli_note(s->cli, "%s did not exit within %d s after the signal, and was killed", s->command_text, LIVE_END_SECONDS);
  if (s->host && !s->replay)
    host_command_close(&s->command);
  if (!monitor_group_close(s->cli, &s->group) && result == CLI_DONE)
    result = CLI_FAILED;
  const int after = stat_run_hook(s, "--post", s->post); /* also after a failure: it may clean up */
  return result ? result : after;
}

/* Unless something else is opened, the emulated machine of the platform, or of the platform that it imports, is
 * measured. */
static void name_machine(struct stat_run *s)
{
  struct pmon_platform_info info = {.size = sizeof info};
  snprintf(s->backend, sizeof s->backend, "machine");
  if (!s->host && !pmon_platform_describe(s->cli->platform, &info))
    snprintf(s->machine, sizeof s->machine, "%s", *info.base ? info.base : info.name);
}

int stat_begin(struct stat_run *s)
{
  int result = stat_open_files(s);
  name_machine(s);
  clock_gettime(CLOCK_MONOTONIC, &s->started);
  s->shown = s->started;
  if ((s->runs > 1 || s->compared) && !(s->reports = calloc(s->runs, sizeof(struct pmon_report *))))
    result = cli_fail_memory(s->cli);
  if (result == CLI_DONE)
    result = stat_control_open(s);
  if (result == CLI_DONE)
    stat_handle_signals();
  return result;
}

int stat_end(struct stat_run *s, int result)
{
  hardware_fini(&s->hardware);
  stat_control_close(s);
  result = stat_close_files(s, result);
  return stat_stop.number == SIGPIPE ? CLI_SIGNALLED + SIGPIPE : result;
}

int stat_measure(struct stat_run *s)
{
  int result = stat_begin(s);
  const bool begun = result == CLI_DONE;
  s->repeats_regions = true;
  for (uint32_t i = 0; result == CLI_DONE && (i < s->runs || !i); i++)
    result = stat_measure_once(s);
  if (s->summary && s->recorded) {
    int printed = stat_print_summary(s);
    result = result ? result : printed;
  }
  if (begun) {
    int printed = stat_print_mean(s);
    result = result ? result : printed;
    if (s->samples.print)
      s->samples.print(s);
    result = stat_check_values(s, result);
  }
  return stat_end(s, result);
}
