/* SPDX-License-Identifier: MIT */
/* The library's internal representation of a plan. */
#ifndef PMON_PLAN_PLAN_H
#define PMON_PLAN_PLAN_H

#include <pmon/plan.h>
#include "src/base/text.h"
#include "src/plan/equations.h"
#include "src/schedule/schedule.h"

struct db_invariant; /* src/facts/db.h */
struct metric;       /* src/plan/metric.h */

/* scale: one count is `scale` of `unit`; 0: the scale of the facts. */
struct plan_event {
  struct pmon_event *event;
  bool selected, was_selected; /* before the list that is being added */
  uint64_t instances;
  double scale;
  char unit[24];
};
/* An invariant: two metrics of the plan (src/plan/invariant.c) and the sign between them: '=', '<' or '>'. */
struct plan_invariant {
  const struct db_invariant *row;
  uint32_t left, right;
  char sign;
  bool or_equal;
};
struct plan_group {
  uint32_t *items;
  uint32_t n;
  bool strict;
};

struct pmon_plan {
  struct pmon_context *context;
  const struct pmon_platform *platform;
  struct plan_event *events;
  struct plan_group *groups;
  struct plan_invariant *invariants;
  struct metric **metrics; /* all metrics; the selected ones are marked */
  struct plan_names metric_names;
  uint32_t *selected_metrics; /* numbers of the selected ones, in the order of selection */
  uint32_t n_events, n_groups, n_metrics, cap_events, cap_groups, cap_metrics, n_invariants, cap_invariants;
  uint32_t n_selected_metrics, cap_selected_metrics;
  struct plan_equations equations;
  uint32_t n_requested; /* events before those of the invariants */
  uint32_t n_witnesses; /* number of witnesses, which are the last events (witness.h) */
  bool scheduled, no_witness;
  bool recorded;         /* its events are those of a recording */
  bool defines_stored;   /* the equations of added metrics are only stored, for the user's metrics */
  bool invariants_given; /* its invariants are to be measured: counters are frozen for each read */
  struct schedule_plan schedule;
};

/* Adds one event by its text, or finds it. *ret_event is its number. On failure the context's error record is set. */
int plan_add_event(struct pmon_plan *plan, const char *text, bool selected, uint32_t *ret_event);

/* Extends the need of an event for a filter register by the fields that the programming rules exclude at the same
 * time. */
void filter_rules_need(const struct pmon_plan *plan, const struct pmon_register_id *id, struct schedule_need *need);

/* Returns the counter that the event follows, whose event it counts, too (`attr follows=0`); UINT32_MAX: none. */
uint32_t plan_followed_counter(const struct pmon_event *event);

/* Adds a group of events by number; a single event is not a group. PMON_E_MEMORY. */
int plan_add_group(struct pmon_plan *plan, const uint32_t *items, uint32_t n, bool strict);

/* Removes events, groups and metrics that were added after the mark, and deselects metrics selected after it. */
struct plan_mark {
  uint32_t events, groups, metrics, selected;
};
void plan_rewind(struct pmon_plan *plan, const struct plan_mark *mark);

/* Schedules the plan's events without using counters that are taken. taken() returns the counters (bit n: counter n)
 * that the event cannot use on one of its instances. NULL: none is taken; otherwise witnesses are left out. The plan is
 * not changed. The caller frees *ret with schedule_plan_fini(). PMON_OK; PMON_E_UNSCHEDULABLE with *conflict;
 * PMON_E_MEMORY. */
int plan_schedule_around(struct pmon_plan *plan, uint32_t (*taken)(void *user, uint32_t event), void *user,
                         struct schedule_conflict *conflict, struct schedule_plan *ret);

/* Adds a list of names after replacing patterns by the names that they match. In a plan for a recording, a pattern
 * matches only what was recorded. Statuses of the functions; PMON_E_NO_DATA: nothing that matches was recorded. */
struct plan_list {
  int (*expand)(const struct pmon_plan *plan, const char *list, char *names, size_t size, size_t *ret_length);
  size_t (*element_length)(const char *list); /* of the first element */
  int (*add)(struct pmon_plan *plan, const char *list);
  const char *what; /* "events", "metrics" */
};
int plan_add_expanded(struct pmon_plan *plan, const char *list, const struct plan_list *of);

#endif
