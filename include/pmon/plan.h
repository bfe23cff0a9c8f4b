/* SPDX-License-Identifier: MIT */
/*
 * A plan: the events and metrics that are wanted, and how they fit onto the counters. Events and metrics are added
 * first, then pmon_plan_schedule() decides which counter counts what in which round. More than one round means that
 * counters take turns and counts are scaled (pmon/session.h).
 */
#ifndef PMON_PLAN_H
#define PMON_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmon/api.h>
#include <pmon/context.h>
#include <pmon/event.h>
#include <pmon/platform.h>

PMON_BEGIN_DECLS

struct pmon_plan;

/* Makes an empty plan for a platform. Errors of all calls are in the context's error record. The plan is the caller's:
 * pmon_plan_free(). PMON_OK, PMON_E_MEMORY. */
PMON_API int pmon_plan_new(struct pmon_context *context, const struct pmon_platform *platform,
                           struct pmon_plan **ret_plan);

/* NULL is fine. Sessions made of the plan must be closed before. */
PMON_API void pmon_plan_free(struct pmon_plan *plan);

/*
 * Adds the events of a list separated by commas, in any spelling of pmon/event.h. `{a,b}` makes a group: its events
 * must count in the same round, or the plan cannot be scheduled. An event that is there already is not added again.
 * What pmon_event_resolve() returns, with the column in `list`; PMON_E_SYNTAX (a brace without its counterpart);
 * PMON_E_STATE (already scheduled). On failure the plan is as before.
 */
PMON_API int pmon_plan_add_events(struct pmon_plan *plan, const char *list);

/*
 * Adds the metrics of a list separated by commas: names of the platform's derived metrics (`UNIT/NAME` where several
 * units have one; the parameter's letter as it stands adds all of them), or one `NAME=EQUATION` of the caller's own
 * (docs/formats.md, "Metrics"). Their events are added too, and stay in one round where they fit.
 * PMON_E_UNKNOWN (no such metric, or an event in an equation), PMON_E_NO_DATA (the facts say that it cannot be
 * evaluated, and why), PMON_E_SYNTAX with the column, PMON_E_CONFLICT (metrics that use each other), PMON_E_STATE,
 * PMON_E_MEMORY.
 */
PMON_API int pmon_plan_add_metrics(struct pmon_plan *plan, const char *list);

/*
 * Adds the metrics that the platform's facts call usual, in their order: what one asks first of such a processor
 * (docs/formats.md, "Metrics"). PMON_E_NO_DATA (the facts name none); else as pmon_plan_add_metrics().
 */
PMON_API int pmon_plan_add_default_metrics(struct pmon_plan *plan);

/* Says what one count of event i is worth in reports, in place of what the facts say: `scale` of `unit` (copied, up to
 * 23 bytes; "": plain). PMON_OK; PMON_E_RANGE (no such event, or a scale that is not above 0). */
PMON_API int pmon_plan_set_scale(struct pmon_plan *plan, uint32_t i, double scale, const char *unit);

/* Gives every event its counters, in as few rounds as can be found. PMON_E_UNSCHEDULABLE: the error record names the
 * smallest set of events that cannot count together, the reason and the guide's section. PMON_E_MEMORY. */
PMON_API int pmon_plan_schedule(struct pmon_plan *plan);

struct pmon_plan_info {
  size_t size;
  uint32_t events, metrics;
  uint32_t rounds;      /* 0 before pmon_plan_schedule() */
  uint32_t lower_bound; /* no plan has fewer rounds */
  uint32_t slots;
};

/* PMON_OK. */
PMON_API int pmon_plan_describe(const struct pmon_plan *plan, struct pmon_plan_info *info);

/* The i-th event, owned by the plan; NULL past the last one. Those that only metrics need are among them. */
PMON_API const struct pmon_event *pmon_plan_event(const struct pmon_plan *plan, uint32_t i);

/* Whether event i was asked for itself, not only by a metric. */
PMON_API bool pmon_plan_event_wanted(const struct pmon_plan *plan, uint32_t i);

struct pmon_plan_metric_info {
  size_t size;
  const char *name;   /* with its parameter's value */
  const char *unit;   /* of the unit that it belongs to; "" for the caller's own equations */
  const char *result; /* what the value is in: "bytes/s", "ratio", "ns", "" */
  const char *brief, *cite;
};

/* The i-th metric that was asked for. PMON_OK, PMON_E_RANGE. */
PMON_API int pmon_plan_metric(const struct pmon_plan *plan, uint32_t i, struct pmon_plan_metric_info *info);

/* The number of the unit whose instances metric i has values for. PMON_OK; PMON_E_RANGE (no such metric);
 * PMON_E_NO_DATA (it mixes units). */
PMON_API int pmon_plan_metric_unit(const struct pmon_plan *plan, uint32_t i, uint32_t *ret_unit);

/* Event `event` counts on `counter` of the instances in `instances` (bit n: instance n) in `round`; UINT32_MAX: always.
 */
struct pmon_plan_slot_info {
  size_t size;
  uint32_t round, event, counter;
  uint64_t instances;
};

/* The i-th slot of a scheduled plan, by round and event. PMON_OK, PMON_E_RANGE. */
PMON_API int pmon_plan_slot(const struct pmon_plan *plan, uint32_t i, struct pmon_plan_slot_info *slot);

PMON_END_DECLS

#endif
