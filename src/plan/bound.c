/* SPDX-License-Identifier: MIT */
/* The bounds of a metric: the bounds of its unit for results of the same kind (docs/formats.md, `bound`). */
#include <stdlib.h>
#include <string.h>
#include "src/plan/metric.h"
#include "src/plan/plan.h"
#include "src/platform/context.h"
#include "src/platform/platform.h"

static const char of_package[] = "package ", each_second[] = "/s";

/* Returns the unit whose bounds apply to a metric: its own; for an imported metric without a unit, the unit of all its
 * events. */
static uint32_t bound_unit(const struct pmon_plan *plan, const struct metric *m)
{
  if (!m->row || m->row->unit != DB_NONE)
    return m->row ? m->row->unit : DB_NONE;
  const uint32_t unit = m->unit_number == PMON_ALL ? DB_NONE : platform_unit_row(plan->platform, m->unit_number);
  return unit != DB_NONE && plan->platform->db->units[unit].flags & DB_PERF_ONLY ? unit : DB_NONE;
}

/* True if a bound applies to results of this kind, or to their rate per second. */
static bool is_bound_of(const char *key, const char *result, struct metric_bound *ret_bound)
{
  const size_t n = strlen(result);
  *ret_bound = (struct metric_bound){.package = !strncmp(key, of_package, sizeof of_package - 1)};
  key += ret_bound->package ? sizeof of_package - 1 : 0;
  if (!n || strncmp(key, result, n) != 0)
    return false;
  ret_bound->each_second = !strcmp(key + n, each_second);
  return ret_bound->each_second || !key[n];
}

static bool is_unit_of(void *user, const char *word, size_t length)
{
  struct platform_unit_name found;
  return platform_find_unit(user, (struct text){word, length}, &found);
}

/* Checks that a bound consists of numbers, clocks and limits. */
static int check_names(struct pmon_plan *plan, const struct metric *m, const struct expr *e)
{
  for (uint32_t i = 0; i < e->n_names; i++) {
    const struct expr_name *n = &e->names[i];
    if (n->kind == EXPR_CLOCK && !is_unit_of((void *)(uintptr_t)plan->platform, n->unit, strlen(n->unit)))
      return context_fail(plan->context, PMON_E_UNKNOWN, 0, "bound of %s: CLOCK_HZ: no unit '%s'", m->name, n->unit);
    if (n->kind != EXPR_CLOCK && n->kind != EXPR_LIMIT)
      return context_fail(plan->context, PMON_E_SYNTAX, 0,
                          "bound of %s: it contains %s; expected only CLOCK_HZ(unit), LIMIT(name) and numbers", m->name,
                          n->name ? n->name : "another name");
  }
  return 0;
}

static int add_bound(struct pmon_plan *plan, struct metric *m, const char *equation, struct metric_bound bound)
{
  struct expr_error error;
  int status = expr_parse(equation, is_unit_of, (void *)(uintptr_t)plan->platform, &error, &bound.expr);
  if (status)
    return context_fail(plan->context, status, 0, "bound of %s: %s", m->name, error.text);
  m->bounds[m->n_bounds++] = bound;
  return check_names(plan, m, bound.expr);
}

int metric_fill_bounds(struct pmon_plan *plan, struct metric *m)
{
  const struct db *db = plan->platform->db;
  const uint32_t unit = bound_unit(plan, m);
  int status = 0;
  if (unit == DB_NONE)
    return 0;
  const struct db_span bounds = db->units[unit].bounds;
  m->bounds = calloc(bounds.n + 1, sizeof *m->bounds);
  if (!m->bounds)
    return context_fail(plan->context, PMON_E_MEMORY, 0, "no memory for a metric");
  for (uint32_t i = bounds.first; !status && i < bounds.first + bounds.n; i++) {
    struct metric_bound bound;
    if (is_bound_of(db_text(db, db->attrs[i].key), m->result, &bound) && (m->amount || !bound.each_second))
      status = add_bound(plan, m, db_text(db, db->attrs[i].value), bound);
  }
  return status;
}

static void metric_free_bounds(struct metric *m)
{
  for (uint32_t i = 0; i < m->n_bounds; i++)
    expr_free(m->bounds[i].expr);
  free(m->bounds);
}

void metric_free(struct metric *m)
{
  if (!m)
    return;
  expr_free(m->expr);
  metric_free_bounds(m);
  free(m->names);
  free(m->equation);
  free(m->name);
  free(m);
}
