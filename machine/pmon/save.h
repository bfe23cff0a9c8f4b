/* SPDX-License-Identifier: MIT */
/*
 * The machine's register state as text, to be looked at, kept and put back: docs/logs.md describes it. What is in
 * flight (traffic, queues, reports that wait) is no register and not part of it.
 */
#ifndef MACHINE_PMON_SAVE_H
#define MACHINE_PMON_SAVE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct machine;

/* Writes every register of every socket. PMON_E_IO when `f` takes no more. */
int machine_state_save(const struct machine *m, FILE *f);

/* Puts registers back that `text` of `n` bytes names; others keep what they hold. Nothing is changed when the text is
 * refused. PMON_E_SYNTAX, PMON_E_UNKNOWN (a register or socket that this machine lacks), PMON_E_RANGE (bits that the
 * register does not have), PMON_E_CONFLICT (of another platform), with line and reason in error; PMON_E_MEMORY. */
int machine_state_load(struct machine *m, const char *text, size_t n, char *error, size_t error_size);

struct pmon_address;

/* Makes the register at `a` hold `value`, as no write of software's could: its counts, and bits that it can only read.
 * A frozen control freezes where that can be seen in its value. PMON_E_NO_DEVICE (no register begins there),
 * PMON_E_RANGE (there are bits
 * that it does not have; it holds the others). */
int machine_register_load(struct machine *m, const struct pmon_address *a, uint64_t value);

#endif
