/* SPDX-License-Identifier: MIT */
/*
 * One record of the stream that drives a core: a bundle that retires, a stall, a switch of threads, a bus transaction,
 * and others. docs/bundles.md describes the text form; machine/montecito/stream/stream.h parses it.
 */
#ifndef MACHINE_MONTECITO_STREAM_RECORD_H
#define MACHINE_MONTECITO_STREAM_RECORD_H

#include <stddef.h>
#include <stdint.h>

enum montecito_record_kind {
  RECORD_BUNDLE,
  RECORD_STALL,
  RECORD_SWITCH,
  RECORD_HALT,
  RECORD_RSE,
  RECORD_SNOOP,
  RECORD_BUS,
  RECORD_STATE,
  RECORD_INTERRUPT,
  RECORD_PURGE,
  RECORD_SIGNAL,
  RECORD_PMC,
  RECORD_PMD,
  RECORD_TIMING,
  RECORD_EXPECT,
  RECORD_RESUME, /* resumes the bundle whose wait a thread switch interrupted */
  RECORD_N
};

/* Slot types as the opcode matchers distinguish them. A instructions execute in M and I slots; L is the first half
 * of a long instruction. */
enum montecito_slot_type { SLOT_M, SLOT_I, SLOT_F, SLOT_B, SLOT_A, SLOT_L };

enum montecito_operation {
  OP_PLAIN,
  OP_NOP,
  OP_FP1,
  OP_FP2,
  OP_FP4,
  OP_LOAD,
  OP_FLOAD,
  OP_STORE,
  OP_FSTORE,
  OP_SEMAPHORE,
  OP_LFETCH,
  OP_LOAD_CHECK,
  OP_CHECK_A,
  OP_CHECK_S,
  OP_LOAD_ADVANCED,
  OP_LOAD_SPECULATIVE,
  OP_FC,
  OP_SRLZ,
  OP_ALLOC, /* also flushrs, loadrs, cover */
  OP_BRANCH,
  OP_CALL,
  OP_RETURN,
  OP_INDIRECT,
  OP_RFI,
  OP_N
};

enum montecito_slot_flag {
  SLOT_OFF = 1 << 0,       /* its predicate is false */
  SLOT_TAKEN = 1 << 1,     /* of a branch */
  SLOT_PREDICTED = 1 << 2, /* the next two flags state the prediction; without it the machine's predictor decides */
  SLOT_WRONG_PATH = 1 << 3,
  SLOT_WRONG_TARGET = 1 << 4,
  SLOT_UNKNOWN_PATH = 1 << 5, /* an earlier branch of the bundle was predicted taken (Table 4-52) */
  SLOT_BE_STG = 1 << 6,
  SLOT_BE_ROT = 1 << 7,
  SLOT_BE_PFS = 1 << 8, /* the back end mispredicted it */
  SLOT_MANY = 1 << 9,   /* br.many: starts streaming prefetch */
  SLOT_UC = 1 << 10,
  SLOT_MISALIGNED = 1 << 11,
  SLOT_FAIL = 1 << 12,   /* a failing check, or a speculative load that becomes NaT */
  SLOT_FP = 1 << 13,     /* a floating-point check or advanced load */
  SLOT_USED = 1 << 14,   /* the next instruction group waits for the result */
  SLOT_SHARED = 1 << 15, /* the line arrives in the shared state */
  SLOT_REMOTE_HIT = 1 << 16,
  SLOT_REMOTE_HITM = 1 << 17, /* another processor's cache has the line, clean or modified */
  SLOT_ALAT_FULL = 1 << 18,   /* displaces a valid entry of the ALAT */
  SLOT_ENCODED = 1 << 19,     /* a branch on port B0 */
  SLOT_OVERSUBSCRIBED = 1 << 20,
  SLOT_FAULT = 1 << 21,         /* the instruction takes an exception */
  SLOT_CALL_INDIRECT = 1 << 22, /* of a call: its target is in a branch register */
  SLOT_HINT = 1 << 23,          /* brp: the code at `address` will be needed */
  SLOT_UNAT = 1 << 24,          /* ld8.fill, st8.spill: the NaT bit is in ar.unat */
  SLOT_PAUSE = 1 << 25,         /* hint@pause: the core's other thread should run */
  SLOT_QUIESCE = 1 << 26        /* the thread enters low power */
};

/* `detail` of arithmetic: its result was near zero, was flushed to zero, or had to be checked before later
 * instructions. */
enum { FP_TINY = 1, FP_FLUSHED = 2, FP_CHECKED = 4 };

/* The memory attribute of an access with SLOT_UC: uncacheable, write coalescing, the ports of devices. */
enum montecito_attribute { MEMORY_UNCACHED, MEMORY_COALESCING, MEMORY_PORTS };
/* Memory order of an access, or of an instruction that only orders accesses: bits of `order`. */
enum {
  ORDER_ACQUIRE = 1,
  ORDER_RELEASE = 2,
  ORDER_FENCE = 4,  /* mf */
  ORDER_ACCEPT = 8, /* mf.a, sync.i: the platform has accepted all earlier accesses */
  ORDER_DRAIN = 16  /* fwb: the buffers of coalesced writes are emptied */
};

/* The level that served an access; ANY: the machine's caches decide. */
enum montecito_hit_level { WHERE_ANY, WHERE_L1, WHERE_L2, WHERE_L3, WHERE_MEMORY, WHERE_N };
/* The source of its translation. L2: second-level TLB; WALK: page walker; FAULT: software. */
enum montecito_tlb_level { TLB_ANY, TLB_L1, TLB_L2, TLB_WALK, TLB_FAULT, TLB_N };

/* Registers that an instruction reads and writes, for the scoreboard: the physical register in the low bits, and above
 * them enum montecito_consumer or enum montecito_producer (scoreboard.h). 0: none. */
enum { DEPENDENCE_READS = 5, DEPENDENCE_WRITES = 3 };
struct montecito_dependences {
  uint16_t read[DEPENDENCE_READS], write[DEPENDENCE_WRITES];
};

/* The register stack before an operation on it: the frame's registers and the dirty ones. A slot without STACK_KNOWN
 * leaves this to the last RECORD_RSE; STACK_KEPT: rfi to a frame that was not covered, which is no such operation. */
enum { STACK_KNOWN = 1 << 16, STACK_KEPT = 1 << 17 };
static inline uint32_t stack_state(unsigned current, unsigned dirty)
{
  return STACK_KNOWN | current | dirty << 8;
}

struct montecito_slot {
  uint64_t encoding; /* 41 bits */
  uint64_t address;  /* of the data, or the target of the branch */
  uint32_t latency;  /* of the access, in cycles; 0: depends on the level; of an operation on the register stack:
                      * stack_state() */
  uint32_t flags;
  uint8_t op, type, where, tlb;
  uint8_t bytes, order, attribute; /* of the access; bytes: 0: not known; enum montecito_attribute */
  uint8_t detail; /* of a speculative load that became NaT: its umask in Table 4-125; of floating point: FP_TINY and
                   * others; else a stall of one cycle, enum montecito_stall. 0: none */
  struct montecito_dependences uses;
};

enum {
  BUNDLE_JOINED = 1, /* retires in the cycle of the previous bundle */
  BUNDLE_STOP = 2,   /* ends with a stop */
  BUNDLE_LONG = 4,   /* MLX: two instructions */
  BUNDLE_UC = 8,
  BUNDLE_RAB = 16,
  BUNDLE_ISB = 32,          /* its fetch is uncacheable, or hits in RAB or ISB */
  BUNDLE_STOP_AFTER_0 = 64, /* template M;MI: the slots after the stop are the next instruction group */
  BUNDLE_STOP_AFTER_1 = 128 /* template MI;I */
};
/* Constraints on the issue of a bundle: bits of `timing`. */
enum {
  TIMING_SPLIT_0 = 1, /* too few ports: the slots after slot 0 issue in the next cycle */
  TIMING_SPLIT_1 = 2, /* too few ports: the slot after slot 1 issues in the next cycle */
  TIMING_WAITS = 4,   /* `uses` of the slots are known, and the bundle waits for the registers */
  TIMING_AHEAD = 8,   /* the first part of the bundle at `follower` issues in the same cycle, and waits with this one */
  TIMING_MULTIMEDIA = 16 /* a multimedia operation reads registers */
};

struct montecito_bundle {
  uint64_t address;
  uint32_t latency; /* of its fetch; 0: depends on the level */
  uint8_t flags, where, tlb, n_slots, timing;
  struct montecito_slot slot[3];
  const struct montecito_bundle *follower; /* valid until the next record */
};

struct montecito_record {
  uint8_t kind;   /* enum montecito_record_kind */
  uint8_t thread; /* hardware thread 0..3 */
  /* STALL: reason; INTERRUPT: an event that the cause signals, or 0; SWITCH: cause; RSE: stores; SNOOP: kind; BUS:
   * kind, agent; PMC, PMD: number; EXPECT: number, enum compare, with the register space in n and the input's line in
   * address; STATE: enum montecito_thread_register; TIMING: 1 the machine adds stalls, 0 it does not; SIGNAL: code */
  uint8_t a, b;
  uint32_t n;              /* cycles or another number; RSE: loads */
  uint64_t value, address; /* value: the value to write; SIGNAL: umasks | cycles << 16; RSE: current | dirty << 8 */
  struct montecito_bundle bundle;
};

/* Stall reasons, the rows of a table in machine/montecito/core/stall.c: the reason of a name (-1: none), the name of a
 * reason (NULL: none). */
int montecito_stall_find(const char *name);
const char *montecito_stall_name(unsigned reason);

enum montecito_switch { SWITCH_L3MISS, SWITCH_TIMER, SWITCH_HINT, SWITCH_LOW_POWER, SWITCH_DEBUG, SWITCH_N };
enum montecito_snoop { SNOOP_READ, SNOOP_INVALIDATE, SNOOP_N };
enum montecito_bus {
  BUS_READ_LINE,
  BUS_READ_INVALIDATE,
  BUS_INVALIDATE,
  BUS_WRITE_LINE,
  BUS_READ_PARTIAL,
  BUS_WRITE_PARTIAL,
  BUS_READ_CURRENT,
  BUS_IO_READ,
  BUS_IO_WRITE,
  BUS_CASTOUT, /* a clean line left the L3: no data */
  BUS_KIND_N
};
/* The initiator: this core, a device (priority agent), another processor. */
enum montecito_agent { AGENT_SELF, AGENT_IO, AGENT_OTHER, AGENT_N };

#endif
