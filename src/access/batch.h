/* SPDX-License-Identifier: MIT */
/*
 * Reads of many MSRs in one system call, if the msr-safe module offers it: its device cpu/msr_batch takes a list of
 * operations, each with the CPU that performs it.
 */
#ifndef PMON_ACCESS_BATCH_H
#define PMON_ACCESS_BATCH_H

#include <pmon/access.h>
#include "src/access/system.h"

enum { BATCH_MOST = 512, BATCH_PENDING = 1 };

/* One operation, as the module's interface defines it. */
struct batch_operation {
  uint16_t cpu, is_read;
  int32_t error; /* result: 0 or a negative errno */
  uint32_t msr;
  uint64_t value, write_mask;
};

struct batch {
  int fd; /* -1: there is no such device, or it does not support the call */
  uint32_t n;
  struct batch_operation operations[BATCH_MOST];
  struct pmon_read *reads[BATCH_MOST];
};

/* Opens the device if it exists. */
void batch_open(struct batch *b, const struct system *s);
void batch_close(struct batch *b);

/* Adds a read of an MSR to the list; performs the reads of a full list first. */
void batch_add(struct batch *b, uint32_t cpu, struct pmon_read *read);

/* Performs the reads of the list. Reads that fail keep their status. A device that does not support the call is
 * closed. */
void batch_read(struct batch *b);

#endif
