/* SPDX-License-Identifier: MIT */
/*
 * Samples: at each n-th count of an event the counters freeze, and the processor's buffers hold its position. Montecito
 * has three buffers: the event address registers for instruction misses and for data misses, and the execution trace
 * buffer (Montecito 3.3.8 to 3.3.10). A struct pmon_sample_source selects the buffer and its condition. A session with
 * a sample source (pmon/session.h: every_event, every_count, source, sample) programs the buffer, reads it each time
 * the event's counter overflows, and restores it at close.
 */
#ifndef PMON_SAMPLE_PUBLIC_H
#define PMON_SAMPLE_PUBLIC_H

#include <stddef.h>
#include <stdint.h>
#include <pmon/api.h>
#include <pmon/context.h>
#include <pmon/platform.h>

PMON_BEGIN_DECLS

enum pmon_sample_source_kind {
  PMON_SOURCE_NOTHING,
  PMON_SOURCE_DATA_CACHE, /* loads that miss the L1D, and floating-point loads (3.3.9.1) */
  PMON_SOURCE_DATA_TLB,   /* misses of the L1DTLB (3.3.9.2) */
  PMON_SOURCE_ALAT,       /* failing checks of advanced loads (3.3.9.3) */
  PMON_SOURCE_CODE_CACHE, /* demand fetches that miss the L1I (3.3.8.1) */
  PMON_SOURCE_CODE_TLB,   /* misses of the L1ITLB (3.3.8.2) */
  PMON_SOURCE_BRANCHES,   /* branches, returns from interruptions, exceptions, failed checks (3.3.10.1) */
  PMON_SOURCE_ADDRESSES,  /* the addresses of retiring instructions, in order: the IP-EAR (3.3.10.2) */
  PMON_SOURCE_N
};

/*
 * The buffer and its condition. The meaning of `value` depends on `kind`. Cache misses: the code of the minimum
 * latency. TLB misses: a bit for each level that served the miss (Tables 3-16, 3-18, 3-21, 3-23). Branches: bits 1:0
 * tm, 3:2 ptm, 5:4 ppm, 7:6 brt of Table 3-26. Addresses: the number of cycles that the buffer continues after the
 * overflow, 0 to 255 (Table 3-30).
 */
struct pmon_sample_source {
  size_t size;
  uint32_t kind;
  uint64_t value;
};

/*
 * Parses `KIND` or `KIND=CONDITION`, ignoring case:
 *   dcache[=CYCLES]   minimum latency: a power of two from 4 to 4096; default: any
 *   dtlb[=LEVEL]      L2DTLB, VHPT, FAULT: the level that serves the miss; several joined by +; default: any
 *   alat
 *   icache[=CYCLES]   minimum latency: 4, 8, 16, 32, 128, 256, 1024, 4096; RAB: hits in the request buffer
 *   itlb[=LEVEL]      L2TLB, VHPT, FAULT
 *   branches[=KIND]   taken, nottaken, wrongpath, wrongtarget, right, iprel, returns, indirect; joined by +
 *   addresses[=CYCLES]  cycles after the overflow during which addresses are recorded, 0 to 255; default: 0
 * PMON_OK; PMON_E_SYNTAX (the error record lists the valid words); PMON_E_UNSUPPORTED (the platform has no such
 * buffer).
 */
PMON_API int pmon_sample_source_parse(struct pmon_context *context, const struct pmon_platform *platform,
                                      const char *text, struct pmon_sample_source *ret_source);

/* Returns the keyword of a kind, as listed above; NULL: no such kind. */
PMON_API const char *pmon_sample_source_name(uint32_t kind);

/* Returns the event that counts the samples of a kind; an overflow every n counts gives every n-th sample. NULL: no
 * such kind. */
PMON_API const char *pmon_sample_source_event(uint32_t kind);

enum pmon_sample_flag {
  PMON_SAMPLE_IP = 1,        /* ip and slot are valid */
  PMON_SAMPLE_DATA = 2,      /* data is valid */
  PMON_SAMPLE_LATENCY = 4,   /* latency is valid */
  PMON_SAMPLE_LONGER = 8,    /* the latency counter wrapped: the latency is longer than its value (3.3.8.1, 3.3.9.1) */
  PMON_SAMPLE_TARGET = 16,   /* target is valid */
  PMON_SAMPLE_TAKEN = 32,    /* the branch was taken */
  PMON_SAMPLE_WRONG = 64,    /* the branch was mispredicted; rfi, exceptions and failed checks always have this flag */
  PMON_SAMPLE_FLUSHED = 128, /* the back end detected the misprediction and flushed the pipeline */
  PMON_SAMPLE_STOLEN = 256,  /* other software changed the buffer's configuration: all other members are invalid */
  PMON_SAMPLE_EARLY = 512, /* IP-EAR: the buffer stopped before its delay ended, because the processor's status disabled
                              it or another thread ran; ip is known to 4 KB only (Table 3-31, ef) */
  PMON_SAMPLE_LAST = 1024  /* IP-EAR: written by the freeze itself; possibly no instruction retired (3.3.10.2.1) */
};

/* One sample, or one branch or address of a sample, oldest first. No flags: the buffer recorded nothing since the
 * previous sample. */
struct pmon_sample {
  size_t size;
  uint64_t number;    /* number of the overflow, from 0; the branches or addresses of one overflow share it */
  uint64_t time_ns;   /* on the backend's clock, when the overflow was observed */
  uint32_t package;   /* hardware thread */
  uint32_t kind;      /* enum pmon_sample_source_kind */
  uint32_t flags;     /* enum pmon_sample_flag */
  uint32_t slot;      /* slot in the bundle, 0 to 2; 0 for a branch that was not taken, whose slot is not recorded */
  uint64_t ip;        /* address of the bundle; for an instruction miss, address of the cache line */
  uint64_t data;      /* address of the data */
  uint64_t target;    /* branch target: the bundle's address */
  uint32_t latency;   /* core cycles; IP-EAR: cycles since the previous address retired, at most 63 */
  const char *served; /* the level that served a TLB miss: L2DTLB, L2TLB, VHPT, FAULT; "" if unknown */
};

PMON_END_DECLS

#endif
