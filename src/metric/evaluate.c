/* SPDX-License-Identifier: MIT */
/*
 * Evaluates nodes to a value, or to the reason why there is none. Standard errors are computed to first order: those of
 * sums are added, an upper bound for any correlation between the operands; those of products and quotients assume
 * independent operands. Intervals are computed in the same way, with the result at the ends of each operand's interval:
 * a denominator that may be 0 leaves a quotient without an upper end.
 */
#include "src/metric/expr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "src/base/text.h"

/* fault: number, from 1, of the node without a value because of which this one has none; 0: it has a value. */
struct slot {
  double number, sigma, low, high;
  uint32_t flags, fault;
};

static const char *name_text(const struct expr_name *n)
{
  static const char *const words[] = {[EXPR_INTERVAL] = "SAMPLE_INTERVAL", [EXPR_TSC] = "TSC",
                                      [EXPR_TSC_SPEED] = "TSC_SPEED",      [EXPR_CLOCK] = "CLOCK_HZ",
                                      [EXPR_INSTANCES] = "INSTANCES",      [EXPR_LIMIT] = "LIMIT",
                                      [EXPR_PACKAGES] = "PACKAGES",        [EXPR_THREADS] = "THREADS_PER_CORE"};
  return n->kind == EXPR_EVENT ? n->name : words[n->kind];
}

static bool seen_before(const struct expr *e, const uint32_t *names, uint32_t n, uint32_t name)
{
  for (uint32_t i = 0; i < n; i++)
    if (text_is(text_of(name_text(&e->names[names[i]])), name_text(&e->names[name])))
      return true;
  return false;
}

/* Finds the names below `node`, each once, at most three. Returns their number; *ret_more: there are others. */
static uint32_t find_names(const struct expr *e, uint32_t node, uint32_t names[3], bool *ret_more)
{
  uint32_t stack[EXPR_MAX_NODES], depth = 0, n = 0;
  stack[depth++] = node;
  while (depth) {
    const struct expr_node *at = &e->nodes[stack[--depth]];
    if (at->kind == EXPR_NAME) {
      if (seen_before(e, names, n, at->name))
        continue;
      if (n < 3)
        names[n++] = at->name;
      else
        *ret_more = true;
    } else if (at->kind != EXPR_NUMBER) {
      if (at->kind == EXPR_CHOOSE)
        stack[depth++] = at->other;
      if (at->kind != EXPR_NEGATE && at->kind != EXPR_ROUND)
        stack[depth++] = at->right;
      stack[depth++] = at->left;
    }
  }
  return n;
}

/* Writes "denominator zero, A counted 0" or "denominator zero: of A, B, C and more", with as many names as fit. */
static void explain_zero(const struct expr *e, uint32_t node, char *text, size_t size)
{
  static const char zero[] = "denominator zero", counted[] = " counted 0", more_text[] = " and more";
  const bool single = e->nodes[node].kind == EXPR_NAME;
  const char *const end = single ? counted : more_text;
  uint32_t names[3];
  bool more = false;
  const uint32_t n = find_names(e, node, names, &more);
  size_t k = (size_t)snprintf(text, size, "%s", zero);
  for (uint32_t i = 0; i < n; i++) {
    const char *name = name_text(&e->names[names[i]]);
    const char *const before = i || n == 1 ? ", " : ": of ";
    if (k + strlen(before) + strlen(name) + strlen(end) >= size) {
      more = i > 0;
      break;
    }
    k += (size_t)snprintf(text + k, size - k, "%s%s", before, name);
  }
  if (k > strlen(zero) && (single || more))
    snprintf(text + k, size - k, "%s", end);
}

static double round_digits(double v, double digits)
{
  double factor = pow(10, digits), scaled = v * factor;
  return isfinite(scaled) ? round(scaled) / factor : v;
}

static double operate(const struct expr_node *n, double a, double b)
{
  switch (n->kind) {
  case EXPR_NEGATE: return -a;
  case EXPR_ADD: return a + b;
  case EXPR_SUB: return a - b;
  case EXPR_MUL: return a * b;
  case EXPR_DIV: return a / b;
  case EXPR_ROUND: return round_digits(a, n->number);
  case EXPR_MIN: return a <= b ? a : b;
  case EXPR_MAX: return a >= b ? a : b;
  case EXPR_LESS: return a < b;
  case EXPR_LESS_EQUAL: return a <= b;
  case EXPR_EQUAL: return a == b;
  case EXPR_NOT_EQUAL: return a != b;
  default: return a;
  }
}

static double operate_sigma(const struct expr_node *n, const struct slot *a, const struct slot *b, double number)
{
  switch (n->kind) {
  case EXPR_ADD:
  case EXPR_SUB: return a->sigma + b->sigma;
  case EXPR_MUL: return hypot(a->sigma * b->number, b->sigma * a->number);
  case EXPR_DIV: return hypot(a->sigma / b->number, number * b->sigma / b->number);
  case EXPR_MIN:
  case EXPR_MAX: return number == a->number ? a->sigma : b->sigma;
  default: return a->sigma;
  }
}

/* Computes how far the result reaches below (ret[0]) and above (ret[1]) `number` while one operand moves through its
 * interval. */
static void reach(double number, double one_end, double other_end, double ret[2])
{
  const double ends[2] = {isnan(one_end) ? number : one_end, isnan(other_end) ? number : other_end};
  ret[0] = number - fmin(number, fmin(ends[0], ends[1]));
  ret[1] = fmax(number, fmax(ends[0], ends[1])) - number;
}

static void operate_interval(const struct expr_node *n, const struct slot *a, const struct slot *b, struct slot *r)
{
  const bool sums = n->kind == EXPR_ADD || n->kind == EXPR_SUB || n->kind == EXPR_MIN || n->kind == EXPR_MAX;
  double by_a[2], by_b[2];
  reach(r->number, operate(n, a->low, b->number), operate(n, a->high, b->number), by_a);
  if (n->kind == EXPR_DIV && b->low != b->high && (b->low > 0) != (b->high > 0))
    reach(r->number, r->number < 0 ? -INFINITY : r->number, r->number > 0 ? INFINITY : r->number, by_b);
  else
    reach(r->number, operate(n, a->number, b->low), operate(n, a->number, b->high), by_b);
  r->low = r->number - (sums ? by_a[0] + by_b[0] : hypot(by_a[0], by_b[0]));
  r->high = r->number + (sums ? by_a[1] + by_b[1] : hypot(by_a[1], by_b[1]));
}

static bool is_comparison(const struct expr_node *n)
{
  return n->kind >= EXPR_LESS && n->kind <= EXPR_NOT_EQUAL;
}

/* Applies an operator to operands that have values. */
static struct slot apply_operator(const struct expr_node *n, const struct slot *slots)
{
  const bool single = n->kind == EXPR_NEGATE || n->kind == EXPR_ROUND;
  const struct slot a = slots[n->left], b = single ? (struct slot){0} : slots[n->right];
  struct slot r = {.number = operate(n, a.number, b.number), .flags = a.flags | b.flags};
  r.low = r.high = r.number;
  if (is_comparison(n))
    return r;
  r.sigma = operate_sigma(n, &a, &b, r.number);
  operate_interval(n, &a, &b, &r);
  return r;
}

/* The operand that is not chosen need not have a value. */
static struct slot choose(const struct expr_node *n, const struct slot *slots)
{
  const struct slot *condition = &slots[n->left];
  if (condition->fault)
    return *condition;
  struct slot r = slots[condition->number != 0 ? n->right : n->other];
  r.flags |= condition->flags;
  return r;
}

static struct slot evaluate_node(const struct expr *e, uint32_t i, const struct expr_value *names,
                                 const struct slot *slots)
{
  const struct expr_node *n = &e->nodes[i];
  struct slot r = {.number = n->number, .low = n->number, .high = n->number};
  if (n->kind == EXPR_NAME) {
    const struct expr_value *v = &names[n->name];
    r = (struct slot){v->number, v->sigma, v->low, v->high, v->flags, v->valid ? 0 : i + 1};
  } else if (n->kind == EXPR_CHOOSE) {
    r = choose(n, slots);
  } else if (n->kind != EXPR_NUMBER) {
    const bool single = n->kind == EXPR_NEGATE || n->kind == EXPR_ROUND;
    if (slots[n->left].fault)
      return slots[n->left];
    if (!single && slots[n->right].fault)
      return slots[n->right];
    if (n->kind == EXPR_DIV && slots[n->right].number == 0)
      return (struct slot){.flags = slots[n->left].flags | slots[n->right].flags, .fault = i + 1};
    r = apply_operator(n, slots);
  }
  if (!r.fault && !isfinite(r.number))
    r.fault = i + 1;
  return r;
}

/* Explains why the root has no value: by its first operand without one. */
static void explain_fault(const struct expr *e, const struct slot *root, const struct expr_value *names,
                          const struct slot *slots, struct expr_value *ret)
{
  const struct expr_node *n = &e->nodes[root->fault - 1];
  if (n->kind == EXPR_NAME) {
    *ret = names[n->name];
  } else if (n->kind == EXPR_DIV && slots[n->right].number == 0) {
    ret->flags = root->flags;
    explain_zero(e, n->right, ret->reason, sizeof ret->reason);
  } else {
    snprintf(ret->reason, sizeof ret->reason, "the result is out of range");
  }
}

/* Evaluates the nodes up to `last`. Operands precede their operator, so that these determine its value. */
static void evaluate_nodes(const struct expr *e, uint32_t last, const struct expr_value *names, struct slot *slots,
                           struct expr_value *ret)
{
  for (uint32_t i = 0; i <= last; i++)
    slots[i] = evaluate_node(e, i, names, slots);
  const struct slot *root = &slots[last];
  if (root->fault) {
    explain_fault(e, root, names, slots, ret);
    return;
  }
  ret->number = root->number == 0 ? 0 : root->number; /* no minus zero */
  ret->sigma = isfinite(root->sigma) ? root->sigma : 0;
  ret->low = root->low;
  ret->high = root->high;
  ret->flags = root->flags;
  ret->valid = true;
}

/* Sizes on the stack, enough for nearly all equations: services evaluate hundreds in each interval. */
enum { FEW_NODES = 32, FEW_NAMES = 8 };

static int evaluate_up_to(const struct expr *e, uint32_t last, expr_lookup lookup, void *user,
                          struct expr_value *ret_value)
{
  struct slot few_slots[FEW_NODES], *many_slots = NULL;
  struct expr_value few_names[FEW_NAMES], *many_names = NULL;
  if (e->n_nodes > FEW_NODES && !(many_slots = malloc(e->n_nodes * sizeof *many_slots)))
    return PMON_E_MEMORY;
  if (e->n_names > FEW_NAMES && !(many_names = malloc(e->n_names * sizeof *many_names))) {
    free(many_slots);
    return PMON_E_MEMORY;
  }
  struct expr_value *const names = many_names ? many_names : few_names;
  *ret_value = (struct expr_value){0};
  for (uint32_t i = 0; i < e->n_names; i++) {
    names[i] = (struct expr_value){0};
    lookup(user, &e->names[i], &names[i]);
  }
  evaluate_nodes(e, last, names, many_slots ? many_slots : few_slots, ret_value);
  free(many_names);
  free(many_slots);
  return 0;
}

int expr_evaluate(const struct expr *e, expr_lookup lookup, void *user, struct expr_value *ret_value)
{
  return evaluate_up_to(e, e->n_nodes - 1, lookup, user, ret_value);
}

int expr_evaluate_divisor(const struct expr *e, expr_lookup lookup, void *user, struct expr_value *ret_value)
{
  const struct expr_node *root = &e->nodes[e->n_nodes - 1];
  *ret_value = (struct expr_value){.reason = "the equation is not a division"};
  return root->kind == EXPR_DIV ? evaluate_up_to(e, root->right, lookup, user, ret_value) : 0;
}
