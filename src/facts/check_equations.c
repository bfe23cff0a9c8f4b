/* SPDX-License-Identifier: MIT */
/* Checks that each name in the equations of metrics and invariants is known. src/metric/ evaluates equations. */
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

static bool umask_exists(struct builder *b, const struct db_event *e, struct text t)
{
  return build_claimed(b, CLAIM_ROWS + ROWS_umasks, e->umasks.first, t) != DB_NONE ||
         build_claimed(b, CLAIM_UMASK_ALIASES, e->umasks.first, t) != DB_NONE;
}

/* Umasks may be combined: each part between dots is one. */
static bool umasks_exist(struct builder *b, const struct db_event *e, struct text t)
{
  if (!e->umasks.n)
    return !t.n;
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

/* Whether the set has the event: by an alias, or by its name and perhaps umasks. Names and umasks may have dots. */
static bool event_in(struct builder *b, uint32_t set, struct text t)
{
  const struct db_span events = build_sets(b, set)->events;
  if (!events.n)
    return false;
  const uint32_t alias = build_claimed(b, CLAIM_ALIASES + ROWS_events, events.first, t);
  if (alias != DB_NONE)
    return true;
  for (size_t n = 1; n < t.n; n++) {
    if (t.s[n] != '.')
      continue;
    const uint32_t e = build_claimed(b, CLAIM_ROWS + ROWS_events, events.first, (struct text){t.s, n});
    if (e != DB_NONE && umasks_exist(b, build_events(b, e), (struct text){t.s + n + 1, t.n - n - 1}))
      return true;
  }
  return false;
}

/* Whether the unit has the event; DB_NONE: any unit, since each set belongs to some unit. */
static bool event_known(const struct equation *q, uint32_t unit, struct text t)
{
  struct db_span rows = unit == DB_NONE ? q->platform->sets : build_units(q->b, unit)->imports;
  for (uint32_t i = rows.first; i < rows.first + rows.n; i++)
    if (event_in(q->b, unit == DB_NONE ? i : build_imports(q->b, i)->set, t))
      return true;
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
  if (event_known(q, unit, t) || build_claimed(q->b, unit == DB_NONE ? CLAIM_METRICS_ANY : CLAIM_METRICS,
                                               unit == DB_NONE ? 0 : unit, t) != DB_NONE)
    return true;
  return unit == DB_NONE && build_find(q->b, ROWS_units, t) != DB_NONE; /* CLOCK_HZ(unit) */
}

/* The parameter's letter in a name stands for a number: RANKx is RANK0. */
static bool known_with_param(const struct equation *q, uint32_t unit, struct text t)
{
  char name[128];
  if (known(q, unit, t))
    return true;
  if (!*q->param)
    return false;
  size_t letter = strlen(q->param);
  if (t.n >= sizeof name + letter) /* no name is so long */
    return false;
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

/* Refuses a text that ends before its equation does, or has a parenthesis too many. The whole grammar is checked where
 * equations are evaluated (src/metric). */
static int check_end(const struct equation *q, char last, int depth)
{
  if (depth < 0)
    return builder_fail(q->b, PMON_E_SYNTAX, q->pos, "a '(' for each ')' expected in the equation");
  if (last && strchr("+-*(,", last))
    return builder_fail(q->b, PMON_E_SYNTAX, q->pos, "a number, a name or '(' expected after the equation's last '%c'",
                        last);
  if (depth)
    return builder_fail(q->b, PMON_E_SYNTAX, q->pos, "a ')' for each '(' expected in the equation");
  return 0;
}

static int check_equation(const struct equation *q, const char *s)
{
  int depth = 0;
  char last = 0;
  while (*s && depth >= 0) {
    size_t n = 0;
    while (is_name(s[n]))
      n++;
    if (!n) {
      depth += (*s == '(') - (*s == ')');
      last = *s == ' ' || *s == '\t' ? last : *s;
      s++;
      continue;
    }
    last = 0;
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
  return check_end(q, last, depth);
}

static int check_metric(struct builder *b, const struct db_platform *p, uint32_t row)
{
  const struct db_metric *m = build_metrics(b, row);
  struct equation q = {b, p, build_pos(b, ROWS_metrics, row), build_text(b, m->param), m->param_lo, m->unit};
  if (!m->brief)
    return builder_fail(b, PMON_E_SYNTAX, q.pos, "brief expected in this metric");
  if (!m->equation == !m->stale)
    return builder_fail(b, PMON_E_SYNTAX, q.pos, "either an equation or the reason why it is stale expected");
  if (build_claimed(b, CLAIM_METRICS, m->unit, text_of(build_text(b, m->name))) != row)
    return builder_fail(b, PMON_E_CONFLICT, q.pos, "a new name expected, the unit already has a metric '%s'",
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

static int claim_metric(struct builder *b, uint32_t row)
{
  const struct db_metric *m = build_metrics(b, row);
  uint32_t earlier;
  int status = build_claim(b, names_family(CLAIM_METRICS, m->unit), m->name, row, &earlier);
  return status ? status : build_claim(b, names_family(CLAIM_METRICS_ANY, 0), m->name, row, &earlier);
}

int check_equations(struct builder *b, const struct db_platform *p)
{
  int status = 0;
  for (uint32_t i = p->metrics.first; !status && i < p->metrics.first + p->metrics.n; i++)
    status = claim_metric(b, i);
  for (uint32_t i = p->metrics.first; !status && i < p->metrics.first + p->metrics.n; i++) {
    struct db_metric *m = build_metrics(b, i);
    m->flags |= m->stale ? DB_STALE : 0;
    status = check_metric(b, p, i);
  }
  for (uint32_t i = p->invariants.first; !status && i < p->invariants.first + p->invariants.n; i++)
    status = check_invariant(b, p, i);
  return status;
}
