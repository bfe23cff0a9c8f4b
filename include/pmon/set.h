/* SPDX-License-Identifier: MIT */
/*
 * Event sets: the short way for a program that measures itself. A set is a plan and a session in one object; whatever
 * it lacks (metrics, single instances, the uncertainty of a value) these have, and a set gives access to both.
 *
 *   pmon_set_new(context, platform, backend, NULL, &set);
 *   pmon_set_add(set, "imc/CAS_COUNT.RD/", &reads);
 *   pmon_set_start(set);
 *   ...
 *   pmon_set_read(set, values, 1);         counts so far, the counters run on
 *   pmon_set_reset(set);                   from 0 again
 *   pmon_set_stop(set, values, 1);         pmon_set_start() would resume
 *   pmon_set_close(set);                   every register holds what it held before
 *
 * Uncore counters count what a whole package does, not only what the calling thread does.
 *
 * Threads: a set, its context and its backend are used by one thread at a time. Different threads may use different
 * sets at the same time when these share neither context nor backend. No function here keeps state outside of its
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

/* Makes an empty set. `platform` and `backend` must outlive it; `options` (NULL: the session's defaults) are copied, as
 * far as the caller's size goes, but what they point to must stay until pmon_set_start() has returned. Nothing is read
 * or written yet. The set is the caller's: pmon_set_close(). PMON_OK; PMON_E_INVALID (context, platform or backend is
 * NULL); PMON_E_MEMORY. */
PMON_API int pmon_set_new(struct pmon_context *context, const struct pmon_platform *platform,
                          struct pmon_backend *backend, const struct pmon_session_options *options,
                          struct pmon_set **ret_set);

/* Adds one event, in any spelling of pmon/event.h, before the first start. *ret_event (may be NULL): its place in the
 * values, from 0 in the order of adding; an event that is there already keeps its place. What pmon_event_resolve()
 * returns; PMON_E_STATE (the set was started); PMON_E_MEMORY. On failure the set is as before. */
PMON_API int pmon_set_add(struct pmon_set *set, const char *event, uint32_t *ret_event);

/* Starts counting from 0; after pmon_set_stop() it resumes. The first start fits the events onto counters (they are
 * multiplexed if they are too many) and saves the registers' contents. What pmon_plan_schedule(), pmon_session_new()
 * and pmon_session_start() return; PMON_E_STATE (it counts already, or has no event). When the first start fails,
 * registers are restored, and the set can be started again. */
PMON_API int pmon_set_start(struct pmon_set *set);

/*
 * Reads the counters at once and lets them run on; values[i] gets the count of event i since the start or the last
 * reset, summed over all packages and instances, for the first n_values events (pmon/value.h: a count is right, or
 * flagged, or has a reason why there is none). values may be NULL with n_values 0. Of a stopped set: the counts at the
 * stop. What pmon_session_read() returns (PMON_E_STATE: not started); PMON_E_RANGE (fewer events than n_values). On
 * failure values are untouched.
 */
PMON_API int pmon_set_read(struct pmon_set *set, struct pmon_value *values, uint32_t n_values);

/* All counts and the time begin at 0 again, of a running set at once, of a stopped one when it is resumed. What
 * pmon_session_reset() returns; PMON_E_STATE (not started). */
PMON_API int pmon_set_reset(struct pmon_set *set);

/* Stops, then fills values as pmon_set_read() does. What pmon_session_stop() returns; PMON_E_STATE (not started, or
 * stopped already); PMON_E_RANGE (fewer events than n_values: it counts on). */
PMON_API int pmon_set_stop(struct pmon_set *set, struct pmon_value *values, uint32_t n_values);

/* The set's plan, to add metrics before the first start, and its session, for values of single instances or packages
 * and for metrics; both stay the set's. The session is NULL before the first start. */
PMON_API struct pmon_plan *pmon_set_plan(struct pmon_set *set);
PMON_API struct pmon_session *pmon_set_session(struct pmon_set *set);

/* Restores every register that was written, in any state of the set, and frees it. NULL is fine. What
 * pmon_session_close() returns (PMON_OK: all are restored); the set is gone either way. */
PMON_API int pmon_set_close(struct pmon_set *set);

PMON_END_DECLS

#endif
