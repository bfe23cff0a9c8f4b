/* SPDX-License-Identifier: MIT */
/*
 * The registers of the processor that we run on, as the system lets us reach them: /dev/cpu/N/msr, the configuration
 * space that sysfs shows, and memory through /dev/mem or a device's resource file. Where these stand is a parameter, so
 * that a copied or invented tree serves as well.
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

/* Where the system's files stand, and what ends a measurement. Begin with all zeros but `size`, and end_fd at -1. */
struct pmon_system {
  size_t size;
  const char *dev, *sys, *proc; /* NULL: /dev, /sys, /proc */
  int end_fd;                   /* becomes readable when the measured thing has ended (a pidfd); -1: it never does */
};

/* Why something could not be opened: what was tried, and what to do. */
struct pmon_reason {
  char text[480];
};

/*
 * Opens the registers of this host. Each kind of register has a access_method of its own (below); those that cannot be
 * opened answer every access with their reason, as long as another can. Time is CLOCK_MONOTONIC. Nothing is written.
 * Every package is read and written on one of its online CPUs; when that one goes offline, on another. PMON_OK;
 * PMON_E_NO_DEVICE or PMON_E_PERMISSION (none can be opened; *reason says why); PMON_E_MEMORY.
 */
PMON_API int pmon_backend_direct_open(const struct pmon_system *system, struct pmon_reason *reason,
                                      struct pmon_backend **ret_backend);

/*
 * Counts through the kernel's own driver, by perf_event_open on the PMUs that it shows as uncore_*: the least
 * privilege, and no conflict with it. The backend shows no registers (reads and writes are PMON_E_UNSUPPORTED), and is
 * for sessions: the kernel programs the counters, and scales nothing; events that its PMUs lack are unavailable. Time
 * is CLOCK_MONOTONIC.
 * PMON_OK; PMON_E_NO_DEVICE (no uncore PMUs); PMON_E_PERMISSION (*reason says what gives it); PMON_E_MEMORY.
 */
PMON_API int pmon_backend_perf_open(const struct pmon_system *system, struct pmon_reason *reason,
                                    struct pmon_backend **ret_backend);

/* An event by the kernel's own name: what its PMU's folder `events` says. */
struct pmon_kernel_event {
  size_t size;
  char terms[128]; /* what selects it: "event=0x04,umask=0x03" */
  char unit[24];   /* of a count times `scale`; "": a plain count */
  double scale;    /* 1 where the kernel has none */
};

/* Looks one up: `pmu` as "uncore_imc_0", or "uncore_imc" for the first of its kind. PMON_OK; PMON_E_UNKNOWN (the kernel
 * has no such PMU or event). */
PMON_API int pmon_kernel_event_find(const struct pmon_system *system, const char *pmu, const char *name,
                                    struct pmon_kernel_event *ret_event);

/*
 * For a program's handler of SIGBUS. Registers in memory are mapped, and when their device is taken away an access to
 * them is a signal; the library has no handlers. In that of the program, installed with SA_NODEFER, this ends the
 * access, which then fails as that of a device that is gone (PMON_E_NO_DEVICE), and does not return. False: `backend`
 * (one of pmon_backend_direct_open() or pmon_access_method_open(), not a wrapper; NULL is fine) was not making such an
 * access in this thread, and the signal is another one's. A backend is used by one thread at a time.
 */
PMON_API bool pmon_backend_bus_error(struct pmon_backend *backend);

/* One way to registers. */
struct pmon_access_method_info {
  size_t size;
  const char *name; /* msr, pci, mmio */
  const char *brief;
  const char *needs; /* privileges and modules */
};

/* Describes access_method `i`. PMON_OK, PMON_E_RANGE. */
PMON_API int pmon_access_method_describe(uint32_t i, struct pmon_access_method_info *info);

/* Opens one access_method alone. As pmon_backend_direct_open(), and PMON_E_RANGE. */
PMON_API int pmon_access_method_open(uint32_t i, const struct pmon_system *system, struct pmon_reason *reason,
                                     struct pmon_backend **ret_backend);

/* Packages and the CPU that each is read on, lowest first. Returns how many there are, of which `n` are written. */
struct pmon_package {
  uint32_t id, cpu, online_cpus;
};
PMON_API uint32_t pmon_system_packages(const struct pmon_system *system, struct pmon_package *packages, uint32_t n);

/* How many packages a list of CPUs (`0,16` or `0-3`) has an online CPU of. */
PMON_API uint32_t pmon_system_packages_of(const struct pmon_system *system, const char *cpus);

/* The processor that we run on: CPUID's vendor text, and family, model, stepping as displayed. False where there is no
 * CPUID. */
struct pmon_cpu {
  char vendor[13];
  uint32_t signature[3];
  bool hypervisor;
};
PMON_API bool pmon_cpu_read(struct pmon_cpu *ret_cpu);

/* Physical address of a package's memory BAR as struct pmon_address numbers it in `device`, through the registers that
 * name it (817509 1.10.3): MEM0 to MEM3. PMON_OK; PMON_E_RANGE (a BAR that no register names); PMON_E_NO_DEVICE (one
 * without a place); the backend's status. */
PMON_API int pmon_bar_address(struct pmon_backend *backend, uint32_t package, uint32_t device, uint64_t *ret_address,
                              uint64_t *ret_size);

PMON_END_DECLS

#endif
