/* SPDX-License-Identifier: MIT */
/*
 * The machine's register state as text, to be inspected, saved and restored: docs/logs.md describes it. State in flight
 * (traffic, queues, pending reports) is not in registers and not part of it.
 */
#ifndef MACHINE_PMON_SAVE_H
#define MACHINE_PMON_SAVE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct machine;

/* Writes every register of every socket. PMON_E_IO when `f` takes no more. */
int machine_state_save(const struct machine *m, FILE *f);

/* Restores the registers that `text` of `n` bytes names; others do not change. If the text is refused, nothing changes.
 * PMON_E_SYNTAX, PMON_E_UNKNOWN (a register or socket that this machine lacks), PMON_E_RANGE (bits that the register
 * does not have), PMON_E_CONFLICT (of another platform), with line and reason in error; PMON_E_MEMORY. */
int machine_state_load(struct machine *m, const char *text, size_t n, char *error, size_t error_size);

struct pmon_address;

/* Sets the register at `a` to `value`, including what software cannot write: counts, and read-only bits. A control
 * whose value shows a freeze also freezes. PMON_E_NO_DEVICE (no register begins there), PMON_E_RANGE (the register
 * lacks some bits; the others are set). */
int machine_register_load(struct machine *m, const struct pmon_address *a, uint64_t value);

#endif
