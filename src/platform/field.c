/* SPDX-License-Identifier: MIT */
/* Fields of registers. */
#include "src/facts/field.h"
#include "src/facts/index.h"
#include "src/platform/context.h"
#include "src/platform/platform.h"

/* Returns the access in the guides' notation. V: the hardware changes the field; S: a warm reset keeps it. */
static const char *attribute_of(const struct db_field *f)
{
  static const char *const names[][2] = {
      [DB_RW] = {"RW", "RW-V"},    [DB_RO] = {"RO", "RO-V"},    [DB_WO] = {"WO", "WO"},
      [DB_W1C] = {"RW1C", "RW1C"}, [DB_W1S] = {"RW1S", "RW1S"}, [DB_W0C] = {"RW0C", "RW0C"},
      [DB_RSVD] = {"RV", "RV"},    [DB_IGN] = {"RV", "RV"},     [DB_VIRT] = {"-", "-"}};
  if (f->access == DB_RW && f->flags & DB_STICKY)
    return "RWS";
  return names[f->access][(f->flags & DB_VOLATILE) != 0];
}

/* Returns the first overlay of a layout; DB_NONE: none, or the layout is an overlay itself. */
static uint32_t first_overlay(const struct db *db, uint32_t layout)
{
  return db->layouts[layout].flags & DB_OVERLAY ? DB_NONE : db->layouts[layout].overlay;
}

bool platform_get_field(const struct pmon_platform *platform, uint32_t unit, uint32_t reg, uint32_t field,
                        struct pmon_field_info *info)
{
  const struct db *db = platform->db;
  uint32_t layout = platform_layout(platform, unit, reg), row = DB_NONE, overlay = DB_NONE;
  if (layout == DB_NONE)
    return false;
  if (field < db->layouts[layout].fields.n)
    row = db->layouts[layout].fields.first + field;
  else
    field -= db->layouts[layout].fields.n;
  for (uint32_t i = first_overlay(db, layout); row == DB_NONE && i != DB_NONE; i = db->layouts[i].overlay) {
    if (field < db->layouts[i].fields.n) {
      row = db->layouts[i].fields.first + field;
      overlay = i;
    } else {
      field -= db->layouts[i].fields.n;
    }
  }
  if (row == DB_NONE)
    return false;
  const struct db_field *f = &db->fields[row];
  *info = (struct pmon_field_info){
      .size = sizeof *info,
      .name = db_text(db, f->name),
      .alias = db_text(db, f->alias),
      .meaning = db_text(db, f->meaning),
      .access = platform_word(VOCABULARY_ACCESSES, f->access),
      .attribute = attribute_of(f),
      .hi = f->hi,
      .lo = f->lo,
      .reset = f->reset,
      .values = f->values == DB_NONE ? "" : db_text(db, db->values[f->values].name),
      .overlay = overlay == DB_NONE ? "" : db_text(db, db->layouts[overlay].name),
  };
  return true;
}

int pmon_field_describe(const struct pmon_platform *platform, uint32_t unit, uint32_t reg, uint32_t field,
                        struct pmon_field_info *info)
{
  struct pmon_field_info full;
  if (!platform_get_field(platform, unit, reg, field, &full))
    return context_fail(platform->context, PMON_E_RANGE, 0, "register %u of unit %u has no field %u", reg, unit, field);
  return CONTEXT_FILL(platform->context, info, full);
}

static uint64_t field_named(const struct db *db, struct db_span fields, struct text name)
{
  for (uint32_t i = fields.first; i < fields.first + fields.n; i++) {
    const struct db_field *f = &db->fields[i];
    if (text_is(name, db_text(db, f->name)) || text_in_list(name, db_text(db, f->alias)))
      return bits_mask(f->hi, f->lo);
  }
  return 0;
}

uint64_t platform_field_bits(const struct pmon_platform *platform, const struct pmon_register_id *id, const char *name)
{
  const struct db *db = platform->db;
  const uint32_t layout = platform_layout(platform, id->unit, id->reg);
  const struct text t = text_of(name);
  if (layout == DB_NONE)
    return 0;
  uint64_t bits = field_named(db, db->layouts[layout].fields, t);
  for (uint32_t i = first_overlay(db, layout); !bits && i != DB_NONE; i = db->layouts[i].overlay)
    bits = field_named(db, db->layouts[i].fields, t);
  return bits;
}

static uint64_t field_accessed(const struct db *db, struct db_span fields, uint32_t kinds)
{
  uint64_t bits = 0;
  for (uint32_t i = fields.first; i < fields.first + fields.n; i++)
    if (kinds >> db->fields[i].access & 1)
      bits |= bits_mask(db->fields[i].hi, db->fields[i].lo);
  return bits;
}

uint64_t platform_bits(const struct pmon_platform *platform, const struct pmon_register_id *id, uint32_t kinds)
{
  const struct db *db = platform->db;
  struct platform_place place;
  if (!platform_find_rows(platform, id->unit, id->reg, &place) || db->registers[place.reg].layout == DB_NONE)
    return 0;
  const uint32_t layout = db->registers[place.reg].layout;
  uint64_t bits = field_accessed(db, db->layouts[layout].fields, kinds);
  for (uint32_t i = first_overlay(db, layout); i != DB_NONE; i = db->layouts[i].overlay)
    bits |= field_accessed(db, db->layouts[i].fields, kinds);
  return bits;
}

uint64_t platform_reset_value(const struct pmon_platform *platform, const struct pmon_register_id *id)
{
  const struct db *db = platform->db;
  struct platform_place place;
  uint64_t value = 0;
  if (!platform_find_rows(platform, id->unit, id->reg, &place) || db->registers[place.reg].layout == DB_NONE)
    return 0;
  const struct db_span fields = db->layouts[db->registers[place.reg].layout].fields;
  for (uint32_t i = fields.first; i < fields.first + fields.n; i++) {
    const struct db_field *f = &db->fields[i];
    if (f->access == DB_RW || (f->reserved && f->access == DB_RO))
      value |= f->reset << f->lo & bits_mask(f->hi, f->lo);
  }
  return value;
}
