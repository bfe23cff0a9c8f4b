/* SPDX-License-Identifier: MIT */
/* Units as texts name them: by the facts' name or Linux', followed by numbers of instances. */
#include <stdio.h>
#include "src/base/text.h"
#include "src/facts/index.h"
#include "src/platform/platform.h"

/* Parses the instances after a unit's name: `3`, `_3`, `0-7`, `0-3+6`. False: `t` is not that. */
static bool read_instances(struct text t, struct platform_unit_name *found)
{
  uint64_t mask = 0;
  size_t i = t.n && t.s[0] == '_' ? 1 : 0;
  for (;;) {
    uint32_t ends[2] = {0, 0};
    int n = 0;
    do {
      size_t begin = i += n > 0;
      for (; i < t.n && t.s[i] >= '0' && t.s[i] <= '9' && i - begin < 6; i++)
        ends[n] = ends[n] * 10 + (uint32_t)(t.s[i] - '0');
      if (i == begin)
        return false;
    } while (++n < 2 && i < t.n && t.s[i] == '-');
    if (n == 1)
      ends[1] = ends[0];
    found->reversed = found->reversed || ends[0] > ends[1];
    found->beyond = found->beyond || ends[1] > 63 || found->reversed;
    for (uint32_t k = ends[0]; k <= ends[1] && k < 64; k++)
      mask |= UINT64_C(1) << k;
    if (i == t.n)
      break;
    if (t.s[i++] != '+')
      return false;
  }
  found->instances = mask;
  found->chosen = true;
  return true;
}

/* Whether the unit has free-running counters. Their PMU is not the unit's: for a unit without any, an event of such a
 * PMU would be taken for the unit's. */
static bool has_free_running(const struct db *db, const struct db_unit *u)
{
  for (uint32_t i = u->registers.first; i < u->registers.first + u->registers.n; i++)
    if (db->registers[i].role == PMON_ROLE_FREERUNNING)
      return true;
  return false;
}

/* Returns how many instances of a unit share a free-running counter: Linux numbers the PMUs of these counters by
 * counter. */
static uint32_t free_sharing(const struct db *db, const struct db_unit *u)
{
  for (uint32_t i = u->registers.first; i < u->registers.first + u->registers.n; i++)
    if (db->registers[i].role == PMON_ROLE_FREERUNNING && db->registers[i].n_own)
      return u->instances / db->registers[i].n_own;
  return 1;
}

/* Finds `uncore_imc_free_running_1`: the unit's name, Linux' suffix for its free-running counters, and a number. */
static bool find_free_running(const struct pmon_platform *p, struct text t, struct platform_unit_name *found)
{
  static const struct text free_running = {"_free_running", 13};
  size_t end = t.n;
  uint32_t number = 0, digits = 0;
  while (end && t.s[end - 1] >= '0' && t.s[end - 1] <= '9' && t.n - end < 4)
    end--;
  const bool numbered = end < t.n && end && t.s[end - 1] == '_';
  for (size_t i = end; numbered && i < t.n; i++, digits++)
    number = number * 10 + (uint32_t)(t.s[i] - '0');
  struct text name = {t.s, numbered ? end - 1 : t.n};
  if (name.n <= free_running.n || !text_same(t.s + name.n - free_running.n, free_running.s, free_running.n))
    return false;
  name.n -= free_running.n;
  *found = (struct platform_unit_name){.instances = UINT64_MAX};
  found->unit = db_find_unit_called(p->db, (uint32_t)(p->row - p->db->platforms), name);
  if (found->unit == DB_NONE || !has_free_running(p->db, &p->db->units[found->unit]))
    return false;
  if (!numbered)
    return true;
  const uint64_t first = (uint64_t)number * free_sharing(p->db, &p->db->units[found->unit]);
  found->chosen = true;
  found->beyond = first > 63;
  found->instances = found->beyond ? 0 : UINT64_C(1) << first;
  return true;
}

/* Finds a unit by a name followed by instances, or by Linux' suffix. */
static bool find_with_rest(const struct pmon_platform *p, struct text t, struct platform_unit_name *ret_found)
{
  const uint32_t platform = (uint32_t)(p->row - p->db->platforms);
  struct platform_unit_name found = {.unit = DB_NONE, .instances = UINT64_MAX};
  struct text name = t;
  for (; found.unit == DB_NONE;) { /* the longest name after which instances follow */
    if (!name.n || !memchr("0123456789-+_", t.s[--name.n], 13))
      return find_free_running(p, t, ret_found);
    found = (struct platform_unit_name){.unit = DB_NONE};
    if (read_instances((struct text){t.s + name.n, t.n - name.n}, &found))
      found.unit = db_find_unit_called(p->db, platform, name);
  }
  *ret_found = found;
  return true;
}

static bool find_spelled(const struct pmon_platform *p, struct text t, struct platform_unit_name *ret_found)
{
  const uint32_t unit = db_find_unit_called(p->db, (uint32_t)(p->row - p->db->platforms), t);
  if (unit == DB_NONE)
    return find_with_rest(p, t, ret_found);
  *ret_found = (struct platform_unit_name){.unit = unit, .instances = UINT64_MAX};
  return true;
}

bool platform_find_unit(const struct pmon_platform *p, struct text t, struct platform_unit_name *ret_found)
{
  static const struct text kernel = {"uncore_", 7};
  if (find_spelled(p, t, ret_found))
    return true;
  /* A PMU that the facts do not name: perf's tables have such PMUs for units without a kernel driver. */
  const struct text rest = {t.s + kernel.n, t.n > kernel.n ? t.n - kernel.n : 0};
  return rest.n && text_same(t.s, kernel.s, kernel.n) &&
         !(rest.n > kernel.n && text_same(rest.s, kernel.s, kernel.n)) && find_spelled(p, rest, ret_found);
}

void platform_instances_format(const struct pmon_platform *p, const struct platform_unit_name *found, char *text,
                               size_t size)
{
  const struct db_unit *u = &p->db->units[found->unit];
  if (u->instances > 1)
    snprintf(text, size, "%s has instances 0 to %u%s", db_text(p->db, u->name), u->instances - 1,
             found->reversed ? "; a range begins with the smaller number" : "");
  else
    snprintf(text, size, "%s has %s", db_text(p->db, u->name), u->instances ? "only instance 0" : "no instances");
}
