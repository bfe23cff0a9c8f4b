/* SPDX-License-Identifier: MIT */
/* Lines of a unit that are two texts: events that the kernel names, and the most that an instance can do. */
#include "src/facts/parser.h"

static int pair_need_unit(struct parser *p)
{
  return p->block == BLOCK_UNIT ? 0 : parse_fail(p, PMON_E_SYNTAX, "`unit` expected before this line");
}

/* Adds a line of two texts to a span of such lines. */
static int unit_add_pair(struct parser *p, struct db_span *span, db_str key, db_str value)
{
  const struct db_attr pair = {key, value};
  uint32_t at;
  if (span->n && span->first + span->n != build_count(p->b, ROWS_attrs))
    return parse_fail(p, PMON_E_SYNTAX, "the line next to those of its kind expected");
  if (!span->n)
    span->first = build_count(p->b, ROWS_attrs);
  span->n++;
  return parse_push(p, ROWS_attrs, &pair, &at);
}

/* `kernel NAME TERMS`: an event that the kernel's PMU lists in its events folder */
int unit_kernel(struct parser *p)
{
  db_str name, terms;
  int status = pair_need_unit(p);
  if (status || (status = parse_name(p, "name of an event in sysfs", &name)) != 0 ||
      (status = parse_name(p, "its terms, joined by commas", &terms)) != 0)
    return status;
  return unit_add_pair(p, &build_units(p->b, p->row)->kernel, name, terms);
}

/* `bound RESULT EQUATION`: the most that an instance can do */
int unit_bound(struct parser *p)
{
  db_str result, equation;
  int status = pair_need_unit(p);
  if (status || (status = parse_name(p, "unit of results", &result)) != 0 ||
      (status = parse_free_text(p, "equation of numbers and CLOCK_HZ(unit)", &equation)) != 0)
    return status;
  return unit_add_pair(p, &build_units(p->b, p->row)->bounds, result, equation);
}
