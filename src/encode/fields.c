/* SPDX-License-Identifier: MIT */
/* Divides a register's value into fields. */
#include <pmon/encode.h>
#include "src/base/bits.h"
#include "src/base/writer.h"
#include "src/event/event.h"
#include "src/facts/field.h"
#include "src/facts/index.h"
#include "src/platform/platform.h"

static const char *value_name(const struct db *db, const struct db_field *f, uint64_t value)
{
  struct db_span rows = f->values == DB_NONE ? (struct db_span){0, 0} : db->values[f->values].rows;
  for (uint32_t i = rows.first; i < rows.first + rows.n; i++)
    if (db->value_rows[i].value == value)
      return db_text(db, db->value_rows[i].name);
  return "";
}

/* A value, and the layout that divides it into fields. */
struct value_in {
  const struct db *db;
  uint32_t layout;
  uint64_t value;
};

static bool is_set(const struct value_in *v, const char *name)
{
  const uint32_t field = *name ? db_find_field(v->db, v->layout, name, strlen(name)) : DB_NONE;
  return field != DB_NONE && field_get(&v->db->fields[field], v->value);
}

/* Whether the field has an effect: an opcode is compared only if another field of the same layout enables it. */
static bool is_in_effect(const struct value_in *v, const struct db_field *f)
{
  const char *instead = "", *needs = event_field_companion(db_text(v->db, f->name), &instead);
  if (!needs || db_find_field(v->db, v->layout, needs, strlen(needs)) == DB_NONE)
    return true;
  return is_set(v, needs) || is_set(v, instead);
}

struct field_list {
  struct pmon_field_value *fields;
  size_t room, n;
};

static void add_layout(const struct db *db, uint32_t layout, uint64_t value, struct field_list *list)
{
  struct db_span fields = db->layouts[layout].fields;
  const char *overlay = db->layouts[layout].flags & DB_OVERLAY ? db_text(db, db->layouts[layout].name) : "";
  const struct value_in value_in_layout = {db, layout, value};
  for (uint32_t i = fields.first; i < fields.first + fields.n; i++) {
    const struct db_field *f = &db->fields[i];
    if (f->reserved)
      continue;
    uint64_t part = field_get(f, value);
    if (list->n < list->room)
      list->fields[list->n] = (struct pmon_field_value){
          .name = db_text(db, f->name),
          .meaning = db_text(db, f->meaning),
          .value_name = is_in_effect(&value_in_layout, f) ? value_name(db, f, part) : "",
          .overlay = overlay,
          .hi = f->hi,
          .lo = f->lo,
          .value = part,
      };
    list->n++;
  }
}

/* The sixth parameter is the capacity of `fields`: the signature is the public interface (pmon/encode.h). */
size_t pmon_value_fields(const struct pmon_platform *platform, const struct pmon_register_id *id, uint64_t value,
                         const char *overlay, struct pmon_field_value *fields, size_t n)
{
  const struct db *db = platform->db;
  struct field_list list = {fields, n, 0};
  const uint32_t layout = platform_layout(platform, id->unit, id->reg);
  if (layout == DB_NONE)
    return 0;
  add_layout(db, layout, value, &list);
  uint32_t row = DB_NONE;
  if (overlay && *overlay)
    row = db_find_layout(db, (uint32_t)(platform->row - db->platforms), overlay, strlen(overlay));
  if (row != DB_NONE)
    add_layout(db, row, value, &list);
  return list.n;
}

/* Returns the list of values of the field with these bits in the register's layout or in the overlay; DB_NONE: none. */
static uint32_t values_of_field(const struct pmon_platform *platform, const struct pmon_register_id *id,
                                const struct pmon_field_value *field)
{
  const struct db *db = platform->db;
  uint32_t layout = platform_layout(platform, id->unit, id->reg);
  if (field->overlay && *field->overlay)
    layout = db_find_layout(db, (uint32_t)(platform->row - db->platforms), field->overlay, strlen(field->overlay));
  if (layout == DB_NONE)
    return DB_NONE;
  const struct db_span fields = db->layouts[layout].fields;
  for (uint32_t i = fields.first; i < fields.first + fields.n; i++)
    if (db->fields[i].hi == field->hi && db->fields[i].lo == field->lo)
      return db->fields[i].values;
  return DB_NONE;
}

/* The parameters are those of the public interface (pmon/encode.h). */
size_t pmon_value_name(const struct pmon_platform *platform, const struct pmon_register_id *id,
                       const struct pmon_field_value *field, char *text, size_t size)
{
  const struct db *db = platform->db;
  struct writer w = {text, size, 0};
  const uint32_t row = *field->value_name ? DB_NONE : values_of_field(platform, id, field);
  write_text(&w, field->value_name);
  if (row != DB_NONE && db->values[row].flags & DB_FORM) {
    const struct db_values *v = &db->values[row];
    write_text(&w, db_text(db, v->form));
    write_decimal(&w, bits_take(field->value, v->form_hi[0], v->form_lo[0]));
    write_char(&w, '.');
    write_decimal(&w, bits_take(field->value, v->form_hi[1], v->form_lo[1]));
  }
  return write_end(&w);
}
