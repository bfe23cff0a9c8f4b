/* SPDX-License-Identifier: MIT */
/* Compiles metrics: from a metric's name to its equation with all events in the plan. */
#include "src/plan/metric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/base/array.h"
#include "src/base/text.h"
#include "src/base/writer.h"
#include "src/plan/plan.h"
#include "src/platform/context.h"
#include "src/platform/platform.h"

/* The definition of a metric. */
struct definition {
  const char *name, *equation, *unit_name;
  uint32_t unit;                 /* the platform's unit number, or PMON_ALL */
  const struct db_metric *row;   /* NULL: user-supplied */
  const struct definition *user; /* the metric that uses this one, or NULL */
};

static int add_definition(struct pmon_plan *plan, const struct definition *d, uint32_t *ret_metric);

static bool is_unit(void *user, const char *word, size_t length)
{
  struct platform_unit_name found;
  return platform_find_unit(user, (struct text){word, length}, &found);
}

static const char loop_text[] = "metrics that use each other";

/* Prefixes the error record with the metric's name; in a loop only once. */
static int metric_fail_definition(struct pmon_plan *plan, const struct definition *d, int status)
{
  if (d->user && strstr(plan->context->error, loop_text) == plan->context->error)
    return status;
  char text[sizeof plan->context->error];
  const uint32_t column = d->row || d->user ? 0 : plan->context->column;
  snprintf(text, sizeof text, "%s", plan->context->error);
  context_fail(plan->context, status, 0, "metric %s: %s", d->name, text);
  plan->context->column = column;
  return status;
}

/* Writes "B uses A, A uses B" for a metric that is among its own users. */
static __attribute__((cold)) void write_uses(struct writer *w, const struct definition *d, const char *first)
{
  const struct definition *user = d->user;
  if (!text_is(text_of(user->name), first)) {
    write_uses(w, user, first);
    write_text(w, ", ");
  }
  write_text(w, user->name);
  write_text(w, " uses ");
  write_text(w, d->name);
}

static __attribute__((cold)) int fail_loop(struct pmon_plan *plan, const struct definition *d)
{
  char text[512];
  struct writer w = {text, sizeof text, 0};
  write_uses(&w, d, d->name);
  write_end(&w);
  return context_fail(plan->context, PMON_E_CONFLICT, 0, "%s: %s", loop_text, text);
}

/* Returns the event text of a name: `unit/NAME,attributes/`, or the guides' form when the unit is not known. A `with:`
 * setting names its register, which the resolver finds from the field. */
static char *event_text(const struct definition *d, const struct expr_name *n)
{
  const char *unit = n->unit ? n->unit : d->unit_name, *with = n->with ? n->with : "";
  size_t size = strlen(unit) + strlen(n->name) + strlen(n->attributes ? n->attributes : "") + strlen(with) + 8;
  char *text = malloc(size), *out = text;
  if (!text)
    return NULL;
  out += snprintf(out, size, "%s%s%s", unit, *unit ? "/" : "", n->name);
  const char *join = *unit ? "," : "{";
  if (n->attributes) {
    out += sprintf(out, "%s%s", join, n->attributes);
    join = ",";
  }
  while (*with) {
    size_t length = strcspn(with, ","), key = strcspn(with, "=,");
    const char *dot = memrchr(with, '.', key);
    const char *field = dot ? dot + 1 : with;
    out += sprintf(out, "%s%.*s", join, (int)(length - (size_t)(field - with)), field);
    join = ",";
    with += length + (with[length] == ',');
  }
  sprintf(out, "%s", *unit ? "/" : *join == ',' ? "}" : "");
  return text;
}

int metric_add_row(struct pmon_plan *plan, const struct db_metric *row, uint32_t value, const struct definition *user,
                   uint32_t *ret_metric)
{
  const struct pmon_platform *p = plan->platform;
  const char *name = db_text(p->db, row->name), *equation = db_text(p->db, row->equation),
             *param = db_text(p->db, row->param);
  const bool any = row->unit == DB_NONE; /* from a user-supplied file without a `unit` line */
  struct definition d = {.unit = any ? PMON_ALL : row->unit - p->row->units.first,
                         .unit_name = any ? "" : db_text(p->db, p->db->units[row->unit].name),
                         .row = row,
                         .user = user,
                         .name = name};
  if (row->flags & DB_STALE || !*equation)
    return context_fail(plan->context, PMON_E_NO_DATA, 0, "metric %s cannot be evaluated: %s", name,
                        *db_text(p->db, row->stale) ? db_text(p->db, row->stale) : "its platform file has no equation");
  char *own_name = metric_name_with_value(name, param, value);
  char *own_equation = expr_substitute(equation, *param ? *param : '\n', value);
  int status = own_name && own_equation ? 0 : context_fail(plan->context, PMON_E_MEMORY, 0, "no memory for a metric");
  d.name = own_name;
  d.equation = own_equation;
  if (!status)
    status = add_definition(plan, &d, ret_metric);
  free(own_name);
  free(own_equation);
  return status;
}

/* Returns the user-supplied equation of this name, or NULL, and their number; only such equations can use it. */
static __attribute__((cold)) const struct plan_equation *
find_equation(const struct pmon_plan *plan, const struct definition *d, const struct expr_name *n, uint32_t *ret_n)
{
  const bool may_use = !d->row && d->unit == PMON_ALL && !n->unit && !n->attributes && !n->with;
  *ret_n = 0;
  return may_use ? plan_find_equation(plan, text_of(n->name), ret_n) : NULL;
}

/* Resolves a name that is not an event's or a metric's: CLOCK_HZ(UNIT), SAMPLE_INTERVAL. */
static int resolve_special(struct pmon_plan *plan, const struct expr_name *n, struct metric_name *ret_name)
{
  const struct db *db = plan->platform->db;
  struct platform_unit_name found;
  ret_name->kind = METRIC_OTHER;
  if (n->kind == EXPR_LIMIT)
    return context_fail(plan->context, PMON_E_SYNTAX, n->column, "LIMIT(%s): only bounds of units have limits",
                        n->unit);
  if (n->kind != EXPR_CLOCK && n->kind != EXPR_INSTANCES)
    return 0;
  if (!platform_find_unit(plan->platform, text_of(n->unit), &found))
    return context_fail(plan->context, PMON_E_UNKNOWN, n->column, "%s: no unit '%s'",
                        n->kind == EXPR_CLOCK ? "CLOCK_HZ" : "INSTANCES", n->unit);
  ret_name->index = found.unit - plan->platform->row->units.first;
  ret_name->clock = db_text(db, db->units[found.unit].clock);
  return 0;
}

/* Resolves a name: a user-supplied equation other than this one, or else an event, or else a metric, first of the same
 * unit, then of any unit. */
static int resolve_name(struct pmon_plan *plan, const struct definition *d, const struct expr_name *n,
                        struct metric_name *ret_name)
{
  uint32_t equations;
  if (n->kind != EXPR_EVENT)
    return resolve_special(plan, n, ret_name);
  const struct plan_equation *own = find_equation(plan, d, n, &equations);
  if (equations > 1)
    return context_fail(plan->context, PMON_E_AMBIGUOUS, n->column, "%u equations are named %s", equations, own->name);
  if (own && !text_is(text_of(own->name), d->name)) {
    ret_name->kind = METRIC_METRIC;
    return add_definition(plan, &(struct definition){own->name, own->text, "", PMON_ALL, NULL, d}, &ret_name->index);
  }
  char *text = event_text(d, n);
  if (!text)
    return context_fail(plan->context, PMON_E_MEMORY, 0, "no memory for a metric");
  ret_name->kind = METRIC_EVENT;
  /* `text` may be written in another way than in the equation: the error's column is that of the whole name. */
  const bool outside = plan->context->no_columns;
  plan->context->no_columns = true;
  int status = plan_add_event(plan, text, false, &ret_name->index);
  plan->context->no_columns = outside;
  if (status)
    plan->context->column = outside ? 0 : plan->context->before + n->column;
  free(text);
  if (!status || n->attributes || n->with)
    return status;
  uint32_t unit = d->unit, value;
  if (n->unit && pmon_unit_find(plan->platform, n->unit, &unit))
    return status;
  const struct db_metric *row = metric_find_row(plan->platform, text_of(n->name), unit, &value);
  if (!row && !n->unit)
    row = metric_find_row(plan->platform, text_of(n->name), PMON_ALL, &value);
  if (!row && own)
    return fail_loop(plan, &(struct definition){.name = own->name, .user = d});
  if (!row)
    return status;
  ret_name->kind = METRIC_METRIC;
  return metric_add_row(plan, row, value, d, &ret_name->index);
}

/* Returns the unit of all events of a user-supplied equation; PMON_ALL: several. */
static uint32_t common_unit(const struct pmon_plan *plan, const struct metric *m)
{
  uint32_t unit = PMON_ALL;
  for (uint32_t i = 0; i < m->expr->n_names; i++) {
    uint32_t own = unit;
    if (m->names[i].kind == METRIC_EVENT)
      own = pmon_event_unit(plan->events[m->names[i].index].event);
    else if (m->names[i].kind == METRIC_METRIC)
      own = plan->metrics[m->names[i].index]->unit_number;
    if (unit != PMON_ALL && own != unit)
      return PMON_ALL;
    unit = own;
  }
  return unit;
}

/* Counts the terms of a metric and limits them: a metric that uses others several times evaluates them several times,
 * and ten such metrics can take a day. */
static int count_terms(struct pmon_plan *plan, struct metric *m)
{
  uint64_t terms = 0;
  for (uint32_t i = 0; i < m->expr->n_names; i++)
    terms += m->names[i].kind == METRIC_METRIC ? plan->metrics[m->names[i].index]->terms : 1;
  m->terms = (uint32_t)(terms < METRIC_TERMS ? terms : METRIC_TERMS);
  return terms <= METRIC_TERMS
             ? 0
             : context_fail(plan->context, PMON_E_RANGE, 0,
                            "%llu terms, including those of the metrics that it uses; expected at most %u",
                            (unsigned long long)terms, METRIC_TERMS);
}

static int fill_metric(struct pmon_plan *plan, const struct definition *d, struct metric *m)
{
  struct expr_error error;
  int status = expr_parse(d->equation, is_unit, (void *)(uintptr_t)plan->platform, &error, &m->expr);
  if (status == PMON_E_SYNTAX)
    return context_fail(
        plan->context, status, error.column,
        "column %u of the equation: %s; an equation consists of events (imc/CAS_COUNT.RD, "
        "cha/TOR_INSERTS.IA,thresh=1/), metrics, numbers, + - * / ( ), MIN, MAX, ROUND, CLOCK_HZ(unit), "
        "SAMPLE_INTERVAL and TSC",
        error.column, error.text);
  m->name = strdup(d->name);
  m->names = status ? NULL : calloc(m->expr->n_names + 1, sizeof *m->names);
  m->equation = d->row ? NULL : strdup(d->equation);
  if (!m->name || !m->names || (!d->row && !m->equation))
    return context_fail(plan->context, PMON_E_MEMORY, 0, "no memory for a metric");
  for (uint32_t i = 0; !status && i < m->expr->n_names; i++)
    status = resolve_name(plan, d, &m->expr->names[i], &m->names[i]);
  if (!status)
    status = count_terms(plan, m);
  if (status)
    return status;
  const struct db *db = plan->platform->db;
  m->row = d->row;
  m->unit = d->unit_name;
  m->unit_number = d->row && d->unit != PMON_ALL ? d->unit : common_unit(plan, m);
  m->combine = d->row ? d->row->combine : DB_SUM;
  m->per_second = d->row && d->row->flags & DB_PER_SECOND;
  m->result = d->row ? db_text(db, d->row->result) : "";
  m->brief = d->row ? db_text(db, d->row->brief) : "";
  m->of = d->row ? db_text(db, d->row->of) : "";
  m->cite = d->row ? db_text(db, d->row->origin.cite) : "";
  status = metric_check_units(plan, m);
  return status ? status : metric_fill_bounds(plan, m);
}

static __attribute__((cold)) bool is_same_definition(const struct metric *m, const struct definition *d)
{
  return m->row == d->row && text_is(text_of(m->name), d->name) &&
         (d->row || (!strcmp(m->unit, d->unit_name) && !strcmp(m->equation, d->equation)));
}

static int add_definition(struct pmon_plan *plan, const struct definition *d, uint32_t *ret_metric)
{
  const struct text name = text_of(d->name);
  unsigned depth = 0;
  uint32_t same = plan_names_last(&plan->metric_names, name);
  while (same != UINT32_MAX && !is_same_definition(plan->metrics[same], d))
    same = plan_names_before(&plan->metric_names, same);
  if (same != UINT32_MAX) {
    *ret_metric = same;
    return 0;
  }
  for (const struct definition *u = d->user; u; u = u->user)
    if (u->row == d->row && text_is(text_of(u->name), d->name))
      return fail_loop(plan, d);
    else if (++depth > METRIC_DEPTH)
      return context_fail(plan->context, PMON_E_CONFLICT, 0, "uses metrics nested more than %u deep", METRIC_DEPTH);
  struct metric *m = calloc(1, sizeof *m);
  if (!m)
    return context_fail(plan->context, PMON_E_MEMORY, 0, "no memory for a metric");
  int status = fill_metric(plan, d, m);
  if (status)
    metric_fail_definition(plan, d, status);
  else if (array_grow(&plan->metrics, plan->n_metrics, &plan->cap_metrics, sizeof(struct metric *)) ||
           plan_names_add(&plan->metric_names, name))
    status = context_fail(plan->context, PMON_E_MEMORY, 0, "no memory for a metric");
  if (status) {
    metric_free(m);
    return status;
  }
  *ret_metric = plan->n_metrics;
  plan->metrics[plan->n_metrics++] = m;
  return 0;
}

void metric_collect_events(const struct pmon_plan *plan, const struct metric *m, uint32_t *items, uint32_t *n)
{
  for (uint32_t i = 0; i < m->expr->n_names; i++) {
    uint32_t k = 0;
    if (m->names[i].kind == METRIC_METRIC)
      metric_collect_events(plan, plan->metrics[m->names[i].index], items, n);
    if (m->names[i].kind != METRIC_EVENT)
      continue;
    while (k < *n && items[k] != m->names[i].index)
      k++;
    if (k == *n)
      items[(*n)++] = m->names[i].index;
  }
}

int metric_keep_together(struct pmon_plan *plan, uint32_t left, uint32_t right)
{
  uint32_t *items = calloc(plan->n_events + 1, sizeof *items), n = 0;
  if (!items)
    return context_fail(plan->context, PMON_E_MEMORY, 0, "no memory for a metric");
  metric_collect_events(plan, plan->metrics[left], items, &n);
  metric_collect_events(plan, plan->metrics[right], items, &n);
  int status = plan_add_group(plan, items, n, false);
  free(items);
  return status;
}

int metric_add_own(struct pmon_plan *plan, const char *name, const char *equation, uint32_t unit, uint32_t *ret_metric)
{
  const struct pmon_platform *p = plan->platform;
  struct definition d = {.name = name, .equation = equation, .unit = unit};
  d.unit_name = unit == PMON_ALL ? "" : db_text(p->db, p->db->units[platform_unit_row(p, unit)].name);
  return add_definition(plan, &d, ret_metric);
}
