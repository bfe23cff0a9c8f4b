/* SPDX-License-Identifier: MIT */
/* Attributes: what key=value means for an event of a unit. */
#include <stdio.h>
#include "src/facts/field.h"
#include "src/base/nearest.h"
#include "src/event/resolver.h"
#include "src/facts/index.h"

static void near_fields(struct nearest *near, const struct db *db, uint32_t layout, uint32_t reg)
{
  struct db_span fields = layout == DB_NONE ? (struct db_span){0, 0} : db->layouts[layout].fields;
  for (uint32_t f = fields.first; f < fields.first + fields.n; f++)
    if (!db->fields[f].reserved && resolver_is_attribute(db, f))
      nearest_add(near, text_of(db_text(db, db->fields[f].name)), f, reg);
}

/* "; did you mean PMC33.match?": the nearest fields with their registers, or with `reg` if that names one; of equally
 * near ones, those by which the event is filtered. */
static __attribute__((cold)) void format_near_fields(const struct resolver *r, const struct nearest *near,
                                                     struct text reg, char *text, size_t size)
{
  const struct db *db = r->db;
  const char *filters = db_text(db, resolver_filters(r));
  struct nearest all = *near, listed = {.name = near->name};
  char names[NEAREST_N][80];
  for (uint32_t i = 0; i < near->n; i++) {
    const struct nearest_name *field = &near->best[i];
    const struct text own =
        resolver_is_register(db, field->b, reg) ? reg : text_of(db_text(db, db->registers[field->b].name));
    snprintf(names[i], sizeof names[i], "%.*s.%.*s", (int)own.n, own.s, (int)field->name.n, field->name.s);
    all.best[i].name = text_of(names[i]);
    if (field->distance == near->best[0].distance && strstr(filters, names[i]))
      listed.best[listed.n++] = all.best[i];
  }
  nearest_format(listed.n ? &listed : &all, text, size);
}

static __attribute__((cold)) int fail_unknown(struct resolver *r, const struct spelling_attr *a)
{
  const struct db *db = r->db;
  const char *unit = db_text(db, db->units[r->row.unit].name);
  if (r->row.kind != PMON_EVENT_PROGRAMMED)
    return resolver_fail_at(r, PMON_E_UNKNOWN, a->key.s,
                            "this event has a dedicated counter, which has no attribute \"%.*s\"", (int)a->key.n,
                            a->key.s);
  struct nearest near = {.name = a->key}, own = near; /* own: of the register that the attribute names */
  near_fields(&near, db, db->registers[r->row.ctl].layout, r->row.ctl);
  if (a->reg.n && resolver_is_register(db, r->row.ctl, a->reg))
    near_fields(&own, db, db->registers[r->row.ctl].layout, r->row.ctl);
  if (r->row.event != DB_NONE)
    near_fields(&near, db, db->events[r->row.event].overlay, r->row.ctl);
  struct db_span regs = db->units[r->row.unit].registers;
  for (uint32_t i = regs.first; i < regs.first + regs.n; i++)
    if (db->registers[i].role == PMON_ROLE_FILTER) {
      near_fields(&near, db, db->registers[i].layout, i);
      if (a->reg.n && resolver_is_register(db, i, a->reg))
        near_fields(&own, db, db->registers[i].layout, i);
    }
  char names[256];
  if (a->reg.n)
    format_near_fields(r, own.n && own.best[0].distance <= near.best[0].distance ? &own : &near, a->reg, names,
                       sizeof names);
  else
    nearest_format(&near, names, sizeof names);
  const struct text written = a->reg.n ? (struct text){a->reg.s, (size_t)(a->key.s - a->reg.s) + a->key.n} : a->key;
  struct hint hint = {.name = a->key};
  const char *remedy = names;
  if (text_is(a->key, "name") && a->value.s)
    remedy = "; a value gets a name as a metric: pmon stat -m NAME=EVENT";
  else if (a->part && resolver_hint(r, r->row.unit, &hint))
    remedy = hint.text;
  else if (!near.n && a->part && !a->value.s && r->row.event != DB_NONE && db->events[r->row.event].umasks.n)
    resolver_list_umasks(r, names, sizeof names);
  else if (!near.n)
    remedy = "; `pmon registers` lists the fields of registers";
  return resolver_fail_at(r, PMON_E_UNKNOWN, written.s, "%s has no %s \"%.*s\"%s", unit,
                          a->part ? "umask or attribute" : "attribute", (int)written.n, written.s, remedy);
}

/* nid=my_node: a value name that only the virtual, package-relative field has. */
static bool relative_value(const struct resolver *r, const struct spelling_attr *a, struct event_setting *where)
{
  struct event_setting relative;
  if (!a->value.s || !resolver_relative_field(r->db, where, &relative) ||
      r->db->fields[relative.field].access != DB_VIRT ||
      !resolver_value_by_name(r->db, &r->db->fields[relative.field], a->value, &relative.value))
    return false;
  *where = relative;
  return true;
}

/* Whether the event's own list of filters (when it has one) allows this field of a filter register. */
static bool may_filter(const struct resolver *r, const struct event_setting *where)
{
  const struct db *db = r->db;
  const char *list = r->row.event == DB_NONE ? "" : db_text(db, db->events[r->row.event].filters);
  if (!*list || db->registers[where->reg].role != PMON_ROLE_FILTER)
    return true;
  struct text name = text_of(db_text(db, db->fields[where->field].name));
  if (db->fields[where->field].access == DB_VIRT)
    name.n -= sizeof DB_RELATIVE - 1;
  for (const char *s = list; *s;) {
    size_t n = strcspn(s, ","), end = n;
    const char *dot = memchr(s, '.', n);
    size_t skip = dot ? (size_t)(dot + 1 - s) : 0;
    if (end > skip && s[end - 1] == '!')
      end--;
    if (end - skip == name.n && text_same(s + skip, name.s, name.n))
      return true;
    s += n + (s[n] == ',');
  }
  return false;
}

/* libpfm4 writes values of filters as umasks: OPC_RFO is opc=RFO, STATE_M state=M. */
static bool named_value(const struct resolver *r, const struct spelling_attr *a, struct event_setting *ret_where)
{
  const char *score = a->part && !a->value.s ? memchr(a->key.s, '_', a->key.n) : NULL;
  if (!score)
    return false;
  struct text key = {a->key.s, (size_t)(score - a->key.s)}, value = {score + 1, a->key.n - key.n - 1};
  return resolver_field(r, (struct text){"", 0}, key, ret_where) &&
         resolver_value_by_name(r->db, &r->db->fields[ret_where->field], value, &ret_where->value);
}

static __attribute__((cold)) int fail_narrowed(struct resolver *r, const struct spelling_attr *a, uint32_t reg)
{
  const struct db *db = r->db;
  return resolver_fail_at(r, PMON_E_CONFLICT, a->key.s,
                          "%s does not act on %s, but only on events with the property %s=%s",
                          db_text(db, db->registers[reg].name), db_text(db, db->events[r->row.event].name),
                          db_text(db, db->registers[reg].narrows_key), db_text(db, db->registers[reg].narrows_value));
}

/* Whether the register narrows events with a property that this event lacks. */
static bool narrows_others(const struct resolver *r, uint32_t reg)
{
  return reg != r->row.ctl && r->row.event != DB_NONE && r->db->registers[reg].narrows_key &&
         !event_is_narrowed(r->db, r->row.event, reg);
}

/* Whether the field of the control selects the event or the umask. */
static bool selects_row(const struct db *db, const struct event_setting *where)
{
  const uint32_t layout = db->registers[where->reg].layout, umask = layout_umask(db, layout);
  return where->field == layout_code(db, layout) || where->field == umask || where->field == layout_ext(db, layout) ||
         where->field == layout_code_ext(db, layout) ||
         (umask != DB_NONE && field_mask(&db->fields[where->field]) == field_mask(&db->fields[umask]));
}

/* Adds the setting; of a virtual field also that of the field to which it resolves, which nothing else may set then. */
static int add_resolved(struct resolver *r, const struct event_setting *where, const char *at)
{
  struct event_setting resolved;
  int status = resolver_add(r, *where, at);
  if (status || r->db->fields[where->field].access != DB_VIRT)
    return status;
  if (resolver_relative_field(r->db, where, &resolved))
    status = resolver_add(r, resolved, at);
  if (!status)
    r->attrs[r->n_attrs - 1].at = NULL; /* implied by the virtual field */
  return status;
}

static int add_attr(struct resolver *r, const struct spelling_attr *a)
{
  bool done;
  if (resolver_is_modifier(r, a))
    return resolver_fail_modifier(r, a);
  int status = resolver_whole(r, a, &done);
  if (status || done)
    return status;
  if (a->part && !a->value.s && r->row.event != DB_NONE &&
      db_find_umask(r->db, r->row.event, a->key.s, a->key.n) != DB_NONE)
    return resolver_umasks(r, a->key);
  struct event_setting where;
  const bool valued = named_value(r, a, &where);
  if (!valued && !resolver_attr_field(r, a, &where))
    return fail_unknown(r, a);
  if (narrows_others(r, where.reg))
    return fail_narrowed(r, a, where.reg);
  if (!may_filter(r, &where))
    return resolver_fail_unlisted(r, a, &where);
  status = valued || relative_value(r, a, &where) ? PMON_OK : resolver_read_value(r, a, &where);
  if (status)
    return status;
  r->raw = r->raw || (where.reg == r->row.ctl && selects_row(r->db, &where));
  return add_resolved(r, &where, a->value.s ? a->value.s : a->key.s);
}

static bool is_written(const struct resolver *r, const char *field)
{
  for (uint32_t i = 0; i < r->n_attrs; i++)
    if (text_is(text_of(field), db_text(r->db, r->db->fields[r->attrs[i].setting.field].name)))
      return true;
  return false;
}

/* tid=3 has no effect without tid_en: the bit that a filter needs is set too, unless it or its alternative is
 * written. */
static int add_implied(struct resolver *r)
{
  const struct db *db = r->db;
  for (uint32_t i = 0, n = r->n_attrs; i < n; i++) {
    struct event_setting where;
    const char *instead,
        *needs = event_field_companion(db_text(db, db->fields[r->attrs[i].setting.field].name), &instead);
    if (!needs || is_written(r, needs) || is_written(r, instead) ||
        !resolver_field(r, (struct text){"", 0}, text_of(needs), &where) ||
        db->fields[where.field].hi != db->fields[where.field].lo)
      continue;
    where.value = 1;
    int status = resolver_add(r, where, r->attrs[i].at);
    if (status)
      return status;
  }
  return PMON_OK;
}

int resolver_attrs(struct resolver *r)
{
  for (uint32_t i = 0; i < r->s->n_attrs; i++) {
    int status = add_attr(r, &r->s->attrs[i]);
    if (status)
      return status;
  }
  int status = r->n_attrs ? add_implied(r) : PMON_OK;
  return status ? status : resolver_with(r);
}
