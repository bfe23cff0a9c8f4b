/* SPDX-License-Identifier: MIT */
/*
 * Event sets: the short way for a program that measures itself. A set is a plan and a session in one object, and gives
 * access to both for all else (metrics, single instances, the uncertainty of a value).
 *
 *   pmon_set_new(context, platform, backend, NULL, &set);
 *   pmon_set_add(set, "imc/CAS_COUNT.RD/", &reads);
 *   pmon_set_start(set);
 *   ...
 *   pmon_set_read(set, values, 1);         counts so far, the counters run on
 *   pmon_set_reset(set);                   from 0 again
 *   pmon_set_stop(set, values, 1);         pmon_set_start() would resume
 *   pmon_set_close(set);                   restores every register
 *
 * Uncore counters count the activity of a whole package, not only that of the calling thread.
 *
 * Threads: a set, its context and its backend are used by one thread at a time. Different threads may use different
 * sets at the same time when these share neither context nor backend. The functions keep no state outside of their
 * arguments.
 *
 * Each function that fails leaves a text in the context's error record (pmon_context_error()).
 */
#ifndef PMON_SET_H
#define PMON_SET_H

#include <stdint.h>
#include <pmon/api.h>
#include <pmon/session.h>

PMON_BEGIN_DECLS

struct pmon_set;

/* Makes an empty set. `platform` and `backend` must outlive it. `options` (NULL: the session's defaults) are copied up
 * to the caller's size, but the data to which they point must remain until pmon_set_start() has returned. No register
 * is read or written yet. The caller closes the set with pmon_set_close(). PMON_OK; PMON_E_INVALID (context, platform
 * or backend is NULL); PMON_E_MEMORY. */
PMON_API int pmon_set_new(struct pmon_context *context, const struct pmon_platform *platform,
                          struct pmon_backend *backend, const struct pmon_session_options *options,
                          struct pmon_set **ret_set);

/* Adds one event, in any spelling of pmon/event.h, before the first start. *ret_event (may be NULL): its index in the
 * values, from 0 in the order of adding; an event that the set already has keeps its index. Events of metrics that were
 * added to pmon_set_plan() are numbered among them. The status of
 * pmon_event_resolve(); PMON_E_STATE (the set was started); PMON_E_MEMORY. On failure the set is unchanged. */
PMON_API int pmon_set_add(struct pmon_set *set, const char *event, uint32_t *ret_event);

/* Starts counting from 0; after pmon_set_stop() it resumes. The first start places the events on counters (multiplexed
 * if there are too many) and saves the registers' contents. Statuses of pmon_plan_schedule(), pmon_session_new() and
 * pmon_session_start(); PMON_E_STATE (the set is counting already, or has no event). When the first start fails,
 * registers are restored, and the set can be started again. */
PMON_API int pmon_set_start(struct pmon_set *set);

/*
 * Reads the counters at once and lets them run on. values[i] gets the count of event i since the start or the last
 * reset, summed over all packages and instances, for the first n_values events (pmon/value.h: a count is right, or
 * flagged, or has a reason why there is none). values may be NULL with n_values 0. For a stopped set, the counts are
 * those at the stop. The status of pmon_session_read() (PMON_E_STATE: not started); PMON_E_RANGE (fewer events than
 * n_values). On failure values are unchanged.
 */
PMON_API int pmon_set_read(struct pmon_set *set, struct pmon_value *values, uint32_t n_values);

/* Sets all counts and the time to 0: at once for a running set, on resumption for a stopped one. The status of
 * pmon_session_reset(); PMON_E_STATE (not started). */
PMON_API int pmon_set_reset(struct pmon_set *set);

/* Stops, then fills values as pmon_set_read() does. The status of pmon_session_stop(); PMON_E_STATE (not started, or
 * stopped already); PMON_E_RANGE (fewer events than n_values: the set continues to count). */
PMON_API int pmon_set_stop(struct pmon_set *set, struct pmon_value *values, uint32_t n_values);

/* Return the set's plan, to add metrics before the first start, and its session, for metrics and for values of single
 * instances or packages. Both belong to the set. The session is NULL before the first start. */
PMON_API struct pmon_plan *pmon_set_plan(struct pmon_set *set);
PMON_API struct pmon_session *pmon_set_session(struct pmon_set *set);

/* Restores every register that was written, in any state of the set, and frees the set, also on failure. NULL is
 * allowed. The status of pmon_session_close() (PMON_OK: all registers are restored). */
PMON_API int pmon_set_close(struct pmon_set *set);

PMON_END_DECLS

#endif
