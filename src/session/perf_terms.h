/* SPDX-License-Identifier: MIT */
/* An event as terms for a backend that counts by itself (src/access/counting.h). */
#ifndef PMON_SESSION_PERF_TERMS_H
#define PMON_SESSION_PERF_TERMS_H

#include <pmon/encode.h>
#include <pmon/session.h>
#include "src/access/counting.h"

struct terms {
  struct counting_event event;
  char pmu[64]; /* storage for event.pmu */
  bool shared;  /* an instance with a lower number reads the same counter */
};

/* Fills all of *ret except the round: the terms of the fields that the event sets, encoded for counter `counter` of
 * that unit instance and package. PMON_OK; PMON_E_NO_DEVICE (the kernel has no PMU for the unit); PMON_E_UNSUPPORTED
 * (too many terms); else as encode_image(). The context's error record is not written. */
int terms_of_event(const struct pmon_event *event, const struct pmon_scope *where, uint32_t counter, struct terms *ret);

#endif
