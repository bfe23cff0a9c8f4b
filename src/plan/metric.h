/* SPDX-License-Identifier: MIT */
/* A metric in a plan: its equation with every name resolved. */
#ifndef PMON_PLAN_METRIC_H
#define PMON_PLAN_METRIC_H

#include <pmon/plan.h>
#include <pmon/session.h>
#include "src/metric/expr.h"
#include "src/facts/db.h"

enum { METRIC_DEPTH = 8 }; /* of metrics that use metrics */
#define METRIC_TERMS UINT32_C(65536)

/* The operand of a name in the equation: number of the plan's event or metric, or a clock in Hz (0: not known);
 * `index` is also the unit's number of INSTANCES. */
struct metric_name {
  enum { METRIC_EVENT, METRIC_METRIC, METRIC_OTHER } kind;
  uint32_t index;
  const char *clock;
};

struct metric {
  char *name;
  char *equation;              /* of a caller's own; NULL: the facts' */
  const struct db_metric *row; /* NULL: a caller's own */
  const char *unit, *result, *brief, *cite, *of;
  uint32_t unit_number; /* of the platform; PMON_ALL: an equation of no unit that mixes units */
  uint32_t combine;     /* enum db_combine */
  bool per_second, selected;
  uint32_t terms; /* names in the equation and in those of the metrics that it uses, each as often as it is evaluated */
  struct expr *expr;
  struct metric_name *names;   /* one for each of the expression's */
  struct metric_bound *bounds; /* the most that the unit can do, in the order of preference */
  uint32_t n_bounds;
};

/* A bound of a unit for results like the metric's (docs/formats.md, `bound`). */
struct metric_bound {
  struct expr *expr;
  bool package;     /* of all instances of a package together, else of one */
  bool each_second; /* of what the metric counts, each second */
};

/* Fills in the bounds of the metric's unit, of which the metric's other members are known. PMON_E_MEMORY,
 * PMON_E_SYNTAX, PMON_E_UNKNOWN (a unit). */
int metric_fill_bounds(struct pmon_plan *plan, struct metric *m);
void metric_free_bounds(struct metric *m);

void metric_free(struct metric *m);

/* The i-th selected metric, or NULL. */
const struct metric *metric_selected(const struct pmon_plan *plan, uint32_t i);

struct text;
/* The row of a platform's metric by name; with `unit` not PMON_ALL only that unit's. *ret_value: of its parameter. */
const struct db_metric *metric_find_row(const struct pmon_platform *p, struct text name, uint32_t unit,
                                        uint32_t *ret_value);

/* What a parametrised metric is called for one value: ..._RANK3, or NAME.3 where the name lacks the letter. Freed by
 * the caller; NULL: no memory. */
char *metric_name_with_value(const char *name, const char *param, uint32_t value);

/* Whether one session counts one value of the metric's parameter only: they are contents of a filter that is in effect
 * later than it is written. */
bool metric_takes_one_value(const struct db *db, const struct db_metric *m);

/* Fails for such a metric without a value, and others (", B and C", or ""). */
__attribute__((cold)) int metric_fail_no_value(struct pmon_plan *plan, const struct db_metric *m, const char *others,
                                               uint32_t column);

/* Refuses patterns that match such metrics, without values, and nothing else. */
__attribute__((cold)) int metric_check_patterns(struct pmon_plan *plan, const char *list);

/* The length of a list's first element: up to a comma outside parentheses, braces and events between slashes. */
size_t metric_element_length(const char *s);

/* Adds it, with all that it uses, unless the plan has it; `depth`: of metrics that use it. Statuses as
 * pmon_plan_add_metrics(). */
int metric_add_row(struct pmon_plan *plan, const struct db_metric *row, uint32_t value, unsigned depth,
                   uint32_t *ret_metric);

/* Adds an equation of unit number `unit` (PMON_ALL: of none) as a metric that is not selected. Statuses likewise. */
int metric_add_own(struct pmon_plan *plan, const char *name, const char *equation, uint32_t unit, uint32_t *ret_metric);

/* Makes the events of two metrics a group, one round's where they fit. PMON_E_MEMORY. */
int metric_keep_together(struct pmon_plan *plan, uint32_t left, uint32_t right);

/* Puts the events that a metric uses, each once, into items[*n...]; there is room for all of the plan's. */
void metric_collect_events(const struct pmon_plan *plan, const struct metric *m, uint32_t *items, uint32_t *n);

struct pmon_invariant_info;
/* Fills as much of *info as its size says. */
int invariant_fill_info(const struct pmon_platform *p, const struct db_invariant *r, struct pmon_invariant_info *info);

/* What a metric's evaluation asks of a session. */
struct metric_source {
  const struct pmon_plan *plan;
  void *user;
  const struct metric *top; /* the metric that is evaluated, of those that use each other */
  /* The plan's event as an operand of the metric, summed over the scope; PMON_E_RANGE: the scope holds none of its
   * instances. */
  int (*operand)(void *user, const struct metric *metric, uint32_t event, const struct pmon_scope *scope,
                 struct pmon_value *ret_value);
  double (*clock_hz)(void *user, const char *clock); /* 0: not known */
  /* A limit of the machine, of a package or, PMON_ALL, of all; 0: not known. NULL: never known. */
  double (*limit)(void *user, const char *name, uint32_t package);
  /* How many instances of the event's unit counted it in the scope; 0: not known. NULL: never known. */
  double (*instances)(void *user, uint32_t event, const struct pmon_scope *scope);
  double threads_per_core; /* 0: not known */
  double seconds;
  uint64_t packages;
};

/* The metric over the scope; statuses as pmon_session_metric(). */
int metric_evaluate(const struct metric_source *source, uint32_t metric, const struct pmon_scope *scope,
                    struct pmon_value *ret_value);

/* Flags a value that is more than the hardware can do, or a sum of which a part is (plausible.c). PMON_E_MEMORY. */
int metric_flag_beyond(const struct metric_source *source, const struct metric *m, const struct pmon_scope *scope,
                       struct pmon_value *value);

/* A metric, selected or not, over the scope by its equation alone: instances are summed. Statuses as above. */
int metric_evaluate_one(const struct metric_source *source, const struct metric *m, const struct pmon_scope *scope,
                        struct pmon_value *ret_value);

/* What a metric that is a ratio is of: the value of its divisor over the scope; 0: it is none, or has no value there.
 * PMON_OK, PMON_E_MEMORY. */
int metric_evaluate_base(const struct metric_source *source, uint32_t metric, const struct pmon_scope *scope,
                         double *ret_base);

#endif
