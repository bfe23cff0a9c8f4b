/* SPDX-License-Identifier: MIT */
/*
 * A plan: the selected events and metrics, and their placement on counters. Add events and metrics first.
 * pmon_plan_schedule() then assigns each event a counter and a round. With more than one round the counters are
 * multiplexed and counts are scaled (pmon/session.h).
 *
 * Threads: a plan and its context are used by one thread at a time, in every function of this header. Plans of
 * different contexts share nothing.
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

/* Makes an empty plan for a platform. Errors of all calls on it are in the context's error record. The caller frees the
 * plan with pmon_plan_free(). PMON_OK, PMON_E_MEMORY. */
PMON_API int pmon_plan_new(struct pmon_context *context, const struct pmon_platform *platform,
                           struct pmon_plan **ret_plan);

/* Frees a plan. Sessions of the plan must be closed first. NULL is allowed. */
PMON_API void pmon_plan_free(struct pmon_plan *plan);

/*
 * Adds the events of a comma-separated list, in any spelling of pmon/event.h. `{a,b}` makes a group: its events must
 * count in the same round, or scheduling fails; those of `{a,b}:W` count in the same round if they fit. An event that
 * the plan already has is not added again. Status of pmon_event_resolve(), with the column in `list`; PMON_E_SYNTAX (an
 * unmatched brace, or another modifier of a group); PMON_E_STATE (already scheduled). On failure the plan is unchanged.
 */
PMON_API int pmon_plan_add_events(struct pmon_plan *plan, const char *list);

/*
 * Adds the metrics of a comma-separated list: names of the platform's derived metrics (`UNIT/NAME` if several units
 * have one; a name that ends in its parameter's letter adds the metric for each value), or user-supplied
 * `NAME=EQUATION` (docs/formats.md, "Metrics"), which can use others of the list, before or behind it, and of earlier
 * lists by their names. The events of a metric are added too, and are placed in one round if they fit. PMON_E_UNKNOWN
 * (no such metric, or no such event in an equation), PMON_E_AMBIGUOUS (several units have a metric of this name; or a
 * session can count only one value of its parameter, and the name has none), PMON_E_NO_DATA (the facts state why the
 * metric cannot be evaluated), PMON_E_SYNTAX with the column, PMON_E_CONFLICT (metrics that use each other, with their
 * names; values of different units that are added or compared), PMON_E_RANGE (too many terms), PMON_E_STATE (already
 * scheduled), PMON_E_MEMORY; for an event of an equation the status of pmon_event_resolve().
 */
PMON_API int pmon_plan_add_metrics(struct pmon_plan *plan, const char *list);

/*
 * Adds the metrics of a comma-separated list of metric groups (pmon/metric.h), in the order of the list and of each
 * group. A metric that the plan already has is not added again. PMON_E_UNKNOWN (no such group; the error record has the
 * nearest names), PMON_E_NO_DATA (the platform has no metric in the group), PMON_E_SYNTAX (the list names no group);
 * else the status of pmon_plan_add_metrics(). On failure the plan is unchanged.
 */
PMON_API int pmon_plan_add_metric_groups(struct pmon_plan *plan, const char *list);

/*
 * Adds the platform's default metrics: those of group DEFAULT, in its order. PMON_E_NO_DATA (the platform has none);
 * else the status of pmon_plan_add_metrics().
 */
PMON_API int pmon_plan_add_default_metrics(struct pmon_plan *plan);

/* Overrides the scale of event i in reports: one count is `scale` of `unit` (copied, up to 23 bytes; "": plain).
 * PMON_OK; PMON_E_RANGE (no such event, or the scale is not a number above 0). */
PMON_API int pmon_plan_set_scale(struct pmon_plan *plan, uint32_t i, double scale, const char *unit);

/*
 * Allows or forbids witnesses, events that pmon counts in addition to those of the plan; the default is to allow them.
 * If all events of a plan are multiplexed, none of them shows how the activity varied between the rounds.
 * pmon_plan_schedule() then adds one event of a unit that has a free counter in every round, and, for a unit whose
 * activity this event does not follow, one event of that unit. Lines of the facts name these events (docs/formats.md,
 * "witness"). A witness has no value of its own: with it, fewer counts are unknown, and their numbers and intervals are
 * more accurate. It is not among the plan's events and slots; recordings have it as an event that was not selected. It
 * never costs an event of the plan a counter or a round. A session leaves it out if its unit cannot be read or is in
 * use by others, and gives its counter to a session of the same backend that begins later and needs it. PMON_OK;
 * PMON_E_STATE (already scheduled).
 */
PMON_API int pmon_plan_set_witness(struct pmon_plan *plan, bool on);

/* The i-th witness of a scheduled plan, owned by it; NULL past the last one. */
PMON_API const struct pmon_event *pmon_plan_witness(const struct pmon_plan *plan, uint32_t i);

/* Assigns a counter and a round to every event, in as few rounds as the scheduler finds. A second call changes nothing.
 * PMON_OK; PMON_E_UNSCHEDULABLE: the error record names the smallest set of events that cannot count together, the
 * reason and the section of the guide. PMON_E_MEMORY. */
PMON_API int pmon_plan_schedule(struct pmon_plan *plan);

struct pmon_plan_info {
  size_t size;
  uint32_t events, metrics;
  uint32_t rounds;      /* 0 before pmon_plan_schedule() */
  uint32_t lower_bound; /* a lower bound of the number of rounds */
  uint32_t slots;
  uint32_t witnesses; /* witnesses (pmon_plan_set_witness()), not included in `events` */
};

/* Describes the plan. PMON_OK. */
PMON_API int pmon_plan_describe(const struct pmon_plan *plan, struct pmon_plan_info *info);

/* The i-th event, owned by the plan; NULL past the last one. Includes the events that only metrics use. */
PMON_API const struct pmon_event *pmon_plan_event(const struct pmon_plan *plan, uint32_t i);

/* True if event i was added by name, not only for a metric. */
PMON_API bool pmon_plan_event_selected(const struct pmon_plan *plan, uint32_t i);

struct pmon_plan_metric_info {
  size_t size;
  const char *name;   /* including the value of its parameter */
  const char *unit;   /* the metric's unit; "" for a user-supplied equation */
  const char *result; /* the unit of the value: "bytes/s", "ratio", "ns", "" */
  const char *brief, *cite;
};

/* Describes the i-th selected metric. PMON_OK, PMON_E_RANGE. */
PMON_API int pmon_plan_metric(const struct pmon_plan *plan, uint32_t i, struct pmon_plan_metric_info *info);

/* Returns in *ret_unit the unit whose instances have values of metric i. PMON_OK; PMON_E_RANGE (no such metric);
 * PMON_E_NO_DATA (the metric uses several units). */
PMON_API int pmon_plan_metric_unit(const struct pmon_plan *plan, uint32_t i, uint32_t *ret_unit);

/* Event `event` counts on `counter` of the instances in `instances` (bit n: instance n) in round `round` (UINT32_MAX:
 * in every round). */
struct pmon_plan_slot_info {
  size_t size;
  uint32_t round, event, counter;
  uint64_t instances;
};

/* The i-th slot of a scheduled plan, ordered by round and event. PMON_OK, PMON_E_RANGE. */
PMON_API int pmon_plan_slot(const struct pmon_plan *plan, uint32_t i, struct pmon_plan_slot_info *slot);

PMON_END_DECLS

#endif
