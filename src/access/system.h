/* SPDX-License-Identifier: MIT */
/* The system's files under roots of the caller's choice, and which CPU speaks for which package. */
#ifndef PMON_ACCESS_SYSTEM_H
#define PMON_ACCESS_SYSTEM_H

#include <pmon/hardware.h>

enum { SYSTEM_PACKAGES = 64, SYSTEM_ROOT = 256, SYSTEM_PATH = 512 };

struct system {
  char dev[SYSTEM_ROOT], sys[SYSTEM_ROOT], proc[SYSTEM_ROOT];
  bool host; /* these are /dev, /sys and /proc: the files are this host's, not a tree's */
  int end_fd;
  uint32_t n_packages;
  struct pmon_package packages[SYSTEM_PACKAGES]; /* by physical id */
  struct pmon_backend *pci; /* configuration space, where it is open already; NULL: who needs it opens it */
};

/* Fills `s`; options may be NULL. Without a topology there is one package, read on CPU 0. PMON_OK; PMON_E_RANGE: a
 * root's name is too long; sized_take()'s. *reason (may be NULL) then says so. */
int system_init(struct system *s, const struct pmon_system *options, struct pmon_reason *reason);

/* Reads the topology again: CPUs come and go. */
void system_look(struct system *s);

/* The number of the package that all CPUs of a list (`0-3,8`) are of; 0 to n_packages - 1, or -1: they are of several,
 * or of none. */
int system_package_of_all(const struct system *s, const char *list);

/* The first CPU of a list that is of a package; UINT32_MAX: none is. */
uint32_t system_cpu_of_package(const struct system *s, const char *list, uint32_t package);

/* The n-th of them, from 0. */
uint32_t system_nth_cpu_of_package(const struct system *s, const char *list, uint32_t package, uint32_t n);

/* The online CPUs of a package in the order of their numbers, those of `list` only (NULL: all), into `cpus`, which has
 * room for `most`. How many there are. */
uint32_t system_threads(const struct system *s, uint32_t package, const char *list, uint32_t *cpus, uint32_t most);

/* Hardware threads of a core, by the first online CPU's; 0: not known. */
uint32_t system_threads_per_core(const struct system *s);

/* The lowest online CPU of a package other than `but`; UINT32_MAX: there is none. Looks at the system's files anew. */
uint32_t system_other_cpu(const struct system *s, uint32_t package, uint32_t but);
bool system_online(const struct system *s, uint32_t cpu);

/* The processor: by CPUID on the host, by proc/cpuinfo in a tree of files. False: unknown. */
bool system_cpu(const struct system *s, struct pmon_cpu *ret_cpu);

/* Reads a small file as text without its line end. False: it cannot be read. */
bool system_text(const char *root, const char *name, char *text, size_t size);

/* The status for an errno of opening or reading a device. */
int system_status(int error);

/* Opens a file below `root`; a negative status with the reason. What `needs` says is the remedy for EPERM and
 * EACCES. */
struct system_file {
  const char *root, *name, *needs;
  int flags;
};
int system_open(const struct system_file *file, struct pmon_reason *reason, int *ret_fd);

/* Waits until the monotonic clock reaches until_ns, or end_fd is readable. */
int system_wait(const struct system *s, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended);

/* One way to registers: a file of its own, and a row in direct.c. */
struct access_method {
  const char *name, *brief, *needs;
  int (*open)(const struct system *s, struct pmon_reason *reason, struct pmon_backend **ret_backend);
  /* The descriptor of the first device that is open for writing, for the host's lock; -1: none is. */
  int (*lock_fd)(const struct pmon_backend *b);
};
extern const struct access_method access_method_msr, access_method_pci, access_method_mmio;

enum { FUNCTION_NAME = 24 }; /* `0000:7e:00.0`; domains that no firmware made have more digits */

/* Of the PCI access_method: where a package's discovery page is announced (817509 1.10.1): the function's name below
 * bus/pci/devices, its BAR, and the physical address in that; 0: none. False: no function announces one. */
struct pci_page {
  char name[FUNCTION_NAME];
  unsigned bar;
  uint64_t address;
};
bool pci_discovery(struct pmon_backend *pci, uint32_t package, struct pci_page *ret_page);

#endif
