/* SPDX-License-Identifier: MIT */
/*
 * The emulated machine: a server's monitoring hardware, and the traffic that makes it count.
 * The room's public face for the command; nothing in here knows the library's encoder, scheduler or sessions.
 */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmon/access.h>
#include "machine/pmon/bus.h"

struct machine;
struct machine_config; /* machine/config.h: every parameter by name, `cores=64 llc.ways=20 ...` */

/* Builds the machine that `config` describes (NULL: the reference machine of the platform). Text of an error in
 * error (size error_size). Owned by the caller, freed by machine_free(). PMON_E_MEMORY, PMON_E_RANGE. */
int machine_new(const struct machine_config *config, char *error, size_t error_size, struct machine **ret_machine);
void machine_free(struct machine *m);

/* What feeds the machine while it runs; owned by the machine once attached. run() lets the workload go on until every
 * core has reached `until_fs` or it ended; 0, or a negative status with the text in error.
 * A core may go beyond `until_fs` where another is to follow it: in which order cores' accesses come depends on nothing
 * but their own times. begin(), NULL: none, is called once before: it says what will come over sockets. */
struct machine_workload {
  int (*run)(struct machine_workload *w, struct machine *m, uint64_t until_fs, bool *ret_ended, char *error,
             size_t error_size);
  void (*free)(struct machine_workload *w);
  int (*begin)(struct machine_workload *w, struct machine *m, char *error, size_t error_size);
};
void machine_attach(struct machine *m, struct machine_workload *w);
/* Told by a workload's run() before it answers that it ended or failed: the time at which it did. Without it, the end
 * of the stretch of time in which it ended is taken. */
void machine_reached(struct machine *m, uint64_t fs);
/* Told by a workload's run() that has nothing at hand before its caller does something: machine_run() returns with the
 * time at which it rests, and a later call asks it again. */
void machine_rests(struct machine *m, uint64_t fs);
struct traffic *machine_traffic(struct machine *m);

/* Lets simulated time pass: runs the workload up to `until_fs`; with none, or after its end, time just passes
 * (UINT64_MAX: to the workload's end). Returns early where the workload rests. */
int machine_run(struct machine *m, uint64_t until_fs, bool *ret_ended, char *error, size_t error_size);
uint64_t machine_now_fs(const struct machine *m);

/* The machine as a register backend for sessions; it does not own `m`. */
int machine_backend_new(struct machine *m, struct pmon_backend **ret_backend);

#endif
