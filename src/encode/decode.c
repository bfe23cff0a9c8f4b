/* SPDX-License-Identifier: MIT */
/* Decodes register values into names, and finds the guides' programming rules that a value violates. */
#include <pmon/encode.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "src/facts/field.h"
#include "src/encode/rules.h"
#include "src/event/row.h"
#include "src/platform/context.h"
#include "src/base/sized.h"

struct decoding {
  const struct pmon_platform *p;
  const struct db *db;
  struct platform_place place;
  const struct db_layout *layout;
  uint32_t role; /* of the register */
  struct pmon_decoded d;
};

__attribute__((format(printf, 3, 4))) static void add_violation(struct decoding *x, const char *cite,
                                                                const char *format, ...)
{
  if (x->d.n_violations == sizeof x->d.violations / sizeof x->d.violations[0])
    return;
  struct pmon_rule_violation *rule = &x->d.violations[x->d.n_violations++];
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
    if (f->reserved && f->access == DB_RO && f->reset) { /* software must write this value back */
      x->d.reserved |= field_set(f, 0, value ^ f->reset);
      if (value != f->reset)
        add_violation(x, cite, "bits %u:%u must be written 0x%llx (they are 0x%llx)", f->hi, f->lo,
                      (unsigned long long)f->reset, (unsigned long long)value);
      continue;
    }
    if (!x->layout->writable) /* software only reads it */
      continue;
    if (f->access == DB_RSVD || f->access == DB_VIRT || (f->reserved && f->access != DB_IGN))
      x->d.reserved |= x->d.value & field_mask(f);
    if (!value)
      continue;
    if (f->access == DB_RSVD)
      add_violation(x, cite, "reserved bits %u:%u must be written 0 (they are 0x%llx)", f->hi, f->lo,
                    (unsigned long long)value);
    else if (f->access == DB_RO && x->role == PMON_ROLE_CTL)
      add_violation(x, cite, "%s cannot be written", db_text(db, f->name));
  }
}

static uint64_t named(const struct decoding *x, const char *name)
{
  uint32_t field = layout_field(x->db, x->db->registers[x->place.reg].layout, name);
  return field == DB_NONE ? 0 : field_get(&x->db->fields[field], x->d.value);
}

/* Checks the facts' rules about this register, with the values of other registers as far as they are known. */
static void check_rules(struct decoding *x)
{
  const struct encode_value v = {.platform = x->p,
                                 .db = x->db,
                                 .unit = x->place.unit,
                                 .reg = x->place.reg,
                                 .index = x->d.any_index ? UINT32_MAX : x->place.index,
                                 .value = x->d.value,
                                 .event = x->d.has_event ? &x->d.event : NULL,
                                 .beside = x->d.beside};
  const struct db_rule *g;
  for (uint32_t at = 0; (g = encode_next_violation(&v, &at));)
    add_violation(x, db_text(x->db, g->origin.cite), "%s", db_text(x->db, g->brief));
}

/* Whether the event select is another event's with a bit that gates it (`attr gate`): the event is counted while the
 * gate's event reaches the threshold (327043 Table 2-80, cases 5 and 6). */
static bool is_gated(const struct decoding *x, const struct event_value *v)
{
  const uint32_t field = layout_field(x->db, x->db->registers[x->place.reg].layout, "ev_sel");
  const struct db_field *f = field == DB_NONE ? NULL : &x->db->fields[field];
  for (uint64_t left = f ? field_get(f, v->value) : 0; left; left &= left - 1) {
    const uint64_t bit = left & -left;
    struct event_value part = *v;
    struct pmon_event *gate = NULL, *event = NULL;
    bool gated = false;
    part.value = field_set(f, v->value, bit);
    if (event_of_value(x->p, &part, &gate) == PMON_OK && gate->event != DB_NONE)
      for (uint32_t i = 0; i < x->db->events[gate->event].attrs.n; i++) {
        const struct db_attr *a = &x->db->attrs[x->db->events[gate->event].attrs.first + i];
        uint64_t mask;
        gated |= !strcmp(db_text(x->db, a->key), "gate") && text_number(text_of(db_text(x->db, a->value)), &mask) &&
                 mask == bit;
      }
    part.value = field_set(f, v->value, field_get(f, v->value) & ~bit);
    gated = gated && event_of_value(x->p, &part, &event) == PMON_OK && event->event != DB_NONE;
    pmon_event_free(gate);
    pmon_event_free(event);
    if (gated)
      return true;
  }
  return false;
}

/* Writes "SLOT0, SLOT1 or SLOT2": the event's umasks within a group of umask bits that set nothing else. */
static void group_names(const struct db *db, const struct db_event *e, uint64_t group, char *text, size_t size)
{
  const char *last = NULL;
  size_t n = 0;
  *text = 0;
  for (uint32_t i = e->umasks.first; i < e->umasks.first + e->umasks.n; i++) {
    const struct db_umask *u = &db->umasks[i];
    if (!u->value || u->value & ~group || u->settings.n)
      continue;
    if (last && n < size)
      n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", " : "", last);
    last = db_text(db, u->name);
  }
  if (last && n < size)
    snprintf(text + n, size - n, "%s%s", n ? " or " : "", last);
  if (!last)
    snprintf(text, size, "a umask bit of 0x%llx", (unsigned long long)group);
}

/* Reports groups of umask bits of which the value has none: the event counts nothing (docs/formats.md, `groups`), or
 * probably nothing, if no source confirms its row. */
static void check_groups(struct decoding *x, const struct db_event *e)
{
  char names[160];
  for (uint32_t i = 0; i < e->groups.n && !(e->flags & DB_BARE); i++) {
    const uint64_t bits = x->db->masks[e->groups.first + i].bits;
    if (named(x, "umask") & bits)
      continue;
    group_names(x->db, e, bits, names, sizeof names);
    add_violation(x, x->d.event.cite, "%s %scounts nothing without %s", x->d.event.event,
                  e->flags & DB_UNSURE ? "probably " : "", names);
  }
}

/* Reports a umask that selects no part of its event, or parts that exclude each other. */
static void check_parts(struct decoding *x, const struct db_event *e)
{
  const unsigned long long value = named(x, "umask");
  const bool exclusive = e->flags & DB_EXCLUSIVE;
  bool selects = !e->umasks.n || e->flags & DB_BARE || e->groups.n || x->d.event.umask;
  for (uint32_t i = e->umasks.first; i < e->umasks.first + e->umasks.n && !selects; i++)
    selects = !x->db->umasks[i].value || x->db->umasks[i].value & value;
  if (!selects && exclusive)
    add_violation(x, x->d.event.cite, "%s has no umask 0x%llx", x->d.event.event, value);
  else if (!selects)
    add_violation(x, x->d.event.cite, "%s %scounts nothing with umask 0x%llx, which selects no part of it",
                  x->d.event.event, e->flags & DB_UNSURE ? "probably " : "", value);
  else if (exclusive && !x->d.event.umask && value)
    add_violation(x, x->d.event.cite, "mutually exclusive parts of %s are selected together", x->d.event.event);
}

/* If the event select is the second code of an event (`attr code2`), replaces it by the event's first one. */
static bool replace_second_code(const struct decoding *x, struct event_value *v)
{
  const struct db *db = x->db;
  const uint32_t field = layout_field(db, db->registers[x->place.reg].layout, "ev_sel");
  const struct db_unit *u = &db->units[x->place.unit];
  for (uint32_t i = u->imports.first; field != DB_NONE && i < u->imports.first + u->imports.n; i++) {
    const struct db_span events = db->sets[db->imports[i].set].events;
    for (uint32_t k = events.first; k < events.first + events.n; k++)
      for (uint32_t n = 0; n < db->events[k].attrs.n; n++) {
        const struct db_attr *a = &db->attrs[db->events[k].attrs.first + n];
        uint64_t code;
        if (strcmp(db_text(db, a->key), "code2") || !text_number(text_of(db_text(db, a->value)), &code) ||
            code != field_get(&db->fields[field], v->value))
          continue;
        v->value = field_set(&db->fields[field], v->value, db->events[k].code);
        return true;
      }
  }
  return false;
}

static void find_event(struct decoding *x)
{
  const struct db *db = x->db;
  const struct db_unit *u = &db->units[x->place.unit];
  struct event_value v = {x->place.unit, bits_below(u->instances), x->d.value};
  struct pmon_event *e;
  if (!x->d.any_instance)
    v.instances = bits_mask(x->place.instance, x->place.instance);
  if (event_of_value(x->p, &v, &e) != PMON_OK)
    return;
  if (e->event == DB_NONE && replace_second_code(x, &v)) {
    pmon_event_free(e);
    if (event_of_value(x->p, &v, &e) != PMON_OK)
      return;
  }
  if (e->event == DB_NONE && is_gated(x, &v)) {
    x->d.has_event = false;
  } else if (e->event == DB_NONE) {
    add_violation(x, db_text(db, x->layout->origin.cite), "no event of %s has that code", db_text(db, u->name));
  } else {
    x->d.has_event = true;
    x->d.event.size = sizeof x->d.event;
    pmon_event_describe(e, &x->d.event);
    uint32_t counter = u->first_counter + x->place.index;
    if (!x->d.any_index && !bit_is(e->counters, counter))
      add_violation(x, x->d.event.cite, "%s cannot be counted by counter %u", x->d.event.event, counter);
    check_parts(x, &db->events[e->event]);
    check_groups(x, &db->events[e->event]);
  }
  if (strlen(e->name) < sizeof x->d.event_text)
    memcpy(x->d.event_text, e->name, strlen(e->name) + 1);
  pmon_event_free(e);
}

/* Decodes a value of a layout without a register. */
static int decode_layout(const struct pmon_platform *platform, const struct pmon_register_id *id, uint64_t value,
                         struct pmon_decoded *decoded)
{
  const uint32_t layout = platform_layout(platform, id->unit, id->reg);
  if (layout == DB_NONE)
    return context_fail_range(platform->context, "layout", id->reg, platform->row->layouts.n);
  struct decoding x = {.p = platform, .db = platform->db, .role = PMON_ROLE_INFO};
  x.layout = &platform->db->layouts[layout];
  if (x.layout->width < 64 && value >> x.layout->width)
    return context_fail(platform->context, PMON_E_RANGE, 0, "0x%llx does not fit into %s", (unsigned long long)value,
                        db_text(platform->db, x.layout->name));
  x.d = (struct pmon_decoded){.size = decoded->size, .id = *id, .value = value};
  check_fields(&x);
  return CONTEXT_FILL(platform->context, decoded, x.d);
}

int pmon_decode_value(const struct pmon_platform *platform, const struct pmon_register_id *id, uint64_t value,
                      struct pmon_decoded *decoded)
{
  const struct db *db = platform->db;
  if (id->unit == PMON_UNIT_NONE)
    return decode_layout(platform, id, value, decoded);
  if (id->unit >= platform->row->units.n)
    return context_fail_range(platform->context, "unit", id->unit, platform->row->units.n);
  uint32_t unit = platform_unit_row(platform, id->unit);
  if (id->reg >= db->units[unit].registers.n)
    return context_fail_range(platform->context, "register", id->reg, db->units[unit].registers.n);
  struct decoding x = {.p = platform, .db = db};
  x.place = (struct platform_place){unit, db->units[unit].registers.first + id->reg, id->instance, id->index};
  const struct db_register *reg = &db->registers[x.place.reg];
  if (id->index >= (reg->count ? reg->count : 1) || id->instance >= db->units[unit].instances ||
      reg->layout == DB_NONE || (db->layouts[reg->layout].width < 64 && value >> db->layouts[reg->layout].width))
    return context_fail(platform->context, PMON_E_RANGE, 0,
                        "%s: instance %u or register number %u does not exist, or 0x%llx does not fit",
                        db_text(db, reg->name), id->instance, id->index, (unsigned long long)value);
  x.layout = &db->layouts[reg->layout];
  x.role = reg->role;
  x.d = (struct pmon_decoded){.size = decoded->size, .id = *id, .value = value};
  size_t any_end = offsetof(struct pmon_decoded, any_index) + sizeof decoded->any_index;
  if (sized_of(decoded) >= any_end) {
    x.d.any_instance = decoded->any_instance;
    x.d.any_index = decoded->any_index;
  }
  if (sized_of(decoded) >= offsetof(struct pmon_decoded, beside) + sizeof decoded->beside)
    x.d.beside = decoded->beside;
  check_fields(&x);
  if (reg->role == PMON_ROLE_CTL)
    find_event(&x);
  check_rules(&x);
  return CONTEXT_FILL(platform->context, decoded, x.d);
}
