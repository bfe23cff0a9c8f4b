/* SPDX-License-Identifier: MIT */
/* What is measured: the emulated machine with a command or a recorded trace on it. */
#ifndef CLI_TARGET_H
#define CLI_TARGET_H

#include "cli/cli.h"
#include "machine/config.h"
#include "machine/machine.h"

struct trace_source;

/* What the command line says. */
struct target_options {
  char **argv;                 /* the command, NULL at the end; NULL: none */
  const char *trace;           /* a recorded trace instead; NULL: none */
  const char *place;           /* machine/trace/placement.h */
  struct machine_config config;
};

struct target {
  struct machine *machine;
  struct pmon_backend *backend;
  struct trace_source *source; /* of the machine's workload */
  bool live;                   /* a command, not a trace */
  struct pmon_clock clocks[4];
  uint32_t n_clocks;
};

/* Builds the machine and starts the command in it. CLI_DONE; else the exit code, after telling the error, and nothing
 * is to be closed. */
int target_open(struct cli *cli, const struct target_options *options, struct target *t);

/* After the end: tells what the machine could not see of the command, and how it failed when it did. CLI_DONE, or
 * CLI_FAILED. */
int target_result(struct cli *cli, const struct target *t, const char *command);

/* Ends a command that still runs. */
void target_close(struct target *t);

#endif
