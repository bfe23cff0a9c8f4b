/* SPDX-License-Identifier: MIT */
/* Finds metrics by their names, and the names in a list. */
#include "src/plan/metric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/plan/plan.h"
#include "src/platform/context.h"
#include "src/platform/platform.h"

/* Names of other tools come after the names of all rows, so that they hide none. */
static const struct db_metric *find_alias(const struct pmon_platform *p, struct text name, uint32_t unit)
{
  for (uint32_t i = 0; i < p->row->metrics.n; i++) {
    const struct db_metric *row = &p->db->metrics[p->row->metrics.first + i];
    if (row->alias && (unit == PMON_ALL || row->unit == platform_unit_row(p, unit)) &&
        text_in_list(name, db_text(p->db, row->alias)))
      return row;
  }
  return NULL;
}

/* Whether `name` can be `t`: of its length, with its last letter. A platform can have thousands of metrics, most of
 * whose names begin alike. */
static bool row_resembles(const struct db *db, db_str name, struct text t)
{
  const char *own = db_text(db, name);
  return t.n && db->pool_size - name > t.n && !own[t.n] && text_lower(own[t.n - 1]) == text_lower(t.s[t.n - 1]);
}

const struct db_metric *metric_find_row(const struct pmon_platform *p, struct text name, uint32_t unit,
                                        uint32_t *ret_value)
{
  for (uint32_t i = 0; i < p->row->metrics.n; i++) {
    const struct db_metric *row = &p->db->metrics[p->row->metrics.first + i];
    const char *own = db_text(p->db, row->name), *param = db_text(p->db, row->param);
    if (unit != PMON_ALL && row->unit != platform_unit_row(p, unit))
      continue;
    *ret_value = PMON_ALL;
    if (row_resembles(p->db, row->name, name) && text_is(name, own))
      return row;
    for (uint32_t v = row->param_lo; *param && v <= row->param_hi; v++) {
      char *with_value = metric_name_with_value(own, param, v);
      bool same = with_value && text_is(name, with_value);
      free(with_value);
      *ret_value = v;
      if (same)
        return row;
    }
  }
  *ret_value = PMON_ALL;
  return find_alias(p, name, unit);
}

int metric_fail_no_value(struct pmon_plan *plan, const struct db_metric *m, const char *others, uint32_t column)
{
  const struct db *db = plan->platform->db;
  const uint32_t middle = (m->param_lo + m->param_hi) / 2u;
  char *example = metric_name_with_value(db_text(db, m->name), db_text(db, m->param), middle);
  const int status = example
                         ? context_fail(plan->context, PMON_E_AMBIGUOUS, column,
                                        "%s%s %s one parameter value per session, %u to %u: %s", db_text(db, m->name),
                                        others, *others ? "each need" : "needs", m->param_lo, m->param_hi, example)
                         : context_fail(plan->context, PMON_E_MEMORY, 0, "no memory for a metric");
  free(example);
  return status;
}

size_t metric_element_length(const char *s)
{
  int depth = 0;
  size_t n = 0;
  for (bool event = false; s[n]; n++) {
    const size_t closing = event && (s[n] == ',' || s[n] == '/' || s[n] == '=') ? expr_closing_slash(s + n) : 0;
    if (closing) {
      n += closing - 1;
      event = false;
      continue;
    }
    if (s[n] == ',' && depth <= 0)
      break;
    /* In an equation, a name after a name and a slash may be an event. */
    event = metric_is_name(s[n]) ? event : s[n] == '/' && n && metric_is_name(s[n - 1]);
    depth += s[n] == '(' || s[n] == '{' ? 1 : s[n] == ')' || s[n] == '}' ? -1 : 0;
  }
  return n;
}

char *metric_name_with_value(const char *name, const char *param, uint32_t value)
{
  char *own = expr_substitute(name, *param ? *param : '\n', value), *text = NULL;
  if (!own || !*param || value == PMON_ALL || strcmp(own, name))
    return own;
  if (asprintf(&text, "%s.%u", name, value) < 0)
    text = NULL;
  free(own);
  return text;
}
