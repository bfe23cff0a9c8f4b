/* SPDX-License-Identifier: MIT */
/*
 * Internal functions of libpmon that libpmon-record uses. Both libraries come from one build: these functions have
 * their own version in the symbol map, PMON_PRIVATE with the library's number, and may change with every release. They
 * are not part of the public interface.
 */
#ifndef PMON_SESSION_PRIVATE_H
#define PMON_SESSION_PRIVATE_H

#include <pmon/api.h>
#include "src/plan/metric.h"
#include "src/session/counts.h"
#include "src/session/session.h"

/* context_fail() with a complete text and without a column. */
PMON_API int pmon_private_fail(struct pmon_context *context, int status, const char *text);

/* session_make_cells(), session_add_part_use(), session_instances(), session_sum(), session_clear_sums(),
 * sample_add_peaks(), session_find_bursts(), session_frozen(). */
PMON_API int pmon_private_make_cells(struct pmon_session *s);
PMON_API int pmon_private_add_part_use(struct pmon_session *s, const char *operands, uint32_t event, uint32_t part);
PMON_API uint32_t pmon_private_instances(const struct pmon_session *s, uint32_t event);
PMON_API struct sample_total *pmon_private_sum(const struct pmon_session *s, uint32_t event, uint32_t package);
PMON_API void pmon_private_clear_sums(struct pmon_session *s);
PMON_API void pmon_private_add_peak(struct sample_total *t, const struct sample_peak *peak);
PMON_API void pmon_private_find_bursts(struct pmon_session *s);
PMON_API uint32_t pmon_private_frozen(const struct pmon_session *s);
PMON_API double pmon_private_count_instances(const struct pmon_session *s, uint32_t event, uint32_t package);
PMON_API double pmon_private_threads_per_core(const struct pmon_session *s);

/* plan_add_event(), array_grow(). */
PMON_API int pmon_private_add_event(struct pmon_plan *plan, const char *text, bool selected, uint32_t *ret_index);
PMON_API int pmon_private_grow(void *array, uint32_t n, uint32_t *cap, size_t size);

/* metric_selected(). */
PMON_API const struct metric *pmon_private_metric_selected(const struct pmon_plan *plan, uint32_t i);

#endif
