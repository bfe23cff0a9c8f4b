/* SPDX-License-Identifier: MIT */
/*
 * Linux perf on the files of another server, without its hardware: a tree with the processor's /proc/cpuinfo, two
 * packages and its generation's PMUs with Linux' formats. Events are opened by type and config words. Each expected
 * event counts a number that the test chooses, in each PMU and package, whenever it is enabled; other events are
 * refused and printed. The clock advances by 1 ms while the measured command runs, so that rates do not depend on the
 * host. The linker redirects the system calls.
 */
#ifndef TESTS_HARDWARE_SYSFS_KERNEL_H
#define TESTS_HARDWARE_SYSFS_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

/* PMUs with one name and format: `uncore_NAME_0` to `uncore_NAME_N-1`, or, if `n` is 0, `uncore_NAME`. */
struct sysfs_unit {
  const char *name;
  unsigned n;
  const char *const (*formats)[2]; /* file and text; up to {NULL, NULL} */
};

struct sysfs_server {
  const char *platform; /* the name in pmon import, or of a built-in platform */
  unsigned model, stepping;
  const struct sysfs_unit *units; /* up to name NULL */
};

/* Returns server i: Skylake, Ice Lake, Sapphire Rapids, Granite Rapids, Sierra Forest, Broadwell; NULL: no more. */
const struct sysfs_server *sysfs_server(unsigned i);

struct sysfs_event {
  const char *pmu; /* without its number; with :k or :u: counts in the kernel only, or in user mode only */
  uint64_t config, config1, config2, count;
};

/* The cores' PMU, `cpu`, on every server. */
extern const struct sysfs_unit sysfs_cpu;

/* Makes the tree below `root`, an existing folder. */
void sysfs_make(const struct sysfs_server *server, const char *root);

/* Sets the counts of the server's events, up to pmu NULL. */
void sysfs_expect(const struct sysfs_event *events);

/* Writes a file below the tree made last. */
void sysfs_file(const char *name, const char *text);

#endif
