/* SPDX-License-Identifier: MIT */
/* Register images for the library's other rooms. */
#ifndef PMON_ENCODE_IMAGE_H
#define PMON_ENCODE_IMAGE_H

#include <pmon/encode.h>

/* pmon_event_encode() without the error record: it writes to *image only, so that any number of threads may encode
 * events of one context. PMON_OK; PMON_E_RANGE (no such counter or instance); PMON_E_UNSCHEDULABLE;
 * PMON_E_UNSUPPORTED (the unit's addresses are not known). */
int encode_image(const struct pmon_event *event, uint32_t package, uint32_t instance, uint32_t counter,
                 struct pmon_image *image);

/* encode_image() without addresses, for units that only Linux perf can count. */
int encode_values(const struct pmon_event *event, uint32_t package, uint32_t instance, uint32_t counter,
                  struct pmon_image *image);

#endif
