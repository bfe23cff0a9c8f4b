/* SPDX-License-Identifier: MIT */
/* Checks the units of sums. Event counts have no unit, numbers have any unit, and metrics have the unit of their
 * results. */
#include <stdlib.h>
#include <string.h>
#include "src/plan/metric.h"
#include "src/plan/plan.h"
#include "src/platform/context.h"

/* Units that a sum must not mix with others. Other units name the counted things, and are not checked. */
static const char physical_units[][8] = {"bytes", "bytes/s", "s", "ns", "Hz", "J", "W", "degC", "ratio", "MB"};

static const char *physical_unit(const char *unit)
{
  for (size_t i = 0; i < sizeof physical_units / sizeof *physical_units; i++)
    if (!strcmp(physical_units[i], unit))
      return unit;
  return NULL;
}

static const char *unit_of_name(const struct pmon_plan *plan, const struct metric *m, uint32_t name)
{
  if (m->names[name].kind == METRIC_METRIC)
    return plan->metrics[m->names[name].index]->physical;
  return m->expr->names[name].kind == EXPR_INTERVAL ? "s" : m->expr->names[name].kind == EXPR_CLOCK ? "Hz" : NULL;
}

/* Finds the common unit of two operands; NULL: neither is known. PMON_E_CONFLICT: the units differ. */
static __attribute__((cold)) int join_units(struct pmon_plan *plan, const char *left, const char *right,
                                            const char **ret_unit)
{
  *ret_unit = left ? left : right;
  return !left || !right || !strcmp(left, right)
             ? 0
             : context_fail(plan->context, PMON_E_CONFLICT, 0, "a value in %s is added to or compared with one in %s",
                            left, right);
}

/* Compares the unit of the equation with the declared one. A declared rate whose equation is a rate already is not
 * divided by the time. */
static int check_declared(struct pmon_plan *plan, struct metric *m, const char *declared, const char *unit)
{
  const size_t n = strlen(unit);
  const bool same = !strcmp(declared, unit);
  if (same || (m->per_second && !strncmp(declared, unit, n) && !strcmp(declared + n, "/s"))) {
    m->per_second &= !same;
    return 0;
  }
  return context_fail(plan->context, PMON_E_CONFLICT, 0, "its result is declared in %s, but its equation is in %s",
                      declared, unit);
}

__attribute__((cold)) int metric_check_units(struct pmon_plan *plan, struct metric *m)
{
  const char **units = calloc(m->expr->n_nodes + 1, sizeof *units), *declared = physical_unit(m->result);
  int status = units ? 0 : context_fail(plan->context, PMON_E_MEMORY, 0, "no memory for a metric");
  const char *last = NULL, *compared;
  for (uint32_t i = 0; !status && i < m->expr->n_nodes; i++) {
    const struct expr_node *n = &m->expr->nodes[i];
    switch (n->kind) {
    case EXPR_NUMBER:
    case EXPR_MUL:
    case EXPR_DIV: break;
    case EXPR_NAME: units[i] = unit_of_name(plan, m, n->name); break;
    case EXPR_NEGATE:
    case EXPR_ROUND: units[i] = units[n->left]; break;
    case EXPR_LESS:
    case EXPR_LESS_EQUAL:
    case EXPR_EQUAL:
    case EXPR_NOT_EQUAL: status = join_units(plan, units[n->left], units[n->right], &compared); break;
    case EXPR_CHOOSE: status = join_units(plan, units[n->right], units[n->other], &units[i]); break;
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MIN:
    case EXPR_MAX: status = join_units(plan, units[n->left], units[n->right], &units[i]); break;
    }
    last = units[i];
  }
  free(units);
  m->physical = declared ? declared : last;
  return !status && declared && last ? check_declared(plan, m, declared, last) : status;
}
