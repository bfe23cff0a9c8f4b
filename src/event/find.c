/* SPDX-License-Identifier: MIT */
/* Finds a unit's events by their names, and by those of event files. */
#include "src/event/resolver.h"
#include "src/facts/index.h"

struct text resolver_without_prefix(const struct db *db, const struct db_unit *u, struct text name, bool any)
{
  const char *prefix = db_text(db, u->prefix);
  size_t n = 0;
  while (n < name.n && prefix[n] && text_same(&name.s[n], &prefix[n], 1))
    n++;
  if (n && n < name.n && !prefix[n])
    return (struct text){name.s + n, name.n - n};
  const char *score = any && name.n > 4 && text_same(name.s, "UNC_", 4) ? memchr(name.s + 4, '_', name.n - 4) : NULL;
  if (score && score + 1 < name.s + name.n)
    return (struct text){score + 1, name.n - (size_t)(score + 1 - name.s)};
  return name;
}

bool resolver_find_row(const struct db *db, uint32_t unit, const struct db_key *name, struct event_row *row)
{
  struct db_span imports = db->units[unit].imports;
  for (uint32_t i = imports.first; i < imports.first + imports.n; i++) {
    uint32_t event = db_find_event_key(db, db->imports[i].set, name);
    if (event != DB_NONE) {
      row->unit = unit;
      row->import = i;
      row->event = event;
      return true;
    }
  }
  return false;
}

struct text resolver_bare_event(const struct resolver *r)
{
  const struct db_key name = db_key(r->db, r->s->event);
  struct event_row row;
  return resolver_find_row(r->db, r->row.unit, &name, &row)
             ? r->s->event
             : resolver_without_prefix(r->db, &r->db->units[r->row.unit], r->s->event, r->s->unit.n > 0);
}

bool resolver_find_whole_name(struct resolver *r, struct text part)
{
  const struct text whole = {r->s->event.s, (size_t)(part.s + part.n - r->s->event.s)};
  const struct db_key key = db_key(r->db, resolver_without_prefix(r->db, &r->db->units[r->row.unit], whole, false));
  return resolver_find_row(r->db, r->row.unit, &key, &r->row);
}
