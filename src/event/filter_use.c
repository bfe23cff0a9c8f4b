/* SPDX-License-Identifier: MIT */
/* Filter registers that act on more than the event that asks for them (`narrows`), and the fields that belong to the
 * use of one (`with`): an address range is in effect once other registers enable it (Montecito 3.3.5 to 3.3.7). */
#include "src/event/resolver.h"
#include "src/facts/field.h"
#include "src/facts/index.h"

bool event_is_narrowed(const struct db *db, uint32_t event, uint32_t reg)
{
  const struct db_register *r = &db->registers[reg];
  const struct db_span attrs = event == DB_NONE ? (struct db_span){0, 0} : db->events[event].attrs;
  for (uint32_t i = attrs.first; r->narrows_key && i < attrs.first + attrs.n; i++)
    if (text_is(text_of(db_text(db, r->narrows_key)), db_text(db, db->attrs[i].key)) &&
        text_is(text_of(db_text(db, r->narrows_value)), db_text(db, db->attrs[i].value)))
      return true;
  return false;
}

static bool is_written(const struct resolver *r, uint32_t reg, uint32_t field)
{
  for (uint32_t i = 0; i < r->n_attrs; i++)
    if (r->attrs[i].at && r->attrs[i].setting.reg == reg && r->attrs[i].setting.field == field)
      return true;
  return false;
}

static bool is_used(const struct resolver *r, uint32_t reg)
{
  for (uint32_t i = 0; i < r->n_attrs; i++)
    if (r->attrs[i].at && r->attrs[i].setting.reg == reg)
      return true;
  return false;
}

/* A field that several registers in use set too gets the bits that all of them want. */
static int add_setting(struct resolver *r, struct event_setting where)
{
  for (uint32_t i = 0; i < r->n_attrs; i++)
    if (!r->attrs[i].at && r->attrs[i].setting.reg == where.reg && r->attrs[i].setting.field == where.field) {
      r->attrs[i].setting.value &= where.value;
      return PMON_OK;
    }
  return resolver_add(r, where, NULL);
}

int resolver_with(struct resolver *r)
{
  const struct db *db = r->db;
  const struct db_span regs = db->units[r->row.unit].registers;
  int status = PMON_OK;
  for (uint32_t i = regs.first; i < regs.first + regs.n; i++) {
    const struct db_span with = db->registers[i].with;
    if (!with.n || !is_used(r, i))
      continue;
    for (uint32_t k = with.first; !status && k < with.first + with.n; k++) {
      struct event_setting where = {.value = db->settings[k].value};
      if (db_find_filter(db, r->row.unit, text_of(db_text(db, db->settings[k].name)), &where.reg, &where.field) &&
          !is_written(r, where.reg, where.field))
        status = add_setting(r, where);
    }
  }
  return status;
}
