/* SPDX-License-Identifier: MIT */
/*
 * Access to the registers of this host through the operating system: /dev/cpu/N/msr, PCI configuration space in sysfs,
 * and memory through /dev/mem or a device's resource file. The base directories are parameters, so a copied or
 * artificial tree can be used instead.
 */
#ifndef PMON_HARDWARE_H
#define PMON_HARDWARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmon/access.h>
#include <pmon/api.h>
#include <pmon/status.h>

PMON_BEGIN_DECLS

/* Base directories and the end of the measurement. Zero all members except `size`, and set end_fd to -1. */
struct pmon_system {
  size_t size;
  const char *dev, *sys, *proc; /* NULL: /dev, /sys, /proc. Longer than 255 bytes: PMON_E_RANGE */
  int end_fd; /* a file descriptor that becomes readable when the workload ends (a pidfd); -1: it never ends */
  /* The group of resctrl whose values are read: its path below the mounted file system, such as "g1" or
   * "mon_groups/m1"; "." is the default group. NULL or "": the sum of all control groups. Longer than 255 bytes:
   * PMON_E_RANGE */
  const char *resctrl_group;
};

/* Why something could not be opened: what was tried, and the remedy. */
struct pmon_reason {
  char text[480];
};

/*
 * Opens the registers of this host with every access method that can be opened. An access to a register whose method
 * could not be opened fails with the reason. Time is CLOCK_MONOTONIC. Opening writes nothing. The backend permits a
 * write only to a register that the compiled-in tables describe as a monitoring register of this processor, or that the
 * processor's discovery page lists; any other write fails with PMON_E_PERMISSION and reaches no register. User-supplied
 * platforms permit no further registers. Each package is accessed on one of its online CPUs, and on another one if that
 * CPU goes offline. PMON_OK; PMON_E_NO_DEVICE or PMON_E_PERMISSION (no access method can be opened; *reason has the
 * reason); PMON_E_MEMORY.
 */
PMON_API int pmon_backend_direct_open(const struct pmon_system *system, struct pmon_reason *reason,
                                      struct pmon_backend **ret_backend);

/*
 * Opens the registers of this host through the privileged helper program pmon-access. `fd` is one end of a pair of
 * sockets (AF_UNIX, SOCK_SEQPACKET); the helper's standard input is the other end. The helper identifies the processor,
 * opens its registers, and reads and writes monitoring registers only. `system` is of this host: its end_fd is used,
 * and values of resctrl are read below its base directories, in this process. On success the backend owns `fd`; closing
 * the backend ends the helper. PMON_OK; PMON_E_IO (the helper has ended); PMON_E_NO_DEVICE, PMON_E_PERMISSION (*reason
 * has the reason); PMON_E_MEMORY.
 */
PMON_API int pmon_backend_helper_open(int fd, const struct pmon_system *system, struct pmon_reason *reason,
                                      struct pmon_backend **ret_backend);

/*
 * Counts with the kernel's uncore driver through perf_event_open on its uncore_* PMUs. It needs the fewest privileges
 * and does not conflict with the driver. The backend has no registers: reads and writes return PMON_E_UNSUPPORTED.
 * Sessions use it to let the kernel program the counters. The kernel does not scale the counts. An event that the PMUs
 * do not support is unavailable. Time is CLOCK_MONOTONIC. PMON_OK; PMON_E_NO_DEVICE (no uncore PMUs); PMON_E_PERMISSION
 * (*reason names the remedy); PMON_E_MEMORY.
 */
PMON_API int pmon_backend_perf_open(const struct pmon_system *system, struct pmon_reason *reason,
                                    struct pmon_backend **ret_backend);

/* An event under the kernel's name, from the `events` folder of its PMU. */
struct pmon_kernel_event {
  size_t size;
  char terms[128]; /* the terms that select it: "event=0x04,umask=0x03" */
  char unit[24];   /* the unit of a count times `scale`; "": a plain count */
  double scale;    /* 1 if the kernel has none */
};

/* Looks up an event of the kernel. `pmu` is "uncore_imc_0", or "uncore_imc" for the first PMU of that kind. PMON_OK;
 * PMON_E_UNKNOWN (the kernel has no such PMU or event); PMON_E_RANGE (a base directory longer than 255 bytes). */
PMON_API int pmon_kernel_event_find(const struct pmon_system *system, const char *pmu, const char *name,
                                    struct pmon_kernel_event *ret_event);

/*
 * For a program's SIGBUS handler. Memory-mapped registers raise SIGBUS when their device is removed. The library
 * installs no signal handlers. Called in the program's handler (installed with SA_NODEFER), this function makes the
 * interrupted access fail with PMON_E_NO_DEVICE and does not return. It returns false if `backend` was not making such
 * an access in this thread; the signal then has another cause. `backend` comes from pmon_backend_direct_open() or
 * pmon_access_method_open(); it is not a wrapper, and may be NULL. One thread uses a backend at a time.
 */
PMON_API bool pmon_backend_bus_error(struct pmon_backend *backend);

/* One access method: a way to reach registers. */
struct pmon_access_method_info {
  size_t size;
  const char *name; /* msr, pci, mmio; resctrl: the values of the kernel, no registers */
  const char *brief;
  const char *needs; /* privileges and modules */
};

/* Describes access method `i`. PMON_OK, PMON_E_RANGE. */
PMON_API int pmon_access_method_describe(uint32_t i, struct pmon_access_method_info *info);

/* Opens access method `i` alone. Status as pmon_backend_direct_open(), and PMON_E_RANGE. */
PMON_API int pmon_access_method_open(uint32_t i, const struct pmon_system *system, struct pmon_reason *reason,
                                     struct pmon_backend **ret_backend);

/* Lists the packages, lowest first, each with the CPU on which it is accessed. Writes up to `n` packages and returns
 * the number of all packages. */
struct pmon_package {
  uint32_t id, cpu, online_cpus;
};
PMON_API uint32_t pmon_system_packages(const struct pmon_system *system, struct pmon_package *packages, uint32_t n);

/* Returns the number of packages that have an online CPU in a list of CPUs (`0,16` or `0-3`). */
PMON_API uint32_t pmon_system_packages_of(const struct pmon_system *system, const char *cpus);

/* The processor of this host: the CPUID vendor text, and the displayed family, model and stepping. False if the
 * processor has no CPUID. */
struct pmon_cpu {
  char vendor[13];
  uint32_t signature[3];
  bool hypervisor;
};
PMON_API bool pmon_cpu_read(struct pmon_cpu *ret_cpu);

/* Reads the processor of a system: this host's as pmon_cpu_read() does; with other base directories, from proc/cpuinfo.
 * False if it is unknown. */
PMON_API bool pmon_system_cpu(const struct pmon_system *system, struct pmon_cpu *ret_cpu);

/* Reads the physical address, and the size in bytes, of a package's memory BAR (MEM0 to MEM3, the values of `device` in
 * struct pmon_address) from the registers that hold them (817509 1.10.3). PMON_OK; PMON_E_RANGE (no register holds that
 * BAR); PMON_E_NO_DEVICE (the BAR is not assigned); the backend's status. */
PMON_API int pmon_bar_address(struct pmon_backend *backend, uint32_t package, uint32_t device, uint64_t *ret_address,
                              uint64_t *ret_size);

PMON_END_DECLS

#endif
