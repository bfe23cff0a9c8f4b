/* SPDX-License-Identifier: MIT */
/* Where the counts come from: this host, the emulated machine, or a log. */
#include <string.h>
#include "cli/stat/direct.h"
#include "cli/stat/stat.h"
#include "cli/target/stream.h"

bool stat_on_host(struct stat_run *s)
{
  const struct target_options *t = &s->target;
  const bool emulated = t->trace || t->scenario || target_is_configured(t) ||
                        stream_is_wanted(t, target_model(s->cli)) /* a host cannot run it */;
  if (s->access_method && strcmp(s->access_method, "auto"))
    return strcmp(s->access_method, "machine") && strcmp(s->access_method, "replay");
  return !emulated && !s->replay && host_works(s->cli, &s->hardware);
}

/* Checks the fallback of a command for which neither --backend nor a parameter selected the machine: a warning or, if
 * the host's processor is of the platform, an error. CLI_DONE, or an exit code. */
static int check_fallback(struct stat_run *s)
{
  const struct target_options *t = &s->target;
  const bool automatic = !s->access_method || !strcmp(s->access_method, "auto");
  if (s->host || s->replay || !t->argv || !automatic || target_is_configured(t) ||
      stream_is_wanted(t, target_model(s->cli)))
    return CLI_DONE;
  if (host_is_real(s->cli, &s->hardware))
    return host_refuse(s->cli, &s->hardware);
  const int result = target_check_model(s->cli, t);
  if (result == CLI_DONE)
    hardware_report_emulated(s->cli, &s->hardware);
  return result;
}

/* Whether the options mean the host although it cannot be measured: without an input, a duration is one of the host. */
static bool stat_means_host(struct stat_run *s)
{
  const struct target_options *t = &s->target;
  const bool automatic = !s->access_method || !strcmp(s->access_method, "auto");
  return !s->host && !s->replay && automatic && !target_is_configured(t) && target_needs_no_input(s->cli, t);
}

/* Reports wrong usage, whatever the reason for which the host has no counters. */
static int refuse_no_input(const struct stat_run *s)
{
  return cli_fail(s->cli,
                  "no input, and no uncore counters are accessible on this host (pmon doctor explains the "
                  "reason); to measure on the emulated machine, add -- COMMAND, --trace FILE or --scenario FILE");
}

static int refuse_duration(const struct stat_run *s)
{
  cli_fail(s->cli, "--duration: no uncore counters are accessible on this host (pmon doctor explains the reason); to "
                   "measure on the emulated machine, add -- COMMAND, --trace FILE or --scenario FILE");
  return CLI_NO_HARDWARE;
}

const struct cli_option stat_group_options[] = {
    STAT_GROUP_OPTION,
    CLI_FLAG("resctrl-new", CLI_OPTION_RESCTRL_NEW,
             "unit resctrl: measure the command alone, in a monitoring group that pmon makes and removes"),
    CLI_OPTION_END,
};

int stat_take_group_option(struct stat_run *s, int code, const char *value)
{
  s->own_group |= code == CLI_OPTION_RESCTRL_NEW;
  s->resctrl_group = code == CLI_OPTION_RESCTRL_GROUP ? value : s->resctrl_group;
  return CLI_DONE;
}

/* The option that selects a group; NULL: none was given. */
static const char *group_option(const struct stat_run *s)
{
  return s->own_group ? "--resctrl-new" : s->resctrl_group ? "--resctrl-group" : NULL;
}

int stat_refuse_group(const struct stat_run *s, const char *others)
{
  const char *option = group_option(s);
  return option ? cli_fail(s->cli, "%s selects what is measured on this host and does not apply to %s; omit it", option,
                           others)
                : CLI_DONE;
}

static int check_group(const struct stat_run *s)
{
  const char *option = group_option(s);
  if (option && !s->host)
    return cli_fail(s->cli, "%s: the emulated machine has no groups; add --backend perf, direct or resctrl", option);
  if (s->own_group && (s->resctrl_group || !s->target.argv))
    return cli_fail(s->cli, "--resctrl-new %s",
                    s->resctrl_group ? "cannot be combined with --resctrl-group" : "needs a command to measure");
  return CLI_DONE;
}

int stat_check_host(struct stat_run *s)
{
  const struct target_options *t = &s->target;
  s->host = stat_on_host(s);
  if (s->host && (t->trace || t->scenario || t->bundles || t->generate || target_is_configured(t) || s->replay))
    return cli_fail(s->cli,
                    "--backend %s: traces, scenarios, parameters, --place, --host-threads and --fault require the "
                    "emulated machine; use --backend machine",
                    s->access_method);
  if (s->access_method && !strcmp(s->access_method, "replay") && !s->replay)
    return cli_fail(s->cli, "--backend replay requires a log; add --replay FILE");
  if (check_group(s) != CLI_DONE)
    return CLI_USAGE;
  const bool idle = s->dry && target_needs_no_input(s->cli, t);
  if (s->duration_ns && !idle && stat_means_host(s))
    return host_is_real(s->cli, &s->hardware) ? host_refuse(s->cli, &s->hardware) : refuse_duration(s);
  if (!idle && stat_means_host(s))
    return refuse_no_input(s);
  const int result = s->host || s->replay || idle ? CLI_DONE : target_check(s->cli, t);
  return result == CLI_DONE ? check_fallback(s) : result;
}
