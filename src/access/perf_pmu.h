/* SPDX-License-Identifier: MIT */
/*
 * The kernel's PMUs as sysfs describes them below bus/event_source/devices: their type, the CPU that counts for each
 * package, and the bits of the three config words for each term.
 */
#ifndef PMON_ACCESS_PERF_PMU_H
#define PMON_ACCESS_PERF_PMU_H

#include "src/access/counting.h"
#include "src/access/system.h"

enum { PERF_PMU_NAME = 64 };

/* The words of an event: the three config words, and the privilege levels that do not count. */
enum { PERF_EXCLUDE = 3, PERF_WORDS, PERF_EXCLUDE_USER = 1, PERF_EXCLUDE_KERNEL = 2 };

struct perf_pmu {
  const struct system *system;
  char name[PERF_PMU_NAME];
  uint32_t type;
};

/* Finds the PMU of instance `instance`: its name with the number, or, for instance 0, without. PMON_OK;
 * PMON_E_NO_DEVICE or PMON_E_PERMISSION, with the reason. */
int perf_pmu_find(const struct system *system, const char *name, uint32_t instance, struct perf_pmu *ret_pmu,
                  struct pmon_reason *reason);

/* The CPUs that count for a package: one of each die where the processor has several (Cascade Lake-AP). */
enum { PERF_DIES = 8 };
struct perf_dies {
  uint32_t n, cpu[PERF_DIES];
};

/* Finds these CPUs in the PMU's own list; without a list, it is the package's first CPU. PMON_OK; PMON_E_NO_DEVICE: the
 * PMU has none there; PMON_E_PERMISSION. */
int perf_pmu_dies(const struct perf_pmu *pmu, uint32_t package, struct perf_dies *ret_dies, struct pmon_reason *reason);
/* Returns the first of these CPUs, with the same statuses. */
int perf_pmu_cpu(const struct perf_pmu *pmu, uint32_t package, uint32_t *ret_cpu, struct pmon_reason *reason);

/* Lists the numbers of the PMUs `name_N`, ascending: the kernel has no PMU for disabled units. Returns their number, at
 * most `most`; a PMU without a number is number 0. */
uint32_t perf_pmu_numbers(const struct system *system, const char *name, uint32_t *numbers, uint32_t most);

/* One of the CPUs that a summed event counts on, and the PMU. */
struct perf_member {
  struct perf_pmu pmu;
  uint32_t cpu;
};

/* Finds the package's i-th CPU for a PMU that counts on each CPU separately (a core PMU, not an uncore one). PMON_OK;
 * PMON_E_NO_DEVICE: past the last CPU, with the reason. */
int perf_pmu_member(const struct system *system, const struct counting_event *event, uint32_t i,
                    struct perf_member *ret_member, struct pmon_reason *reason);

/* Encodes an event's terms in the words. PMON_OK; PMON_E_UNSUPPORTED: the kernel has no field for one. */
int perf_pmu_encode(const struct perf_pmu *pmu, const struct counting_event *event, uint64_t config[PERF_WORDS],
                    struct pmon_reason *reason);

/* Finds one of the kernel's uncore PMUs. PMON_OK; PMON_E_NO_DEVICE, PMON_E_PERMISSION with the reason. */
int perf_pmu_any(const struct system *system, struct perf_pmu *ret_pmu, struct pmon_reason *reason);

/* True if a PMU's name is that of an uncore PMU. */
bool perf_pmu_is_uncore(const char *name);

#endif
