/* SPDX-License-Identifier: MIT */
/* How a processor appears to a guest operating system: QEMU's CPU, PCI buses and memory-mapped areas. */
#ifndef MACHINE_COMMON_GUEST_H
#define MACHINE_COMMON_GUEST_H

#include <stdbool.h>
#include <stdint.h>

enum { KIND_BUSES = 3, KIND_AREAS = 6 };
/* QEMU's CPU options for all processors. -hypervisor: Linux' uncore driver does not load if the bit is set. +fsgsbase:
 * without it, each task switch writes an MSR. */
#define GUEST_CPU_FLAGS ",vendor=GenuineIntel,family=6,-hypervisor,+fsgsbase,-x2apic,-tsc-deadline"

/* A bus of socket 0: its number in pmon_address and in the guest. The doorbell (vm/bus.h) is on the first. */
struct kind_bus {
  uint32_t number;
  unsigned system;
};

/* Memory-mapped registers of socket 0: a device of pmon_address, and its place. */
struct kind_area {
  uint32_t device;
  uint64_t base, size;
};

/* From this version on, a kernel needs several processors in a socket to use all of its units: `processors`; 0: every
 * core. */
struct kind_newer {
  unsigned major, minor, processors;
};

struct guest_kind {
  const char *name;    /* of the platform */
  const char *cpu;     /* the CPU model for QEMU */
  bool counters;       /* its core counters have the number and width of those in machine/common/counters.h */
  bool recent;         /* its cores also have the MSRs introduced with Haswell */
  bool express;        /* PCI functions have 4096 bytes of configuration space: PCI Express */
  unsigned next_buses; /* added to bus numbers for each further socket, */
  uint64_t next_areas; /* and to addresses of memory-mapped registers */
  struct kind_newer newer;
  unsigned n_buses;
  struct kind_bus bus[KIND_BUSES];
  uint32_t bar_device; /* the device that a function's BAR 0 maps, if the machine reports a BAR */
  unsigned n_areas;
  struct kind_area area[KIND_AREAS]; /* in ascending order */
};

#endif
