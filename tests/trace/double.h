/* SPDX-License-Identifier: MIT */
/*
 * Test double of the machine's traffic: it counts its arguments, and advances each core's time by 1 ns per instruction.
 * Its L1 caches are always empty, so that no access takes the fast path of machine/common/fast.h.
 */
#ifndef TESTS_TRACE_DOUBLE_H
#define TESTS_TRACE_DOUBLE_H

#include "machine/machine.h"
#include "machine/common/fast.h"

#define DOUBLE_CORES 128
#define DOUBLE_LOG 4096

struct double_event {
  char what;
  unsigned core;
  uint64_t at;
  uint32_t size, kind;
}; /* 'b' 'a' 'i' 'w' */

struct traffic {
  struct traffic_front base;
  struct core_front *fronts[DOUBLE_CORES], front[DOUBLE_CORES];
  uint64_t empty[2];
  struct first_order empty_order;
  struct first_set empty_set;
  uint64_t counted[DOUBLE_CORES]; /* logged instructions, by core */
  uint64_t blocks, instructions, bytes, access[ACCESS_KIND_N], access_bytes[ACCESS_KIND_N];
  uint64_t sum, reached, advanced, stream_bytes_per_second;
  unsigned streams;
  unsigned idle, awake, stores_ended;
  struct double_event log[DOUBLE_LOG];
  unsigned logged;
};

struct machine {
  struct traffic traffic;
};

void double_init(struct machine *m);

#endif
