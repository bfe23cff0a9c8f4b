/* SPDX-License-Identifier: MIT */
/*
 * The emulated machine: a server's monitoring hardware, and the traffic that makes it count. This is the room's
 * interface for the command; nothing in here uses the library's encoder, scheduler or sessions.
 */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmon/access.h>
#include "machine/pmon/bus.h"
#include "machine/pmon/faults.h"

struct machine;
struct machine_config; /* machine/config.h: every parameter by name, `cores=64 llc.ways=20 ...` */

/* Sets the bus of an I/O stack's root ports, for the registers by which software finds the stack of a device; the first
 * call for a stack counts. A stack that the machine cannot name is ignored. */
void machine_set_root_bus(struct machine *m, unsigned socket, unsigned stack, unsigned bus);

/* Builds the machine that `config` describes (NULL: the reference machine of the platform). On an error, its text is in
 * error (size error_size). Owned by the caller, freed by machine_free(). PMON_E_MEMORY, PMON_E_RANGE. */
int machine_new(const struct machine_config *config, char *error, size_t error_size, struct machine **ret_machine);
void machine_free(struct machine *m);

/* Input of the machine while it runs; owned by the machine once attached. run() advances the workload until every core
 * has reached `until_fs` or the workload ended; it returns 0, or a negative status with the text in error. A core may
 * run past `until_fs` while another core is behind: the order of the cores' accesses depends only on the times of these
 * accesses. begin() (NULL: none) is called once, before run(), and adds the workload's devices and conditions. */
struct machine_workload {
  int (*run)(struct machine_workload *w, struct machine *m, uint64_t until_fs, bool *ret_ended, char *error,
             size_t error_size);
  void (*free)(struct machine_workload *w);
  int (*begin)(struct machine_workload *w, struct machine *m, char *error, size_t error_size);
};
void machine_attach(struct machine *m, struct machine_workload *w);
/* A workload's run() calls this before it returns that the workload ended or failed, with the time of the end.
 * Without the call, the end of the current window counts as the time. */
void machine_reached(struct machine *m, uint64_t fs);
/* A workload's run() calls this when it has no input until its caller acts: machine_run() returns with the current
 * time, and the next call resumes the workload. */
void machine_rests(struct machine *m, uint64_t fs);
struct traffic *machine_traffic(struct machine *m);

/* Advances simulated time: runs the workload up to `until_fs`; without one, or after its end, only time passes
 * (UINT64_MAX: to the workload's end). Returns early when the workload rests. */
int machine_run(struct machine *m, uint64_t until_fs, bool *ret_ended, char *error, size_t error_size);
uint64_t machine_now_fs(const struct machine *m);

/* The machine as a register backend for sessions; it does not own `m`. */
int machine_backend_new(struct machine *m, struct pmon_backend **ret_backend);

#endif
