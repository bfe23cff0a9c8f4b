/* SPDX-License-Identifier: MIT */
/* The last step: turns row and attributes into settings in canonical order and spelling. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "src/base/writer.h"
#include "src/facts/compose.h"
#include "src/facts/field.h"
#include "src/event/resolver.h"

#define BUILD_ATTRS (2 * RESOLVER_ATTRS)

struct build {
  struct resolver *r;
  struct event_setting attrs[BUILD_ATTRS]; /* attributes in the name, in addition to the event's row */
  uint32_t n;
  bool full; /* there were more than fit */
};

static void build_push_attr(struct build *b, uint32_t reg, uint32_t field, uint64_t value)
{
  const struct event_setting setting = {reg, field, value};
  if (b->n == BUILD_ATTRS || !row_set(&b->r->row, &setting))
    b->full = true;
  else
    b->attrs[b->n++] = setting;
}

/* Turns the fields of `layout` that *diff touches into attributes, and clears their bits in *diff. */
static void push_different(struct build *b, uint32_t layout, uint64_t value, uint64_t *diff)
{
  const struct db *db = b->r->db;
  struct db_span fields = layout == DB_NONE ? (struct db_span){0, 0} : db->layouts[layout].fields;
  for (uint32_t i = fields.first; *diff && i < fields.first + fields.n; i++) {
    const struct db_field *f = &db->fields[i];
    if (f->reserved || f->access != DB_RW || !(field_mask(f) & *diff))
      continue;
    build_push_attr(b, b->r->row.ctl, i, field_get(f, value));
    *diff &= ~field_mask(f);
  }
}

/* Adds the control register's attributes: the fields whose value differs from the row's. */
static void push_control(struct build *b)
{
  const struct resolver *r = b->r;
  const struct db *db = r->db;
  uint32_t ctl = r->row.ctl, layout = db->registers[ctl].layout;
  uint64_t own = row_control(&r->row)->value, value = r->raw ? r->config : own;
  for (uint32_t i = 0; i < r->n_attrs; i++)
    if (r->attrs[i].setting.reg == ctl)
      value = field_set(&db->fields[r->attrs[i].setting.field], value, r->attrs[i].setting.value);
  uint64_t diff = own ^ value;
  const struct db_event *e = r->row.event == DB_NONE ? NULL : &db->events[r->row.event];
  uint32_t umask = layout_umask(db, layout);
  if (e && e->umasks.n && !r->row.n_umasks && !(e->flags & DB_BARE) && umask != DB_NONE) {
    build_push_attr(b, ctl, umask, field_get(&db->fields[umask], value)); /* the bare name would not resolve */
    diff &= ~field_mask(&db->fields[umask]);
  }
  uint32_t code = e ? DB_NONE : layout_code(db, layout);
  if (code != DB_NONE) { /* makes it a raw event, even if it is 0 */
    build_push_attr(b, ctl, code, field_get(&db->fields[code], value));
    diff &= ~field_mask(&db->fields[code]);
  }
  if (e)
    push_different(b, e->overlay, value, &diff);
  push_different(b, layout, value, &diff);
}

static void push_filters(struct build *b)
{
  const struct resolver *r = b->r;
  const struct db *db = r->db;
  struct db_span regs = db->units[r->row.unit].registers;
  for (uint32_t i = regs.first; i < regs.first + regs.n; i++) {
    if (db->registers[i].role != PMON_ROLE_FILTER || db->registers[i].layout == DB_NONE)
      continue;
    struct db_span fields = db->layouts[db->registers[i].layout].fields;
    for (uint32_t f = fields.first; f < fields.first + fields.n; f++)
      for (uint32_t a = 0; a < r->n_attrs; a++)
        if (r->attrs[a].setting.reg == i && r->attrs[a].setting.field == f) {
          if (r->attrs[a].at)
            build_push_attr(b, i, f, r->attrs[a].setting.value);
          else
            b->full |= !row_set(&b->r->row, &r->attrs[a].setting); /* the name implies it */
          break;
        }
  }
}

static bool is_pushed(const struct build *b, const char *field)
{
  for (uint32_t i = 0; i < b->n; i++)
    if (text_is(text_of(field), db_text(b->r->db, b->r->db->fields[b->attrs[i].field].name)))
      return true;
  return false;
}

static uint64_t register_value(const struct event_row *row, uint32_t reg)
{
  for (uint32_t i = 0; i < row->n_registers; i++)
    if (row->registers[i].reg == reg)
      return row->registers[i].value;
  return 0;
}

/* Writes the companion field of each attribute that would otherwise set it when the name is parsed again. */
static void push_companions(struct build *b)
{
  const struct db *db = b->r->db;
  for (uint32_t i = 0, n = b->n; i < n; i++) {
    struct event_setting where;
    const char *instead, *needs = event_field_companion(db_text(db, db->fields[b->attrs[i].field].name), &instead);
    if (!needs || is_pushed(b, needs) || is_pushed(b, instead) ||
        !resolver_field(b->r, (struct text){"", 0}, text_of(needs), &where) ||
        db->fields[where.field].hi != db->fields[where.field].lo)
      continue;
    build_push_attr(b, where.reg, where.field,
                    field_get(&db->fields[where.field], register_value(&b->r->row, where.reg)));
  }
}

/* Moves the last attribute to its place in a parsed name: in the order of filters and their fields. */
static void sort_last_attr(struct build *b)
{
  for (uint32_t i = b->n - 1; i > 0; i--) {
    const struct event_setting last = b->attrs[i], *before = &b->attrs[i - 1];
    if (before->reg == b->r->row.ctl || before->reg < last.reg ||
        (before->reg == last.reg && before->field < last.field))
      return;
    b->attrs[i] = *before;
    b->attrs[i - 1] = last;
  }
}

/* A matched field gets its full mask when the name is parsed again: writes a mask that differs from it. */
static void push_masks(struct build *b)
{
  const struct db *db = b->r->db;
  for (uint32_t i = 0; i < b->n; i++) {
    struct event_setting mask;
    if (!resolver_mask(b->r, &b->attrs[i], &mask))
      continue;
    const struct db_field *f = &db->fields[mask.field];
    bool pushed = field_get(f, register_value(&b->r->row, mask.reg)) == mask.value;
    for (uint32_t k = 0; k < b->n; k++)
      pushed |= b->attrs[k].reg == mask.reg && b->attrs[k].field == mask.field;
    if (pushed)
      continue;
    build_push_attr(b, mask.reg, mask.field, field_get(f, register_value(&b->r->row, mask.reg)));
    sort_last_attr(b);
  }
}

static void write_instances(struct writer *w, uint64_t mask)
{
  for (uint64_t rest = mask; rest;) {
    unsigned first = (unsigned)__builtin_ctzll(rest), last = first;
    while (bit_is(rest, last + 1))
      last++;
    if (rest != mask)
      write_char(w, '+');
    write_decimal(w, first);
    if (last > first) {
      write_char(w, '-');
      write_decimal(w, last);
    }
    rest &= ~bits_mask(last, first);
  }
}

static void write_name(struct writer *w, const struct build *b)
{
  const struct resolver *r = b->r;
  const struct db *db = r->db;
  const struct db_unit *u = &db->units[r->row.unit];
  write_text(w, db_text(db, u->name));
  if (r->instances != bits_below(u->instances ? u->instances : 1)) {
    const char *name = db_text(db, u->name);
    if (isdigit((unsigned char)name[strlen(name) - 1])) /* separates it from the instances */
      write_char(w, '_');
    write_instances(w, r->instances);
  }
  write_char(w, '/');
  const char *separator = "";
  if (r->row.event != DB_NONE) {
    write_text(w, db_text(db, db->events[r->row.event].name));
    separator = ",";
  }
  for (uint32_t i = 0; i < r->row.n_umasks; i++) {
    write_char(w, i ? '+' : '.');
    write_text(w, db_text(db, db->umasks[r->row.umasks[i]].name));
  }
  for (uint32_t i = 0; i < b->n; i++) {
    const struct event_setting *s = &b->attrs[i];
    struct text name = text_of(db_text(db, db->fields[s->field].name));
    struct event_setting found;
    write_text(w, separator);
    separator = ",";
    if (db->registers[s->reg].narrows_key ||
        (resolver_field(r, (struct text){"", 0}, name, &found) && found.reg != s->reg)) {
      write_text(w, db_text(db, db->registers[s->reg].name)); /* another register has a field of that name */
      write_char(w, '.');
    }
    write_bytes(w, name.s, name.n);
    write_char(w, '=');
    write_hex(w, s->value);
  }
  write_char(w, '/');
}

/* Describes a row with several umasks, for which the tables have no column. Returns the length. */
static size_t build_describe(const struct event_row *row, char *text, size_t size)
{
  const char *umasks[EVENT_UMASKS];
  for (uint32_t i = 0; i < row->n_umasks; i++)
    umasks[i] = db_text(row->db, row->db->umasks[row->umasks[i]].brief);
  return compose_sentence(text, size, db_text(row->db, row->db->events[row->event].brief), umasks, row->n_umasks);
}

int resolver_event(struct resolver *r, struct text name, struct pmon_event **ret_event)
{
  const struct event_row *row = &r->row;
  const size_t brief = row->n_umasks > 1 ? build_describe(row, NULL, 0) + 1 : 0;
  struct pmon_event *e = malloc(sizeof *e + row->n_registers * sizeof row->registers[0] + name.n + 1 + brief);
  if (!e)
    return resolver_fail(r, PMON_E_MEMORY, r->s->text, "no memory");
  struct event_register *registers = (struct event_register *)(e + 1);
  char *own_name = (char *)(registers + row->n_registers), *own_brief = brief ? own_name + name.n + 1 : NULL;
  for (uint32_t i = 0; i < row->n_registers; i++)
    registers[i] = row->registers[i];
  memcpy(own_name, name.s, name.n);
  own_name[name.n] = '\0';
  if (own_brief)
    build_describe(row, own_brief, brief);
  *e = (struct pmon_event){
      .platform = r->platform,
      .db = r->db,
      .unit = row->unit,
      .import = row->import,
      .event = row->event,
      .n_umasks = row->n_umasks,
      .ctl = row->ctl,
      .ctr = row->ctr,
      .ctr_index = row->ctr_index,
      .kind = row->kind,
      .instances = r->instances,
      .counters = row->counters,
      .n_registers = row->n_registers,
      .registers = registers,
      .name = own_name,
      .brief = own_brief,
  };
  memcpy(e->umasks, row->umasks, sizeof e->umasks);
  *ret_event = e;
  return PMON_OK;
}

int resolver_build(struct resolver *r, struct pmon_event **ret_event)
{
  struct build b;
  b.r = r;
  b.n = 0;
  b.full = false;
  if (r->n_attrs || r->raw) {
    if (r->row.ctl != DB_NONE)
      push_control(&b);
    push_filters(&b);
    push_companions(&b);
    push_masks(&b);
  }
  char name[1024];
  struct writer w = {name, sizeof name, 0};
  write_name(&w, &b);
  size_t length = write_end(&w);
  if (b.full || length >= sizeof name)
    return resolver_fail(r, PMON_E_SYNTAX, r->s->text, "too many attributes");
  int status =
      r->recorded || r->row.ctl == DB_NONE ? PMON_OK : resolver_check_use(r, register_value(&r->row, r->row.ctl));
  if (status)
    return status;
  return resolver_event(r, (struct text){name, length}, ret_event);
}

int event_of_value(const struct pmon_platform *platform, const struct event_value *v, struct pmon_event **ret_event)
{
  const struct db *db = platform->db;
  const struct spelling nothing = {.text = ""};
  struct resolver r = {.context = platform->context,
                       .platform = platform,
                       .db = db,
                       .s = &nothing,
                       .instances = v->instances,
                       .raw = true};
  uint32_t ctl = platform_register(db, v->unit, PMON_ROLE_CTL, db->units[v->unit].first_counter);
  if (ctl == DB_NONE)
    return PMON_E_UNKNOWN;
  uint32_t layout = db->registers[ctl].layout, code = layout_code(db, layout);
  struct db_span fields = db->layouts[layout].fields;
  for (uint32_t i = fields.first; i < fields.first + fields.n; i++)
    if (db->fields[i].access == DB_RW && !db->fields[i].reserved)
      r.config |= v->value & field_mask(&db->fields[i]);
  uint32_t enable = layout_enable(db, layout);
  if (enable != DB_NONE)
    r.config = field_set(&db->fields[enable], r.config, 1);
  if (!row_match(db, v->unit, r.config, &r.row) ||
      (r.row.event == DB_NONE && (code == DB_NONE || !field_get(&db->fields[code], r.config))))
    return PMON_E_UNKNOWN;
  return resolver_build(&r, ret_event);
}
