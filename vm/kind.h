/* SPDX-License-Identifier: MIT */
/* What a guest has to be shown of each processor that the machine can be: tables. */
#ifndef VM_KIND_H
#define VM_KIND_H

#include <stdbool.h>
#include <stdint.h>

enum { KIND_SOCKETS = 2, KIND_BUSES = 3, KIND_AREAS = 6 };

/* What runs of it: up to KIND_SOCKETS sockets. A socket's processors are those with its lowest numbers. */
struct guest_shape {
  unsigned sockets, cores, running;
}; /* the last two of each socket */

/* A bus of socket 0: its number in pmon_address and in the guest. The doorbell (vm/bus.h) is on the first. */
struct kind_bus {
  uint32_t number;
  unsigned system;
};

/* Memory-mapped registers: which of pmon_address's devices is where; socket 0's. */
struct kind_area {
  uint32_t device;
  uint64_t base, size;
};

/* Kernels from that version on do not take all of a socket's units with one processor: how many do; 0: every core. */
struct kind_newer {
  unsigned major, minor, processors;
};

struct guest_kind {
  const char *name;    /* of the platform */
  const char *cpu;     /* what QEMU's processor is to be */
  bool counters;       /* its own are those of vm/counters.h, by number and width */
  bool express;        /* functions need 4096 bytes of configuration space: PCI Express */
  unsigned next_buses; /* the next socket's buses have numbers that are so much higher, */
  uint64_t next_areas; /* and its memory-mapped registers such addresses */
  struct kind_newer newer;
  unsigned n_buses;
  struct kind_bus bus[KIND_BUSES];
  uint32_t bar_device; /* what a function's BAR 0 leads to, where the machine says it has one */
  unsigned n_areas;
  struct kind_area area[KIND_AREAS]; /* in ascending order */
};

/* Of the platform with that name; NULL: none can be shown. */
const struct guest_kind *guest_kind_named(const char *platform);
/* How many processors of a socket with so many cores have to run for a kernel of that release (as `uname -r` says it;
 * "": Debian 12's) to take all units. */
unsigned guest_kind_processors(const struct guest_kind *kind, const char *release, unsigned cores);

#endif
