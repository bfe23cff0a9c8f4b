/* SPDX-License-Identifier: MIT */
/*
 * A double of the machine's traffic: it counts what it is told, and lets each core's time pass by 1 ns an instruction.
 */
#ifndef TESTS_TRACE_DOUBLE_H
#define TESTS_TRACE_DOUBLE_H

#include "machine/machine.h"
#include "machine/traffic/feed.h"

#define DOUBLE_CORES 128
#define DOUBLE_LOG 4096

struct double_event { char what; unsigned core; uint64_t at; uint32_t size, kind; };   /* 'b' 'a' 'i' 'w' */

struct traffic {
  uint64_t blocks, instructions, bytes, access[ACCESS_KIND_N], access_bytes[ACCESS_KIND_N];
  uint64_t time[DOUBLE_CORES], sum;
  unsigned idle, awake;
  struct double_event log[DOUBLE_LOG];
  unsigned logged;
};

struct machine { struct traffic traffic; };

#endif
