/* SPDX-License-Identifier: MIT */
/* What the tests share that measure the emulated machine: machines with scenarios, sessions, registers. */
#ifndef TESTS_ENGINE_RIG_H
#define TESTS_ENGINE_RIG_H

#include "base.h"

struct machine;

/* A machine with a scenario on it, set up by its `set` lines, and its backend; both are the caller's. */
struct machine *rig_busy(const char *scenario, struct pmon_backend **ret_backend);
/* The same with nothing on it: time passes all the same. `settings` are NAME=VALUE, separated by blanks. */
struct machine *rig_idle(const char *settings, struct pmon_backend **ret_backend);

/* A session of the plan, from its start to the end of what is measured, or to until_ns. */
struct pmon_session *rig_session(struct pmon_plan *plan, struct pmon_backend *backend,
                                 const struct pmon_session_options *options, uint64_t until_ns);

/* The measured program's own work: time passes on the machine. */
void rig_work(struct pmon_backend *backend, uint64_t ns);
/* An event set of the events up to NULL, which was not started; time slices are 20 microseconds. */
struct pmon_set *rig_set(const struct pmon_platform *platform, struct pmon_backend *backend, uint32_t freeze,
                         const char *const *events);

/* What the registers hold that software can set, of the instances that are there. */
struct rig_registers;
struct rig_registers *rig_registers_read(struct pmon_backend *backend, const struct pmon_platform *platform);
/* Fails when a register holds something else now; frees. */
void rig_registers_same(struct pmon_backend *backend, struct rig_registers *held, const char *when);

/* Gives the registers of the first few units contents of their own, as another user's session would leave them. */
void rig_disturb(struct pmon_backend *backend, const struct pmon_platform *platform);

/* Fails when software broke a rule of the guide. */
void rig_nothing_broken(const struct machine *m);

/* How many invariants were reported as violated, and the first of them: for pmon_session_check_invariants(), whose
 * `user` it is. */
struct rig_broken {
  unsigned n;
  char text[400];
};
void rig_note_broken(void *user, const struct pmon_invariant_violation *invariant);

/* A plan of all invariants of a platform. */
struct pmon_plan *rig_invariants(const struct pmon_platform *platform);
/* Runs a scenario under it; fails when an invariant is broken, or a rule of the guide. How many were checked. */
uint32_t rig_check_invariants(struct pmon_plan *plan, const char *scenario);

#endif
