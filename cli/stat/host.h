/* SPDX-License-Identifier: MIT */
/* The host's counters: which backend can read them, and who else uses them. */
#ifndef CLI_STAT_HOST_H
#define CLI_STAT_HOST_H

#include <stdbool.h>
#include "cli/stat/host_command.h"
#include "cli/target/hardware.h"

/* Which backend to open: by name, or the one that can count a plan. `backend` receives the name of the opened one. */
struct host_choice {
  const char *name;
  const struct pmon_plan *plan;
  char *backend;
  size_t backend_size;
};

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
int host_check_conflicts(struct cli *cli, const struct hardware *h, const struct pmon_session *session, bool force);

#endif
