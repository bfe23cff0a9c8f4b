/* SPDX-License-Identifier: MIT */
/*
 * Events for tools that count through Linux perf_event_open themselves: what struct perf_event_attr needs, and the CPU
 * to open it on. No session and no privilege is needed: everything comes from the facts and from sysfs.
 *
 *   struct pmon_perf_attr a = {.size = sizeof a};
 *   pmon_event_perf_attr(event, NULL, &(struct pmon_scope){package, instance}, &a, &reason);
 *   struct perf_event_attr attr = {.size = sizeof attr};
 *   PMON_PERF_FILL(&attr, &a);
 *   fd = perf_event_open(&attr, -1, a.cpu, -1, 0);
 */
#ifndef PMON_PERF_H
#define PMON_PERF_H

#include <stddef.h>
#include <stdint.h>
#include <pmon/api.h>
#include <pmon/event.h>
#include <pmon/hardware.h>
#include <pmon/session.h>

PMON_BEGIN_DECLS

struct pmon_perf_attr {
  size_t size;
  uint32_t type; /* of the PMU, from sysfs; it changes from boot to boot */
  uint32_t cpu;  /* the CPU that counts for the package, by the PMU's cpumask; uncore events take pid -1 */
  uint64_t config, config1, config2; /* as the PMU's format files place the event's fields */
  char pmu[64];                      /* the PMU's name below bus/event_source/devices, such as uncore_cha_0 */
  /* For events of cores: 1 excludes instructions of user programs, or of the kernel, as perf's modifiers k and u do. */
  uint32_t exclude_user, exclude_kernel;
};

/*
 * Fills `attr` for the event on one instance of its unit (from 0; PMON_ALL is refused) in one package. `system`
 * (pmon/hardware.h; NULL: this host) gives the sysfs root. The perf backend opens exactly these events. `reason` may be
 * NULL. All arguments belong to the caller. Any number of threads may call it at the same time, also for the same
 * event: it writes only to `attr` and `reason`, and never to the context's error record.
 *
 * PMON_OK; PMON_E_INVALID (event, scope or attr is NULL, or attr's size is 0); PMON_E_RANGE (no such instance);
 * PMON_E_NO_DEVICE (the kernel has no PMU for the unit, or no CPU of the package counts on it); PMON_E_UNSUPPORTED (the
 * PMU's format has no field for a part of the event, which the reason names); PMON_E_PERMISSION (sysfs cannot be read).
 */
PMON_API int pmon_event_perf_attr(const struct pmon_event *event, const struct pmon_system *system,
                                  const struct pmon_scope *scope, struct pmon_perf_attr *attr,
                                  struct pmon_reason *reason);

/* Copies the members that select the event into a struct perf_event_attr and leaves the others unchanged. The caller
 * includes linux/perf_event.h. */
#define PMON_PERF_FILL(perf_event_attr_, pmon_attr_)                                                                   \
  ((void)((perf_event_attr_)->type = (pmon_attr_)->type, (perf_event_attr_)->config = (pmon_attr_)->config,            \
          (perf_event_attr_)->config1 = (pmon_attr_)->config1, (perf_event_attr_)->config2 = (pmon_attr_)->config2,    \
          (perf_event_attr_)->exclude_user = (pmon_attr_)->exclude_user != 0,                                          \
          (perf_event_attr_)->exclude_kernel = (pmon_attr_)->exclude_kernel != 0,                                      \
          (perf_event_attr_)->exclude_hv = (pmon_attr_)->exclude_user || (pmon_attr_)->exclude_kernel))

PMON_END_DECLS

#endif
