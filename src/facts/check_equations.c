/* SPDX-License-Identifier: MIT */
/* Metrics and rules: does each name in their equations mean something? What equations compute is src/metric/'s. */
#include <stdio.h>
#include "src/facts/invariant.h"
#include "src/facts/parser.h"

struct equation {
  struct builder *b;
  const struct db_platform *platform;
  struct facts_pos pos;
  const char *param;
  uint32_t param_value;
  uint32_t unit;
};

static bool is_name(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

static bool umask_exists(const struct builder *b, const struct db_event *e, struct text t)
{
  for (uint32_t i = e->umasks.first; i < e->umasks.first + e->umasks.n; i++) {
    const struct db_umask *u = build_umasks(b, i);
    if (text_is(t, build_text(b, u->name)) || text_in_list(t, build_text(b, u->alias)))
      return true;
  }
  return false;
}

/* Umasks may be chosen together: each part between dots is one. */
static bool umasks_exist(const struct builder *b, const struct db_event *e, struct text t)
{
  if (umask_exists(b, e, t))
    return true;
  while (t.n) {
    const char *dot = memchr(t.s, '.', t.n);
    struct text part = {t.s, dot ? (size_t)(dot - t.s) : t.n};
    if (!umask_exists(b, e, part))
      return false;
    t.s += part.n + (dot != NULL), t.n -= part.n + (dot != NULL);
  }
  return true;
}

static bool event_in(const struct builder *b, const struct db_unit *unit, struct text t)
{
  for (uint32_t k = unit->imports.first; k < unit->imports.first + unit->imports.n; k++) {
    struct db_span events = build_sets(b, build_imports(b, k)->set)->events;
    for (uint32_t i = events.first; i < events.first + events.n; i++) {
      const struct db_event *e = build_events(b, i);
      size_t n = strlen(build_text(b, e->name));
      if (n <= t.n && text_same(t.s, build_text(b, e->name), n) &&
          (n == t.n || (t.s[n] == '.' && umasks_exist(b, e, (struct text){t.s + n + 1, t.n - n - 1}))))
        return true;
      if (text_in_list(t, build_text(b, e->alias)))
        return true;
    }
  }
  return false;
}

static bool known(const struct equation *q, uint32_t unit, struct text t)
{
  static const char *const words[] = {
      "SAMPLE_INTERVAL", "TSC",      "TSC_SPEED",        "CLOCK_HZ",     "ROUND", "MIN", "MAX", "IF",
      "INSTANCES",       "PACKAGES", "THREADS_PER_CORE", "GB_CONVERSION"};
  for (size_t i = 0; unit == DB_NONE && i < sizeof words / sizeof *words; i++)
    if (text_is(t, words[i]))
      return true;
  struct db_span units = q->platform->units, metrics = q->platform->metrics;
  for (uint32_t u = units.first; u < units.first + units.n; u++)
    if ((unit == DB_NONE || u == unit) && event_in(q->b, build_units(q->b, u), t))
      return true;
  for (uint32_t i = metrics.first; i < metrics.first + metrics.n; i++) {
    const struct db_metric *m = build_metrics(q->b, i);
    if ((unit == DB_NONE || m->unit == unit) && text_is(t, build_text(q->b, m->name)))
      return true;
  }
  return unit == DB_NONE && build_find(q->b, ROWS_units, t) != DB_NONE; /* CLOCK_HZ(unit) */
}

/* The parameter's letter in a name represents a number: RANKx is RANK0. */
static bool known_with_param(const struct equation *q, uint32_t unit, struct text t)
{
  char name[128];
  if (known(q, unit, t))
    return true;
  if (!*q->param)
    return false;
  size_t letter = strlen(q->param);
  for (size_t i = 0; i + letter <= t.n; i++) {
    if (memcmp(t.s + i, q->param, letter))
      continue;
    int n = snprintf(name, sizeof name, "%.*s%u%.*s", (int)i, t.s, q->param_value, (int)(t.n - i - letter),
                     t.s + i + letter);
    if (n > 0 && (size_t)n < sizeof name && known(q, unit, (struct text){name, (size_t)n}))
      return true;
  }
  return false;
}

static const char *skip_attributes(const char *s)
{
  if (*s == '{') {
    s += strcspn(s, "}");
    s += *s == '}';
  }
  s += strspn(s, " ");
  if (!strncmp(s, "with:", 5))
    s += strcspn(s, " )");
  return s;
}

static int check_equation(const struct equation *q, const char *s)
{
  while (*s) {
    size_t n = 0;
    while (is_name(s[n]))
      n++;
    if (!n) {
      s++;
      continue;
    }
    struct text t = {s, n};
    s += n;
    if (*t.s >= '0' && *t.s <= '9')
      continue;
    uint32_t unit = DB_NONE;
    if (*s == '/' && is_name(s[1]) && (unit = build_find(q->b, ROWS_units, t)) != DB_NONE) {
      for (n = 0, s++; is_name(s[n]);)
        n++;
      t = (struct text){s, n};
      s += n;
    }
    if (!known_with_param(q, unit, t))
      return builder_fail(q->b, PMON_E_UNKNOWN, q->pos,
                          "an event, umask or metric expected in the equation, not '%.*s'", (int)t.n, t.s);
    s = skip_attributes(s);
  }
  return 0;
}

static int check_metric(struct builder *b, const struct db_platform *p, uint32_t row)
{
  const struct db_metric *m = build_metrics(b, row);
  struct equation q = {b, p, build_pos(b, ROWS_metrics, row), build_text(b, m->param), m->param_lo, m->unit};
  if (!m->brief)
    return builder_fail(b, PMON_E_SYNTAX, q.pos, "brief expected in this metric");
  if (!m->equation == !m->stale)
    return builder_fail(b, PMON_E_SYNTAX, q.pos, "either an equation or the reason why it is stale expected");
  for (uint32_t i = p->metrics.first; i < row; i++)
    if (build_metrics(b, i)->unit == m->unit &&
        text_is(text_of(build_text(b, m->name)), build_text(b, build_metrics(b, i)->name)))
      return builder_fail(b, PMON_E_CONFLICT, q.pos, "a new name expected, the unit has a metric '%s'",
                          build_text(b, m->name));
  return check_equation(&q, build_text(b, m->equation));
}

static int check_invariant(struct builder *b, const struct db_platform *p, uint32_t row)
{
  const struct db_invariant *r = build_invariants(b, row);
  struct equation q = {b, p, build_pos(b, ROWS_invariants, row), "", 0, r->unit};
  if (!r->brief || !r->holds)
    return builder_fail(b, PMON_E_SYNTAX, q.pos, "%s expected in this invariant", r->brief ? "holds" : "brief");
  struct invariant_sides sides;
  if (!invariant_split(build_text(b, r->holds), &sides))
    return builder_fail(b, PMON_E_SYNTAX, q.pos, "two sides with ==, <=, >=, < or > between them expected, not '%s'",
                        build_text(b, r->holds));
  return check_equation(&q, build_text(b, r->holds));
}

int check_equations(struct builder *b, const struct db_platform *p)
{
  int status = 0;
  for (uint32_t i = p->metrics.first; !status && i < p->metrics.first + p->metrics.n; i++) {
    struct db_metric *m = build_metrics(b, i);
    m->flags |= m->stale ? DB_STALE : 0;
    status = check_metric(b, p, i);
  }
  for (uint32_t i = p->invariants.first; !status && i < p->invariants.first + p->invariants.n; i++)
    status = check_invariant(b, p, i);
  return status;
}
