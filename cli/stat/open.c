/* SPDX-License-Identifier: MIT */
/* Opens what a measurement of `pmon stat` reads: the host, a machine or a log, with the wrappers that check and log. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/stat/accesses.h"
#include "cli/stat/stat.h"
#include "src/base/real.h"

static void log_line(void *user, const char *line)
{
  fprintf(user, "%s\n", line);
}

/* Notes in the log that a replay needs in addition to the accesses. */
static void note_measurement(const struct stat_run *s, const struct target *t)
{
  struct pmon_platform_info platform = {.size = sizeof platform};
  if (!pmon_platform_describe(s->cli->platform, &platform))
    pmon_backend_trace_note(t->backend, "platform", platform.name);
  pmon_backend_trace_note(t->backend, "backend", s->backend);
  if (*s->machine)
    pmon_backend_trace_note(t->backend, "machine", s->machine);
  pmon_backend_trace_note(t->backend, "command", s->command_text);
  if (*s->name) {
    char time[40];
    pmon_backend_trace_note(t->backend, "host", s->name);
    real_print(time, sizeof time, "%.6f", s->time);
    pmon_backend_trace_note(t->backend, "time", time);
  }
  for (uint32_t i = 0; i < t->n_clocks; i++) {
    char clock[64];
    snprintf(clock, sizeof clock, "%s %" PRIu64, t->clocks[i].name, t->clocks[i].hz);
    pmon_backend_trace_note(t->backend, "clock", clock);
  }
  for (uint32_t i = 0; i < t->limits.n; i++) {
    const struct pmon_limit *l = &t->limits.limit[i];
    char limit[80], number[40];
    real_print(number, sizeof number, "%.17g", l->number);
    snprintf(limit, sizeof limit, "%s %" PRId32 " %s", l->name, (int32_t)l->package, number);
    pmon_backend_trace_note(t->backend, "limit", limit);
  }
}

static void dry_line(void *user, const char *line)
{
  dry_print_write(((struct stat_run *)user)->cli, line);
}

/* Reports the threads' registers to checker and log from now on. */
static void follow_states(struct stat_run *s, const struct target *t)
{
  s->states = (struct core_states){.checker = s->checker, .log = s->log};
  if (t->core && (s->checker || s->log))
    core_states_follow(&s->states, t->core);
}

int stat_wrap_backend(struct stat_run *s, struct target *t)
{
  struct pmon_backend *wrapped;
  if (t->backend->counting) {
    if (s->dry || s->log)
      return cli_fail(s->cli, "%s: with perf, pmon cannot observe register accesses; add --backend direct",
                      s->dry ? "--dry-run" : "--log");
    return CLI_DONE;
  }
  if (s->dry) {
    if (pmon_backend_dry_new(t->backend, dry_line, s, &wrapped))
      return cli_fail_memory(s->cli);
    t->backend = wrapped;
  }
  if (pmon_backend_allow_new(t->backend, s->cli->platform, &wrapped))
    return cli_fail_memory(s->cli);
  t->backend = wrapped;
  if (s->watch.accesses) {
    if (accesses_backend_new(t->backend, s->watch.accesses, &wrapped))
      return cli_fail_memory(s->cli);
    t->backend = wrapped;
  }
  if (s->check) {
    if (check_new(s->cli->platform, &s->checker) || check_backend_new(t->backend, s->checker, &wrapped))
      return cli_fail_memory(s->cli);
    t->backend = wrapped;
  }
  if (s->log) {
    if (pmon_backend_trace_new(t->backend, log_line, s->log, &wrapped))
      return cli_fail_memory(s->cli);
    t->backend = wrapped;
    note_measurement(s, t);
  }
  follow_states(s, t);
  return CLI_DONE;
}

/* Opens a captured machine: registers without a workload. */
static int open_captured(struct stat_run *s, struct target *t)
{
  int result = hardware_replay(s->cli, &s->hardware, s->replay);
  snprintf(s->backend, sizeof s->backend, "capture");
  *s->machine = 0;
  return result == CLI_DONE ? hardware_open(s->cli, &s->hardware, false, NULL, &t->backend) : result;
}

/* Adds the limits that the log's machine reported; package -1: all. */
static int replay_limits(const struct stat_run *s, struct target *t)
{
  const char *note;
  for (uint32_t i = 0; (note = pmon_backend_replay_note(t->backend, "limit", i)); i++) {
    char name[32], number[40], *end;
    int32_t package;
    if (sscanf(note, "%31s %" SCNd32 " %39s", name, &package, number) != 3 || !limits_name(name))
      return cli_fail(s->cli, "%s: invalid limit \"%s\"; expected NAME PACKAGE NUMBER", s->replay, note);
    limits_add(&t->limits, limits_name(name), (uint32_t)package, real_parse(number, &end));
  }
  return CLI_DONE;
}

int stat_fail_replay(const struct stat_run *s, int result)
{
  if (!hardware_is_capture(s->replay))
    cli_fail(s->cli, "--replay: %s is incomplete, or --log wrote it with other events or options", s->replay);
  return result;
}

/* Replays a log instead of using a machine; the log's notes replace the machine's properties. */
static int open_replay(struct stat_run *s, struct target *t)
{
  const struct pmon_platform *platform;
  const char *note;
  *t = (struct target){0};
  if (hardware_is_capture(s->replay))
    return open_captured(s, t);
  if (pmon_backend_replay_new(s->cli->context, s->replay, &t->backend))
    return cli_fail_file(s->cli);
  s->regions.replay = s->control.replay = t->backend;
  if ((note = pmon_backend_replay_note(t->backend, "platform", 0)) &&
      (pmon_platform_find(s->cli->context, note, &platform) || platform != s->cli->platform))
    return cli_fail(s->cli, "%s: the log is of platform %s; add -p %s", s->replay, note, note);
  if ((note = pmon_backend_replay_note(t->backend, "backend", 0)))
    snprintf(s->backend, sizeof s->backend, "%s", note);
  if ((note = pmon_backend_replay_note(t->backend, "machine", 0)))
    snprintf(s->machine, sizeof s->machine, "%s", note);
  else if (strcmp(s->backend, "machine"))
    *s->machine = 0; /* a log of real registers */
  if ((note = pmon_backend_replay_note(t->backend, "command", 0)))
    snprintf(s->command_text, sizeof s->command_text, "%s", note);
  if ((note = pmon_backend_replay_note(t->backend, "host", 0)))
    snprintf(s->name, sizeof s->name, "%s", note);
  if ((note = pmon_backend_replay_note(t->backend, "time", 0)))
    s->time = real_parse(note, NULL);
  while (t->n_clocks < sizeof t->clocks / sizeof *t->clocks &&
         (note = pmon_backend_replay_note(t->backend, "clock", t->n_clocks))) {
    struct pmon_clock *c = &t->clocks[t->n_clocks++];
    if (sscanf(note, "%31s %" SCNu64, s->clock_name[t->n_clocks - 1], &c->hz) != 2)
      return cli_fail(s->cli, "%s: invalid clock \"%s\"; expected NAME HZ", s->replay, note);
    c->name = s->clock_name[t->n_clocks - 1];
  }
  return replay_limits(s, t);
}

/* Notes the name of the measured host, and the time in the precision of a log, whose replay prints the same. */
static void note_host(struct stat_run *s)
{
  struct timespec now;
  char text[40];
  if (gethostname(s->name, sizeof s->name - 1))
    snprintf(s->name, sizeof s->name, "unknown");
  if (clock_gettime(CLOCK_REALTIME, &now))
    return;
  real_print(text, sizeof text, "%.6f", (double)now.tv_sec + (double)now.tv_nsec * 1e-9);
  s->time = real_parse(text, NULL);
}

/* Opens the host's counters, with the command waiting to start. */
static int open_host(struct stat_run *s, struct target *t)
{
  const struct host_choice choice = {s->access_method && strcmp(s->access_method, "auto") ? s->access_method : NULL,
                                     s->plan, s->backend, sizeof s->backend};
  *t = (struct target){0};
  note_host(s);
  int result = host_command_open(s->cli, s->dry ? NULL : s->target.argv, stat_regions_wanted(s), &s->command);
  s->command.stop = &stat_stop;
  s->command.keep = s->n_reports + 1 < s->runs;
  if (result == CLI_DONE && s->control.channel)
    host_command_watch(&s->command, control_fd(s->control.channel));
  s->hardware.system.resctrl_group = s->resctrl_group;
  if (result == CLI_DONE && s->own_group && s->command.pid > 0) {
    result = monitor_group_open(s->cli, &s->hardware, s->command.pid, &s->group);
    s->hardware.system.resctrl_group = s->group.name;
  }
  if (result == CLI_DONE)
    result = host_open(s->cli, &s->hardware, &s->command, &choice, &t->backend);
  if (result == CLI_DONE && cli_platform(s->cli))
    limits_read_host(&s->hardware, s->cli->platform, t->backend, &t->limits);
  /* The kernel's values of resctrl mean the same on each processor. */
  const bool checks = !s->force && !s->dry && strcmp(s->backend, "resctrl") != 0;
  return result == CLI_DONE && checks ? hardware_check(s->cli, &s->hardware) : result;
}

int stat_open_backend(struct stat_run *s, struct target *t)
{
  if (s->replay)
    return open_replay(s, t);
  if (s->host)
    return open_host(s, t);
  return s->dry && target_needs_no_input(s->cli, &s->target) ? target_open_idle(s->cli, &s->target, t)
                                                             : target_open(s->cli, &s->target, t);
}
