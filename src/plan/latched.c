/* SPDX-License-Identifier: MIT */
#include "src/plan/latched.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/event/event.h"
#include "src/event/row.h"
#include "src/facts/field.h"
#include "src/platform/platform.h"
#include "src/plan/metric.h"
#include "src/plan/umask_sets.h"

bool latched_conflict(const struct pmon_plan *plan, const struct schedule_item *items, uint32_t n,
                      struct schedule_conflict *ret)
{
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < items[i].n_needs; k++)
      for (uint32_t j = 0; j < i; j++)
        for (uint32_t l = 0; items[j].unit == items[i].unit && l < items[j].n_needs; l++) {
          const struct schedule_need *a = &items[i].needs[k], *b = &items[j].needs[l];
          const struct pmon_register_id id = {.unit = items[i].unit, .reg = a->resource};
          if (a->resource != b->resource || a->resource >= SETS_RESOURCE ||
              !((a->value ^ b->value) & a->mask & b->mask) || !(items[i].instances & items[j].instances) ||
              !platform_is_latched(plan->platform, &id))
            continue;
          *ret = (struct schedule_conflict){SCHEDULE_LATCHED, 2, {j, i}, a->resource};
          return true;
        }
  return false;
}

/* Returns the register's field that is the only one an event of the facts needs (`filters REGISTER.FIELD!`); NULL:
 * none. */
static const struct db_field *field_needed(const struct db *db, const struct db_event *e, uint32_t reg)
{
  const char *list = db_text(db, e->filters), *dot = strchr(list, '.');
  char name[64];
  const size_t n = dot ? strcspn(dot + 1, "!|,") : 0;
  if (!n || strcmp(dot + 1 + n, "!"))
    return NULL;
  snprintf(name, sizeof name, "%.*s", (int)n, dot + 1);
  const uint32_t field = layout_field(db, db->registers[reg].layout, name);
  return field == DB_NONE ? NULL : &db->fields[field];
}

/* Returns the bits of the register that the event sets, or that act on it. */
static uint64_t bits_used(const struct pmon_event *e, uint32_t reg, uint64_t *ret_value)
{
  const uint64_t control = e->ctl != DB_NONE && e->n_registers ? e->registers[0].value : 0;
  uint64_t bits = event_filter_bits(e->db, (struct event_control){e->ctl, e->event, control}, reg);
  *ret_value = 0;
  for (uint32_t i = 0; i < e->n_registers; i++)
    if (e->registers[i].reg == reg) {
      bits |= e->registers[i].mask;
      *ret_value = e->registers[i].value;
    }
  return bits;
}

static bool is_free(const struct pmon_plan *plan, uint32_t reg, const struct db_field *f)
{
  uint64_t value;
  for (uint32_t i = 0; i < plan->n_events; i++)
    if (bits_used(plan->events[i].event, reg, &value) & field_mask(f))
      return false;
  return true;
}

const char *latched_metric(const struct pmon_plan *plan, uint32_t event)
{
  for (uint32_t i = 0; i < plan->n_selected_metrics; i++) {
    const struct metric *m = metric_selected(plan, i);
    for (uint32_t k = 0; k < m->expr->n_names; k++)
      if (m->names[k].kind == METRIC_EVENT && m->names[k].index == event)
        return m->name;
  }
  return "";
}

/* An event of a conflict for which another field of the filter is sought, and the buffer for the remedy. */
struct replacement {
  const struct pmon_plan *plan;
  uint32_t event, reg; /* number of the plan's event; row of db.registers */
  char *text;
  size_t size;
};

/* Writes the metric with this value that uses the event `event` in place of a metric of the plan; false: there is
 * none. */
static bool write_metric(const struct replacement *in, const char *event, uint64_t value)
{
  const struct pmon_platform *p = in->plan->platform;
  for (uint32_t i = p->row->metrics.first; i < p->row->metrics.first + p->row->metrics.n; i++) {
    const struct db_metric *m = &p->db->metrics[i];
    if (m->unit != in->plan->events[in->event].event->unit || !metric_takes_one_value(p->db, m) ||
        value < m->param_lo || value > m->param_hi || !strstr(db_text(p->db, m->equation), event))
      continue;
    char *name = metric_name_with_value(db_text(p->db, m->name), db_text(p->db, m->param), (uint32_t)value);
    snprintf(in->text, in->size, "use %s instead of %s, or ", name ? name : "", latched_metric(in->plan, in->event));
    free(name);
    return name != NULL;
  }
  return false;
}

/* True if the event has one attribute, the field: another event then counts the same with it. */
static bool has_one_attribute(const struct pmon_event *e)
{
  const char *comma = strchr(e->name, ',');
  return comma && !strchr(comma + 1, ',');
}

/* Finds the event, or metric, that counts with a free field what the conflict's event counts with its own. */
static bool find_replacement(const struct replacement *in)
{
  const struct pmon_event *e = in->plan->events[in->event].event;
  const struct db *db = e->db;
  const struct db_field *own =
      e->event == DB_NONE || !has_one_attribute(e) ? NULL : field_needed(db, &db->events[e->event], in->reg);
  const struct db_span events =
      own && e->import != DB_NONE ? db->sets[db->imports[e->import].set].events : (struct db_span){0, 0};
  uint64_t value;
  bits_used(e, in->reg, &value);
  for (uint32_t i = events.first; i < events.first + events.n; i++) {
    const struct db_field *f = field_needed(db, &db->events[i], in->reg);
    if (!f || db->events[i].category != db->events[e->event].category || !is_free(in->plan, in->reg, f))
      continue;
    value = field_get(own, value);
    if (*latched_metric(in->plan, in->event))
      return write_metric(in, db_text(db, db->events[i].name), value);
    snprintf(in->text, in->size, "use %s/%s,%s=%" PRIu64 "/ instead of %s, or ", db_text(db, db->units[e->unit].name),
             db_text(db, db->events[i].name), db_text(db, f->name), value, e->name);
    return true;
  }
  return false;
}

void latched_remedy(const struct pmon_plan *plan, const struct schedule_conflict *c, char *text, size_t size)
{
  bool found = false;
  *text = 0;
  for (uint32_t i = c->reason == SCHEDULE_LATCHED ? c->n : 0; !found && i-- > 0;) {
    const struct pmon_event *e = plan->events[c->items[i]].event;
    const struct replacement in = {plan, c->items[i], e->db->units[e->unit].registers.first + c->resource, text, size};
    found = find_replacement(&in);
  }
}

bool metric_takes_one_value(const struct db *db, const struct db_metric *m)
{
  const struct db_span regs = m->unit == DB_NONE ? (struct db_span){0, 0} : db->units[m->unit].registers;
  bool latched = false;
  for (uint32_t i = regs.first; *db_text(db, m->param) && i < regs.first + regs.n; i++)
    latched |= db->registers[i].latched != 0;
  return latched;
}
