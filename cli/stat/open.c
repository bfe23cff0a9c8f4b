/* SPDX-License-Identifier: MIT */
#include "cli/stat/open.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cli/stat/accesses.h"
#include "cli/stat/dry.h"
#include "cli/stat/host.h"
#include "cli/stat/run.h"
#include "cli/stat/stop.h"
#include "src/base/real.h"

static void log_line(void *user, const char *line)
{
  fprintf(user, "%s\n", line);
}

/* Notes in the log that a replay needs in addition to the accesses. */
static void note_measurement(const struct stat_names *n, const struct pmon_platform *measured, const struct target *t)
{
  struct pmon_platform_info platform = {.size = sizeof platform};
  if (!pmon_platform_describe(measured, &platform))
    pmon_backend_trace_note(t->backend, "platform", platform.name);
  pmon_backend_trace_note(t->backend, "backend", n->backend);
  if (*n->machine)
    pmon_backend_trace_note(t->backend, "machine", n->machine);
  pmon_backend_trace_note(t->backend, "command", n->command);
  if (*n->host) {
    char time[40];
    pmon_backend_trace_note(t->backend, "host", n->host);
    real_print(time, sizeof time, "%.6f", n->time);
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
static void follow_states(struct stat_checks *c, FILE *log, const struct target *t)
{
  c->states = (struct core_states){.checker = c->checker, .log = log};
  if (t->core && (c->checker || log))
    core_states_follow(&c->states, t->core);
}

int stat_wrap_backend(struct stat_run *s, struct target *t)
{
  struct pmon_backend *wrapped;
  if (t->backend->counting) {
    if (s->source.dry || s->files.log)
      return cli_fail(s->cli, "%s: with perf, pmon cannot observe register accesses; add --backend direct",
                      s->source.dry ? "--dry-run" : "--log");
    return CLI_DONE;
  }
  if (s->source.dry) {
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
  if (s->checks.given) {
    if (check_new(s->cli->platform, &s->checks.checker) || check_backend_new(t->backend, s->checks.checker, &wrapped))
      return cli_fail_memory(s->cli);
    t->backend = wrapped;
  }
  if (s->files.log) {
    if (pmon_backend_trace_new(t->backend, log_line, s->files.log, &wrapped))
      return cli_fail_memory(s->cli);
    t->backend = wrapped;
    note_measurement(&s->names, s->cli->platform, t);
  }
  follow_states(&s->checks, s->files.log, t);
  return CLI_DONE;
}

/* Opens a captured machine: registers without a workload. */
static int open_captured(struct stat_run *s, struct target *t)
{
  int result = hardware_replay(s->cli, &s->source.hardware, s->source.replay);
  snprintf(s->names.backend, sizeof s->names.backend, "capture");
  *s->names.machine = 0;
  return result == CLI_DONE ? hardware_open(s->cli, &s->source.hardware, &t->backend) : result;
}

/* Adds the limits that the log's machine reported; package -1: all. */
static int replay_limits(const struct cli *cli, const char *path, struct target *t)
{
  const char *note;
  for (uint32_t i = 0; (note = pmon_backend_replay_note(t->backend, "limit", i)); i++) {
    char name[32], number[40], *end;
    int32_t package;
    if (sscanf(note, "%31s %" SCNd32 " %39s", name, &package, number) != 3 || !limits_name(name))
      return cli_fail(cli, "%s: invalid limit \"%s\"; expected NAME PACKAGE NUMBER", path, note);
    limits_add(&t->limits, limits_name(name), (uint32_t)package, real_parse(number, &end));
  }
  return CLI_DONE;
}

int stat_fail_replay(const struct cli *cli, const char *path, int result)
{
  if (!hardware_is_capture(path))
    cli_fail(cli, "--replay: %s is incomplete, or --log wrote it with other events or options", path);
  return result;
}

/* Replays a log instead of using a machine; the log's notes replace the machine's properties. */
static int open_replay(struct stat_run *s, struct target *t)
{
  const struct pmon_platform *platform;
  const char *note;
  *t = (struct target){0};
  if (hardware_is_capture(s->source.replay))
    return open_captured(s, t);
  if (pmon_backend_replay_new(s->cli->context, s->source.replay, &t->backend))
    return cli_fail_file(s->cli);
  s->regions.replay = s->control.replay = t->backend;
  if ((note = pmon_backend_replay_note(t->backend, "platform", 0)) &&
      (pmon_platform_find(s->cli->context, note, &platform) || platform != s->cli->platform))
    return cli_fail(s->cli, "%s: the log is of platform %s; add -p %s", s->source.replay, note, note);
  if ((note = pmon_backend_replay_note(t->backend, "backend", 0)))
    snprintf(s->names.backend, sizeof s->names.backend, "%s", note);
  if ((note = pmon_backend_replay_note(t->backend, "machine", 0)))
    snprintf(s->names.machine, sizeof s->names.machine, "%s", note);
  else if (strcmp(s->names.backend, "machine"))
    *s->names.machine = 0; /* a log of real registers */
  if ((note = pmon_backend_replay_note(t->backend, "command", 0)))
    snprintf(s->names.command, sizeof s->names.command, "%s", note);
  if ((note = pmon_backend_replay_note(t->backend, "host", 0)))
    snprintf(s->names.host, sizeof s->names.host, "%s", note);
  if ((note = pmon_backend_replay_note(t->backend, "time", 0)))
    s->names.time = real_parse(note, NULL);
  while (t->n_clocks < sizeof t->clocks / sizeof *t->clocks &&
         (note = pmon_backend_replay_note(t->backend, "clock", t->n_clocks))) {
    struct pmon_clock *c = &t->clocks[t->n_clocks++];
    if (sscanf(note, "%31s %" SCNu64, s->names.clock[t->n_clocks - 1], &c->hz) != 2)
      return cli_fail(s->cli, "%s: invalid clock \"%s\"; expected NAME HZ", s->source.replay, note);
    c->name = s->names.clock[t->n_clocks - 1];
  }
  return replay_limits(s->cli, s->source.replay, t);
}

/* Opens the host's counters, with the command waiting to start. */
static int open_host(struct stat_run *s, struct target *t)
{
  struct stat_source *const from = &s->source;
  const struct host_choice choice = {from->access_method && strcmp(from->access_method, "auto") ? from->access_method
                                                                                                : NULL,
                                     s->wanted.plan, s->names.backend, sizeof s->names.backend};
  *t = (struct target){0};
  stat_names_take_host(&s->names);
  int result = host_command_open(s->cli, from->dry ? NULL : s->target.argv, stat_regions_wanted(s), &from->command);
  from->command.stop = &stat_stop;
  from->command.keep = s->repeats.n + 1 < s->repeats.runs;
  if (result == CLI_DONE && s->control.channel)
    host_command_watch(&from->command, control_channel_fd(s->control.channel));
  from->hardware.system.resctrl_group = from->resctrl_group;
  if (result == CLI_DONE && from->own_group && from->command.pid > 0) {
    result = monitor_group_open(s->cli, &from->hardware, from->command.pid, &from->group);
    from->hardware.system.resctrl_group = from->group.name;
  }
  if (result == CLI_DONE)
    result = host_open(s->cli, &from->hardware, &from->command, &choice, &t->backend);
  if (result == CLI_DONE && cli_platform(s->cli))
    limits_read_host(&from->hardware, s->cli->platform, t->backend, &t->limits);
  /* The kernel's values of resctrl mean the same on each processor. */
  const bool checks = !from->force && !from->dry && strcmp(s->names.backend, "resctrl") != 0;
  return result == CLI_DONE && checks ? hardware_check(s->cli, &from->hardware) : result;
}

int stat_open_backend(struct stat_run *s, struct target *t)
{
  if (s->source.replay)
    return open_replay(s, t);
  if (s->source.host)
    return open_host(s, t);
  const bool idle = s->source.dry && (s->target.argv || target_needs_no_input(s->cli, &s->target));
  return idle ? target_open_idle(s->cli, &s->target, t) : target_open(s->cli, &s->target, t);
}
