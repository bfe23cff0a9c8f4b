/* SPDX-License-Identifier: MIT */
/*
 * Registers that a driver reads before it finds a PMON register: configuration headers of the uncore's devices,
 * capability registers, base addresses, and the discovery page (1.7, 1.9, 1.10.1 to 1.10.3).
 */
#ifndef MACHINE_EMR_INFO_H
#define MACHINE_EMR_INFO_H

#include "machine/pmon/state.h"

/* The discovery device is on the root bus of an accelerator's stack; the guide does not number the bus. */
enum { EMR_BUS_STACK = 7 };

bool emr_info(const struct machine *m, const struct pmon_address *a, uint64_t *ret_value);
/* Fills m->page from the blocks of the sockets. Returns false if out of memory. */
bool emr_discovery_build(struct machine *m);
/* Physical address of a socket's memory BAR (0-3: MEM0..MEM3; EMR_BAR_DISCOVERY, EMR_BAR_CXL). */
uint64_t emr_bar(unsigned socket, unsigned index);
/* The system's bus number of an uncore bus of a socket (30, 31, EMR_BUS_STACK). */
unsigned emr_bus_number(const struct machine *m, unsigned socket, unsigned bus);

#endif
