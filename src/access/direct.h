/* SPDX-License-Identifier: MIT */
/*
 * Functions that sessions need of a backend for a host's registers, below its wrappers. For other backends each of them
 * succeeds and does nothing.
 */
#ifndef PMON_ACCESS_DIRECT_H
#define PMON_ACCESS_DIRECT_H

#include <pmon/hardware.h>

/* Checks whether a write of `value` is permitted (ranges.h). PMON_OK; PMON_E_PERMISSION, with the reason in
 * b->error_text. */
int access_check_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value);

/* As access_check_write(), whether the helper may read a register for its caller: also a read-only one. */
int access_check_read(struct pmon_backend *b, const struct pmon_address *a);

/*
 * Locks the host's monitoring registers for this backend. Each host has one lock, on the first open device (flock): it
 * does not depend on a directory, file or environment, and the kernel releases it when the process ends. A backend may
 * be locked several times. PMON_OK; PMON_E_STATE, with the process that has the lock in *reason.
 */
int access_lock(struct pmon_backend *b, struct pmon_reason *reason);

/* Undoes one access_lock(). */
void access_unlock(struct pmon_backend *b);

#endif
