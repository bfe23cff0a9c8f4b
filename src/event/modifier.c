/* SPDX-License-Identifier: MIT */
/* perf's modifiers after an event, `:u`, for units that have none. */
#include "src/event/resolver.h"
#include "src/facts/field.h"
#include "src/facts/index.h"

/* Whether the control has a field of one bit with that name: imported events of cores have u and k. */
static bool has_flag(const struct resolver *r, uint32_t layout, struct text name)
{
  const uint32_t field = db_find_field(r->db, layout, name.s, name.n);
  return field != DB_NONE && r->db->fields[field].hi == r->db->fields[field].lo;
}

bool resolver_is_modifier(const struct resolver *r, const struct spelling_attr *a)
{
  if (!a->part || a->value.s || r->row.ctl == DB_NONE || has_flag(r, r->db->registers[r->row.ctl].layout, a->key))
    return false;
  /* Not e and I, which are libpfm4's edge detection and inversion. */
  for (size_t i = 0; i < a->key.n; i++)
    if (!memchr("ukhpPGHSDW", a->key.s[i], 10))
      return false;
  return r->row.event == DB_NONE || db_find_umask(r->db, r->row.event, a->key.s, a->key.n) == DB_NONE;
}

int resolver_fail_modifier(struct resolver *r, const struct spelling_attr *a)
{
  const bool levels = layout_field(r->db, r->db->registers[r->row.ctl].layout, "plm") != DB_NONE;
  return resolver_fail_at(r, PMON_E_UNKNOWN, a->key.s, "%s has no modifier \"%.*s\"; %s",
                          db_text(r->db, r->db->units[r->row.unit].name), (int)a->key.n, a->key.s,
                          levels ? "use plm= for privilege levels, bit n for level n: plm=8 for users, plm=1 for the "
                                   "kernel"
                                 : "leave it out: perf's modifiers are for events of cores");
}
