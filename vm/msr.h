/* SPDX-License-Identifier: MIT */
/*
 * The guest's MSR accesses. As each may fault, Linux lists the instructions in its exception table, in every
 * configuration. A breakpoint on each of them stops the guest, the machine answers in place of the instruction, and the
 * guest continues after it, or gets a fault there. MSRs that a processor has besides the machine's are left to QEMU's
 * processor.
 */
#ifndef VM_MSR_H
#define VM_MSR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "vm/bus.h"
#include "vm/gdb.h"

enum { MSR_SITES_MAX = 2048 };

/* The instructions: address, size, and whether they write. called: modules' accesses are included, because they call
 * functions of the kernel; else a module contains its own MSR instructions. */
struct msr_sites {
  unsigned n;
  bool called;
  struct msr_site {
    uint64_t address;
    uint8_t size;
    bool write;
  } site[MSR_SITES_MAX];
};

/* Finds them in a kernel's ELF image. PMON_OK; PMON_E_UNKNOWN when there are none, or too many, with the reason in
 * error. */
int msr_sites_find(const uint8_t *image, size_t size, char *error, size_t error_size, struct msr_sites *ret);

/* An access at which the guest stopped: the processor (from 1), its instruction, and the registers before it. */
struct msr_access {
  unsigned thread;
  const struct msr_site *at;
  uint64_t reg[GDB_REGISTERS];
};

/* Raises a general protection fault at the access's instruction, with its registers, in place of the access
 * (msr_fault.c). */
bool msr_fault(struct gdb *g, const struct msr_sites *sites, const struct msr_access *by);
/* Sets the breakpoints while the guest is stopped. False: the peer closed or gave an unexpected answer. */
bool msr_arm(struct gdb *g, const struct msr_sites *sites);
/* After a stop at a breakpoint: answers the access and resumes the guest. *ret_ours: the machine has this MSR. */
bool msr_serve(struct gdb *g, const struct msr_sites *sites, struct bus *bus, bool *ret_ours);

#endif
