/* SPDX-License-Identifier: MIT */
/*
 * The guest's MSR accesses. An x86 Linux kernel makes them in four small functions; a breakpoint on the instruction in
 * each stops the guest, the machine answers in the instruction's place, and the guest goes on behind it. MSRs that the
 * machine does not have are left to the processor that QEMU emulates.
 */
#ifndef VM_MSR_H
#define VM_MSR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "vm/bus.h"
#include "vm/gdb.h"

enum { MSR_SITES = 4 };

/* Addresses of the instructions: read, read that may fail, write, write that may fail. */
struct msr_sites { uint64_t address[MSR_SITES]; };

/* Finds them in a kernel's ELF image by what the functions' instructions are. PMON_OK; PMON_E_UNKNOWN when one is there
 * not at all or more than once, with the reason in error. */
int msr_sites_find(const uint8_t *image, size_t size, char *error, size_t error_size, struct msr_sites *ret);

/* While the guest stands still. False: the other side is gone or does not do as asked. */
bool msr_arm(struct gdb *g, const struct msr_sites *sites);
/* After a stop that was not asked for: answers the access and lets the guest go on. *ret_ours: the machine has it. */
bool msr_serve(struct gdb *g, const struct msr_sites *sites, struct bus *bus, bool *ret_ours);

#endif
