/* SPDX-License-Identifier: MIT */
/* Queues and buffers of a core between its pipeline, its caches and the bus. */
#ifndef MACHINE_MONTECITO_QUEUES_H
#define MACHINE_MONTECITO_QUEUES_H

#include <stdbool.h>
#include <stdint.h>

/* Buffers of coalesced writes (2.3.3.4): a line, and a bit for each 8 bytes that were written. */
struct montecito_coalescing {
  struct montecito_buffer {
    uint64_t line;
    uint16_t written;
  } of[4];
  uint8_t n; /* that are used; the oldest comes first */
};

#endif
