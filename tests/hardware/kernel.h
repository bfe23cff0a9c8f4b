/* SPDX-License-Identifier: MIT */
/*
 * A small model of the kernel's uncore driver on the emulated machine of a tree (tree.h): PMUs in sysfs with Linux'
 * formats, and perf_event_open, ioctl, read and close for their events (the linker redirects these calls to kernel.c).
 * An event's config words go into the registers as Linux puts them there, independently of the library's encoding.
 */
#ifndef TESTS_HARDWARE_KERNEL_H
#define TESTS_HARDWARE_KERNEL_H

#include <pmon/platform.h>
#include "tests/hardware/tree.h"

struct kernel {
  uint64_t calls, fail_call;  /* number of the call of perf_event_open, ioctl or read that fails, from 1; 0: none */
  int error;                  /* the errno of this failure; 0: a read is cut short */
  unsigned open, most_open;   /* open events; most_open: more fail with EMFILE (0: no limit) */
  int offline_cpu;            /* ENODEV for this CPU, and its counters stop; -1: none */
  void (*went_offline)(void); /* called with each ENODEV; may be NULL */
  unsigned busy;              /* this number of counters of each PMU is in use by others */
  bool held;                  /* groups never get the counters */
  bool host_time;             /* the clock is the host's also without work: the machine's stands then */
  bool whole_groups;          /* EINVAL for a group that needs more counters than are free */
  unsigned enables, disables, reads, opens;
};
extern struct kernel kernel;

/* Adds the PMUs of the machine's units to the tree, below bus/event_source/devices, except those of the unit `none`
 * (NULL: all). */
void kernel_make(const struct tree *t, const struct pmon_platform *platform, const char *none);

/* Gets the config words of the i-th open event. */
bool kernel_event(unsigned i, uint64_t config[3]);

/* Formats the path of a PMU's file, relative to the tree's root. */
void kernel_path(char *path, size_t size, const char *pmu, const char *file);

#endif
