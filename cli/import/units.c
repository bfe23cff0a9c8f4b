/* SPDX-License-Identifier: MIT */
/* Determines the units of an event file. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "cli/import/import.h"

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

/* The platform's unit of a row: by the unit's name, else by the event's prefix. */
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

/* The unit of a base that numbers its units: the one with the type that the row's unit has in a known platform. */
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

/* Whether a platform has an event of that name. */
static bool import_knows_unit(const struct import *im, const struct pmon_platform *platform, const char *name)
{
  struct pmon_event *event;
  if (pmon_event_resolve(im->cli->context, platform, name, &event) != PMON_OK)
    return false;
  pmon_event_free(event);
  return true;
}

const struct pmon_platform *import_choose(const struct import *im)
{
  const struct pmon_platform *best = NULL, *p;
  size_t most = 0;
  for (uint32_t i = 0; (p = pmon_platform_get(im->cli->context, i)) != NULL; i++) {
    size_t score = 0;
    for (size_t r = 0; r < im->file.n; r++) {
      struct pmon_unit_info u = {.size = sizeof u};
      uint32_t unit = im->rows[r].used ? import_find_unit(p, &im->rows[r].e) : UINT32_MAX;
      if (unit == UINT32_MAX)
        continue;
      pmon_unit_describe(p, unit, &u);
      score += (starts_with(im->rows[r].e.name, u.prefix) ? 2u : 1u) +
               (import_knows_unit(im, p, im->rows[r].e.name) ? 1u : 0u);
    }
    if (score > most) {
      most = score;
      best = p;
    }
  }
  return best;
}

/* An unknown unit: named after the file's unit; its events' prefix extends to the second underscore. */
static void name_unit(struct import_unit *u, const struct intel_event *e)
{
  const char *underscore = strncasecmp(e->name, "UNC_", 4) == 0 ? strchr(e->name + 4, '_') : NULL;
  unit_name_is_plain(u->text, strlen(u->text), u->name, sizeof u->name);
  snprintf(u->title, sizeof u->title, "%.60s, of which only events are known", u->text);
  if (underscore && (size_t)(underscore - e->name) + 1 < sizeof u->prefix)
    memcpy(u->prefix, e->name, (size_t)(underscore - e->name) + 1);
}

/* The file's unit of a row, added if it is new; UINT32_MAX after omitting the row. */
static uint32_t unit_of_row(struct import *im, struct import_row *row)
{
  struct import_unit numbered = {0};
  uint32_t base = im->base ? import_find_unit(im->base, &row->e) : UINT32_MAX, i;
  char wanted[64];
  if (base == UINT32_MAX)
    base = find_numbered(im, &row->e, &numbered);
  unit_name_is_plain(row->e.unit, strlen(row->e.unit), wanted, sizeof wanted);
  for (i = 0; i < im->n_units; i++)
    if (base != UINT32_MAX ? im->units[i].base == base
                           : im->units[i].base == UINT32_MAX && strcmp(im->units[i].name, wanted) == 0)
      return i;
  if (base == UINT32_MAX && (!*wanted || strlen(wanted) >= sizeof im->units[0].name - 2)) {
    import_leave_out(im, row,
                     *row->e.unit ? "\"Unit\" is no name of a unit" : "no \"Unit\": events of cores are not imported");
    return UINT32_MAX;
  }
  if (base == UINT32_MAX && im->base_path) {
    import_leave_out(im, row, "the platform has no unit \"%s\" with registers that it knows", row->e.unit);
    return UINT32_MAX;
  }
  if (im->n_units == sizeof im->units / sizeof im->units[0]) {
    import_leave_out(im, row, "the file has more than %u units", im->n_units);
    return UINT32_MAX;
  }
  struct import_unit *u = &im->units[im->n_units];
  struct pmon_unit_info info = {.size = sizeof info};
  *u = (struct import_unit){.text = row->e.unit, .base = base};
  if (base == UINT32_MAX) {
    name_unit(u, &row->e);
    if (im->base && pmon_unit_find(im->base, u->name, &i) == PMON_OK) /* another unit of the file has this name */
      snprintf(u->name + strlen(u->name), sizeof u->name - strlen(u->name), "_x");
  } else {
    pmon_unit_describe(im->base, base, &info);
    snprintf(u->name, sizeof u->name, "%s", info.name);
    snprintf(u->prefix, sizeof u->prefix, "%s", *numbered.alias ? numbered.prefix : info.prefix);
    snprintf(u->alias, sizeof u->alias, "%s", numbered.alias);
  }
  return im->n_units++;
}

/* EVENT.UMASK, without the unit's prefix. */
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
    for (char *c = row->event; !dot && *c; c++)
      if (*c == '.')
        *c = '_';
  return row->event && (!dot || row->umask) ? PMON_OK : PMON_E_MEMORY;
}

int import_place(struct import *im)
{
  int status = PMON_OK;
  for (size_t i = 0; !status && i < im->file.n; i++) {
    struct import_row *row = &im->rows[i];
    if (!row->used || (row->unit = unit_of_row(im, row)) == UINT32_MAX)
      continue;
    struct import_unit *u = &im->units[row->unit];
    for (uint32_t n = 32; n > u->counters; n--)
      if (row->e.counters >> (n - 1) & 1)
        u->counters = n;
    u->ports = u->ports || row->e.fields[INTEL_PORT_MASK] || row->e.fields[INTEL_FC_MASK];
    status = split_name(im, row);
  }
  return status;
}
