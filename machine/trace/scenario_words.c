/* SPDX-License-Identifier: MIT */
/* The words of a scenario's line: units, numbers, places, and the errors that name them. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/trace/scenario_parser.h"

const struct scenario_unit scenario_plain_units[] = {
    {"", 1}, {"k", 1000}, {"M", 1000000}, {"G", 1000000000}, {NULL, 0}};
const struct scenario_unit scenario_byte_units[] = {{"", 1}, {"K", 1024}, {"M", 1 << 20}, {"G", 1 << 30}, {NULL, 0}};
const struct scenario_unit scenario_time_units[] = {
    {"ns", 1000000}, {"us", 1000000000}, {"ms", UINT64_C(1000000000000)}, {"s", UINT64_C(1000000000000000)}, {NULL, 0}};

int scenario_wrong(struct parser *p, int status, const char *format, ...)
{
  int n = snprintf(p->error, p->error_size, "%.200s: line %u: ", p->name, p->line);
  va_list list;

  va_start(list, format);
  if (n > 0 && (size_t)n < p->error_size)
    vsnprintf(p->error + n, p->error_size - (size_t)n, format, list);
  va_end(list);
  return status;
}

const char *scenario_peek(const struct parser *p)
{
  return p->at < p->n ? p->word[p->at] : "";
}

int scenario_meaningless(struct parser *p)
{
  return scenario_wrong(p, PMON_E_SYNTAX, "unexpected '%.40s'", scenario_peek(p));
}

int scenario_end(struct parser *p)
{
  return p->at < p->n ? scenario_meaningless(p) : 0;
}

bool scenario_take(struct parser *p, const char *word)
{
  if (strcmp(scenario_peek(p), word) != 0)
    return false;
  p->at++;
  return true;
}

/* Formats a bound in the largest unit that divides it. */
static const char *format_bound(char text[32], const struct scenario_unit *units, uint64_t value)
{
  const struct scenario_unit *unit = units;
  for (const struct scenario_unit *u = units; value && u->suffix; u++)
    unit = value % u->factor ? unit : u;
  snprintf(text, 32, "%" PRIu64 "%s", value / unit->factor, unit->suffix);
  return text;
}

/* Parses the next word as a number with one of the suffixes in `units`, from bounds[0] to bounds[1]. */
int scenario_number(struct parser *p, const char *what, const struct scenario_unit *units, const uint64_t bounds[2],
                    uint64_t *ret)
{
  const struct scenario_unit *const all = units;
  const char *text = scenario_peek(p);
  char *end, low[32], high[32];
  unsigned long long value;

  errno = 0;
  value = strtoull(text, &end, 10);
  while (units->suffix && strcmp(end, units->suffix) != 0)
    units++;
  if (*text < '0' || *text > '9' || !units->suffix)
    return scenario_wrong(p, PMON_E_SYNTAX, "expected %s, not '%.40s'", what, text);
  if (errno || value > UINT64_MAX / units->factor || value * units->factor < bounds[0] ||
      value * units->factor > bounds[1])
    return scenario_wrong(p, PMON_E_RANGE, "expected %s from %s to %s, not '%.40s'", what,
                          format_bound(low, all, bounds[0]), format_bound(high, all, bounds[1]), text);
  *ret = value * units->factor;
  p->at++;
  return 0;
}

void *scenario_grow_list(void *list, size_t n, size_t size)
{
  return n & (n - 1) ? list : realloc(list, (n ? 2 * n : 1) * size); /* full at powers of two */
}

/* Parses a unit's name, which may contain digits, and an instance: cha3. */
int scenario_place_read(struct parser *p, struct scenario_place *place)
{
  const char *word = scenario_peek(p);
  size_t n = strlen(word), letters = n;
  while (letters && word[letters - 1] >= '0' && word[letters - 1] <= '9')
    letters--;
  if (!letters || letters >= sizeof place->unit || n - letters > 3)
    return scenario_wrong(p, PMON_E_SYNTAX, "expected a unit such as cha3, not '%.40s'", word);
  *place = (struct scenario_place){.instance = n > letters ? atoi(word + letters) : -1};
  memcpy(place->unit, word, letters);
  p->at++;
  return 0;
}
