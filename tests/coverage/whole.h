/* SPDX-License-Identifier: MIT */
/* A machine built from a scenario file, with the scenario as its workload. */
#ifndef TESTS_COVERAGE_WHOLE_H
#define TESTS_COVERAGE_WHOLE_H

struct machine;
struct scenario;
struct scenario_inject;

/* Resolves an event that a scenario names to code and attributes. Returns 0, or -1 if there is no such event. */
typedef int (*whole_resolve_fn)(struct scenario_inject *in);

/* Loads the file into `s`, which must outlive the machine. Fails the test if that is not possible. The caller frees the
 * machine. */
struct machine *whole_machine(struct scenario *s, const char *path, whole_resolve_fn resolve);
/* As whole_machine(), on the given platform, for a file that states none. */
struct machine *whole_machine_of(const char *platform, struct scenario *s, const char *path, whole_resolve_fn resolve);

#endif
