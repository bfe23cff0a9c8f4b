/* SPDX-License-Identifier: MIT */
/* A command that runs on the host while its counters are read. */
#ifndef CLI_STAT_HOST_COMMAND_H
#define CLI_STAT_HOST_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>
#include "cli/common/cli.h"

struct live_stop;       /* machine/trace/live.h */
struct signal_settings; /* src/base/signals.h */
struct region_channel;  /* cli/stat/region_channel.h */

/* A command that waits before its first instruction. */
struct host_command {
  pid_t pid;
  int gate, end_fd;
  struct region_channel *regions;        /* requests of its regions to read counters; NULL: regions are not followed */
  int watch_fd;                          /* readable at its end, a request, or news of other descriptors; -1: end_fd
                                            alone */
  bool keep;                             /* further backends are opened after this one */
  struct live_stop *stop;                /* descriptor that reports signals to end early; NULL: none */
  const struct signal_settings *signals; /* that it is started with; NULL: as they are */
};

/* Starts the command, stopped before its first instruction; with argv NULL there is no command, and pid is 0.
 * `regions`: the regions of its programs are followed. An exit code. */
int host_command_open(struct cli *cli, char **argv, bool regions, struct host_command *c);
/* Lets waits also end when the descriptor can be read; and no more. Without a command, too. */
void host_command_watch(struct host_command *c, int fd);
void host_command_unwatch(const struct host_command *c, int fd);
/* Whether it has ended: a wait may have ended for another reason. */
bool host_command_has_ended(const struct host_command *c);
/* Lets the command run. */
void host_command_go(struct host_command *c);
/* After its end: reports a failure of the command. CLI_DONE or CLI_FAILED. *ret_child: its exit status, 128 + N after
 * signal N; unchanged if there was no command. */
int host_command_result(struct cli *cli, struct host_command *c, const char *text, int *ret_child);
/* Ends a command that still runs. */
void host_command_close(struct host_command *c);

#endif
