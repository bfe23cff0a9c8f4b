/* SPDX-License-Identifier: MIT */
/* Replaces patterns in lists of metrics by the names that they match. */
#include <pmon/metric.h>
#include <stdlib.h>
#include "src/base/glob.h"
#include "src/base/nearest.h"
#include "src/base/writer.h"
#include "src/platform/context.h"
#include "src/plan/metric.h"
#include "src/plan/plan.h"

/* The output list, and the number of its names. */
struct metric_expansion {
  const struct pmon_platform *platform;
  const struct pmon_plan *recorded; /* plan for a recording, whose equations match by their names; NULL: none */
  struct writer w;
  uint32_t n;
};

static const char *unit_of(const struct metric_expansion *x, const struct db_metric *m)
{
  return m->unit == DB_NONE ? "" : db_text(x->platform->db, x->platform->db->units[m->unit].name);
}

static void write_name(struct metric_expansion *x, const struct db_metric *m, const char *name)
{
  write_text(&x->w, x->n++ ? "," : "");
  write_text(&x->w, unit_of(x, m));
  write_text(&x->w, m->unit == DB_NONE ? "" : "/");
  write_text(&x->w, name);
}

/* Writes the names of a metric that match: a parametrised metric matches by its name without a value, or with some of
 * its values. */
static int expand_metric(struct metric_expansion *x, const struct db_metric *m, struct text pattern)
{
  const char *name = db_text(x->platform->db, m->name), *param = db_text(x->platform->db, m->param);
  if (glob_matches(pattern, text_of(name))) {
    write_name(x, m, name);
    return PMON_OK;
  }
  for (uint32_t v = m->param_lo; *param && v <= m->param_hi; v++) {
    char *with_value = metric_name_with_value(name, param, v);
    if (!with_value)
      return context_fail(x->platform->context, PMON_E_MEMORY, 0, "no memory for a metric");
    if (glob_matches(pattern, text_of(with_value)))
      write_name(x, m, with_value);
    free(with_value);
  }
  return PMON_OK;
}

/* Writes the names of the recording's equations that match, each once. */
static void expand_equations(struct metric_expansion *x, struct text pattern)
{
  const struct pmon_plan *plan = x->recorded;
  for (uint32_t i = 0, n; plan && i < plan->equations.n; i++) {
    const struct text name = text_of(plan->equations.at[i].name);
    if (!glob_matches(pattern, name) || plan_find_equation(plan, name, &n) != &plan->equations.at[i])
      continue;
    write_text(&x->w, x->n++ ? "," : "");
    write_bytes(&x->w, name.s, name.n);
  }
}

static __attribute__((cold)) int fail_no_match(const struct metric_expansion *x, struct text whole, struct text pattern,
                                               uint32_t column)
{
  const struct pmon_platform *p = x->platform;
  struct nearest near = {.name = glob_beginning(pattern)};
  char hint[300];
  for (uint32_t i = 0; near.name.n > 1 && i < p->row->metrics.n; i++)
    nearest_add_beginning(&near, text_of(db_text(p->db, p->db->metrics[p->row->metrics.first + i].name)), 0, 0);
  for (uint32_t i = 0; near.name.n > 1 && x->recorded && i < x->recorded->equations.n; i++)
    nearest_add_beginning(&near, text_of(x->recorded->equations.at[i].name), 0, 0);
  nearest_format(&near, hint, sizeof hint);
  return context_fail(p->context, PMON_E_UNKNOWN, column, "no metric matches \"%.*s\"%s",
                      (int)(whole.n > 200 ? 200 : whole.n), whole.s,
                      memchr(pattern.s, '/', pattern.n) ? "; an equation needs a name: NAME=EQUATION"
                      : *hint                           ? hint
                                                        : "; `pmon metrics` lists the metrics");
}

bool pmon_metric_takes_one_value(const struct pmon_platform *platform, uint32_t metric)
{
  const struct db_span metrics = platform->row->metrics;
  return metric < metrics.n && metric_takes_one_value(platform->db, &platform->db->metrics[metrics.first + metric]);
}

/* True if the equation alone cannot be counted: one of its events needs a filter whose value the user must set. */
static bool lacks_filter(const struct metric_expansion *x, const struct db_metric *m)
{
  const char *const unit = unit_of(x, m);
  char name[200];
  struct writer w = {name, sizeof name, 0};
  struct pmon_plan *plan;
  write_text(&w, unit);
  write_text(&w, *unit ? "/" : "");
  write_text(&w, db_text(x->platform->db, m->name));
  write_end(&w);
  if (pmon_plan_new(x->platform->context, x->platform, &plan))
    return false;
  const bool lacks = pmon_plan_add_metrics(plan, name) == PMON_E_CONFLICT;
  pmon_plan_free(plan);
  return lacks;
}

static bool is_only_alone(const struct metric_expansion *x, const struct db_metric *m, struct text pattern)
{
  return metric_takes_one_value(x->platform->db, m) ||
         (!*db_text(x->platform->db, m->param) && glob_matches(pattern, text_of(db_text(x->platform->db, m->name))) &&
          lacks_filter(x, m));
}

/* Replaces one pattern. If it matches other metrics, metrics of one value at a time are left out, because the others
 * could not be counted with them; so are metrics that need a filter that the user must set. */
static int expand_pattern(struct metric_expansion *x, struct text element, uint32_t column)
{
  const struct pmon_platform *p = x->platform;
  const char *slash = memchr(element.s, '/', element.n);
  struct text unit = {element.s, slash ? (size_t)(slash - element.s) : 0}, pattern = element;
  const uint32_t before = x->n;
  int status = PMON_OK;
  if (slash)
    pattern = (struct text){slash + 1, element.n - unit.n - 1};
  if (!slash)
    expand_equations(x, pattern);
  for (unsigned alone = 0; !alone || (alone < 2 && x->n == before); alone++)
    for (uint32_t i = 0; !status && i < p->row->metrics.n; i++) {
      const struct db_metric *m = &p->db->metrics[p->row->metrics.first + i];
      if (!(m->flags & DB_STALE) && (!slash || glob_matches(unit, text_of(unit_of(x, m)))) &&
          is_only_alone(x, m, pattern) == alone)
        status = expand_metric(x, m, pattern);
    }
  return status || x->n > before ? status : fail_no_match(x, element, pattern, column);
}

/* Finds the metrics of one value at a time that the element matches without a value, if it matches no others. Returns
 * the row of the first one, NULL: none; `others` gets the names of the rest, ", B and C". */
static const struct db_metric *find_without_value(const struct pmon_plan *plan, struct text element, char *others,
                                                  size_t size)
{
  const struct pmon_platform *p = plan->platform;
  struct metric_expansion x = {.platform = p, .recorded = plan->recorded ? plan : NULL};
  const char *slash = memchr(element.s, '/', element.n);
  const struct text unit = {element.s, slash ? (size_t)(slash - element.s) : 0};
  const struct text pattern = {element.s + unit.n + (slash != NULL), element.n - unit.n - (slash != NULL)};
  const struct db_metric *first = NULL, *last = NULL;
  struct writer w = {others, size, 0};
  if (!slash)
    expand_equations(&x, pattern);
  for (uint32_t i = 0; !x.n && i < p->row->metrics.n; i++) {
    const struct db_metric *m = &p->db->metrics[p->row->metrics.first + i];
    const bool without = metric_takes_one_value(p->db, m) && glob_matches(pattern, text_of(db_text(p->db, m->name)));
    if (m->flags & DB_STALE || (slash && !glob_matches(unit, text_of(unit_of(&x, m)))))
      continue;
    if (!without && (expand_metric(&x, m, pattern) || x.n))
      return NULL;
    if (!without)
      continue;
    if (last) {
      write_text(&w, ", ");
      write_text(&w, db_text(p->db, last->name));
    }
    last = first ? m : NULL;
    first = first ? first : m;
  }
  write_text(&w, last ? " and " : "");
  write_text(&w, last ? db_text(p->db, last->name) : "");
  write_end(&w);
  return first;
}

int metric_check_patterns(struct pmon_plan *plan, const char *list)
{
  for (size_t at = strspn(list, ", \t"), n; list[at]; at += n + strspn(list + at + n, ", \t")) {
    n = metric_element_length(list + at);
    const struct text element = {list + at, n};
    char others[200];
    const struct db_metric *m = glob_is_pattern(element) && !memchr(element.s, '=', n)
                                    ? find_without_value(plan, element, others, sizeof others)
                                    : NULL;
    if (m)
      return metric_fail_no_value(plan, m, others, (uint32_t)at + 1);
  }
  return PMON_OK;
}

static int expand_list(struct metric_expansion *x, const char *list, size_t *ret_length)
{
  int status = PMON_OK;
  for (size_t at = strspn(list, ", \t"), n; !status && list[at]; at += n + strspn(list + at + n, ", \t")) {
    n = metric_element_length(list + at);
    const struct text element = {list + at, n};
    if (glob_is_pattern(element) && !memchr(element.s, '=', n)) {
      status = expand_pattern(x, element, (uint32_t)at + 1);
      continue;
    }
    write_text(&x->w, x->n++ ? "," : "");
    write_bytes(&x->w, element.s, n);
  }
  const size_t length = write_end(&x->w);
  if (!status)
    *ret_length = length;
  return status;
}

int metric_expand(const struct pmon_plan *plan, const char *list, char *names, size_t size, size_t *ret_length)
{
  struct metric_expansion x = {plan->platform, plan->recorded ? plan : NULL, {names, size, 0}, 0};
  return expand_list(&x, list, ret_length);
}

int pmon_metric_expand(const struct pmon_platform *platform, const char *list, char *names, size_t size,
                       size_t *ret_length)
{
  struct metric_expansion x = {.platform = platform, .w = {names, size, 0}};
  return expand_list(&x, list, ret_length);
}
