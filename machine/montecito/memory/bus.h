/* SPDX-License-Identifier: MIT */
/* Transactions of the front-side bus (2.5, 4.11). */
#ifndef MACHINE_MONTECITO_MEMORY_BUS_H
#define MACHINE_MONTECITO_MEMORY_BUS_H

#include <stdbool.h>
#include <stdint.h>

struct montecito_core;

/* A bus transaction of thread `thread`; kind: enum montecito_bus. */
struct bus_request {
  uint8_t kind, agent, thread, bytes; /* bytes: size of a partial write */
  bool data, hit, hitm, implicit;     /* implicit: a write-back that a snoop causes */
  uint64_t address;
  uint32_t latency;
};
void bus_transaction(struct montecito_core *c, const struct bus_request *r);

#endif
