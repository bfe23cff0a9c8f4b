/* SPDX-License-Identifier: MIT */
/* A scenario's contents other than its workload: names for injections, register accesses, expected counts. */
#ifndef CLI_TARGET_SCRIPT_H
#define CLI_TARGET_SCRIPT_H

#include "cli/common/cli.h"
#include "machine/machine.h"
#include "machine/trace/scenario.h"

/* Resolves the events of injections. CLI_DONE, or an exit code after printing an error. */
int script_resolve(struct cli *cli, struct scenario *s);

/* Makes a plan of the expected events, NULL if there are none. All must fit on the counters at the same time. Result as
 * above. */
int script_plan(struct cli *cli, const struct scenario *s, struct pmon_plan **ret_plan);

/* Makes the accesses and waits, in order, through the machine's backend, and prints what is read without an expected
 * value. CLI_FAILED after printing the reads with an unexpected value. */
int script_run(struct cli *cli, const struct scenario *s, struct pmon_backend *backend);

/* Wraps `*backend` so that the scenario's accesses are made at their times while a measurement waits, as other software
 * would make them; takes the accesses from `s`. CLI_DONE, or an exit code after printing an error. */
int script_backend_new(struct cli *cli, struct scenario *s, struct pmon_backend **backend);
/* CLI_DONE, or CLI_FAILED if a read returned an unexpected value, which has been printed. */
int script_backend_result(const struct pmon_backend *b);

/* Compares a session's counts with the expected ones. CLI_FAILED after printing the differences. */
int script_compare(struct cli *cli, const struct scenario *s, const struct pmon_plan *plan,
                   const struct pmon_session *session);
/* The same for the interrupts that the machine sent. */
int script_compare_interrupts(struct cli *cli, const struct scenario *s, const struct machine *m);

#endif
