/* SPDX-License-Identifier: MIT */
/* What a scenario says beside its workload: names for injections, register accesses, expected counts. */
#ifndef CLI_TARGET_SCRIPT_H
#define CLI_TARGET_SCRIPT_H

#include "cli/common/cli.h"
#include "machine/machine.h"
#include "machine/trace/scenario.h"

/* Looks the events of injections up in the facts. CLI_DONE, or an exit code after telling the error. */
int script_resolve(struct cli *cli, struct scenario *s);

/* A plan of the events that are expected, NULL when none is. All have to count at the same time. As above. */
int script_plan(struct cli *cli, const struct scenario *s, struct pmon_plan **ret_plan);

/* The accesses and waits, in order, through the machine's backend; what is read and not expected is printed.
 * CLI_FAILED after telling which reads were not as expected. */
int script_run(struct cli *cli, const struct scenario *s, struct pmon_backend *backend);

/* Puts a backend around `*backend` that makes the scenario's accesses at their times while a measurement waits, as
 * other software would; it takes the accesses from `s`. CLI_DONE, or an exit code after telling the error. */
int script_backend_new(struct cli *cli, struct scenario *s, struct pmon_backend **backend);
/* CLI_DONE, or CLI_FAILED: some read was not as expected, and was told. */
int script_backend_result(const struct pmon_backend *b);

/* Compares what a session counted. CLI_FAILED after telling what was not as expected. */
int script_compare(struct cli *cli, const struct scenario *s, const struct pmon_plan *plan,
                   const struct pmon_session *session);
/* The same for interrupts that the machine sent. */
int script_compare_interrupts(struct cli *cli, const struct scenario *s, const struct machine *m);

#endif
