/* SPDX-License-Identifier: MIT */
/*
 * Checks the units of sums. Event counts have no unit, numbers have any unit, and metrics have the unit of their
 * results.
 *
 * Finds out, too, which metrics are amounts, which add up over time. If everything goes on for twice as long, counts
 * and the measured time are doubled, products and quotients of them change by the powers of two that they have, and
 * numbers and clocks stay. An amount has the power 1; levels, rates and ratios have the power 0.
 */
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

/* The powers of time (above). A number has any power in sums, which PLAIN stands for, and none in products. */
enum { PLAIN = INT8_MIN, MOST_POWER = 100 };

static int8_t join_powers(int8_t left, int8_t right)
{
  return left == PLAIN ? right : left;
}

static int8_t multiply_powers(int8_t left, int8_t right, int sign)
{
  const int power = (left == PLAIN ? 0 : left) + sign * (right == PLAIN ? 0 : right);
  return left == PLAIN && right == PLAIN ? PLAIN : (int8_t)(abs(power) < MOST_POWER ? power : MOST_POWER);
}

static int8_t power_of_name(const struct pmon_plan *plan, const struct metric *m, uint32_t name)
{
  const enum expr_name_kind kind = m->expr->names[name].kind;
  if (m->names[name].kind == METRIC_METRIC)
    return plan->metrics[m->names[name].index]->amount;
  return kind == EXPR_EVENT || kind == EXPR_INTERVAL || kind == EXPR_TSC;
}

/* Sets m->amount. `powers` has room for all nodes. */
static void set_amount(const struct pmon_plan *plan, struct metric *m, int8_t *powers)
{
  for (uint32_t i = 0; i < m->expr->n_nodes; i++) {
    const struct expr_node *n = &m->expr->nodes[i];
    switch (n->kind) {
    case EXPR_NUMBER: powers[i] = PLAIN; break;
    case EXPR_NAME: powers[i] = power_of_name(plan, m, n->name); break;
    case EXPR_MUL: powers[i] = multiply_powers(powers[n->left], powers[n->right], 1); break;
    case EXPR_DIV: powers[i] = multiply_powers(powers[n->left], powers[n->right], -1); break;
    case EXPR_NEGATE:
    case EXPR_ROUND: powers[i] = powers[n->left]; break;
    case EXPR_LESS:
    case EXPR_LESS_EQUAL:
    case EXPR_EQUAL:
    case EXPR_NOT_EQUAL: powers[i] = 0; break;
    case EXPR_CHOOSE: powers[i] = join_powers(powers[n->right], powers[n->other]); break;
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MIN:
    case EXPR_MAX: powers[i] = join_powers(powers[n->left], powers[n->right]); break;
    }
    m->amount = powers[i] == 1 && !m->per_second && m->combine != DB_IMBALANCE;
  }
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
  m->physical = declared ? declared : last;
  if (!status && declared && last)
    status = check_declared(plan, m, declared, last);
  if (!status)
    set_amount(plan, m, (int8_t *)units); /* their memory is large enough, and no longer needed */
  free(units);
  return status;
}
