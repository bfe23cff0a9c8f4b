/* SPDX-License-Identifier: MIT */
/* `*.met` and `*.rule`: equations over events, read as text here; src/metric/ parses and evaluates them. */
#include "src/facts/parser.h"

/* `unit NAME`: the unit whose events the equations name. */
static int metrics_unit(struct parser *p)
{
  int status = parse_close_block(p);
  if (status)
    return status;
  status = parse_name(p, "name of a unit", &p->unit_name);
  p->unit_pos = parse_pos(p);
  return status;
}

static int refer_unit(struct parser *p, enum ref_kind kind)
{
  if (!p->unit_name)
    return 0;
  struct facts_ref ref = {kind, p->row, p->unit_name, p->unit_pos};
  return vec_append(&p->b->refs, &ref, 1) ? 0 : PMON_E_MEMORY;
}

static int metric_open(struct parser *p)
{
  struct db_metric m = {.unit = DB_NONE};
  int status = parse_new_name(p, "name of the metric", &m.name);
  struct word name = p->w;
  if (status || (status = parse_close_block(p)) != 0)
    return status;
  p->w = name;
  p->block = BLOCK_METRIC;
  status = parse_push(p, ROWS_metrics, &m, &p->row);
  return status ? status : refer_unit(p, REF_METRIC_UNIT);
}

static int invariant_open(struct parser *p)
{
  struct db_invariant r = {.unit = DB_NONE};
  int status = parse_new_name(p, "name of the invariant", &r.name);
  struct word name = p->w;
  if (status || (status = parse_close_block(p)) != 0)
    return status;
  p->w = name;
  p->block = BLOCK_INVARIANT;
  status = parse_push(p, ROWS_invariants, &r, &p->row);
  return status ? status : refer_unit(p, REF_INVARIANT_UNIT);
}

static int metrics_require(struct parser *p, enum block block, const char *name)
{
  return p->block == block ? 0 : parse_fail(p, PMON_E_SYNTAX, "`%s` expected before this line", name);
}

#define METRIC_TEXT(member)                                                                                            \
  static int metric_##member(struct parser *p)                                                                         \
  {                                                                                                                    \
    int status = metrics_require(p, BLOCK_METRIC, "metric");                                                           \
    return status ? status : parse_free_text(p, #member, &build_metrics(p->b, p->row)->member);                        \
  }
METRIC_TEXT(equation)
METRIC_TEXT(printed)
METRIC_TEXT(stale)
METRIC_TEXT(of)
METRIC_TEXT(alias)

static int metric_brief(struct parser *p)
{
  if (p->block == BLOCK_GROUP)
    return parse_free_text(p, "meaning of the group", &build_groups(p->b, p->row)->brief);
  const int status = metrics_require(p, BLOCK_METRIC, "metric");
  return status ? status : parse_free_text(p, "brief", &build_metrics(p->b, p->row)->brief);
}

/* `result UNIT`; `bytes/s` and `bytes per second` are rates. */
static int metric_result(struct parser *p)
{
  static const char per[] = " per second";
  int status = metrics_require(p, BLOCK_METRIC, "metric");
  db_str text;
  if (status || (status = parse_free_text(p, "unit of the result", &text)) != 0)
    return status;
  struct text t = text_of(build_text(p->b, text));
  struct db_metric *m = build_metrics(p->b, p->row);
  m->result = text;
  if (t.n > 2 && !memcmp(t.s + t.n - 2, "/s", 2)) {
    m->flags |= DB_PER_SECOND;
  } else if (t.n >= sizeof per && !memcmp(t.s + t.n - (sizeof per - 1), per, sizeof per - 1)) {
    char unit[64];
    size_t n = t.n - (sizeof per - 1);
    if (n + 2 > sizeof unit)
      return parse_fail(p, PMON_E_SYNTAX, "a shorter unit of the result expected");
    memcpy(unit, t.s, n);
    memcpy(unit + n, "/s", 2);
    m->flags |= DB_PER_SECOND;
    m->result = builder_intern(p->b, (struct text){unit, n + 2});
  }
  return 0;
}

static int metric_combine(struct parser *p)
{
  static const char *const names[] = {"sum", "average", "each", "total", "imbalance"}; /* enum db_combine */
  int status = metrics_require(p, BLOCK_METRIC, "metric");
  if (status || (status = parse_word(p, "sum, average, each, total or imbalance")) != 0)
    return status;
  for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (text_is(p->w.t, names[i])) {
      build_metrics(p->b, p->row)->combine = (uint8_t)i;
      return 0;
    }
  return parse_fail(p, PMON_E_SYNTAX, "sum, average, each, total or imbalance expected, not '%.*s'", (int)p->w.t.n,
                    p->w.t.s);
}

/* `param x 0-7` */
static int metric_param(struct parser *p)
{
  int status = metrics_require(p, BLOCK_METRIC, "metric");
  struct db_metric *m = status ? NULL : build_metrics(p->b, p->row);
  if (status || (status = parse_name(p, "letter of the parameter", &m->param)) != 0 ||
      (status = parse_word(p, "range")) != 0)
    return status;
  const char *dash = memchr(p->w.t.s, '-', p->w.t.n);
  size_t n = dash ? (size_t)(dash - p->w.t.s) : 0;
  uint64_t lo, hi;
  if (!n || !text_number((struct text){p->w.t.s, n}, &lo) ||
      !text_number((struct text){dash + 1, p->w.t.n - n - 1}, &hi) || lo > hi || hi > 255)
    return parse_fail(p, PMON_E_SYNTAX, "a range such as 0-7 expected, not '%.*s'", (int)p->w.t.n, p->w.t.s);
  m->param_lo = (uint8_t)lo, m->param_hi = (uint8_t)hi;
  return 0;
}

/* `default 3` */
static int metric_default(struct parser *p)
{
  int status = metrics_require(p, BLOCK_METRIC, "metric");
  uint64_t place = 0;
  if (status || (status = parse_number(p, "place among the default metrics", UINT8_MAX, &place)) != 0)
    return status;
  if (!place)
    return parse_fail(p, PMON_E_SYNTAX, "a place of at least 1 expected");
  return group_add_default(p, build_metrics(p->b, p->row), (uint32_t)place);
}

static int invariant_brief(struct parser *p)
{
  if (p->block == BLOCK_RULE)
    return rule_brief(p);
  int status = metrics_require(p, BLOCK_INVARIANT, "invariant");
  return status ? status : parse_free_text(p, "brief", &build_invariants(p->b, p->row)->brief);
}

static int invariant_holds(struct parser *p)
{
  int status = metrics_require(p, BLOCK_INVARIANT, "invariant");
  return status ? status : parse_free_text(p, "equation of the invariant", &build_invariants(p->b, p->row)->holds);
}

const struct keyword metrics_keywords[] = {{"unit", metrics_unit},
                                           {"metric", metric_open},
                                           {"brief", metric_brief},
                                           {"result", metric_result},
                                           {"equation", metric_equation},
                                           {"printed", metric_printed},
                                           {"stale", metric_stale},
                                           {"combine", metric_combine},
                                           {"param", metric_param},
                                           {"default", metric_default},
                                           {"of", metric_of},
                                           {"alias", metric_alias},
                                           {"group", group_open},
                                           {"metrics", group_metrics},
                                           {NULL, NULL}};

const struct keyword rules_keywords[] = {{"unit", metrics_unit},
                                         {"invariant", invariant_open},
                                         {"brief", invariant_brief},
                                         {"holds", invariant_holds},
                                         {"rule", rule_open},
                                         {"level", rule_level},
                                         {"test", rule_test},
                                         {"on", rule_on},
                                         {"when", rule_when},
                                         {"needs", rule_needs},
                                         {NULL, NULL}};
