/* SPDX-License-Identifier: MIT */
/*
 * Accesses to memory that may disappear: when a device is removed, accesses to its mapping raise SIGBUS. The signal
 * handler belongs to the program; it calls pmon_backend_bus_error(), and the access then fails.
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

/* Read or write 32 or 64 bits at `at`, which is aligned to them. False: the memory disappeared. */
bool guard_read(struct guard *g, const volatile void *at, unsigned width_bits, uint64_t *ret_value);
bool guard_write(struct guard *g, volatile void *at, unsigned width_bits, uint64_t value);

/* Called in a signal handler: aborts the current access and does not return. Returns false if there is none. */
bool guard_fault(struct guard *g);

#endif
