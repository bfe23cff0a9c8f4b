/* SPDX-License-Identifier: MIT */
/*
 * A kernel's uncore driver in little, on the emulated machine of a tree (tree.h): PMUs in sysfs with the formats that
 * Linux has, and perf_event_open, ioctl, read and close on their events (the linker puts kernel.c in their way). An
 * event's config words go into the registers as Linux puts them there: it knows nothing of the library's encoding.
 */
#ifndef TESTS_HARDWARE_KERNEL_H
#define TESTS_HARDWARE_KERNEL_H

#include <pmon/platform.h>
#include "tests/hardware/tree.h"

struct kernel {
  uint64_t calls, fail_call;  /* of perf_event_open, ioctl and read; from 1; 0: none fails */
  int error;                  /* with this errno; 0: a read is cut short */
  unsigned open, most_open;   /* events that are open; after so many EMFILE (0: no limit) */
  int offline_cpu;            /* ENODEV for this one, and its counters stop; -1: none */
  void (*went_offline)(void); /* called with each ENODEV; may be NULL */
  unsigned busy;              /* so many counters of each PMU are taken by others */
  bool held;                  /* groups never come onto the counters */
  bool whole_groups;          /* EINVAL for a group that needs more counters than are free */
  unsigned enables, disables, reads, opens;
};
extern struct kernel kernel;

/* Adds the PMUs of the machine's units to the tree, below bus/event_source/devices; `none` leaves out the unit of that
 * name (NULL: none). */
void kernel_make(const struct tree *t, const struct pmon_platform *platform, const char *none);

/* The config words of the i-th event that is open. */
bool kernel_event(unsigned i, uint64_t config[3]);

/* The name of a PMU's file below the tree's root. */
void kernel_path(char *path, size_t size, const char *pmu, const char *file);

#endif
