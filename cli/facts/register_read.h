/* SPDX-License-Identifier: MIT */
/* Registers of a host, of a system below a folder or of a captured machine, read by name. */
#ifndef CLI_FACTS_REGISTER_READ_H
#define CLI_FACTS_REGISTER_READ_H

#include "cli/common/cli.h"

/* A register's value in one package. */
struct register_value {
  uint32_t package;
  struct pmon_register_id id;
  uint64_t value;
};

/* Reads the registers that `name` names, of all instances unless it names one, in each package: of the captured machine
 * of --replay, of the system below --root, or of this host. Only registers of the platform's tables are read. Calls
 * `each` with every value that could be read; it returns an exit code. CLI_DONE, or the last other exit code. */
int registers_read(struct cli *cli, const struct cli_options *options, const char *name,
                   int (*each)(void *user, const struct register_value *v), void *user);

#endif
