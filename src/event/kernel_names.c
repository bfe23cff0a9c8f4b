/* SPDX-License-Identifier: MIT */
/* Events by the names that the kernel's PMUs list in their events folders, perf's raw codes of a PMU, and
 * names with dots of libpfm4 and pmu-tools. */
#include <stdio.h>
#include <string.h>
#include "src/event/resolver.h"

/* Expands the name of an event that the unit's PMU lists. */
static bool expand_listed(const struct pmon_platform *platform, const struct spelling *s, char *text, size_t size)
{
  const struct db *db = platform->db;
  struct platform_unit_name found;
  if (!s->event.n || s->has_umask || !platform_find_unit(platform, s->unit, &found))
    return false;
  const struct db_span kernel = db->units[found.unit].kernel;
  const bool free_running = memmem(s->unit.s, s->unit.n, "_free_running", 13);
  for (uint32_t i = kernel.first; i < kernel.first + kernel.n; i++) {
    const char *name = db_text(db, db->attrs[i].key), *slash = strchr(name, '/');
    const char *behind = s->event.s + s->event.n;
    if ((slash != NULL) != free_running || !text_is(s->event, slash ? slash + 1 : name))
      continue;
    const int n = snprintf(text, size, "%.*s/%s%s", (int)s->unit.n, s->unit.s, db_text(db, db->attrs[i].value), behind);
    return n > 0 && (size_t)n < size;
  }
  return false;
}

bool resolver_kernel_event(const struct pmon_platform *platform, const struct spelling *s, char *text, size_t size)
{
  static const struct text uncore = {"uncore_", 7};
  return s->unit.n > uncore.n && text_same(s->unit.s, uncore.s, uncore.n) && expand_listed(platform, s, text, size);
}

/* Expands perf's raw code, `r4235` in `uncore_cha/r4235/`: the whole config, in hexadecimal. It has a decimal digit:
 * `rd` is rather a mistake. */
static bool expand_raw(const struct spelling *s, char *text, size_t size)
{
  const char *digits = s->event.s + 1, *end = s->event.s + s->event.n;
  if (s->event.n < 2 || !text_same(s->event.s, "r", 1) || s->has_umask)
    return false;
  if (end - digits > 2 && text_same(digits, "0x", 2))
    digits += 2;
  bool decimal = false;
  for (const char *at = digits; at < end; at++) {
    decimal |= *at >= '0' && *at <= '9';
    if (!strchr("0123456789abcdefABCDEF", *at))
      return false;
  }
  const int n = snprintf(text, size, "%.*s/config=0x%s", (int)s->unit.n, s->unit.s, digits);
  return decimal && n > 0 && (size_t)n < size;
}

/* Expands a unit before a dot, as ucevent of pmu-tools writes it: iMC.CAS_COUNT.RD is imc/CAS_COUNT.RD. */
static bool expand_dotted_unit(const struct pmon_platform *platform, const struct spelling *s, char *text, size_t size)
{
  struct platform_unit_name found;
  if (!s->has_umask || !platform_find_unit(platform, s->event, &found))
    return false;
  const int n = snprintf(text, size, "%.*s/%s", (int)s->event.n, s->event.s, s->umask.s);
  return n > 0 && (size_t)n < size;
}

bool resolver_with_colons(const struct spelling *s, char *text, size_t size)
{
  const size_t n = strlen(s->text);
  if (!s->has_umask || (s->unit.n && s->unit.s[s->unit.n] == '/') || n >= size)
    return false;
  memcpy(text, s->text, n + 1);
  for (char *at = text + (s->umask.s - s->text) - 1; *at; at++)
    *at = *at == '.' ? ':' : *at;
  return true;
}

bool resolver_kernel_event_else(const struct pmon_platform *platform, const struct spelling *s, char *text, size_t size)
{
  const struct db *db = platform->db;
  if (s->unit.n)
    return expand_listed(platform, s, text, size) || expand_raw(s, text, size);
  if (expand_dotted_unit(platform, s, text, size))
    return true;
  const struct db_span units = platform->row->units;
  unsigned found = 0;
  for (uint32_t u = units.first; u < units.first + units.n && !s->n_attrs; u++) {
    const struct db_span kernel = db->units[u].kernel;
    for (uint32_t i = kernel.first; i < kernel.first + kernel.n; i++)
      if (text_is(s->event, db_text(db, db->attrs[i].key)) && ++found)
        snprintf(text, size, "%s/%s/", db_text(db, db->units[u].name), db_text(db, db->attrs[i].value));
  }
  return found == 1;
}
