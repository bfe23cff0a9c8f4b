/* SPDX-License-Identifier: MIT */
/* What `pmon stat` measures on the host itself: its registers, while a command of the user's runs. */
#ifndef CLI_DIRECT_H
#define CLI_DIRECT_H

#include <stdbool.h>
#include <sys/types.h>
#include "cli/hardware.h"

/* A command that waits until it may begin. */
struct host_command { pid_t pid; int gate, end_fd; };

/* Starts the command up to its first instruction; NULL argv: there is none, pid 0. An exit code. */
int host_command_open(struct cli *cli, char **argv, struct host_command *c);
/* Lets it run. */
void host_command_go(struct host_command *c);
/* After its end: tells how it failed when it did. CLI_DONE or CLI_FAILED. */
int host_command_result(struct cli *cli, struct host_command *c, const char *text);
/* Ends one that still runs. */
void host_command_close(struct host_command *c);

/* The host's registers; the command begins with the first stretch of time that passes. An exit code. */
int direct_open(struct cli *cli, struct hardware *h, struct host_command *c, struct pmon_backend **ret_backend);

/* Whether the host's registers can be opened, and are those of the platform that is measured. */
bool direct_works(struct cli *cli, const struct hardware *h);

/* Names registers that hold a programmed event; without `force` an exit code other than CLI_DONE if there are any. */
int direct_check_conflicts(struct cli *cli, const struct pmon_session *session, bool force);

#endif
