/* SPDX-License-Identifier: MIT */
/* Commands that look at the host: where its files stand, and its registers. */
#ifndef CLI_HARDWARE_H
#define CLI_HARDWARE_H

#include "cli/cli.h"
#include "machine/machine.h"

#define HARDWARE_HELP "      --root DIR        the system's files below DIR instead of /\n"

struct hardware {
  char dev[300], sys[300], proc[300];
  struct pmon_system system;
};

/* The system below `root`; NULL: this one. */
void hardware_init(struct hardware *h, const char *root);

/* Whether this is a processor that the facts know; its platform's name in *ret_platform where it is. */
bool hardware_known(struct cli *cli, const char **ret_platform);

/* What there is to measure with: a backend of the emulated machine of the platform's, with nothing running on it, when
 * `machine`, else the host's registers. An exit code after telling why not. `*ret_machine` (may be NULL after it) is to
 * be freed after the backend. */
int hardware_open(struct cli *cli, const struct hardware *h, bool machine, struct machine **ret_machine,
                  struct pmon_backend **ret_backend);

/* Formatted, to the command's output. */
void hardware_print(struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One sentence for a host without any of this hardware. */
extern const char hardware_none[];

int cli_discover(struct cli *cli, int argc, char **argv);
int cli_doctor(struct cli *cli, int argc, char **argv);

#endif
