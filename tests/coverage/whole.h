/* SPDX-License-Identifier: MIT */
/* A machine as a scenario file describes it, with the scenario as its workload. */
#ifndef TESTS_COVERAGE_WHOLE_H
#define TESTS_COVERAGE_WHOLE_H

struct machine;
struct scenario;
struct scenario_inject;

/* What an event that a scenario names is: code and attributes; 0, or -1 when there is none. */
typedef int (*whole_resolve_fn)(struct scenario_inject *in);

/* Loads the file into `s`, which has to outlive the machine. Fails the test when it cannot. The caller frees the
 * machine. */
struct machine *whole_machine(struct scenario *s, const char *path, whole_resolve_fn resolve);
/* The same on a platform, for a file that states none. */
struct machine *whole_machine_of(const char *platform, struct scenario *s, const char *path, whole_resolve_fn resolve);

#endif
