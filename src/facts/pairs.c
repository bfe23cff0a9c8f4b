/* SPDX-License-Identifier: MIT */
/* Lines of a unit that consist of two texts (the kernel's names of events, an instance's bounds) or of one word. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
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
    return parse_fail(p, PMON_E_SYNTAX, "lines of this kind expected next to each other");
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
      (status = parse_name(p, "terms of the event, joined by commas", &terms)) != 0)
    return status;
  return unit_add_pair(p, &build_units(p->b, p->row)->kernel, name, terms);
}

/* Parses the unit of results of a bound, with the word `package` before it if there is one. */
static int parse_result(struct parser *p, db_str *ret_result)
{
  static const char of_package[] = "package";
  int status = parse_name(p, "unit of results", ret_result);
  if (status || strcmp(build_text(p->b, *ret_result), of_package) != 0)
    return status;
  status = parse_name(p, "unit of results", ret_result);
  char both[128];
  const int n = status ? 0 : snprintf(both, sizeof both, "%s %s", of_package, build_text(p->b, *ret_result));
  if (n >= (int)sizeof both)
    return parse_fail(p, PMON_E_RANGE, "the unit of results is too long");
  if (!status)
    *ret_result = builder_intern(p->b, (struct text){both, (size_t)n});
  return status ? status : *ret_result || !n ? 0 : PMON_E_MEMORY;
}

/* `bound [package] RESULT EQUATION`: the most that an instance, or the whole package, can do */
int unit_bound(struct parser *p)
{
  db_str result, equation;
  int status = pair_need_unit(p);
  if (status || (status = parse_result(p, &result)) != 0 ||
      (status = parse_free_text(p, "equation of numbers, CLOCK_HZ(unit) and LIMIT(name)", &equation)) != 0)
    return status;
  return unit_add_pair(p, &build_units(p->b, p->row)->bounds, result, equation);
}

/* `interleaved`: requests are spread over all instances evenly */
int unit_interleaved(struct parser *p)
{
  const int status = pair_need_unit(p);
  if (!status)
    build_units(p->b, p->row)->flags |= DB_INTERLEAVED;
  return status;
}

/* `MODEL.CHOP[?]=N,N,-,...`: hexadecimal digits, a digit, and numbers of instances or hyphens. */
static bool is_bus_list(const char *word, size_t n)
{
  size_t i = 0;
  while (i < n && isxdigit((unsigned char)word[i]))
    i++;
  if (!i || i + 2 >= n || word[i] != '.' || !isdigit((unsigned char)word[i + 1]))
    return false;
  i += word[i + 2] == '?' ? 3 : 2;
  if (i >= n || word[i] != '=')
    return false;
  do {
    const size_t begin = ++i;
    if (i < n && word[i] == '-')
      i++;
    else
      while (i < n && isdigit((unsigned char)word[i]))
        i++;
    if (i == begin || i - begin > 2)
      return false;
  } while (i < n && word[i] == ',');
  return i == n;
}

/* `root-buses LIST ...`: the instances of an I/O stack to which a processor's bus numbers belong */
int unit_root_buses(struct parser *p)
{
  db_str text;
  int status = pair_need_unit(p);
  if (status || (status = parse_free_text(p, "lists of instances", &text)) != 0)
    return status;
  for (const char *at = build_text(p->b, text); *at; at += strspn(at, " ")) {
    const size_t n = strcspn(at, " ");
    if (!is_bus_list(at, n))
      return parse_fail(p, PMON_E_SYNTAX, "MODEL.CHOP=N,N,-,... expected, not '%.*s'", (int)n, at);
    at += n;
  }
  build_units(p->b, p->row)->root_buses = text;
  return 0;
}

/* `witness EVENT`: counted together with events that are all multiplexed, to show how the package's activity varies */
int unit_witness(struct parser *p)
{
  const int status = pair_need_unit(p);
  return status ? status : parse_name(p, "name of an event", &build_units(p->b, p->row)->witness);
}

/* `own-witness EVENT`: the same for events of this unit alone, whose activity it shows. It may have attributes. */
int unit_own_witness(struct parser *p)
{
  const int status = unit_witness(p);
  if (!status)
    build_units(p->b, p->row)->flags |= DB_OWN_WITNESS;
  return status;
}

/* `access perf [summed]` */
int unit_access(struct parser *p)
{
  int status = pair_need_unit(p);
  if (status || (status = parse_word(p, "perf")) != 0)
    return status;
  if (!text_is(p->w.t, "perf"))
    return parse_fail(p, PMON_E_SYNTAX, "perf expected, not '%.*s'", (int)p->w.t.n, p->w.t.s);
  build_units(p->b, p->row)->flags |= DB_PERF_ONLY;
  if (!parse_more(p))
    return 0;
  if ((status = parse_word(p, "summed")) != 0)
    return status;
  if (!text_is(p->w.t, "summed"))
    return parse_fail(p, PMON_E_SYNTAX, "summed expected, not '%.*s'", (int)p->w.t.n, p->w.t.s);
  build_units(p->b, p->row)->flags |= DB_SUMMED;
  return 0;
}
