/* SPDX-License-Identifier: MIT */
/* The system's files below base directories of the caller's choice, and the CPUs on which packages are accessed. */
#ifndef PMON_ACCESS_SYSTEM_H
#define PMON_ACCESS_SYSTEM_H

#include <pmon/hardware.h>

enum { SYSTEM_PACKAGES = 64, SYSTEM_ROOT = 256, SYSTEM_PATH = 512 };

struct system {
  char dev[SYSTEM_ROOT], sys[SYSTEM_ROOT], proc[SYSTEM_ROOT];
  char group[SYSTEM_ROOT]; /* the group of resctrl that is read; "": all control groups */
  bool host;               /* these are /dev, /sys and /proc: the files are this host's, not those of a copied tree */
  int end_fd;
  uint32_t n_packages;
  struct pmon_package packages[SYSTEM_PACKAGES]; /* by physical id */
  struct pmon_backend *pci; /* the PCI access method, if it is open already; NULL: a user of it opens it */
};

/* ---- system.c, cpuid.c ---- */

/* Fills `s`; options may be NULL. Without a topology there is one package, accessed on CPU 0. PMON_OK; PMON_E_RANGE: a
 * base directory's name is too long; statuses of sized_take(). *reason (may be NULL) then has the reason. */
int system_init(struct system *s, const struct pmon_system *options, struct pmon_reason *reason);

/* Identifies the processor: by CPUID on the host, from proc/cpuinfo in a tree of files. False: unknown. */
bool system_cpu(const struct system *s, struct pmon_cpu *ret_cpu);

/* Waits until the monotonic clock reaches until_ns, or end_fd is readable. */
int system_wait(const struct system *s, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended);

/* ---- system_file.c ---- */

/* Reads a small file as text without its line end. False: it cannot be read. */
bool system_text(const char *root, const char *name, char *text, size_t size);

/* Returns the status for an errno of opening or reading a device. */
int system_status(int error);

/* Opens a file below `root`; a negative status with the reason. `needs` is the remedy for EPERM and EACCES. */
struct system_file {
  const char *root, *name, *needs;
  int flags;
};
int system_open(const struct system_file *file, struct pmon_reason *reason, int *ret_fd);

/* ---- topology.c ---- */

/* Reads the topology; again, because CPUs go on and off line. */
void system_look(struct system *s);

/* Returns the number of the package of all CPUs of a list (`0-3,8`), 0 to n_packages - 1; -1: they are in several
 * packages, or in none. */
int system_package_of_all(const struct system *s, const char *list);

/* Returns the n-th CPU of a list, from 0, that is in a package; UINT32_MAX: there is none. */
uint32_t system_nth_cpu_of_package(const struct system *s, const char *list, uint32_t package, uint32_t n);

/* Lists the online CPUs of a package in numerical order, those of `list` only (NULL: all), in `cpus`, which has room
 * for `most`. Returns the number of all of them. */
uint32_t system_threads(const struct system *s, uint32_t package, const char *list, uint32_t *cpus, uint32_t most);

/* Returns the number of hardware threads per core, from the core of the first online CPU; 0: not known. */
uint32_t system_threads_per_core(const struct system *s);

/* Returns the lowest online CPU of a package other than `but`; UINT32_MAX: there is none. Reads the system's files
 * again. The second function returns whether a CPU is online. */
uint32_t system_other_cpu(const struct system *s, uint32_t package, uint32_t but);
bool system_online(const struct system *s, uint32_t cpu);

/* Returns the number of packages with an online CPU of the list. */
uint32_t system_packages_of_list(const struct system *s, const char *cpus);

#endif
