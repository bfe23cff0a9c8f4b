/* SPDX-License-Identifier: MIT */
#include <pmon/encode.h>
#include "src/facts/field.h"
#include "src/event/row.h"

/* What stands in the fields of a filter register that the event does not touch: their reset values. Constants, which
 * software must write back, belong to what is written. */
static void fill_rest(const struct db *db, uint32_t layout, struct pmon_image_register *r)
{
  struct db_span fields = layout == DB_NONE ? (struct db_span){ 0, 0 } : db->layouts[layout].fields;
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

static struct pmon_register_id id_of(const struct pmon_event *e, const struct platform_place *place)
{
  return (struct pmon_register_id){ .unit = place->unit - e->platform->row->units.first,
                                    .reg = place->reg - e->db->units[place->unit].registers.first,
                                    .instance = place->instance, .index = place->index };
}

static int add_register(const struct pmon_event *e, const struct platform_place *place, struct pmon_image *image)
{
  struct pmon_image_register *r = &image->registers[image->n];
  int status = image->n == PMON_IMAGE_REGISTERS ? PMON_E_RANGE : platform_address(e->db, place, &r->address);
  if (status)
    return status;
  r->id = id_of(e, place);
  r->value = settings_value(e->db, e->settings, e->n_settings, place->reg, &r->mask);
  uint32_t layout = e->db->registers[place->reg].layout;
  if (place->reg == e->ctl)
    r->mask = e->db->layouts[layout].writable;      /* all of them are the event's to decide */
  else
    fill_rest(e->db, layout, r);
  image->n++;
  return PMON_OK;
}

/* Filter registers that the event's settings touch, each once. */
static int add_filters(const struct pmon_event *e, uint32_t instance, struct pmon_image *image)
{
  for (uint32_t i = 0; i < e->n_settings; i++) {
    uint32_t reg = e->settings[i].reg;
    bool seen = reg == e->ctl;
    for (uint32_t k = 0; k < i && !seen; k++)
      seen = e->settings[k].reg == reg;
    if (seen)
      continue;
    struct platform_place place = { e->unit, reg, instance, 0 };
    int status = add_register(e, &place, image);
    if (status)
      return status;
  }
  return PMON_OK;
}

/* A counter is as wide as its register row says, else as its field that counts, else as the unit's counters. */
static uint32_t counter_width(const struct db *db, const struct pmon_event *e)
{
  const struct db_register *r = &db->registers[e->ctr];
  if (r->width)
    return r->width;
  struct db_span fields = r->layout == DB_NONE ? (struct db_span){ 0, 0 } : db->layouts[r->layout].fields;
  for (uint32_t i = fields.first; e->kind != PMON_EVENT_PROGRAMMED && i < fields.first + fields.n; i++)
    if (!db->fields[i].reserved && db->fields[i].lo == 0)
      return db->fields[i].hi + 1u;
  return db->units[e->unit].width_bits ? db->units[e->unit].width_bits : 48;
}

int pmon_event_encode(const struct pmon_event *event, uint32_t package, uint32_t instance, uint32_t counter,
                      struct pmon_image *image)
{
  const struct db *db = event->db;
  const struct db_unit *u = &db->units[event->unit];
  bool programmed = event->kind == PMON_EVENT_PROGRAMMED;
  uint32_t first = programmed ? u->first_counter : 0;
  if (counter < first || counter - first >= (programmed ? u->counters : 1) ||
      instance >= (u->instances ? u->instances : 1))
    return PMON_E_RANGE;
  if (!bit_is(event->counters, counter))
    return PMON_E_UNSCHEDULABLE;
  struct platform_place ctr = { event->unit, event->ctr, instance,
                                programmed ? counter - first : event->ctr_index };
  struct platform_place ctl = { event->unit, event->ctl, instance, programmed ? counter - first : 0 };
  image->n = 0;
  image->width_bits = counter_width(db, event);
  image->counter_id = id_of(event, &ctr);
  int status = platform_address(db, &ctr, &image->counter);
  if (!status)
    status = add_filters(event, instance, image);
  if (!status && event->ctl != DB_NONE)
    status = add_register(event, &ctl, image);
  image->counter.package = package;
  for (uint32_t i = 0; i < image->n; i++)
    image->registers[i].address.package = package;
  return status;
}
