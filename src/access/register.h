/* SPDX-License-Identifier: MIT */
/*
 * Accesses to one described register through a backend, in its whole width, whatever the width of one access. Registers
 * in PCI configuration space are accessed in dwords (817509 1.8): a read reads the high half, the low half and the high
 * half again until both high halves agree, so that a carry between the accesses cannot tear the value; a write writes
 * the high half first, because the low half has the bits that start a counter.
 */
#ifndef PMON_ACCESS_REGISTER_H
#define PMON_ACCESS_REGISTER_H

#include <stdint.h>
#include <pmon/access.h>
#include <pmon/platform.h>

/* Returns the backend's status and error text; PMON_E_IO if the high halves never agree. */
int access_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value);

/* Reads `n` registers in their whole width, through the backend's sweep if it has one. */
void access_sweep(struct pmon_backend *b, struct pmon_read *reads, uint32_t n);

/* Writes the register. Returns the backend's status and error text. */
int access_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value);

/* Returns the bits of a register that software may write, including overlays' fields; 0 for a register without a
 * layout. */
uint64_t access_writable(const struct pmon_platform *platform, const struct pmon_register_id *id);

/* Returns the bits of the register (or of its dword, which an MSR does not have) at `a` that may be written as 1,
 * including constants, and the number of bits from `a` to its end. PMON_OK; PMON_E_PERMISSION: the register is
 * read-only, so that a write of 0 is refused, too; PMON_E_UNKNOWN: no register is described there. */
int access_writable_at(const struct pmon_platform *platform, const struct pmon_address *a, uint64_t *ret_mask,
                       unsigned *ret_width);

/* Returns the bits of a register that keep a written value (817509 1.4: neither reset bits nor bits that writing 1
 * clears). */
uint64_t access_stable(const struct pmon_platform *platform, const struct pmon_register_id *id);

/* Returns the bits of the field with the name or alias `name`, ignoring case; 0 if there is none. */
uint64_t access_field(const struct pmon_platform *platform, const struct pmon_register_id *id, const char *name);

#endif
