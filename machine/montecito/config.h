/* SPDX-License-Identifier: MIT */
/*
 * The parameters of the emulated Montecito. Sizes, ways and latencies are those of Tables 2-8 and 2-9; a switch of
 * threads takes 15 cycles (2.4.1). The guide states no sizes of the TLBs and no times of memory, bus, page walker and
 * flushes: these are choices of the model, within Table 2-8's range for memory. Lines have 64 bytes in L1 and 128
 * elsewhere.
 */
#ifndef MACHINE_MONTECITO_CONFIG_H
#define MACHINE_MONTECITO_CONFIG_H

#include <stddef.h>
#include <stdint.h>
#include "machine/common/parameter.h"

/* X(identifier, name, kind, least, most, default, meaning). Latencies are in core cycles. */
#define MONTECITO_PARAMETERS(X)                                                                                        \
  X(MEMORY_LATENCY, "memory.latency", KIND_COUNT, 16, 100000, 200, "cycles of an access to memory")                    \
  X(UC_LATENCY, "uncached.latency", KIND_COUNT, 16, 100000, 250, "cycles of an access to uncacheable memory")          \
  X(L1I_SIZE, "l1i.size", KIND_SIZE, 4096, 1 << 20, 16 << 10, "first-level instruction cache")                         \
  X(L1I_WAYS, "l1i.ways", KIND_COUNT, 4, 64, 4, "ways of the first-level instruction cache, a multiple of 4")          \
  X(L1D_SIZE, "l1d.size", KIND_SIZE, 4096, 1 << 20, 16 << 10, "first-level data cache")                                \
  X(L1D_WAYS, "l1d.ways", KIND_COUNT, 4, 64, 4, "ways of the first-level data cache, a multiple of 4")                 \
  X(L2I_SIZE, "l2i.size", KIND_SIZE, 4096, 64 << 20, 1 << 20, "second-level instruction cache")                        \
  X(L2I_WAYS, "l2i.ways", KIND_COUNT, 4, 64, 8, "ways of the second-level instruction cache, a multiple of 4")         \
  X(L2I_LATENCY, "l2i.latency", KIND_COUNT, 1, 1000, 7, "cycles of an L2I hit")                                        \
  X(L2D_SIZE, "l2d.size", KIND_SIZE, 4096, 64 << 20, 256 << 10, "second-level data cache")                             \
  X(L2D_WAYS, "l2d.ways", KIND_COUNT, 4, 64, 8, "ways of the second-level data cache, a multiple of 4")                \
  X(L2D_LATENCY, "l2d.latency", KIND_COUNT, 1, 1000, 5, "cycles of an L2D hit; a floating-point load takes one more")  \
  X(L3_SIZE, "l3.size", KIND_SIZE, 4096, 1 << 30, 12 << 20, "third-level cache of a core")                             \
  X(L3_WAYS, "l3.ways", KIND_COUNT, 4, 64, 12, "ways of the third-level cache, a multiple of 4")                       \
  X(L3_LATENCY, "l3.latency", KIND_COUNT, 1, 1000, 14, "cycles of an L3 hit; a floating-point load takes one more")    \
  X(PAGE_SIZE, "page.size", KIND_SIZE, 4096, 1 << 28, 16 << 10, "size of the pages that the TLBs translate")           \
  X(L1ITLB, "l1itlb.entries", KIND_COUNT, 4, 128, 32, "entries of the first-level instruction TLB")                    \
  X(L2ITLB, "l2itlb.entries", KIND_COUNT, 4, 128, 128,                                                                 \
    "entries of the second-level instruction TLB; one is reserved per thread")                                         \
  X(L2ITLB_LATENCY, "l2itlb.latency", KIND_COUNT, 1, 1000, 3,                                                          \
    "cycles for which a hit in the second-level instruction TLB stalls the front end")                                 \
  X(L1DTLB, "l1dtlb.entries", KIND_COUNT, 4, 128, 32, "entries of the first-level data TLB")                           \
  X(L2DTLB, "l2dtlb.entries", KIND_COUNT, 40, 128, 128,                                                                \
    "entries of the second-level data TLB; 16 are reserved per thread")                                                \
  X(L2DTLB_LATENCY, "l2dtlb.latency", KIND_COUNT, 1, 1000, 4,                                                          \
    "stall cycles of a transfer to the first-level data TLB")                                                          \
  X(WALK_LATENCY, "walk.latency", KIND_COUNT, 1, 10000, 25, "cycles of a page walk")                                   \
  X(PREDICTOR, "predictor.entries", KIND_COUNT, 16, 1 << 20, 4096,                                                     \
    "entries (bundles) of the second-level branch predictor, a power of two")                                          \
  X(BRANCH_PENALTY, "branch.penalty", KIND_COUNT, 1, 1000, 6, "cycles of a mispredicted branch's flush")               \
  X(FLUSH_PENALTY, "flush.penalty", KIND_COUNT, 1, 1000, 10, "cycles of a flush by an exception or a serialisation")   \
  X(SWITCH_CYCLES, "switch.cycles", KIND_COUNT, 1, 1000, 15, "cycles of a thread switch")                              \
  X(SWITCH_QUANTUM, "switch.quantum", KIND_COUNT, 100, 1000000000, 20000, "cycles of a thread's time slice")           \
  X(BUS_RATIO, "bus.ratio", KIND_COUNT, 1, 64, 6, "core cycles per bus clock")                                         \
  X(BUS_ARBITER, "bus.arbiter", KIND_COUNT, 1, 1000, 10, "cycles of a request in the arbiter")                         \
  X(BUS_WRITE, "bus.write", KIND_COUNT, 1, 1000, 24, "cycles of a write in its queue")                                 \
  X(PROGRAM_BUNDLES, "program.bundles", KIND_COUNT, 0, 4000000000, 0,                                                  \
    "bundles after which programs are stopped; 0: no limit")

enum montecito_config_id {
#define MONTECITO_CONFIG_ID(id, ...) MONTECITO_##id,
  MONTECITO_PARAMETERS(MONTECITO_CONFIG_ID)
#undef MONTECITO_CONFIG_ID
      MONTECITO_CONFIG_N
};

struct montecito_config {
  uint32_t value[MONTECITO_CONFIG_N];
};

/* All parameters, in the order of enum montecito_config_id. */
extern const struct parameter_list montecito_parameters;

/* Sets all parameters to their defaults. */
void montecito_config_init(struct montecito_config *config);
/* Sets one `name=value` parameter. Returns the statuses of parameter_parse(). */
int montecito_config_parse(struct montecito_config *config, const char *text, char *error, size_t error_size);
/* Checks that the values are consistent. PMON_E_RANGE with the reason in error. */
int montecito_config_check(const struct montecito_config *config, char *error, size_t error_size);

#endif
