/* SPDX-License-Identifier: MIT */
/*
 * Samples: at each n-th count of an event everything stands still, and the processor's own buffers tell where it was.
 * Montecito has three of them: an event address register for instruction misses, one for data misses, and a buffer of
 * the last changes of the flow (Montecito 3.3.8 to 3.3.10). What they are to catch is a struct pmon_sample_source; a
 * session whose options name one (pmon/session.h: every_event, every_count, wanted, sample) programs the buffer, reads
 * it each time the event's counter overflows, and gives it back in the end.
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
  PMON_SOURCE_ADDRESSES,  /* addresses of what retires, one behind the other: the IP-EAR (3.3.10.2) */
  PMON_SOURCE_N
};

/* What to catch. `value` says which: of caches the code of the least latency, of TLBs a bit for each that may serve
 * (Tables 3-16, 3-18, 3-21, 3-23), of branches bits 1:0 tm, 3:2 ptm, 5:4 ppm, 7:6 brt of Table 3-26, of addresses the
 * cycles for which the buffer goes on behind the overflow, 0 to 255 (Table 3-30). */
struct pmon_sample_source {
  size_t size;
  uint32_t kind;
  uint64_t value;
};

/*
 * Reads `KIND` or `KIND=WHICH` without regard to case:
 *   dcache[=CYCLES]   least latency: a power of two from 4 to 4096; all without it
 *   dtlb[=WHO]        L2DTLB, VHPT, FAULT: who serves it; several joined by +; all without it
 *   alat
 *   icache[=CYCLES]   least latency: 4, 8, 16, 32, 128, 256, 1024, 4096; RAB: those that hit in the request buffer
 *   itlb[=WHO]        L2TLB, VHPT, FAULT
 *   branches[=WHICH]  taken, nottaken, wrongpath, wrongtarget, right, iprel, returns, indirect; joined by +
 *   addresses[=CYCLES]  for how many cycles behind the overflow addresses are kept, 0 to 255; 0 without it
 * PMON_OK; PMON_E_SYNTAX (the error record lists what there is); PMON_E_UNSUPPORTED (the platform has no such buffer).
 */
PMON_API int pmon_sample_source_parse(struct pmon_context *context, const struct pmon_platform *platform,
                                      const char *text, struct pmon_sample_source *ret_source);

/* The word for a kind, as above; NULL: no such kind. */
PMON_API const char *pmon_sample_source_name(uint32_t kind);

/* The event that counts what is caught: sampling it gives every n-th of them. NULL: no such kind. */
PMON_API const char *pmon_sample_source_event(uint32_t kind);

enum pmon_sample_flag {
  PMON_SAMPLE_IP = 1,        /* ip and slot are known */
  PMON_SAMPLE_DATA = 2,      /* so is data */
  PMON_SAMPLE_LATENCY = 4,   /* and latency */
  PMON_SAMPLE_LONGER = 8,    /* its counter wrapped: it took longer than it says (3.3.8.1, 3.3.9.1) */
  PMON_SAMPLE_TARGET = 16,   /* target is known */
  PMON_SAMPLE_TAKEN = 32,    /* the branch was taken */
  PMON_SAMPLE_WRONG = 64,    /* it was mispredicted; rfi, exceptions and failed checks always are */
  PMON_SAMPLE_FLUSHED = 128, /* the back end noticed that, and flushed the pipeline */
  PMON_SAMPLE_STOLEN = 256,  /* somebody else changed the buffer's configuration: nothing else is known */
  PMON_SAMPLE_EARLY = 512,   /* of addresses: the buffer stopped before its delay was over, since the processor's
                                status forbade it or another thread came; ip is known to 4 KB only (Table 3-31, ef) */
  PMON_SAMPLE_LAST = 1024    /* of addresses: written by the freeze itself; maybe nothing retires (3.3.10.2.1) */
};

/* One sample, or one branch or address of a sample, oldest first. With no flag at all nothing was caught since the last
 * one. */
struct pmon_sample {
  size_t size;
  uint64_t number;    /* of the overflow, from 0: branches, or addresses, of one share it */
  uint64_t time_ns;   /* on the backend's clock, when it was seen */
  uint32_t package;   /* hardware thread */
  uint32_t kind;      /* enum pmon_sample_source_kind */
  uint32_t flags;     /* enum pmon_sample_flag */
  uint32_t slot;      /* of the bundle, 0 to 2 */
  uint64_t ip;        /* address of the bundle; of an instruction miss that of its cache line */
  uint64_t data;      /* address of the datum */
  uint64_t target;    /* of the branch: the bundle's address */
  uint32_t latency;   /* cycles of the core; of addresses, since the one before retired, 63 at most */
  const char *served; /* who served a TLB miss: L2DTLB, L2TLB, VHPT, FAULT; "" where that is not told */
};

PMON_END_DECLS

#endif
