/* SPDX-License-Identifier: MIT */
/* Whether an event may use the filters that are set, and the fields that must be set with one (`with`): an address
 * range takes effect once other registers enable it (Montecito 3.3.5 to 3.3.7). */
#include "src/event/event.h"
#include "src/event/resolver.h"
#include "src/facts/field.h"
#include "src/facts/index.h"
#include "src/facts/rule.h"

/* The register that masks this one, or DB_NONE. */
static uint32_t find_mask(const struct resolver *r, uint32_t reg)
{
  const struct db *db = r->db;
  const struct db_span regs = db->units[r->row.unit].registers;
  const struct text name = text_of(db_text(db, db->registers[reg].mask));
  for (uint32_t i = regs.first; name.n && i < regs.first + regs.n; i++)
    if (text_is(name, db_text(db, db->registers[i].name)))
      return i;
  return DB_NONE;
}

/* The bits of the register that the row sets, and their value. */
static struct event_register row_register(const struct event_row *row, uint32_t reg)
{
  for (uint32_t i = 0; i < row->n_registers; i++)
    if (row->registers[i].reg == reg)
      return row->registers[i];
  return (struct event_register){reg, 0, 0};
}

/* Refuses to change what an event that is a match itself (327043 Table 2-92) matches; such an event can only be
 * narrowed. */
static int check_match(const struct resolver *r, const struct resolved_attr *attr)
{
  const struct event_setting *s = &attr->setting;
  const struct db_field *f = &r->db->fields[s->field];
  const uint32_t mask = r->row.event == DB_NONE ? DB_NONE : find_mask(r, s->reg);
  struct event_row own = r->row;
  if (mask == DB_NONE || !row_bind(&own) || !row_complete(&own))
    return PMON_OK;
  const struct event_register match = row_register(&own, s->reg);
  const uint64_t compared = match.mask & row_register(&own, mask).value & field_mask(f);
  return (field_set(f, 0, s->value) ^ match.value) & compared ? resolver_fail_match(r, attr, field_get(f, match.value))
                                                              : PMON_OK;
}

/* The name of the event's first umask that satisfies the condition; "": none. */
static const char *umask_satisfying(const struct db *db, struct event_control control, struct text when)
{
  const uint32_t layout = db->registers[control.ctl].layout, field = layout_umask(db, layout);
  const struct db_span umasks = db->events[control.event].umasks;
  for (uint32_t i = umasks.first; field != DB_NONE && i < umasks.first + umasks.n; i++)
    if (resolver_satisfies(db, layout, field_set(&db->fields[field], control.value, db->umasks[i].value), when))
      return db_text(db, db->umasks[i].name);
  return "";
}

/* Refuses a filter that narrows other umasks of the event only (`attr narrowed=CONDITION`; Montecito Table 4-72). */
static int check_narrowed(const struct resolver *r, const struct resolved_attr *attr, struct event_control control)
{
  const struct db *db = r->db;
  const struct db_register *reg = &db->registers[attr->setting.reg];
  const struct db_span attrs =
      r->row.event == DB_NONE || !reg->narrows_key ? (struct db_span){0, 0} : db->events[r->row.event].attrs;
  for (uint32_t i = attrs.first; i < attrs.first + attrs.n; i++) {
    const struct text when = text_of(db_text(db, db->attrs[i].value));
    if (text_is(text_of("narrowed"), db_text(db, db->attrs[i].key)) &&
        !resolver_satisfies(db, db->registers[r->row.ctl].layout, control.value, when))
      return resolver_fail_at(r, PMON_E_CONFLICT, attr->at,
                              "%s acts on %s only with the umask %s; others count everything", db_text(db, reg->name),
                              db_text(db, db->events[r->row.event].name), umask_satisfying(db, control, when));
  }
  return PMON_OK;
}

int resolver_check_use(const struct resolver *r, uint64_t control)
{
  const struct db *db = r->db;
  const struct event_control selected = {r->row.ctl, r->row.event, control};
  for (uint32_t i = 0; i < r->n_attrs; i++) {
    const struct event_setting *s = &r->attrs[i].setting;
    const struct db_register *reg = &db->registers[s->reg];
    const struct db_field *f = &db->fields[s->field];
    uint64_t on;
    /* A value that lets everything pass has no effect on any event. A value that is compared exactly, with a mask, or
     * because another field says so (tid_en), matches even if it is 0. */
    const bool matches = f->access == DB_VIRT || reg->mask || reg->exact || s->value != f->reset ||
                         resolver_acts_with(db, s, selected, &on);
    if (r->attrs[i].at && (reg->acts || reg->idle) && matches && !resolver_acts(db, s, selected))
      return resolver_fail_filter(r, &r->attrs[i], control);
    int status = r->attrs[i].at && matches ? check_narrowed(r, &r->attrs[i], selected) : PMON_OK;
    if (!status && r->attrs[i].at && reg->mask)
      status = check_match(r, &r->attrs[i]);
    if (status)
      return status;
  }
  return PMON_OK;
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

/* Returns the setting of the field that another filter's use made, not the text; NULL: none. */
static struct event_setting *find_setting(struct resolver *r, struct event_setting where)
{
  for (uint32_t i = 0; i < r->n_attrs; i++)
    if (!r->attrs[i].at && r->attrs[i].setting.reg == where.reg && r->attrs[i].setting.field == where.field)
      return &r->attrs[i].setting;
  return NULL;
}

/* Adds the settings of one filter's use that belong to this pass: first the unconditional ones of all uses, then those
 * that only narrow other settings, then those of fields without a setting. A field that several uses set gets the bits
 * that all of them set. */
static int add_settings(struct resolver *r, struct db_span with, enum db_setting_when when)
{
  const struct db *db = r->db;
  int status = PMON_OK;
  for (uint32_t k = with.first; !status && k < with.first + with.n; k++) {
    const struct db_setting *s = &db->settings[k];
    struct event_setting where = {.value = s->value};
    if (s->when != when || !db_find_filter(db, r->row.unit, text_of(db_text(db, s->name)), &where.reg, &where.field) ||
        is_written(r, where.reg, where.field))
      continue;
    struct event_setting *other = find_setting(r, where);
    if (other && when != DB_SETTING_ALONE)
      other->value &= where.value;
    else if (!other && when != DB_SETTING_BESIDE)
      status = resolver_add(r, where, NULL);
  }
  return status;
}

/* The field of the register with these bits, or DB_NONE. */
static uint32_t field_of_bits(const struct db *db, uint32_t reg, uint64_t bits)
{
  const struct db_span fields = db->layouts[db->registers[reg].layout].fields;
  for (uint32_t i = fields.first; i < fields.first + fields.n; i++)
    if (db->fields[i].access == DB_RW && field_mask(&db->fields[i]) == bits)
      return i;
  return DB_NONE;
}

bool resolver_mask(const struct resolver *r, const struct event_setting *s, struct event_setting *ret_mask)
{
  const struct db *db = r->db;
  const uint32_t reg = find_mask(r, s->reg),
                 field = reg == DB_NONE ? DB_NONE : field_of_bits(db, reg, field_mask(&db->fields[s->field]));
  if (field != DB_NONE)
    *ret_mask = (struct event_setting){reg, field, field_max(&db->fields[field])};
  return field != DB_NONE;
}

/* mc=0xe without mask_mc would match every packet: if the mask of a matched field is not written, all bits of the field
 * are compared. Whole registers (config1, match0) get what was written. */
static int add_masks(struct resolver *r)
{
  int status = PMON_OK;
  for (uint32_t i = 0, n = r->n_attrs; !status && i < n; i++) {
    const struct event_setting *s = &r->attrs[i].setting;
    struct event_setting mask;
    if (r->attrs[i].at && resolver_mask(r, s, &mask) && !is_written(r, mask.reg, mask.field) &&
        !(r->whole & (resolver_register_bit(r, s->reg) | resolver_register_bit(r, mask.reg))))
      status = resolver_add(r, mask, NULL);
  }
  return status;
}

int resolver_with(struct resolver *r)
{
  static const enum db_setting_when order[] = {DB_SETTING_ALWAYS, DB_SETTING_BESIDE, DB_SETTING_ALONE};
  const struct db *db = r->db;
  const struct db_span regs = db->units[r->row.unit].registers;
  int status = add_masks(r);
  for (size_t pass = 0; !status && pass < sizeof order / sizeof *order; pass++) {
    for (uint32_t i = regs.first; !status && i < regs.first + regs.n; i++)
      if (db->registers[i].with.n && is_used(r, i))
        status = add_settings(r, db->registers[i].with, order[pass]);
    if (!status && r->row.event != DB_NONE)
      status = add_settings(r, db->events[r->row.event].with, order[pass]);
  }
  return status;
}
