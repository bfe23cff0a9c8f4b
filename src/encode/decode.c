/* SPDX-License-Identifier: MIT */
/* From register values to names, and to the rules of the guides that a value breaks. */
#include <pmon/encode.h>
#include <stdarg.h>
#include <stdio.h>
#include "src/base/bits.h"
#include "src/base/writer.h"
#include "src/event/row.h"
#include "src/platform/context.h"
#include "src/platform/info.h"

struct decoding {
  const struct pmon_platform *p;
  const struct db *db;
  struct platform_place place;
  const struct db_layout *layout;
  struct pmon_decoded d;
};

__attribute__((format(printf, 3, 4)))
static void broken(struct decoding *x, const char *cite, const char *format, ...)
{
  if (x->d.n_broken == sizeof x->d.broken / sizeof x->d.broken[0])
    return;
  struct pmon_broken_rule *rule = &x->d.broken[x->d.n_broken++];
  va_list ap;
  va_start(ap, format);
  vsnprintf(rule->text, sizeof rule->text, format, ap);
  va_end(ap);
  rule->cite = cite;
}

static void check_fields(struct decoding *x)
{
  const struct db *db = x->db;
  const char *cite = db_text(db, x->layout->origin.cite);
  for (uint32_t i = x->layout->fields.first; i < x->layout->fields.first + x->layout->fields.n; i++) {
    const struct db_field *f = &db->fields[i];
    uint64_t value = field_get(f, x->d.value);
    if (f->reserved && f->access == DB_RO && f->reset) {      /* software must write what is there */
      x->d.reserved |= field_set(f, 0, value ^ f->reset);
      if (value != f->reset)
        broken(x, cite, "bits %u:%u must keep 0x%llx (they hold 0x%llx)", f->hi, f->lo, (unsigned long long)f->reset,
               (unsigned long long)value);
      continue;
    }
    if (f->access == DB_RSVD || (f->reserved && f->access != DB_IGN))
      x->d.reserved |= x->d.value & field_mask(f);
    if (!value)
      continue;
    if (f->access == DB_RSVD)
      broken(x, cite, "reserved bits %u:%u must be written 0 (they hold 0x%llx)", f->hi, f->lo, (unsigned long long)value);
    else if (f->access == DB_RO && x->db->registers[x->place.reg].role == DB_ROLE_CTL)
      broken(x, cite, "%s cannot be written", db_text(db, f->name));
  }
}

static uint64_t named(const struct decoding *x, const char *name)
{
  uint32_t field = layout_field(x->db, x->db->registers[x->place.reg].layout, name);
  return field == DB_NONE ? 0 : field_get(&x->db->fields[field], x->d.value);
}

/* Threshold, inversion and edge work one behind the other: without a threshold the later two see no comparison. */
static void check_comparison(struct decoding *x)
{
  const char *cite = db_text(x->db, x->layout->origin.cite);
  uint32_t layout = x->db->registers[x->place.reg].layout;
  if (layout_field(x->db, layout, "thresh") == DB_NONE || named(x, "thresh"))
    return;
  if (named(x, "invert"))
    broken(x, cite, "invert needs a threshold of at least 1");
  if (named(x, "edge_det"))
    broken(x, cite, "edge_det needs a threshold of at least 1");
}

/* Writes `unit/EVENT.UMASK,attributes/` for a row and the value that it was found in. */
static void write_event(struct decoding *x, const struct event_row *row)
{
  const struct db *db = x->db;
  struct writer w = { x->d.event_text, sizeof x->d.event_text, 0 };
  uint64_t own = settings_value(db, row->settings, row->n_settings, row->ctl, NULL), diff = own ^ x->d.value;
  const struct db_event *e = row->event == DB_NONE ? NULL : &db->events[row->event];
  uint32_t layout = db->registers[row->ctl].layout, umask = layout_umask(db, layout), wanted = DB_NONE;
  write_text(&w, db_text(db, db->units[row->unit].name));
  if (!x->d.any_instance && x->db->units[row->unit].instances > 1)
    write_decimal(&w, x->place.instance);
  write_char(&w, '/');
  write_text(&w, e ? db_text(db, e->name) : "");
  for (uint32_t i = 0; i < row->n_umasks; i++) {
    write_char(&w, i ? '+' : '.');
    write_text(&w, db_text(db, db->umasks[row->umasks[i]].name));
  }
  if (e && e->umasks.n && !row->n_umasks && !(e->flags & DB_BARE))
    wanted = umask;
  const uint32_t layouts[] = { e ? e->overlay : DB_NONE, layout };
  bool first = !e;
  for (size_t l = 0; l < 2; l++) {
    struct db_span fields = layouts[l] == DB_NONE ? (struct db_span){ 0, 0 } : db->layouts[layouts[l]].fields;
    for (uint32_t i = fields.first; i < fields.first + fields.n; i++) {
      const struct db_field *f = &db->fields[i];
      if (f->reserved || f->access != DB_RW || (!(field_mask(f) & diff) && i != wanted))
        continue;
      diff &= ~field_mask(f);
      write_text(&w, first ? "" : ",");
      first = false;
      write_text(&w, db_text(db, f->name));
      write_char(&w, '=');
      write_hex(&w, field_get(f, x->d.value));
    }
  }
  write_char(&w, '/');
  if (write_end(&w) >= sizeof x->d.event_text)
    x->d.event_text[0] = 0;       /* too long to be said */
}

static void find_event(struct decoding *x)
{
  const struct db *db = x->db;
  uint32_t enable = layout_field(db, db->registers[x->place.reg].layout, "en");
  uint64_t value = x->d.value;
  if (enable != DB_NONE)
    value = field_set(&db->fields[enable], value, 1);
  struct event_row row;
  uint32_t code = layout_code(db, db->registers[x->place.reg].layout);
  if (!row_match(db, x->place.unit, value, &row) || (code != DB_NONE && row.event == DB_NONE &&
                                                     !field_get(&db->fields[code], value)))
    return;
  const char *cite = db_text(db, x->layout->origin.cite);
  if (row.event == DB_NONE) {
    broken(x, cite, "no event of %s has code 0x%llx", db_text(db, db->units[x->place.unit].name),
           (unsigned long long)(code == DB_NONE ? 0 : field_get(&db->fields[code], value)));
  } else {
    struct pmon_event resolved = { .platform = x->p, .db = db, .unit = row.unit, .import = row.import,
                                   .event = row.event, .n_umasks = row.n_umasks, .kind = row.kind,
                                   .counters = row.counters };
    memcpy(resolved.umasks, row.umasks, sizeof resolved.umasks);
    x->d.has_event = true;
    x->d.event.size = sizeof x->d.event;
    pmon_event_describe(&resolved, &x->d.event);
    uint32_t counter = x->db->units[row.unit].first_counter + x->place.index;
    if (!x->d.any_index && !bit_is(row.counters, counter))
      broken(x, x->d.event.cite, "%s may not be counted by counter %u", x->d.event.event, counter);
  }
  write_event(x, &row);
}

int pmon_decode_value(const struct pmon_platform *platform, const struct pmon_register_id *id, uint64_t value,
                      struct pmon_decoded *decoded)
{
  const struct db *db = platform->db;
  if (id->unit >= platform->row->units.n)
    return PMON_E_RANGE;
  uint32_t unit = platform_unit_row(platform, id->unit);
  if (id->reg >= db->units[unit].registers.n)
    return PMON_E_RANGE;
  struct decoding x = { .p = platform, .db = db };
  x.place = (struct platform_place){ unit, db->units[unit].registers.first + id->reg, id->instance, id->index };
  const struct db_register *reg = &db->registers[x.place.reg];
  if (id->index >= (reg->count ? reg->count : 1) || id->instance >= db->units[unit].instances ||
      reg->layout == DB_NONE || (db->layouts[reg->layout].width < 64 && value >> db->layouts[reg->layout].width))
    return PMON_E_RANGE;
  x.layout = &db->layouts[reg->layout];
  x.d = (struct pmon_decoded){ .size = decoded->size, .id = *id, .value = value };
  size_t any_end = offsetof(struct pmon_decoded, any_index) + sizeof decoded->any_index;
  if (decoded->size >= any_end) {
    x.d.any_instance = decoded->any_instance;
    x.d.any_index = decoded->any_index;
  }
  check_fields(&x);
  if (reg->role == DB_ROLE_CTL) {
    check_comparison(&x);
    find_event(&x);
  }
  INFO_FILL(decoded, x.d);
  return PMON_OK;
}
