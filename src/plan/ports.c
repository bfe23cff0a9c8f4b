/* SPDX-License-Identifier: MIT */
#include "src/plan/ports.h"

#include <stdlib.h>
#include <string.h>
#include "src/event/event.h"
#include "src/plan/metric.h"
#include "src/plan/plan.h"

/* The field of control registers that selects ports, one bit for each (817509 2.4.5); higher bits select other
 * sources. */
static const char port_field[] = "ch_mask";
enum { PORTS = 8 };

static const struct db_field *find_port_field(const struct db *db, uint32_t reg)
{
  const uint32_t layout = reg == DB_NONE ? DB_NONE : db->registers[reg].layout;
  if (layout == DB_NONE)
    return NULL;
  const struct db_span fields = db->layouts[layout].fields;
  for (uint32_t i = 0; i < fields.n; i++)
    if (!strcmp(db_text(db, db->fields[fields.first + i].name), port_field))
      return &db->fields[fields.first + i];
  return NULL;
}

/* Returns the port of a free-running counter: one of several counters of a kind counts the port of its number. */
static uint32_t ports_of_free(const struct pmon_event *e)
{
  const bool several = e->ctr != DB_NONE && e->db->registers[e->ctr].count > 1;
  return several && e->ctr_index < PORTS && find_port_field(e->db, e->db->units[e->unit].ctl) ? 1u << e->ctr_index : 0;
}

uint32_t ports_of_event(const struct pmon_event *e)
{
  if (e->ctl == DB_NONE)
    return ports_of_free(e);
  const struct db_field *f = find_port_field(e->db, e->ctl);
  for (uint32_t i = 0; f && i < e->n_registers; i++)
    if (e->registers[i].reg == e->ctl) {
      const uint64_t mask = e->registers[i].value >> f->lo & (UINT64_MAX >> (63 - (f->hi - f->lo)));
      return mask >> PORTS ? 0 : (uint32_t)mask;
    }
  return 0;
}

uint32_t ports_of_metric(const struct pmon_plan *plan, const struct metric *m)
{
  uint32_t ports = 0, n = 0;
  uint32_t *items = m->unit_number == PMON_ALL || !plan->n_events ? NULL : calloc(plan->n_events, sizeof *items);
  if (!items)
    return 0;
  metric_collect_events(plan, m, items, &n);
  for (uint32_t i = 0; i < n; i++)
    if (pmon_event_unit(plan->events[items[i]].event) == m->unit_number)
      ports |= ports_of_event(plan->events[items[i]].event);
  free(items);
  return ports;
}
