/* SPDX-License-Identifier: MIT */
/* The selected metrics: a list of names and of user-supplied equations. */
#include "src/plan/metric.h"

#include <ctype.h>
#include <pmon/event.h>
#include <pmon/metric.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/base/array.h"
#include "src/base/nearest.h"
#include "src/plan/plan.h"
#include "src/platform/context.h"
#include "src/platform/platform.h"

/* Selects the metric: it is reported, and its events are kept together. */
static int select_metric(struct pmon_plan *plan, uint32_t metric)
{
  int status = metric_keep_together(plan, metric, metric);
  if (plan->metrics[metric]->selected)
    return status;
  if (array_grow(&plan->selected_metrics, plan->n_selected_metrics, &plan->cap_selected_metrics, sizeof(uint32_t)))
    return context_fail(plan->context, PMON_E_MEMORY, 0, "no memory");
  plan->selected_metrics[plan->n_selected_metrics++] = metric;
  plan->metrics[metric]->selected = true;
  return status;
}

/* True if two names differ only in one number, before their common end. */
static bool differ_in_number(struct text a, struct text b)
{
  static const char digits[] = "0123456789";
  size_t n = 0, i, k;
  while (n < a.n && n < b.n && text_same(a.s + n, b.s + n, 1))
    n++;
  while (n && isdigit((unsigned char)a.s[n - 1]))
    n--;
  for (i = n; i < a.n && strchr(digits, a.s[i]); i++)
    ;
  for (k = n; k < b.n && strchr(digits, b.s[k]); k++)
    ;
  return i > n && k > n && a.n - i == b.n - k && text_same(a.s + i, b.s + k, a.n - i);
}

/* Writes "; PCT_FREQ_BAND0 takes 12 to 35" if the name is that of a metric with a value out of range. */
static bool write_range(const struct pmon_platform *p, struct text name, char *text, size_t size)
{
  bool found = false;
  for (uint32_t i = p->row->metrics.first; !found && i < p->row->metrics.first + p->row->metrics.n; i++) {
    const struct db_metric *m = &p->db->metrics[i];
    const char *param = db_text(p->db, m->param);
    char *first = *param ? metric_name_with_value(db_text(p->db, m->name), param, m->param_lo) : NULL;
    found = first && differ_in_number(name, text_of(first));
    if (found)
      snprintf(text, size, "; %s takes %u to %u", db_text(p->db, m->name), m->param_lo, m->param_hi);
    free(first);
  }
  return found;
}

/* Writes the metric that a search for the name's words finds first: other tools compose names of the same words
 * (memory_bandwidth_read). */
static void write_found(const struct pmon_platform *p, struct text name, char *text, size_t size)
{
  struct pmon_metric_info metric = {.size = sizeof metric};
  char query[80];
  uint32_t most = 0;
  snprintf(query, sizeof query, "%.*s", (int)name.n, name.s);
  for (uint32_t i = 0; name.n < sizeof query && !pmon_metric_describe(p, i, &metric); i++) {
    const uint32_t score = pmon_metric_score(&metric, query);
    if (score > most) {
      most = score;
      snprintf(text, size, "; did you mean %s?", metric.name);
    }
  }
}

/* Writes the option that the name is for, if it is an event or a metric group. */
static bool write_other_option(const struct pmon_platform *p, struct text whole, char *text, size_t size)
{
  struct pmon_metric_group_info info;
  struct pmon_event *event;
  uint32_t group;
  char name[120];
  if (whole.n >= sizeof name)
    return false;
  snprintf(name, sizeof name, "%.*s", (int)whole.n, whole.s);
  const bool is_event = !pmon_event_resolve(p->context, p, name, &event);
  if (is_event)
    pmon_event_free(event);
  if (!is_event && (pmon_metric_group_find(p, name, &group) || !platform_get_group(p, group, &info) || !info.metrics))
    return false;
  snprintf(text, size, "; it is %s %s", is_event ? "an event: pmon stat -e" : "a group: pmon stat -g", name);
  return true;
}

static __attribute__((cold)) int unknown_metric(struct pmon_plan *plan, struct text whole, struct text name,
                                                uint32_t column)
{
  const struct pmon_platform *p = plan->platform;
  char hint[200], longer[200];
  struct nearest near = {.name = nearest_spell_out(name, longer, sizeof longer)};
  for (uint32_t i = 0; i < p->row->metrics.n; i++)
    nearest_add(&near, text_of(db_text(p->db, p->db->metrics[p->row->metrics.first + i].name)), i, 0);
  for (uint32_t i = 0; plan->recorded && i < plan->equations.n; i++)
    nearest_add(&near, text_of(plan->equations.at[i].name), i, 0);
  if (near.n && near.best[0].distance > (name.n + 1) / 3) /* near only because BANDWIDTH is long */
    near.n = 0;
  if (!write_range(p, name, hint, sizeof hint) && !write_other_option(p, whole, hint, sizeof hint))
    nearest_format(&near, hint, sizeof hint);
  if (!*hint)
    write_found(p, name, hint, sizeof hint);
  return context_fail(plan->context, PMON_E_UNKNOWN, column, "no metric \"%.*s\"%s",
                      (int)(whole.n > 200 ? 200 : whole.n), whole.s,
                      *hint ? hint : "; `pmon metrics` lists the metrics");
}

/* Refuses a name that metrics of several units have; a metric without a unit takes precedence. */
static int check_one_unit(struct pmon_plan *plan, struct text name, const struct db_metric *found, uint32_t column)
{
  const struct pmon_platform *p = plan->platform;
  char units[200];
  size_t length = 0;
  uint32_t n = 0, value;
  for (uint32_t u = 0; found->unit != DB_NONE && u < p->row->units.n; u++) {
    if (!metric_find_row(p, name, u, &value))
      continue;
    const int written = snprintf(units + length, sizeof units - length, "%s%s/%.*s", n++ ? " or " : "",
                                 db_text(p->db, p->db->units[platform_unit_row(p, u)].name), (int)name.n, name.s);
    length = written < 0 || length + (size_t)written >= sizeof units ? sizeof units - 1 : length + (size_t)written;
  }
  return n > 1 ? context_fail(plan->context, PMON_E_AMBIGUOUS, column, "metric \"%.*s\" exists in %u units; give %s",
                              (int)name.n, name.s, n, units)
               : 0;
}

/* Adds a metric of the platform by name, with or without `unit/`; without a value of its parameter, adds all values. In
 * a plan for a recording, the name of an equation comes first. */
static int add_named(struct pmon_plan *plan, struct text name, uint32_t column)
{
  const struct pmon_platform *p = plan->platform;
  struct text whole = name;
  const char *slash = memchr(name.s, '/', name.n);
  uint32_t unit = PMON_ALL, value = PMON_ALL, index = 0, equations;
  struct platform_unit_name found;
  const struct plan_equation *own = plan->recorded ? plan_find_equation(plan, name, &equations) : NULL;
  if (own && equations > 1)
    return context_fail(plan->context, PMON_E_AMBIGUOUS, column, "%u equations are named %s", equations, own->name);
  if (own) {
    const int added = metric_add_own(plan, own->name, own->text, PMON_ALL, &index);
    return added ? added : select_metric(plan, index);
  }
  if (!slash && !metric_find_row(p, name, unit, &value))
    slash = memchr(name.s, '.', name.n); /* ucevent of pmu-tools: iMC.MEM_BW_READS */
  if (slash && platform_find_unit(p, (struct text){name.s, (size_t)(slash - name.s)}, &found)) {
    unit = found.unit - p->row->units.first;
    name.n -= (size_t)(slash + 1 - name.s);
    name.s = slash + 1;
  }
  const struct db_metric *row = metric_find_row(p, name, unit, &value);
  if (!row)
    return unknown_metric(plan, whole, name, column);
  if (unit == PMON_ALL && check_one_unit(plan, name, row, column))
    return PMON_E_AMBIGUOUS;
  bool all = *db_text(p->db, row->param) && value == PMON_ALL;
  if (all && metric_takes_one_value(p->db, row))
    return metric_fail_no_value(plan, row, "", column);
  uint32_t first = all ? row->param_lo : value, last = all ? row->param_hi : value;
  int status = 0;
  for (uint32_t v = first; !status; v++) {
    status = metric_add_row(plan, row, v, NULL, &index);
    if (!status)
      status = select_metric(plan, index);
    if (v == last)
      break;
  }
  return status;
}

static int add_equation(struct pmon_plan *plan, const struct plan_equation *own, uint32_t column)
{
  uint32_t index = 0;
  const uint32_t before = context_begin_part(plan->context, column - 1);
  const int status = metric_add_own(plan, own->name, own->text, PMON_ALL, &index);
  context_end_part(plan->context, before);
  return status ? status : select_metric(plan, index);
}

/* An element of a list: a metric's name, optionally with a unit, or NAME=EQUATION. */
struct element {
  struct text name;
  const char *equation; /* NULL: none; else up to `end` */
  const char *end;
};

static __attribute__((noinline)) struct element read_element(const char *s, size_t length)
{
  size_t word = 0, blank;
  while (length && isspace((unsigned char)s[length - 1]))
    length--;
  while (word < length && metric_is_name(s[word]))
    word++;
  blank = word + strspn(s + word, " \t");
  if (!word || blank >= length || s[blank] != '=')
    return (struct element){.name = {s, length}};
  return (struct element){{s, word}, s + blank + 1, s + length};
}

/* Registers an equation by name, before any equation that uses it is added. */
static __attribute__((cold)) int define_equation(struct pmon_plan *plan, const struct element *e)
{
  return plan_add_equation(plan, e->name, (struct text){e->equation, (size_t)(e->end - e->equation)});
}

static int add_element(struct pmon_plan *plan, const struct element *e, uint32_t column, uint32_t *equation)
{
  if (!e->equation)
    return add_named(plan, e->name, column);
  return add_equation(plan, &plan->equations.at[(*equation)++], column + (uint32_t)(e->equation - e->name.s));
}

static int add_metrics(struct pmon_plan *plan, const char *list)
{
  if (plan->scheduled)
    return context_fail(plan->context, PMON_E_STATE, 0, "the plan is already scheduled");
  struct plan_mark mark = {plan->n_events, plan->n_groups, plan->n_metrics, plan->n_selected_metrics};
  const uint32_t equations = plan->equations.n;
  uint32_t equation = equations;
  int status = 0;
  bool any = false;
  for (unsigned adds = 0; adds < (plan->defines_stored ? 1 : 2); adds++)
    for (size_t at = strspn(list, ", \t"), length; !status && list[at]; at += strspn(list + at, ", \t")) {
      length = metric_element_length(list + at);
      const struct element e = read_element(list + at, length);
      if (adds)
        status = add_element(plan, &e, (uint32_t)at + 1, &equation);
      else if (e.equation)
        status = define_equation(plan, &e);
      at += length;
      any = true;
    }
  if (!status && !any)
    status = context_fail(plan->context, PMON_E_SYNTAX, 1, "the list names no metric");
  if (status) {
    plan_rewind(plan, &mark);
    plan_forget_equations(plan, equations);
  }
  return status;
}

int pmon_plan_add_metrics(struct pmon_plan *plan, const char *list)
{
  const int status = metric_check_patterns(plan, list);
  static const struct plan_list metrics = {metric_expand, metric_element_length, add_metrics, "metrics"};
  return status ? status : plan_add_expanded(plan, list, &metrics);
}

int pmon_plan_metric(const struct pmon_plan *plan, uint32_t i, struct pmon_plan_metric_info *info)
{
  const struct metric *m = metric_selected(plan, i);
  if (!m)
    return context_fail(plan->context, PMON_E_RANGE, 0, "the plan has no metric %u", i);
  struct pmon_plan_metric_info full = {
      .name = m->name, .unit = m->unit, .result = m->result, .brief = m->brief, .cite = m->cite};
  return CONTEXT_FILL(plan->context, info, full);
}

int pmon_plan_metric_unit(const struct pmon_plan *plan, uint32_t i, uint32_t *ret_unit)
{
  const struct metric *m = metric_selected(plan, i);
  if (!m)
    return context_fail(plan->context, PMON_E_RANGE, 0, "the plan has no metric %u", i);
  if (m->unit_number == PMON_ALL)
    return context_fail(plan->context, PMON_E_NO_DATA, 0, "metric %s mixes units", m->name);
  *ret_unit = m->unit_number;
  return 0;
}
