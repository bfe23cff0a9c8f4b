/* SPDX-License-Identifier: MIT */
/*
 * One described register through a backend: its whole width, whatever the width of one access. Registers in PCI
 * configuration space are reached in dwords (817509 1.8): a read takes the high half, the low half and the high half
 * again until both high halves agree, so that a carry between the accesses cannot tear the value; a write puts the
 * high half first, because the low half holds what starts a counter.
 */
#ifndef PMON_ACCESS_REGISTER_H
#define PMON_ACCESS_REGISTER_H

#include <stdint.h>
#include <pmon/access.h>
#include <pmon/platform.h>

/* The backend's status and error text; PMON_E_IO when the halves never agree. */
int access_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value);

/* Reads `n` registers of their whole width, by the backend's sweep where it has one. */
void access_sweep(struct pmon_backend *b, struct pmon_read *reads, uint32_t n);

/* The same for a register that does not change meanwhile: each half is read once. */
int access_read_still(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value);
int access_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value);

/* The bits of a register that software may write, overlays' fields among them; 0 for a register without layout. */
uint64_t access_writable(const struct pmon_platform *platform, const struct pmon_register_id *id);

/* The bits of the register (or of the dword of it) at `a` that may be written as 1, constants among them, and how many
 * bits there are from `a` to its end. PMON_OK, PMON_E_UNKNOWN. */
int access_writable_at(const struct pmon_platform *platform, const struct pmon_address *a, uint64_t *ret_mask,
                       unsigned *ret_width);

/* The bits of a register that hold what was written into them (817509 1.4: neither resets nor bits cleared by a one).
 */
uint64_t access_stable(const struct pmon_platform *platform, const struct pmon_register_id *id);

/* The bits of the field that is called `name`, or has it among its aliases; 0 when there is none. Without case. */
uint64_t access_field(const struct pmon_platform *platform, const struct pmon_register_id *id, const char *name);

#endif
