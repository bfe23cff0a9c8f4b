/* SPDX-License-Identifier: MIT */
/* Encodes an event as register values. */
#include <pmon/encode.h>
#include <string.h>
#include "src/encode/image.h"
#include "src/facts/field.h"
#include "src/facts/index.h"
#include "src/event/row.h"
#include "src/platform/context.h"

/* Sets the fields of a filter register that the event does not set to their reset values. Constants, which software
 * must write back, become part of the mask. */
static void fill_rest(const struct db *db, uint32_t layout, struct pmon_image_register *r)
{
  struct db_span fields = layout == DB_NONE ? (struct db_span){0, 0} : db->layouts[layout].fields;
  uint64_t touched = r->mask;
  for (uint32_t i = fields.first; i < fields.first + fields.n; i++) {
    const struct db_field *f = &db->fields[i];
    bool constant = f->reserved && f->access == DB_RO && f->reset;
    if ((field_mask(f) & touched) || (f->access != DB_RW && !constant))
      continue;
    r->value = field_set(f, r->value, f->reset);
    r->mask |= constant ? field_mask(f) : 0;
  }
}

/* Resolves a virtual field into the field to which it belongs: the bit of the package's own node, or of all others. */
static void resolve_relative(const struct pmon_event *e, uint32_t layout, uint32_t package,
                             struct pmon_image_register *r)
{
  const struct db *db = e->db;
  struct db_span fields = db->layouts[layout].fields;
  for (uint32_t i = fields.first; i < fields.first + fields.n; i++) {
    const struct db_field *f = &db->fields[i];
    const char *name = db_text(db, f->name);
    if (f->access != DB_VIRT || !(r->mask & field_mask(f)))
      continue;
    const uint64_t relative = field_get(f, r->value);
    const uint32_t own = db_find_field(db, layout, name, strlen(name) - (sizeof DB_RELATIVE - 1));
    const uint64_t node = package < 64 ? UINT64_C(1) << package : 0;
    r->value &= ~field_mask(f);
    r->mask &= ~field_mask(f);
    if (own == DB_NONE || !relative)
      continue;
    r->value = field_set(&db->fields[own], r->value, relative == DB_OWN_NODE ? node : ~node);
    r->mask |= field_mask(&db->fields[own]);
  }
}

static struct pmon_register_id id_of(const struct pmon_event *e, const struct platform_place *place)
{
  return (struct pmon_register_id){.unit = place->unit - e->platform->row->units.first,
                                   .reg = place->reg - e->db->units[place->unit].registers.first,
                                   .instance = place->instance,
                                   .index = place->index};
}

static void fill_register(const struct pmon_event *e, const struct event_register *own,
                          const struct platform_place *place, struct pmon_image_register *r)
{
  r->id = id_of(e, place);
  r->value = own->value;
  r->mask = own->mask;
  uint32_t layout = e->db->registers[place->reg].layout;
  const bool shared = e->kind == PMON_EVENT_FIXED && e->event != DB_NONE && e->db->events[e->event].settings.n;
  if (place->reg == e->ctl && !shared)         /* a control of several counters has others' bits */
    r->mask = e->db->layouts[layout].writable; /* the event decides all bits */
  else
    fill_rest(e->db, layout, r);
  if (layout != DB_NONE && e->db->layouts[layout].flags & DB_RESOLVED)
    resolve_relative(e, layout, r->address.package, r);
}

/* Returns the counter's width: that of its instance's exception, else of its register row, else of the field that
 * counts, else of the unit's counters. */
static uint32_t counter_width(const struct db *db, const struct pmon_event *e, uint32_t instance)
{
  const struct db_register *r = &db->registers[e->ctr];
  const bool programmed = e->kind == PMON_EVENT_PROGRAMMED;
  const struct db_exception *x = programmed ? db_unit_exception(db, &db->units[e->unit], instance) : NULL;
  if (x && x->width_bits != DB_NONE)
    return x->width_bits;
  if (r->width)
    return r->width;
  struct db_span fields = r->layout == DB_NONE ? (struct db_span){0, 0} : db->layouts[r->layout].fields;
  for (uint32_t i = fields.first; !programmed && i < fields.first + fields.n; i++)
    if (!db->fields[i].reserved && db->fields[i].lo == 0)
      return db->fields[i].hi + 1u;
  return db->units[e->unit].width_bits ? db->units[e->unit].width_bits : 48;
}

/* Fills the address of a place in the package. Without `addresses`, which no guide has for some units, only the
 * package. */
static inline int fill_address(const struct pmon_event *e, const struct platform_place *place, uint32_t package,
                               bool addresses, struct pmon_address *ret)
{
  int status = PMON_OK;
  if (addresses)
    status = platform_address(e->db, place, ret);
  else
    *ret = (struct pmon_address){0};
  ret->package = package;
  return status;
}

/* A counter, as callers number it. */
struct counter_place {
  uint32_t package, instance, counter;
};

static inline int encode_all(const struct pmon_event *event, const struct counter_place *at, bool addresses,
                             struct pmon_image *image)
{
  const struct db *db = event->db;
  const struct db_unit *u = &db->units[event->unit];
  bool programmed = event->kind == PMON_EVENT_PROGRAMMED;
  uint32_t first = programmed ? u->first_counter : 0;
  if (at->counter < first || at->counter - first >= (programmed ? db_unit_counters(db, u, at->instance) : 1) ||
      at->instance >= (u->instances ? u->instances : 1))
    return PMON_E_RANGE;
  if (!bit_is(event->counters, at->counter))
    return PMON_E_UNSCHEDULABLE;
  uint32_t index = programmed ? at->counter - first : 0;
  struct platform_place place = {event->unit, event->ctr, at->instance, programmed ? index : event->ctr_index};
  image->width_bits = counter_width(db, event, at->instance);
  image->counter_id = id_of(event, &place);
  image->n = event->n_registers;
  int status = fill_address(event, &place, at->package, addresses, &image->counter);
  for (uint32_t i = 0; !status && i < image->n; i++) {
    const struct event_register *own =
        &event->registers[i + 1 < image->n ? i + 1 : 0]; /* the first one, the control, comes last */
    place.reg = own->reg;
    place.index = own->reg == event->ctl ? index : 0;
    status = fill_address(event, &place, at->package, addresses, &image->registers[i].address);
    fill_register(event, own, &place, &image->registers[i]);
  }
  return status;
}

int encode_values(const struct pmon_event *event, uint32_t package, uint32_t instance, uint32_t counter,
                  struct pmon_image *image)
{
  return encode_all(event, &(struct counter_place){package, instance, counter}, false, image);
}

/* Tools encode each event of a platform: all callees are inlined. */
__attribute__((flatten)) int encode_image(const struct pmon_event *event, uint32_t package, uint32_t instance,
                                          uint32_t counter, struct pmon_image *image)
{
  if (event->db->units[event->unit].flags & DB_PERF_ONLY)
    return PMON_E_UNSUPPORTED;
  return encode_all(event, &(struct counter_place){package, instance, counter}, true, image);
}

int pmon_event_encode(const struct pmon_event *event, uint32_t package, uint32_t instance, uint32_t counter,
                      struct pmon_image *image)
{
  const int status = encode_image(event, package, instance, counter, image);
  if (status == PMON_E_UNSUPPORTED)
    return context_fail_perf_only(event->platform->context, db_text(event->db, event->db->units[event->unit].name));
  if (status == PMON_E_UNSCHEDULABLE)
    return context_fail(event->platform->context, status, 0, "%s cannot be counted by counter %u", event->name,
                        counter);
  if (status)
    return context_fail(event->platform->context, status, 0, "%s: %s has no counter %u in instance %u", event->name,
                        db_text(event->db, event->db->units[event->unit].name), counter, instance);
  return PMON_OK;
}
