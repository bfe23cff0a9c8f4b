/* SPDX-License-Identifier: MIT */
/*
 * A processor's core counters, which are no part of the uncore: architectural performance monitoring of x86, version 3.
 * The counters of processor n count what the machine's core n does, in simulated time: instructions, and cycles while
 * it is not idle. General-purpose counters count the same three events by their codes. Other events are not modelled:
 * their counters stay 0. No counter sends an interrupt or reports an overflow.
 */
#ifndef MACHINE_COMMON_COUNTERS_H
#define MACHINE_COMMON_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

struct traffic;

enum { COUNTERS_GENERAL = 4, COUNTERS_FIXED = 3, COUNTERS_BITS = 48 };

/* Registers EAX and EDX of CPUID leaf 0Ah. No event of the general counters is listed as architectural. The kernel
 * requires seven, so it leaves all general counters unused. */
#define COUNTERS_EAX (3u | COUNTERS_GENERAL << 8 | COUNTERS_BITS << 16)
#define COUNTERS_EDX (0u | COUNTERS_FIXED | COUNTERS_BITS << 5)

/* The events, in the order of the fixed counters. */
enum counted { COUNTED_INSTRUCTIONS, COUNTED_CYCLES, COUNTED_REFERENCE, COUNTED };

/* The counters of one processor; all are 0 after reset. */
struct counters {
  uint64_t select[COUNTERS_GENERAL], general[COUNTERS_GENERAL];
  uint64_t fixed_control, fixed[COUNTERS_FIXED];
  uint64_t enabled;       /* IA32_PERF_GLOBAL_CTRL */
  uint64_t seen[COUNTED]; /* the core's totals at the last update of the counters */
};

/* True if an MSR belongs to these counters. */
bool counters_have(uint32_t msr);
/* Access such an MSR; `core` is numbered across all sockets. */
uint64_t counters_read(struct traffic *t, unsigned core, uint32_t msr);
void counters_write(struct traffic *t, unsigned core, uint32_t msr, uint64_t value);

#endif
