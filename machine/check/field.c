/* SPDX-License-Identifier: MIT */
/* Looks fields up in the registers of the stream. */
#include "machine/check/state.h"
#include "src/facts/field.h"

static uint32_t layout_find_field(const struct checker *c, uint32_t layout, struct text name)
{
  if (layout == DB_NONE)
    return DB_NONE;
  struct db_span span = c->db->layouts[layout].fields;
  for (uint32_t i = span.first; i < span.first + span.n; i++) {
    const struct db_field *f = &c->db->fields[i];
    if (text_is(name, db_text(c->db, f->name)) || (f->alias && text_in_list(name, db_text(c->db, f->alias))))
      return i;
  }
  return DB_NONE;
}

const struct db_field *field_of_layout(const struct checker *c, uint32_t layout, struct text name)
{
  const uint32_t field = layout_find_field(c, layout, name);
  return field == DB_NONE ? NULL : &c->db->fields[field];
}

const struct db_field *seen_field_text(const struct checker *c, const struct seen *s, struct text name)
{
  const uint32_t layout = c->db->registers[s->reg].layout;
  if (layout == DB_NONE)
    return NULL;
  const uint64_t hash = ((uint64_t)(uintptr_t)name.s ^ (uint64_t)layout << 40) * UINT64_C(0x9e3779b97f4a7c15);
  struct field_memo *m = &c->memo->fields[hash >> 32 & (CHECK_MEMOS - 1)];
  if (m->name.s != name.s || m->name.n != name.n || m->layout != layout)
    *m = (struct field_memo){name, layout, layout_find_field(c, layout, name)};
  return m->field == DB_NONE ? NULL : &c->db->fields[m->field];
}

const struct db_field *seen_field(const struct checker *c, const struct seen *s, const char *name)
{
  return seen_field_text(c, s, text_of(name));
}

bool seen_get(const struct checker *c, const struct seen *s, const char *name, uint64_t *ret_value)
{
  const struct db_field *f = seen_field(c, s, name);
  if (!f || (s->known & field_mask(f)) != field_mask(f))
    return false;
  *ret_value = field_get(f, s->value);
  return true;
}

bool control_enabled(const struct checker *c, const struct seen *s)
{
  /* en0: one control for several fixed counters, which is found as that of the first (IA32_FIXED_CTR_CTRL) */
  static const char *const switches[] = {"en", "plm", "ev_sel", "en0"};
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
    if (seen_field(c, s, switches[i]))
      return seen_get(c, s, switches[i], &value) && value;
  return false;
}
