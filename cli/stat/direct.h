/* SPDX-License-Identifier: MIT */
/* What `pmon stat` measures on the host itself: its counters, while a command of the user's runs. */
#ifndef CLI_STAT_DIRECT_H
#define CLI_STAT_DIRECT_H

#include <stdbool.h>
#include <sys/types.h>
#include "cli/target/hardware.h"

struct live_stop; /* machine/trace/live.h */

/* A command that waits until it may begin. */
struct host_command {
  pid_t pid;
  int gate, end_fd;
  bool keep;                    /* more is going to be opened after it */
  const struct live_stop *stop; /* the signals that asked to end early; NULL: none */
};

/* What is to be opened: by name, or by what can count a plan. `backend` gets the name of what was. */
struct host_choice {
  const char *name;
  const struct pmon_plan *plan;
  char *backend;
  size_t backend_size;
};

/* Starts the command up to its first instruction; NULL argv: there is none, pid 0. An exit code. */
int host_command_open(struct cli *cli, char **argv, struct host_command *c);
/* Lets it run. */
void host_command_go(struct host_command *c);
/* After its end: tells how it failed when it did. CLI_DONE or CLI_FAILED. */
int host_command_result(struct cli *cli, struct host_command *c, const char *text);
/* Ends one that still runs. */
void host_command_close(struct host_command *c);

/*
 * Opens a way to the host's counters by its name: perf, direct, or one of direct's access_methods alone. NULL: perf
 * where the kernel has PMUs for all that the plan wants, else the registers, else whatever perf can count of it. Its
 * name is left in choice->backend. The command begins with the first stretch of time that passes. An exit code.
 */
int host_open(struct cli *cli, struct hardware *h, struct host_command *c, const struct host_choice *choice,
              struct pmon_backend **ret_backend);

/* Whether the host is of the platform that is measured, and has a way to its counters. */
bool host_works(struct cli *cli, const struct hardware *h);

/* Names registers that hold a programmed event; without `force` an exit code other than CLI_DONE if there are any. */
int direct_check_conflicts(struct cli *cli, const struct hardware *h, const struct pmon_session *session, bool force);

#endif
