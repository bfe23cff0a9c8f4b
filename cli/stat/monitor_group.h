/* SPDX-License-Identifier: MIT */
/*
 * A monitoring group of the kernel's resctrl for the measured command (--resctrl-new): pmon makes it, moves the command
 * into it before the command starts, and removes it. A process of its own waits for pmon's end and removes the group,
 * so that it is also removed when pmon is killed.
 */
#ifndef CLI_STAT_MONITOR_GROUP_H
#define CLI_STAT_MONITOR_GROUP_H

#include <sys/types.h>
#include "cli/target/hardware.h"

struct monitor_group {
  char name[256]; /* its path below resctrl's root */
  char path[600]; /* "": there is none */
  pid_t guard;    /* the process that removes it; 0: none */
  int alive;      /* the guard removes the group when this descriptor is closed; -1: none */
};

/* Makes a group in the control group of process `pid`, and moves the process into it; removes groups of processes of
 * pmon that no longer exist. An exit code: CLI_NO_HARDWARE if resctrl or the permission is missing. */
int monitor_group_open(struct cli *cli, const struct hardware *h, pid_t pid, struct monitor_group *ret_group);

/* Removes the group. False, after printing the reason, if that failed. */
bool monitor_group_close(struct cli *cli, struct monitor_group *g);

#endif
