/* SPDX-License-Identifier: MIT */
/*
 * Many MSRs in one system call, where the msr-safe module offers that: its device cpu/msr_batch takes a list of
 * operations, each with the CPU that is to make it.
 */
#ifndef PMON_ACCESS_BATCH_H
#define PMON_ACCESS_BATCH_H

#include <pmon/access.h>
#include "system.h"

enum { BATCH_MOST = 512, BATCH_PENDING = 1 };

/* One operation, as the module's interface has it. */
struct batch_operation {
  uint16_t cpu, is_read;
  int32_t error; /* after it: 0, or an errno below 0 */
  uint32_t msr;
  uint64_t value, write_mask;
};

struct batch {
  int fd; /* -1: there is no such device, or it does not do what is asked */
  uint32_t n;
  struct batch_operation operations[BATCH_MOST];
  struct pmon_read *reads[BATCH_MOST];
};

/* Opens the device when it is there. */
void batch_open(struct batch *b, const struct system *s);
void batch_close(struct batch *b);

/* Adds a read of an MSR to the list; makes the reads of a full one first. */
void batch_add(struct batch *b, uint32_t cpu, struct pmon_read *read);

/* Makes the reads of the list. Those that it could not make keep their status. A device that knows no such call is not
 * asked again. */
void batch_read(struct batch *b);

#endif
