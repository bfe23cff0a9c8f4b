/* SPDX-License-Identifier: MIT */
/* `pmon machine record`: writes a program's trace to a file. */
#ifndef CLI_MACHINE_RECORD_H
#define CLI_MACHINE_RECORD_H

#include <stdbool.h>

struct cli;

struct record_options {
  const char *path;
  char **argv;
  bool plain; /* not compressed */
};

/* An enum cli_exit. */
int cli_machine_record(struct cli *cli, const struct record_options *options);

#endif
