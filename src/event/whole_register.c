/* SPDX-License-Identifier: MIT */
/* Attributes that name no single field: whole registers, and codes and umasks wider than their field. */
#include "src/facts/field.h"
#include "src/event/resolver.h"

/* Returns the value of a filter register in the event's row. */
static uint64_t value_of_row(const struct resolver *r, uint32_t reg)
{
  struct event_row row = r->row;
  uint64_t value = 0;
  if (row_bind(&row) && row_complete(&row))
    for (uint32_t i = 0; i < row.n_registers; i++)
      value |= row.registers[i].reg == reg ? row.registers[i].value : 0;
  return value;
}

/* Turns the value of a whole filter register into settings of its fields. A field of 0 is set only if the event's row
 * has another value there. */
static int add_register(struct resolver *r, uint32_t reg, const char *at, uint64_t value)
{
  const struct db *db = r->db;
  struct db_span fields = db->layouts[db->registers[reg].layout].fields;
  const unsigned width = db->layouts[db->registers[reg].layout].width;
  const uint64_t of_row = value_of_row(r, reg);
  r->whole |= resolver_register_bit(r, reg);
  if (width < 64 && value >> width)
    return resolver_fail_at(r, PMON_E_RANGE, at, "%s has %u bits", db_text(db, db->registers[reg].name), width);
  for (uint32_t i = fields.first; i < fields.first + fields.n; i++) {
    const struct db_field *f = &db->fields[i];
    uint64_t part = field_get(f, value);
    if (!part && !field_get(f, of_row))
      continue;
    if (f->reserved || !resolver_is_attribute(db, i))
      return resolver_fail_at(r, PMON_E_RANGE, at, "bits %u:%u of %s are reserved", f->hi, f->lo,
                              db_text(db, db->registers[reg].name));
    int status = resolver_add(r, (struct event_setting){reg, i, part}, at);
    if (status)
      return status;
  }
  return PMON_OK;
}

static uint32_t filter_register(const struct resolver *r, uint32_t index)
{
  uint32_t reg = platform_register(r->db, r->row.unit, PMON_ROLE_FILTER, index);
  return reg == DB_NONE || r->db->registers[reg].layout == DB_NONE ? DB_NONE : reg;
}

/* perf's config1 and config2: the filter registers in order, 64 bits each, so that two of 32 bits share one. *ret_done
 * stays false if the unit has no such register. */
static int add_config(struct resolver *r, const struct spelling_attr *a, unsigned number, uint64_t value,
                      bool *ret_done)
{
  uint32_t first = filter_register(r, 0), index = 0;
  bool halves = first != DB_NONE && r->db->layouts[r->db->registers[first].layout].width == 32;
  index = halves ? 2 * (number - 1) : number - 1;
  uint32_t low = filter_register(r, index), high = halves ? filter_register(r, index + 1) : DB_NONE;
  if (low == DB_NONE)
    return PMON_OK;
  *ret_done = true;
  if (high == DB_NONE)
    return add_register(r, low, a->value.s, value);
  int status = add_register(r, low, a->value.s, value & UINT32_MAX);
  return status ? status : add_register(r, high, a->value.s, value >> 32);
}

/* Finds a filter register by its name or the end after an underscore: match0=0x1c00. */
static uint32_t named_register(const struct resolver *r, struct text name)
{
  struct db_span regs = r->db->units[r->row.unit].registers;
  for (uint32_t i = regs.first; i < regs.first + regs.n; i++)
    if (r->db->registers[i].role == PMON_ROLE_FILTER && r->db->registers[i].layout != DB_NONE &&
        text_is_end(name, db_text(r->db, r->db->registers[i].name)))
      return i;
  return DB_NONE;
}

/* Sets a value that is wider than its field in two fields: event=0x102, umask=0xc817fe01. */
static int add_wide(struct resolver *r, const struct event_setting *low, uint32_t ext_field, uint64_t ext,
                    const char *at)
{
  r->raw = true;
  int status = resolver_add(r, *low, at);
  return status ? status : resolver_add(r, (struct event_setting){low->reg, ext_field, ext}, at);
}

static int add_event(struct resolver *r, uint32_t layout, uint64_t value, const char *at)
{
  uint32_t code = layout_code(r->db, layout), ext = layout_code_ext(r->db, layout);
  const struct db_field *f = &r->db->fields[code];
  struct event_setting low = {r->row.ctl, code, value & field_max(f)};
  if (ext != DB_NONE && value > field_max(f))
    return add_wide(r, &low, ext, value >> (f->hi - f->lo + 1u), at);
  r->raw = true;
  low.value = value;
  return resolver_add(r, low, at);
}

/* Sets the field that a control register without umask has in the umask's place (the PCU's occ_sel): umask=0x40 is
 * occ_sel=1. */
static int add_instead(struct resolver *r, uint32_t layout, uint64_t value, const char *at, bool *ret_done)
{
  struct db_span fields = r->db->layouts[layout].fields;
  for (uint32_t i = fields.first; i < fields.first + fields.n; i++) {
    const struct db_field *f = &r->db->fields[i];
    if (!resolver_is_attribute(r->db, i) || f->reserved || f->lo < 8 || f->hi > 15 || value > 0xff ||
        (value << 8 & ~field_mask(f)))
      continue;
    *ret_done = r->raw = true;
    return resolver_add(r, (struct event_setting){r->row.ctl, i, field_get(f, value << 8)}, at);
  }
  return PMON_OK;
}

static int add_umask(struct resolver *r, uint32_t layout, uint64_t value, const char *at, bool *ret_done)
{
  uint32_t umask = layout_umask(r->db, layout), ext = layout_ext(r->db, layout);
  if (umask == DB_NONE)
    return add_instead(r, layout, value, at, ret_done);
  if (ext == DB_NONE || value <= field_max(&r->db->fields[umask]))
    return PMON_OK;
  *ret_done = true;
  struct event_setting low = {r->row.ctl, umask, umask_low(value)};
  return add_wide(r, &low, ext, umask_ext(value), at);
}

/* Whether the name is a field's at most: registers of units that only Linux perf counts have no known bits, so that
 * such a word is a field of that name, or nothing. */
static bool is_field_only(const struct resolver *r, const struct spelling_attr *a)
{
  struct event_setting where;
  return r->db->units[r->row.unit].flags & DB_PERF_ONLY || resolver_field(r, a->reg, a->key, &where);
}

/* Whether the name is that of a whole register and not of a field. */
static bool is_whole(const struct resolver *r, const struct spelling_attr *a)
{
  const bool perf = text_is(a->key, "config") || text_is(a->key, "config1") || text_is(a->key, "config2");
  return (perf || named_register(r, a->key) != DB_NONE) && !is_field_only(r, a);
}

int resolver_whole(struct resolver *r, const struct spelling_attr *a, bool *ret_done)
{
  uint64_t value = 0;
  *ret_done = false;
  if (!a->value.s || a->reg.n || r->row.kind != PMON_EVENT_PROGRAMMED)
    return PMON_OK;
  if (!text_number(a->value, &value))
    return !is_whole(r, a) ? PMON_OK
                           : resolver_fail_at(r, PMON_E_SYNTAX, a->value.s,
                                              "%.*s is a whole register: a number of up to 64 bits is expected, "
                                              "not \"%.*s\"",
                                              (int)a->key.n, a->key.s, (int)a->value.n, a->value.s);
  uint32_t layout = r->db->registers[r->row.ctl].layout;
  if (text_is(a->key, "config")) {
    *ret_done = r->raw = true;
    r->config = value;
    return PMON_OK;
  }
  if (text_is(a->key, "config1") || text_is(a->key, "config2"))
    return is_field_only(r, a) ? PMON_OK : add_config(r, a, text_is(a->key, "config2") ? 2 : 1, value, ret_done);
  if (text_is(a->key, "umask"))
    return add_umask(r, layout, value, a->value.s, ret_done);
  if (text_is(a->key, "event") && layout_code(r->db, layout) != DB_NONE) {
    *ret_done = true;
    return add_event(r, layout, value, a->value.s);
  }
  uint32_t reg = named_register(r, a->key);
  *ret_done = reg != DB_NONE;
  return *ret_done ? add_register(r, reg, a->value.s, value) : PMON_OK;
}
