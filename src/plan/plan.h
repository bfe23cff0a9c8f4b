/* SPDX-License-Identifier: MIT */
/* A plan inside the library. */
#ifndef PMON_PLAN_PLAN_H
#define PMON_PLAN_PLAN_H

#include <pmon/plan.h>
#include "src/schedule/schedule.h"

struct db_invariant; /* src/facts/db.h */
struct metric;       /* src/plan/metric.h */

/* scale: one count is `scale` of `unit`; 0: the scale of the facts. */
struct plan_event {
  struct pmon_event *event;
  bool selected;
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
  struct metric **metrics;    /* all of them; the selected ones are marked */
  uint32_t *selected_metrics; /* their numbers, ascending */
  uint32_t n_events, n_groups, n_metrics, cap_events, cap_groups, cap_metrics, n_invariants, cap_invariants;
  uint32_t n_selected_metrics, cap_selected_metrics;
  uint32_t n_requested; /* events before those of the invariants */
  uint32_t n_witnesses; /* the last events: pmon's own (witness.h) */
  bool scheduled, no_witness;
  bool recorded;         /* its events are those of a recording */
  bool invariants_asked; /* its invariants are measured on purpose: counters are held for each reading */
  struct schedule_plan schedule;
};

/* Adds one event by its text, or finds it; the context's error record on failure. *ret_event is its number. */
int plan_add_event(struct pmon_plan *plan, const char *text, bool selected, uint32_t *ret_event);

/* Widens what an event wants of a filter register by what the programming rules exclude beside it. */
void filter_rules_need(const struct pmon_plan *plan, const struct pmon_register_id *id, struct schedule_need *need);

/* The counter whose count the event only passes on (`attr follows=0`), or UINT32_MAX. */
uint32_t plan_followed_counter(const struct pmon_event *event);

/* Adds a group of events by number; single ones are no group. PMON_E_MEMORY. */
int plan_add_group(struct pmon_plan *plan, const uint32_t *items, uint32_t n, bool strict);

/* Forgets events, groups and metrics added after the plan had so many. */
struct plan_mark {
  uint32_t events, groups, metrics;
};
void plan_rewind(struct pmon_plan *plan, const struct plan_mark *mark);

/* Schedules the plan's events anew, around counters that are taken: taken() gives the numbers (bit n: counter n) of
 * those that the event cannot have on one of its instances (NULL: none is taken; else witnesses are left out). The plan
 * itself stays as it is. PMON_OK;
 * PMON_E_UNSCHEDULABLE with *conflict; PMON_E_MEMORY. *ret is the caller's: schedule_plan_fini(). */
int plan_schedule_around(struct pmon_plan *plan, uint32_t (*taken)(void *user, uint32_t event), void *user,
                         struct schedule_conflict *conflict, struct schedule_plan *ret);

/* Adds a list of names, in which patterns are replaced by the names that they match: pmon_event_expand() and
 * add_events(), or those of metrics. Statuses of both. */
typedef int (*plan_expand)(const struct pmon_platform *platform, const char *list, char *names, size_t size,
                           size_t *ret_length);
typedef int (*plan_add)(struct pmon_plan *plan, const char *list);
int plan_add_expanded(struct pmon_plan *plan, const char *list, plan_expand expand, plan_add add);

#endif
