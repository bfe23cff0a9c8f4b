/* SPDX-License-Identifier: MIT */
/* Shared by the tests that measure the emulated machine: machines with scenarios, sessions, registers. */
#ifndef TESTS_ENGINE_RIG_H
#define TESTS_ENGINE_RIG_H

#include "tests/engine/base.h"

struct machine;

/* Returns a machine that is set up by the scenario's `set` lines and runs the scenario, and its backend. The caller
 * owns both. */
struct machine *rig_busy(const char *scenario, struct pmon_backend **ret_backend);
/* Returns a machine without a workload; its time passes all the same. `settings` are NAME=VALUE, separated by
 * blanks. */
struct machine *rig_idle(const char *settings, struct pmon_backend **ret_backend);

/* Returns a session of the plan that has run from its start to the end of the workload, or to until_ns. */
struct pmon_session *rig_session(struct pmon_plan *plan, struct pmon_backend *backend,
                                 const struct pmon_session_options *options, uint64_t until_ns);

/* Stands for the work of a program that measures itself: `ns` pass on the machine. */
void rig_work(struct pmon_backend *backend, uint64_t ns);
/* Returns an event set of the events up to NULL, not yet started. Time slices are 20 microseconds long. */
struct pmon_set *rig_set(const struct pmon_platform *platform, struct pmon_backend *backend, uint32_t freeze,
                         const char *const *events);

/* Contents of all registers that software can set, of the instances that exist. */
struct rig_registers;
struct rig_registers *rig_registers_read(struct pmon_backend *backend, const struct pmon_platform *platform);
/* Fails the test when a register has another content than in `held`; frees `held`. */
void rig_registers_same(struct pmon_backend *backend, struct rig_registers *held, const char *when);

/* Writes contents of its own into the registers of the first few units, as another user's session would leave them. */
void rig_disturb(struct pmon_backend *backend, const struct pmon_platform *platform);

/* Fails the test when software violated a programming rule of the guide. */
void rig_nothing_broken(const struct machine *m);

/* The number of violated invariants, and the first of them: `user` of rig_note_broken(), for
 * pmon_session_check_invariants(). */
struct rig_broken {
  unsigned n;
  char text[400];
};
void rig_note_broken(void *user, const struct pmon_invariant_violation *invariant);

/* Returns a plan of all invariants of a platform. */
struct pmon_plan *rig_invariants(const struct pmon_platform *platform);
/* Runs a scenario under the plan. Fails the test when an invariant or a programming rule is violated. Returns the
 * number of invariants that were checked. */
uint32_t rig_check_invariants(struct pmon_plan *plan, const char *scenario);

#endif
