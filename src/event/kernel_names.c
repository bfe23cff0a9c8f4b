/* SPDX-License-Identifier: MIT */
/* Events by the names that the kernel's PMUs list in their events folders. */
#include <stdio.h>
#include <string.h>
#include "src/event/resolver.h"

bool resolver_kernel_event(const struct pmon_platform *platform, const struct spelling *s, char *text, size_t size)
{
  static const struct text uncore = {"uncore_", 7};
  const struct db *db = platform->db;
  struct platform_unit_name found;
  if (s->unit.n <= uncore.n || !text_same(s->unit.s, uncore.s, uncore.n) || !s->event.n || s->has_umask ||
      !platform_find_unit(platform, s->unit, &found))
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

bool resolver_kernel_event_alone(const struct pmon_platform *platform, const struct spelling *s, char *text,
                                 size_t size)
{
  const struct db *db = platform->db;
  const struct db_span units = platform->row->units;
  unsigned found = 0;
  for (uint32_t u = units.first; u < units.first + units.n && !s->unit.n && !s->n_attrs; u++) {
    const struct db_span kernel = db->units[u].kernel;
    for (uint32_t i = kernel.first; i < kernel.first + kernel.n; i++)
      if (text_is(s->event, db_text(db, db->attrs[i].key)) && ++found)
        snprintf(text, size, "%s/%s/", db_text(db, db->units[u].name), db_text(db, db->attrs[i].value));
  }
  return found == 1;
}
