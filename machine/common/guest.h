/* SPDX-License-Identifier: MIT */
/* What a guest operating system is shown of a processor: QEMU's CPU, PCI buses and memory-mapped areas. */
#ifndef MACHINE_COMMON_GUEST_H
#define MACHINE_COMMON_GUEST_H

#include <stdbool.h>
#include <stdint.h>

enum { KIND_BUSES = 3, KIND_AREAS = 6 };
/* QEMU's CPU options for all: without the hypervisor's bit, or Linux' uncore driver does not load; with fsgsbase, or
 * each switch of tasks writes an MSR. */
#define GUEST_CPU_FLAGS ",vendor=GenuineIntel,family=6,-hypervisor,+fsgsbase,-x2apic,-tsc-deadline"

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
  bool recent;         /* its cores have the MSRs of those since Haswell, too */
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

#endif
