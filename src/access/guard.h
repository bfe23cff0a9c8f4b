/* SPDX-License-Identifier: MIT */
/*
 * Accesses to memory that may vanish: when a device is taken away, its mapping answers with a signal (SIGBUS).
 * Handlers of signals are the program's; it hands the signal over (pmon_backend_bus_error()), and the access ends as
 * one that failed.
 */
#ifndef PMON_ACCESS_GUARD_H
#define PMON_ACCESS_GUARD_H

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct guard {
  volatile sig_atomic_t armed;
  sigjmp_buf back;
};

/* 32 or 64 bits at `at`, which is aligned to them. False: the memory vanished. */
bool guard_read(struct guard *g, const volatile void *at, unsigned width_bits, uint64_t *ret_value);
bool guard_write(struct guard *g, volatile void *at, unsigned width_bits, uint64_t value);

/* In a signal's handler: ends the access that is being made, and does not return. False: none is. */
bool guard_fault(struct guard *g);

#endif
