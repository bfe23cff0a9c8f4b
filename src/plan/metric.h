/* SPDX-License-Identifier: MIT */
/* A metric in a plan: its equation with every name resolved. */
#ifndef PMON_PLAN_METRIC_H
#define PMON_PLAN_METRIC_H

#include <ctype.h>
#include <pmon/plan.h>
#include <pmon/session.h>
#include "src/metric/expr.h"
#include "src/facts/db.h"

enum { METRIC_DEPTH = 8 }; /* maximum nesting of metrics that use metrics */
#define METRIC_TERMS UINT32_C(65536)

/* The operand of a name in the equation: number of the plan's event or metric, or a clock (its name). For INSTANCES,
 * `index` is the unit's number. */
struct metric_name {
  enum { METRIC_EVENT, METRIC_METRIC, METRIC_OTHER } kind;
  uint32_t index;
  const char *clock;
};

struct metric {
  char *name;
  char *equation;              /* of a user-supplied metric; NULL: from the facts */
  const struct db_metric *row; /* NULL: user-supplied */
  const char *unit, *result, *brief, *cite, *of;
  const char *physical; /* unit of the value, if sums must not mix it with others; NULL: another unit, or unknown */
  uint32_t unit_number; /* the platform's unit number; PMON_ALL: an equation without a unit that mixes units */
  uint32_t combine;     /* enum db_combine */
  bool per_second, selected;
  bool amount;    /* it adds up over time; else it is a level, a rate or a ratio */
  uint32_t terms; /* names in the equation and in those of the metrics that it uses, each counted per evaluation */
  struct expr *expr;
  struct metric_name *names;   /* one for each name of the expression */
  struct metric_bound *bounds; /* maximum values of the unit, in the order of preference */
  uint32_t n_bounds;
};

/* A bound of a unit for results like the metric's (docs/formats.md, `bound`). */
struct metric_bound {
  struct expr *expr;
  bool package;     /* for all instances of a package together, else for one */
  bool each_second; /* a rate per second of what the metric counts */
};

/* Sets the bounds of the metric's unit; the metric's other members must be set. PMON_E_MEMORY, PMON_E_SYNTAX,
 * PMON_E_UNKNOWN (a unit). */
int metric_fill_bounds(struct pmon_plan *plan, struct metric *m);

void metric_free(struct metric *m);

/* Sets the metric's physical unit, and whether it is an amount; call it last. A declared rate whose equation is a rate
 * already is not divided by the time. PMON_E_CONFLICT: the equation adds or compares values of different units, or the
 * result has another one. PMON_E_MEMORY. */
int metric_check_units(struct pmon_plan *plan, struct metric *m);

/* Returns the i-th selected metric, or NULL. */
const struct metric *metric_selected(const struct pmon_plan *plan, uint32_t i);

struct text;
/* Returns the row of a platform's metric by name; unless `unit` is PMON_ALL, only of that unit. *ret_value: the value
 * of its parameter. */
const struct db_metric *metric_find_row(const struct pmon_platform *p, struct text name, uint32_t unit,
                                        uint32_t *ret_value);

/* Returns the name of a parametrised metric with one value: ..._RANK3, or NAME.3 if the name does not contain the
 * letter. The caller frees it; NULL: no memory. */
char *metric_name_with_value(const char *name, const char *param, uint32_t value);
/* True for characters of names of metrics and events. */
static inline bool metric_is_name(char c)
{
  return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* True if a session can count only one value of the metric's parameter: the values are contents of a filter that takes
 * effect later than it is written. */
bool metric_takes_one_value(const struct db *db, const struct db_metric *m);

/* Fails for such a metric without a value, and for `others` (", B and C", or ""). */
__attribute__((cold)) int metric_fail_no_value(struct pmon_plan *plan, const struct db_metric *m, const char *others,
                                               uint32_t column);

/* Refuses patterns that match only such metrics, without values. */
__attribute__((cold)) int metric_check_patterns(struct pmon_plan *plan, const char *list);

/* pmon_metric_expand(); in a plan for a recording, patterns match the names of its equations, too. */
int metric_expand(const struct pmon_plan *plan, const char *list, char *names, size_t size, size_t *ret_length);

/* Returns the length of a list's first element: up to a comma outside parentheses, braces and events between
 * slashes. */
size_t metric_element_length(const char *s);

/* Adds a metric with all that it uses, unless the plan has it; `user`: the metric that uses it, or NULL. Statuses as
 * pmon_plan_add_metrics(). */
struct definition;
int metric_add_row(struct pmon_plan *plan, const struct db_metric *row, uint32_t value, const struct definition *user,
                   uint32_t *ret_metric);

/* Adds an equation of unit number `unit` (PMON_ALL: none) as a metric that is not selected. Statuses as
 * pmon_plan_add_metrics(). */
int metric_add_own(struct pmon_plan *plan, const char *name, const char *equation, uint32_t unit, uint32_t *ret_metric);

/* Makes the events of two metrics a group, which is in one round if it fits. PMON_E_MEMORY. */
int metric_keep_together(struct pmon_plan *plan, uint32_t left, uint32_t right);

/* Appends the events that a metric uses, each once, to items[*n...]; it has room for all events of the plan. */
void metric_collect_events(const struct pmon_plan *plan, const struct metric *m, uint32_t *items, uint32_t *n);

struct pmon_invariant_info;
/* Fills *info up to its size. */
int invariant_fill_info(const struct pmon_platform *p, const struct db_invariant *r, struct pmon_invariant_info *info);

/* What the evaluation of a metric needs from a session. */
struct metric_source {
  const struct pmon_plan *plan;
  void *user;
  const struct metric *top; /* the outermost metric of the evaluation, which uses the others */
  /* Returns the plan's event as an operand of the metric, summed over the scope; PMON_E_RANGE: none of its instances is
   * in the scope. */
  int (*operand)(void *user, const struct metric *metric, uint32_t event, const struct pmon_scope *scope,
                 struct pmon_value *ret_value);
  double (*clock_hz)(void *user, const char *clock);     /* 0: not known */
  double (*reference_hz)(void *user, const char *clock); /* for bounds: the same, or that of the reference machine */
  /* Returns a limit of the machine, of a package or, with PMON_ALL, of all; 0: not known. NULL: no limit is known. */
  double (*limit)(void *user, const char *name, uint32_t package);
  /* Returns the number of instances of the event's unit that counted it in the scope; 0: not known. NULL: never
   * known. */
  double (*instances)(void *user, uint32_t event, const struct pmon_scope *scope);
  double threads_per_core; /* 0: not known */
  double seconds;
  uint64_t packages;
};

/* Evaluates the metric over the scope; statuses as pmon_session_metric(). */
int metric_evaluate(const struct metric_source *source, uint32_t metric, const struct pmon_scope *scope,
                    struct pmon_value *ret_value);

/* Flags a value above the hardware's maximum, or a sum with such a part (plausible.c). PMON_E_MEMORY. */
int metric_flag_beyond(const struct metric_source *source, const struct metric *m, const struct pmon_scope *scope,
                       struct pmon_value *value);

/* Evaluates a metric, selected or not, over the scope from its equation alone: instances are summed. Statuses as
 * above. */
int metric_evaluate_one(const struct metric_source *source, const struct metric *m, const struct pmon_scope *scope,
                        struct pmon_value *ret_value);

/* Returns the value of a ratio's denominator over the scope; 0: the metric is not a ratio, or the denominator has no
 * value there. PMON_OK, PMON_E_MEMORY. */
int metric_evaluate_base(const struct metric_source *source, uint32_t metric, const struct pmon_scope *scope,
                         double *ret_base);

#endif
