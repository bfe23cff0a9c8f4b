/* SPDX-License-Identifier: MIT */
#include "cli/stat/source.h"

#include <string.h>
#include "cli/common/value.h"
#include "cli/stat/host.h"
#include "cli/target/stream.h"

int stat_source_read_platform(struct cli *cli, struct stat_source *s, struct target_options *target, int argc,
                              char **argv)
{
  const int result = hardware_read_platform(cli, &s->hardware, argc, argv);
  return result == CLI_DONE ? target_platform(cli, target, cli->platform_name) : result;
}

int stat_source_parse_access_method(const struct cli *cli, struct stat_source *s, const char *text)
{
  static const char *const names[] = {"auto", "perf", "direct", "msr", "pci", "mmio", "resctrl", "machine", "replay"};
  const struct value_words words = {names, sizeof names / sizeof *names};
  uint32_t access_method = 0;
  const int result = value_parse_word(cli, "--backend", text, &words, &access_method);
  if (result == CLI_DONE)
    s->access_method = names[access_method];
  return result;
}

static bool source_is_automatic(const struct stat_source *s)
{
  return !s->access_method || !strcmp(s->access_method, "auto");
}

bool stat_source_is_host(struct cli *cli, const struct stat_source *s, const struct target_options *t)
{
  const bool emulated = t->trace || t->scenario || target_is_configured(t) ||
                        stream_is_wanted(t, target_model(cli)) /* a host cannot run it */;
  if (!source_is_automatic(s))
    return strcmp(s->access_method, "machine") && strcmp(s->access_method, "replay");
  return !emulated && !s->replay && host_works(cli, &s->hardware);
}

/* Checks the fallback of a command for which neither --backend nor a parameter selected the machine: a warning or, if
 * the host's processor is of the platform, an error. CLI_DONE, or an exit code. */
static int source_check_fallback(struct cli *cli, const struct stat_source *s, const struct target_options *t)
{
  if (s->host || s->replay || !t->argv || !source_is_automatic(s) || target_is_configured(t) ||
      stream_is_wanted(t, target_model(cli)))
    return CLI_DONE;
  if (host_is_real(cli, &s->hardware))
    return host_refuse(cli, &s->hardware);
  const int result = target_check_model(cli, t);
  if (result == CLI_DONE)
    hardware_report_emulated(cli, &s->hardware);
  return result;
}

/* Whether the options mean the host although it cannot be measured: without an input, a duration is one of the host. */
static bool source_means_host(struct cli *cli, const struct stat_source *s, const struct target_options *t)
{
  return !s->host && !s->replay && source_is_automatic(s) && !target_is_configured(t) && target_needs_no_input(cli, t);
}

/* Reports wrong usage, whatever the reason for which the host has no counters. */
static int refuse_no_input(const struct cli *cli)
{
  return cli_fail(cli, "no input, and no uncore counters are accessible on this host (pmon doctor explains the "
                       "reason); to measure on the emulated machine, add -- COMMAND, --trace FILE or --scenario FILE");
}

static int refuse_duration(const struct cli *cli)
{
  cli_fail(cli, "--duration: no uncore counters are accessible on this host (pmon doctor explains the reason); to "
                "measure on the emulated machine, add -- COMMAND, --trace FILE or --scenario FILE");
  return CLI_NO_HARDWARE;
}

const struct cli_option stat_group_options[] = {
    STAT_GROUP_OPTION,
    CLI_FLAG("resctrl-new", CLI_OPTION_RESCTRL_NEW,
             "unit resctrl: measure the command alone, in a monitoring group that pmon makes and removes"),
    CLI_OPTION_END,
};

void stat_source_take_group(struct stat_source *s, int code, const char *value)
{
  s->own_group |= code == CLI_OPTION_RESCTRL_NEW;
  s->resctrl_group = code == CLI_OPTION_RESCTRL_GROUP ? value : s->resctrl_group;
}

/* The option that selects a group; NULL: none was given. */
static const char *source_group_option(const struct stat_source *s)
{
  return s->own_group ? "--resctrl-new" : s->resctrl_group ? "--resctrl-group" : NULL;
}

int stat_source_refuse_group(const struct cli *cli, const struct stat_source *s, const char *others)
{
  const char *option = source_group_option(s);
  return option ? cli_fail(cli, "%s selects what is measured on this host and does not apply to %s; omit it", option,
                           others)
                : CLI_DONE;
}

static int source_check_group(const struct cli *cli, const struct stat_source *s, const struct target_options *t)
{
  const char *option = source_group_option(s);
  if (option && !s->host)
    return cli_fail(cli, "%s: the emulated machine has no groups; add --backend perf, direct or resctrl", option);
  if (s->own_group && (s->resctrl_group || !t->argv))
    return cli_fail(cli, "--resctrl-new %s",
                    s->resctrl_group ? "cannot be combined with --resctrl-group" : "needs a command to measure");
  return CLI_DONE;
}

int stat_source_choose(struct cli *cli, struct stat_source *s, const struct target_options *t, uint64_t duration_ns)
{
  s->host = stat_source_is_host(cli, s, t);
  if (s->host && (t->trace || t->scenario || t->bundles || t->generate || target_is_configured(t) || s->replay))
    return cli_fail(cli,
                    "--backend %s: traces, scenarios, parameters, --place, --host-threads and --fault require the "
                    "emulated machine; use --backend machine",
                    s->access_method);
  if (s->access_method && !strcmp(s->access_method, "replay") && !s->replay)
    return cli_fail(cli, "--backend replay requires a log; add --replay FILE");
  if (source_check_group(cli, s, t) != CLI_DONE)
    return CLI_USAGE;
  const bool idle = s->dry && target_needs_no_input(cli, t);
  if (duration_ns && !idle && source_means_host(cli, s, t))
    return host_is_real(cli, &s->hardware) ? host_refuse(cli, &s->hardware) : refuse_duration(cli);
  if (!idle && source_means_host(cli, s, t))
    return refuse_no_input(cli);
  const int result = s->host || s->replay || idle ? CLI_DONE : target_check(cli, t);
  return result == CLI_DONE ? source_check_fallback(cli, s, t) : result;
}
