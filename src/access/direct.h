/* SPDX-License-Identifier: MIT */
/*
 * What sessions ask of the backend below their wrappers when it is that of a host's registers. For other backends each
 * of these succeeds and does nothing.
 */
#ifndef PMON_ACCESS_DIRECT_H
#define PMON_ACCESS_DIRECT_H

#include <pmon/hardware.h>

/* Whether a write of `value` would be made (ranges.h). PMON_OK; PMON_E_PERMISSION, with the reason in b->error_text. */
int access_check_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value);

/*
 * Locks the host's monitoring registers for this backend: each host has one lock, on the first device that reaches
 * registers (flock), so that no folder, file or environment decides about it and the kernel releases it when the
 * process ends. A backend may be locked several times. PMON_OK; PMON_E_STATE, with the process that has it in *reason.
 */
int access_lock(struct pmon_backend *b, struct pmon_reason *reason);

/* Undoes one access_lock(). */
void access_unlock(struct pmon_backend *b);

#endif
