/* SPDX-License-Identifier: MIT */
/* Measures the host: its counters, while a command runs. */
#ifndef CLI_STAT_DIRECT_H
#define CLI_STAT_DIRECT_H

#include <stdbool.h>
#include <sys/types.h>
#include "cli/target/hardware.h"

struct live_stop;       /* machine/trace/live.h */
struct signal_settings; /* src/base/signals.h */
struct region_channel;  /* cli/stat/channel.h */

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

/* Which backend to open: by name, or the one that can count a plan. `backend` receives the name of the opened one. */
struct host_choice {
  const char *name;
  const struct pmon_plan *plan;
  char *backend;
  size_t backend_size;
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

/*
 * Opens a backend for the host's counters by its name: perf, direct, or a single access method of direct. NULL: perf if
 * the kernel has PMUs for everything in the plan, else the registers, else perf for the part that it can count. The
 * name is stored in choice->backend. The command starts at the first wait. An exit code.
 */
int host_open(struct cli *cli, struct hardware *h, struct host_command *c, const struct host_choice *choice,
              struct pmon_backend **ret_backend);

/* Whether the host is of the measured platform and its counters are accessible. */
bool host_works(struct cli *cli, const struct hardware *h);
/* Whether the host's processor is of the platform that is measured, and not a virtual machine's. */
bool host_is_real(struct cli *cli, const struct hardware *h);
/* For such a host whose counters cannot be reached: prints the reason and the remedies. An exit code. */
int host_refuse(struct cli *cli, const struct hardware *h);

/* Reports registers that hold a programmed event; without `force` CLI_NO_HARDWARE if there are any, else CLI_DONE. */
int direct_check_conflicts(struct cli *cli, const struct hardware *h, const struct pmon_session *session, bool force);

#endif
