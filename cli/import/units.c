/* SPDX-License-Identifier: MIT */
/* Determines the units of an event file. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "cli/import/import.h"

#define MOST_OF_FILE 90 /* percent of a file's rows that a platform must know to be the file's */

enum { PREFIXES = 16 }; /* maximum of different prefixes considered for a unit */

/* Reduces a name to lower-case letters and digits, without perf's prefixes and suffixes: "UPI LL" and "uncore_upi_ll"
 * become equal. */
static void unit_name_is_plain(const char *text, size_t n, char *ret, size_t size)
{
  static const char before[] = "uncore_", behind[] = "freerunning";
  size_t k = 0;
  if (n >= sizeof before - 1 && strncasecmp(text, before, sizeof before - 1) == 0)
    text += sizeof before - 1, n -= sizeof before - 1;
  for (size_t i = 0; i < n && k + 1 < size; i++)
    if (isalnum((unsigned char)text[i]))
      ret[k++] = (char)tolower((unsigned char)text[i]);
  if (k > sizeof behind - 1 && strncmp(ret + k - (sizeof behind - 1), behind, sizeof behind - 1) == 0)
    k -= sizeof behind - 1;
  ret[k] = 0;
}

static bool same_unit(const char *wanted, const char *list)
{
  char one[64];
  while (*list) {
    size_t n = strcspn(list, ",");
    unit_name_is_plain(list, n, one, sizeof one);
    if (*one && strcmp(wanted, one) == 0)
      return true;
    list += n + (list[n] == ',');
  }
  return false;
}

static bool starts_with(const char *name, const char *prefix)
{
  return *prefix && strncasecmp(name, prefix, strlen(prefix)) == 0;
}

/* Finds the platform's unit of a row, by the unit's name, else by the event's prefix. */
static uint32_t import_find_unit(const struct pmon_platform *platform, const struct intel_event *e)
{
  char wanted[64];
  struct pmon_unit_info u = {.size = sizeof u};
  uint32_t by_prefix = UINT32_MAX;
  unit_name_is_plain(e->unit, strlen(e->unit), wanted, sizeof wanted);
  for (uint32_t i = 0; pmon_unit_describe(platform, i, &u) == PMON_OK; i++) {
    if (!u.registers)
      continue;
    if (*wanted && (same_unit(wanted, u.name) || same_unit(wanted, u.alias) || same_unit(wanted, u.perf)))
      return i;
    if (!*wanted && starts_with(e->name, u.prefix))
      by_prefix = i;
  }
  return by_prefix;
}

/* Finds the unit in a base that numbers its units: the one whose type is that of the row's unit in a known platform. */
static uint32_t find_numbered(const struct import *im, const struct intel_event *e, struct import_unit *ret_unit)
{
  const struct pmon_platform *p;
  for (uint32_t i = 0; im->base_path && (p = pmon_platform_get(im->cli->context, i)) != NULL; i++) {
    struct pmon_unit_info u = {.size = sizeof u};
    const uint32_t named = p == im->base ? UINT32_MAX : import_find_unit(p, e);
    if (named == UINT32_MAX || pmon_unit_describe(p, named, &u) != PMON_OK)
      continue;
    const uint32_t unit = import_find_type(im, u.discovery);
    if (unit == UINT32_MAX)
      continue;
    snprintf(ret_unit->prefix, sizeof ret_unit->prefix, "%s", u.prefix);
    snprintf(ret_unit->alias, sizeof ret_unit->alias, "%s", u.name);
    return unit;
  }
  return UINT32_MAX;
}

/* Whether a platform has an event with the name and code of the row. */
static bool import_knows_row(const struct pmon_platform *platform, const struct intel_event *e)
{
  struct pmon_event_info info = {.size = sizeof info};
  struct pmon_event *event;
  if (pmon_event_resolve(NULL, platform, e->name, &event) != PMON_OK)
    return false;
  const bool same = pmon_event_describe(event, &info) == PMON_OK &&
                    (e->kind != PMON_EVENT_PROGRAMMED || (info.code & 0xff) == (e->code & 0xff));
  pmon_event_free(event);
  return same;
}

/* Register addresses belong to a generation, and successive generations share event names: only a platform that knows
 * nearly all rows is the file's. */
const struct pmon_platform *import_choose(const struct import *im)
{
  const struct pmon_platform *best = NULL, *p;
  size_t most = 0, rows = 0;
  for (size_t r = 0; r < im->n_rows; r++)
    rows += im->rows[r].used;
  for (uint32_t i = 0; (p = pmon_platform_get(im->cli->context, i)) != NULL; i++) {
    size_t known = 0;
    for (size_t r = 0; r < im->n_rows; r++)
      known += im->rows[r].used && import_knows_row(p, &im->rows[r].e);
    if (known > most) {
      most = known;
      best = p;
    }
  }
  return most * 100 >= rows * MOST_OF_FILE ? best : NULL;
}

/* Returns the length of the prefix of a unit's events, which ends with the second underscore; 0 if there is none. */
static size_t prefix_length(const char *name)
{
  const char *underscore = strncasecmp(name, "UNC_", 4) == 0 ? strchr(name + 4, '_') : NULL;
  const size_t n = underscore ? (size_t)(underscore - name) + 1 : 0;
  return n < sizeof((struct import_unit *)0)->prefix ? n : 0;
}

/* Sets the prefix that most rows have; deprecated names of an older processor do not get short names. */
static void set_prefix(const struct import *im, uint32_t unit, struct import_unit *u)
{
  struct {
    const char *name;
    size_t length, rows;
  } seen[PREFIXES];
  size_t n = 0, best = 0;
  for (size_t i = 0; i < im->n_rows; i++) {
    const char *name = im->rows[i].e.name;
    const size_t length = im->rows[i].used && im->rows[i].unit == unit ? prefix_length(name) : 0;
    size_t k = 0;
    while (k < n && (seen[k].length != length || strncasecmp(seen[k].name, name, length) != 0))
      k++;
    if (!length || k == PREFIXES)
      continue;
    if (k == n) {
      seen[n].name = name;
      seen[n].length = length;
      seen[n++].rows = 0;
    }
    if (++seen[k].rows > seen[best].rows)
      best = k;
  }
  if (n)
    snprintf(u->prefix, sizeof u->prefix, "%.*s", (int)seen[best].length, seen[best].name);
}

static bool is_wide(const struct import *im, const char *name)
{
  for (size_t i = 0; im->wide && im->wide[i]; i++)
    if (!strcmp(im->wide[i], name))
      return true;
  return false;
}

/* Names a unit of which only Linux' names are known, after its PMU. Free-running counters have their own PMU. */
static void name_unit(const struct import *im, struct import_unit *u, const struct intel_event *e)
{
  char plain[40];
  const char *after = e->kind == PMON_EVENT_FREERUNNING ? "_free_running" : "";
  const bool core = !*e->unit;
  u->kind = kinds_find(e->unit, im->words);
  unit_name_is_plain(e->unit, strlen(e->unit), plain, sizeof plain);
  if (!u->kind)
    u->kind = kinds_unknown(e->fields[INTEL_PORT_MASK] || e->fields[INTEL_FC_MASK]);
  const char *name = *u->kind->pmu ? u->kind->pmu : plain;
  snprintf(u->name, sizeof u->name, "%.32s%s", core ? "core" : name, after);
  snprintf(u->pmu, sizeof u->pmu, "%s%.32s%s", core ? "" : "uncore_", name, after);
  snprintf(u->title, sizeof u->title, "%.60s, counted by Linux perf", core ? "the cores" : e->unit);
  u->summed = core || is_wide(im, u->name);
}

/* Returns the base platform's unit of a row; UINT32_MAX: it has none with known registers. If the base numbers its
 * units, `ret_numbered` gets the file's name and prefix. */
static uint32_t base_of_row(const struct import *im, const struct import_row *row, struct import_unit *ret_numbered)
{
  uint32_t base = im->base ? import_find_unit(im->base, &row->e) : UINT32_MAX;
  if (base == UINT32_MAX)
    base = find_numbered(im, &row->e, ret_numbered);
  if (im->base_path && im->folder && row->e.kind == PMON_EVENT_FREERUNNING)
    base = UINT32_MAX; /* a discovery page contains no free-running counters */
  return base;
}

/* Omits a row whose unit the base platform lacks, if the unit has no valid name or cannot be added. */
static bool omit_foreign_unit(struct import *im, struct import_row *row)
{
  char plain[64];
  unit_name_is_plain(row->e.unit, strlen(row->e.unit), plain, sizeof plain);
  const bool named = *plain && strlen(plain) < sizeof im->units->name - 16;
  if (*row->e.unit && !named)
    import_leave_out(im, row, "\"Unit\" is not the name of a unit");
  else if (im->base_path && !im->folder)
    import_leave_out(im, row, "the platform has no unit \"%s\" with known registers", row->e.unit);
  else
    return false;
  return true;
}

/* Returns the file's unit of a row, which it adds if it is new; UINT32_MAX after omitting the row. */
static uint32_t unit_of_row(struct import *im, struct import_row *row)
{
  struct import_unit numbered = {0}, own = {.base = UINT32_MAX};
  const uint32_t base = base_of_row(im, row, &numbered);
  uint32_t i;
  if (base == UINT32_MAX && omit_foreign_unit(im, row))
    return UINT32_MAX;
  if (base == UINT32_MAX)
    name_unit(im, &own, &row->e);
  for (i = 0; i < im->n_units; i++)
    if (base != UINT32_MAX ? im->units[i].base == base
                           : im->units[i].base == UINT32_MAX && strcmp(im->units[i].pmu, own.pmu) == 0)
      return i;
  if (im->n_units == sizeof im->units / sizeof im->units[0]) {
    import_leave_out(im, row, "the file has more than %u units", im->n_units);
    return UINT32_MAX;
  }
  struct import_unit *u = &im->units[im->n_units];
  struct pmon_unit_info info = {.size = sizeof info};
  *u = own;
  u->base = base;
  if (base == UINT32_MAX) {
    if (im->base && pmon_unit_find(im->base, u->name, &i) == PMON_OK) /* another unit of the file has this name */
      snprintf(u->name + strlen(u->name), sizeof u->name - strlen(u->name), *row->e.unit ? "_x" : "s");
  } else {
    pmon_unit_describe(im->base, base, &info);
    snprintf(u->name, sizeof u->name, "%s", info.name);
    snprintf(u->prefix, sizeof u->prefix, "%s", *numbered.alias ? numbered.prefix : info.prefix);
    snprintf(u->alias, sizeof u->alias, "%s", numbered.alias);
  }
  return im->n_units++;
}

/* Splits the name into EVENT and UMASK, without the unit's prefix. */
static int split_name(struct import *im, struct import_row *row)
{
  const char *prefix = im->units[row->unit].prefix, *name = row->e.name;
  if (starts_with(name, prefix) && name[strlen(prefix)])
    name += strlen(prefix);
  const char *dot = strchr(name, '.');
  if (dot == name || (dot && !dot[1]))
    dot = NULL;
  row->event = strndup(name, dot ? (size_t)(dot - name) : strlen(name));
  row->umask = dot ? strdup(dot + 1) : NULL;
  if (row->event)
    for (char *c = row->event; *c; c++)
      if ((!dot && *c == '.') || *c == ':' || *c == '=')
        *c = '_';
  for (char *c = row->umask; c && *c; c++)
    if (*c == ':' || *c == '=')
      *c = '_';
  return row->event && (!dot || row->umask) ? PMON_OK : PMON_E_MEMORY;
}

int import_place(struct import *im)
{
  int status = PMON_OK;
  for (size_t i = 0; i < im->n_rows; i++)
    im->words = im->words || (im->rows[i].used && *im->rows[i].e.unit && im->rows[i].e.word);
  for (size_t i = 0; !status && i < im->n_rows; i++) {
    struct import_row *row = &im->rows[i];
    if (!row->used || (row->unit = unit_of_row(im, row)) == UINT32_MAX)
      continue;
    struct import_unit *u = &im->units[row->unit];
    if (u->kind && row->e.kind == PMON_EVENT_FREERUNNING)
      row->e.counters = UINT32_C(1) << row->e.index;
    for (uint32_t n = 32; n > u->counters; n--)
      if (row->e.counters >> (n - 1) & 1)
        u->counters = n;
  }
  for (uint32_t u = 0; u < im->n_units; u++)
    if (im->units[u].base == UINT32_MAX)
      set_prefix(im, u, &im->units[u]);
  for (size_t i = 0; !status && i < im->n_rows; i++)
    if (im->rows[i].used)
      status = split_name(im, &im->rows[i]);
  return status;
}

static bool is_used(const struct import *im, uint32_t unit)
{
  for (size_t i = 0; i < im->n_rows; i++)
    if (im->rows[i].used && im->rows[i].unit == unit)
      return true;
  return false;
}

bool import_is_generic(const struct import *im, uint32_t unit)
{
  return im->units[unit].kind && is_used(im, unit);
}

bool import_has_kernel_units(const struct import *im)
{
  for (uint32_t i = 0; i < im->n_units; i++)
    if (import_is_generic(im, i))
      return true;
  return false;
}
