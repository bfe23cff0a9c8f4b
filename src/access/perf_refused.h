/* SPDX-License-Identifier: MIT */
/* Why the kernel refused an event of Linux perf. */
#ifndef PMON_ACCESS_PERF_REFUSED_H
#define PMON_ACCESS_PERF_REFUSED_H

#include "system.h"

struct perf_refusal {
  const struct system *system;
  const char *pmu;
  const uint64_t *config; /* the three config words */
  uint32_t n_events;      /* that are open */
  int error;              /* errno of perf_event_open */
};

/* What the errno means here, and what helps. PMON_E_PERMISSION, PMON_E_IO, PMON_E_NO_DEVICE, PMON_E_UNSUPPORTED or
 * PMON_E_MEMORY. */
int perf_refused(const struct perf_refusal *f, struct pmon_reason *ret_reason);

#endif
