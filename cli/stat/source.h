/* SPDX-License-Identifier: MIT */
/* Where the counts come from: this host, the emulated machine, or a log. */
#ifndef CLI_STAT_SOURCE_H
#define CLI_STAT_SOURCE_H

#include "cli/stat/host_command.h"
#include "cli/stat/monitor_group.h"
#include "cli/target/target.h"

struct stat_source {
  const char *access_method;   /* --backend; NULL: auto */
  bool host;                   /* the host is measured, not a machine: */
  struct hardware hardware;    /* its registers, */
  struct host_command command; /* the command that runs on it, */
  const char *resctrl_group;   /* --resctrl-group; NULL: all control groups */
  bool own_group;              /* --resctrl-new: a group of the command's own */
  struct monitor_group group;
  const char *replay; /* --replay; NULL: none */
  bool dry, force;
};

/* Reads the options that determine how events and metrics are resolved, at any position. CLI_DONE, or an exit code. */
int stat_source_read_platform(struct cli *cli, struct stat_source *s, struct target_options *target, int argc,
                              char **argv);
/* Takes --backend. CLI_DONE, or CLI_USAGE after printing an error. */
int stat_source_parse_access_method(const struct cli *cli, struct stat_source *s, const char *text);

/* Whether the host is measured, and not a machine: as --backend says; else if the host can be measured and no option
 * requires the machine. */
bool stat_source_is_host(struct cli *cli, const struct stat_source *s, const struct target_options *target);
/* Chooses between host and machine, and checks, after all options, that it can be measured, for `duration_ns` (0: to
 * the end of the input). An enum cli_exit. */
int stat_source_choose(struct cli *cli, struct stat_source *s, const struct target_options *target,
                       uint64_t duration_ns);

/* --resctrl-group and --resctrl-new, for commands that start another one; exporters have the first alone. Handles one
 * of them, by its code. */
#define STAT_GROUP_OPTION                                                                                              \
  {                                                                                                                    \
    "resctrl-group", CLI_OPTION_RESCTRL_GROUP, "PATH",                                                                 \
        "unit resctrl: read this group, by its path below /sys/fs/resctrl (default: all control groups together)",     \
        CLI_TEXT, NULL                                                                                                 \
  }
extern const struct cli_option stat_group_options[];
void stat_source_take_group(struct stat_source *s, int code, const char *value);
/* Refuses them where `others` are read instead of a host ("recordings"). CLI_DONE, or CLI_USAGE after printing an
 * error. */
int stat_source_refuse_group(const struct cli *cli, const struct stat_source *s, const char *others);

#endif
