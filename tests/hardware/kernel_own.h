/* SPDX-License-Identifier: MIT */
/* Events of the kernel's other drivers on the tree's machine: their names in sysfs, and the MSR that each counts. */
#ifndef TESTS_HARDWARE_KERNEL_OWN_H
#define TESTS_HARDWARE_KERNEL_OWN_H

#include <stdbool.h>
#include <stdint.h>

struct kernel_own {
  const char *pmu, *name, *config, *format, *cpumask; /* cpumask: NULL: the PMU counts on every CPU */
  uint64_t code;
  uint32_t msr;
  bool of_cpu; /* each CPU has this MSR; else one per package */
};
extern const struct kernel_own kernel_own_events[]; /* up to pmu NULL; events of a PMU are consecutive */

/* Adds the event to the tree, and with the first event of a PMU, the PMU with this type. Returns true for a first
 * event. */
struct tree;
bool kernel_own_add(const struct tree *t, const struct kernel_own *o, uint32_t type);

/* Returns the event; NULL: there is none. */
const struct kernel_own *kernel_own_find(const char *pmu, uint64_t code);
uint64_t kernel_own_read(const struct kernel_own *o, int cpu);
/* The kernel enables a fixed counter when its first event begins, and leaves it running here. */
void kernel_own_begin(const struct kernel_own *o, int cpu);

#endif
