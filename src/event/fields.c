/* SPDX-License-Identifier: MIT */
/* The fields that attributes set: how they are found, and their values noted. */
#include <stdio.h>
#include "src/event/resolver.h"
#include "src/facts/field.h"
#include "src/facts/index.h"

struct synonym {
  const char *spelled, *field;
  bool part_only;
};

/* Other names of the fields: those in Linux perf's format files, and libpfm4's modifiers (short ones only there). */
static const struct synonym synonyms[] = {
    {"edge", "edge_det", false}, {"inv", "invert", false},   {"threshold", "thresh", false}, {"e", "edge_det", true},
    {"i", "invert", true},       {"t", "thresh", true},      {"tf", "tid_en", true},         {"cf", "tid", true},
    {"nf", "nid", true},         {"oi", "occ_invert", true}, {"oe", "occ_edge_det", true},
};

/* Filters that have no effect until another bit enables them. */
static const struct {
  const char *field, *needs, *instead;
} implied[] = {
    {"tid", "tid_en", ""},
    {"opc", "match_opc", "premorph_opc"},
    {"packet", "opc", ""},
};

const char *event_field_companion(const char *field, const char **ret_instead)
{
  for (size_t k = 0; k < sizeof implied / sizeof *implied; k++)
    if (text_is(text_of(implied[k].field), field)) {
      *ret_instead = implied[k].instead;
      return implied[k].needs;
    }
  return NULL;
}

bool resolver_is_attribute(const struct db *db, uint32_t field)
{
  return field != DB_NONE && (db->fields[field].access == DB_RW || db->fields[field].access == DB_VIRT);
}

/* A register of the unit with exactly that name, or DB_NONE. */
static uint32_t find_register(const struct db *db, uint32_t unit, struct text name)
{
  const struct db_span regs = db->units[unit].registers;
  for (uint32_t i = regs.first; i < regs.first + regs.n; i++)
    if (text_is(name, db_text(db, db->registers[i].name)))
      return i;
  return DB_NONE;
}

bool resolver_is_register(const struct db *db, uint32_t reg, struct text name)
{
  const char *own = db_text(db, db->registers[reg].name);
  size_t n = strlen(own);
  if (text_is_end(name, own))
    return true;
  if (name.n < n || !text_same(name.s, own, n))
    return false;
  for (size_t i = n; i < name.n; i++)
    if (!strchr("0123456789-{}[]", name.s[i]))
      return false;
  return true;
}

static bool field_of(const struct db *db, uint32_t reg, uint32_t layout, struct text name, struct event_setting *ret)
{
  uint32_t field = layout == DB_NONE ? DB_NONE : db_find_field(db, layout, name.s, name.n);
  if (!resolver_is_attribute(db, field))
    return false;
  *ret = (struct event_setting){reg, field, 0};
  return true;
}

bool resolver_field(const struct resolver *r, struct text reg, struct text name, struct event_setting *ret_where)
{
  const struct db *db = r->db;
  const uint32_t exact = reg.n ? find_register(db, r->row.unit, reg) : DB_NONE;
  uint32_t ctl = r->row.ctl;
  if (ctl != DB_NONE && (!reg.n || (resolver_is_register(db, ctl, reg) && (exact == DB_NONE || exact == ctl)))) {
    uint32_t overlay = r->row.event == DB_NONE ? DB_NONE : db->events[r->row.event].overlay;
    if (field_of(db, ctl, db->registers[ctl].layout, name, ret_where) || field_of(db, ctl, overlay, name, ret_where))
      return true;
  }
  struct db_span regs = db->units[r->row.unit].registers;
  for (uint32_t i = regs.first; r->row.kind == PMON_EVENT_PROGRAMMED && i < regs.first + regs.n; i++)
    if (db->registers[i].role == PMON_ROLE_FILTER && (!reg.n || resolver_is_register(db, i, reg)) &&
        field_of(db, i, db->registers[i].layout, name, ret_where))
      return true;
  return false;
}

/* libpfm4's ff: finds the field that filters the event, the first one if there are several. */
static bool own_filter(const struct resolver *r, struct event_setting *ret_where)
{
  const char *list = r->row.event == DB_NONE ? "" : db_text(r->db, r->db->events[r->row.event].filters);
  const char *dot = strchr(list, '.');
  return dot && resolver_field(r, (struct text){"", 0}, (struct text){dot + 1, strcspn(dot + 1, ",!")}, ret_where);
}

bool resolver_attr_field(const struct resolver *r, const struct spelling_attr *a, struct event_setting *ret_where)
{
  if (a->part && text_is(a->key, "ff") && own_filter(r, ret_where))
    return true;
  if (resolver_field(r, a->reg, a->key, ret_where))
    return true;
  if (a->key.n > 7 && text_same(a->key.s, "filter_", 7) &&
      resolver_field(r, a->reg, (struct text){a->key.s + 7, a->key.n - 7}, ret_where))
    return true;
  for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
    if ((a->part || !synonyms[i].part_only) && text_is(a->key, synonyms[i].spelled) &&
        resolver_field(r, a->reg, text_of(synonyms[i].field), ret_where))
      return true;
  return false;
}

bool resolver_relative_field(const struct db *db, const struct event_setting *where, struct event_setting *ret_where)
{
  const struct db_field *f = &db->fields[where->field];
  char name[64];
  snprintf(name, sizeof name, "%s" DB_RELATIVE, db_text(db, f->name));
  if (f->access == DB_VIRT)
    snprintf(name, sizeof name, "%.*s", (int)(strlen(db_text(db, f->name)) - sizeof DB_RELATIVE + 1),
             db_text(db, f->name));
  return field_of(db, where->reg, db->registers[where->reg].layout, text_of(name), ret_where);
}

int resolver_add(struct resolver *r, struct event_setting setting, const char *at)
{
  const struct db *db = r->db;
  const struct db_field *f = &db->fields[setting.field];
  if (setting.value > field_max(f))
    return resolver_fail_at(r, PMON_E_RANGE, at, "0x%llx does not fit into %s, bits %u:%u (largest: 0x%llx)",
                            (unsigned long long)setting.value, db_text(db, f->name), f->hi, f->lo,
                            (unsigned long long)field_max(f));
  for (uint32_t i = 0; i < r->n_attrs; i++) {
    const struct event_setting *other = &r->attrs[i].setting;
    const struct db_field *g = &db->fields[other->field];
    uint64_t both = other->reg == setting.reg ? field_mask(f) & field_mask(g) : 0;
    if ((field_set(f, 0, setting.value) ^ field_set(g, 0, other->value)) & both)
      return resolver_fail_at(r, PMON_E_CONFLICT, at, "%s=0x%llx and %s=0x%llx set the same bits to different values",
                              db_text(db, f->name), (unsigned long long)setting.value, db_text(db, g->name),
                              (unsigned long long)other->value);
  }
  if (r->n_attrs == RESOLVER_ATTRS)
    return resolver_fail_at(r, PMON_E_SYNTAX, at, "too many attributes");
  r->attrs[r->n_attrs++] = (struct resolved_attr){setting, at};
  return PMON_OK;
}
