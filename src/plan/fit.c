/* SPDX-License-Identifier: MIT */
/* Converts a plan's events to the scheduler's items, and the scheduler's conflicts to messages. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/encode.h>
#include "src/event/event.h"
#include "src/event/row.h"
#include "src/facts/field.h"
#include "src/plan/latched.h"
#include "src/plan/plan.h"
#include "src/plan/umask_sets.h"
#include "src/plan/witness.h"
#include "src/platform/context.h"
#include "src/platform/platform.h"

_Static_assert((int)DB_FILTERS < (int)SCHEDULE_NEEDS, "no room for each filter of a unit and a set of umasks");

/* Adds needs of filters that act on the event although it does not set them: each field that the event does not set
 * must let everything pass in its round. */
static void find_neutral_needs(const struct pmon_plan *plan, const struct pmon_event *e, uint64_t control,
                               struct schedule_item *item)
{
  const struct db_span regs = e->db->units[e->unit].registers;
  for (uint32_t i = 0; i < regs.n; i++) {
    const struct db_register *r = &e->db->registers[regs.first + i];
    struct schedule_need need = {.resource = i, .kept = true}, *own = NULL;
    if (r->role != PMON_ROLE_FILTER || r->layout == DB_NONE)
      continue;
    need.mask = event_is_narrowed(e->db, e->event, regs.first + i)
                    ? e->db->layouts[r->layout].writable
                    : event_filter_bits(e->db, (struct event_control){e->ctl, e->event, control}, regs.first + i);
    if (!need.mask)
      continue;
    for (uint32_t k = 0; k < item->n_needs; k++)
      own = item->needs[k].resource == i ? &item->needs[k] : own;
    const struct pmon_register_id id = {.unit = item->unit, .reg = i};
    need.value = platform_reset_value(plan->platform, &id) & need.mask;
    if (own)
      own->mask |= need.mask; /* its value already has the reset contents of the other fields */
    else if (item->n_needs < SCHEDULE_NEEDS)
      item->needs[item->n_needs++] = need;
  }
}

/* Adds the filters of an event without register addresses, from its own terms. */
static void find_terms(const struct pmon_plan *plan, const struct pmon_event *e, struct schedule_item *item)
{
  struct pmon_register_info reg = {.size = sizeof reg};
  for (uint32_t i = 0; i < e->n_registers && item->n_needs < SCHEDULE_NEEDS; i++) {
    const struct event_register *r = &e->registers[i];
    const uint32_t number = r->reg - e->db->units[e->unit].registers.first;
    if (platform_get_register(plan->platform, pmon_event_unit(e), number, &reg) && reg.role == PMON_ROLE_FILTER)
      item->needs[item->n_needs++] = (struct schedule_need){.resource = number, .value = r->value, .mask = UINT64_MAX};
  }
}

/* Adds the values that the event needs in registers that affect other counters of its instance, too. */
static void find_needs(const struct pmon_plan *plan, const struct plan_event *e, struct schedule_item *item)
{
  struct pmon_image image;
  struct pmon_register_info reg = {.size = sizeof reg};
  if (e->event->db->units[e->event->unit].flags & DB_PERF_ONLY) {
    find_terms(plan, e->event, item);
    return;
  }
  if (!item->instances || !item->counters ||
      pmon_event_encode(e->event, 0, (uint32_t)__builtin_ctzll(item->instances),
                        (uint32_t)__builtin_ctz(item->counters), &image))
    return;
  for (uint32_t i = 0; i < image.n && item->n_needs < SCHEDULE_NEEDS; i++) {
    const struct pmon_image_register *r = &image.registers[i];
    if (!platform_get_register(plan->platform, r->id.unit, r->id.reg, &reg) || reg.role != PMON_ROLE_FILTER)
      continue;
    item->needs[item->n_needs] = (struct schedule_need){.resource = r->id.reg, .value = r->value, .mask = r->mask};
    filter_rules_need(plan, &r->id, &item->needs[item->n_needs++]);
  }
  find_neutral_needs(plan, e->event, image.registers[image.n - 1].value, item);
}

/* Returns the counters on which the event violates the fewest programming rules, if its control can select both threads
 * (`all`): some counters ignore that bit (Montecito Table 3-6). */
static uint32_t counters_by_rules(const struct pmon_event *e, uint32_t counters)
{
  uint32_t best = 0, fewest = UINT32_MAX;
  if (layout_field(e->db, e->db->registers[e->ctl].layout, "all") == DB_NONE)
    return counters;
  for (uint32_t i = 0; i < 32; i++) {
    struct pmon_decoded d = {.size = sizeof d};
    struct pmon_image image;
    if (!bit_is(counters, i) ||
        pmon_event_encode(e, 0, (uint32_t)__builtin_ctzll(e->instances | UINT64_C(1) << 63), i, &image) ||
        pmon_decode_value(e->platform, &image.registers[image.n - 1].id, image.registers[image.n - 1].value, &d))
      continue;
    best = d.n_violations < fewest ? 0 : best;
    fewest = d.n_violations < fewest ? d.n_violations : fewest;
    best |= d.n_violations == fewest ? UINT32_C(1) << i : 0;
  }
  return best ? best : counters;
}

/* Returns the counters that can count the event on every one of its instances. */
static uint32_t common_counters(const struct plan_event *e)
{
  const struct db *db = e->event->db;
  const struct db_unit *u = &db->units[e->event->unit];
  uint32_t counters = (uint32_t)pmon_event_counters(e->event);
  for (uint32_t i = 0; u->exceptions.n && i < u->instances && i < 64; i++)
    if (e->instances >> i & 1)
      counters &= (uint32_t)(bits_below(db_unit_counters(db, u, i)) << u->first_counter);
  return counters_by_rules(e->event, counters);
}

static void make_item(const struct pmon_plan *plan, const struct plan_event *e, struct schedule_item *item)
{
  item->unit = pmon_event_unit(e->event);
  item->instances = e->instances;
  item->always = pmon_event_get_kind(e->event) != PMON_EVENT_PROGRAMMED;
  item->counters = item->always ? (uint32_t)pmon_event_counters(e->event) : common_counters(e);
  if (!item->always)
    find_needs(plan, e, item);
}

/* Returns the citation of the event; for a raw code, that of its unit. */
static const char *cite_of(const struct pmon_event *e)
{
  struct pmon_event_info info = {.size = sizeof info};
  if (!pmon_event_describe(e, &info) && info.cite && *info.cite)
    return info.cite;
  return db_text(e->db, e->db->units[e->unit].origin.cite);
}

/* Writes one event of a conflict, with its counters and its section of the guide. */
static size_t write_event(const struct pmon_event *e, char *text, size_t size)
{
  const uint64_t counters = pmon_event_counters(e);
  size_t n = (size_t)snprintf(text, size, "%s (counters ", pmon_event_name(e));
  for (unsigned first = 0, last; first < 32 && n < size; first = last + 1) {
    for (last = first; counters >> first & 1 && counters >> (last + 1) & 1; last++)
      ;
    if (counters >> first & 1)
      n += (size_t)snprintf(text + n, size - n, last > first ? "%s%u-%u" : "%s%u",
                            counters & bits_below(first) ? "," : "", first, last);
  }
  if (n < size)
    n += (size_t)snprintf(text + n, size - n, "%s; %s)", counters ? "" : "none", cite_of(e));
  return n;
}

/* Writes the name of the unit, or of the event's instance with the fewest counters if these differ; returns the number
 * of counters. */
static uint32_t name_poorest(const struct plan_event *e, char *name, size_t size)
{
  const struct db *db = e->event->db;
  const struct db_unit *u = &db->units[e->event->unit];
  uint32_t fewest = u->counters;
  snprintf(name, size, "%s", db_text(db, u->name));
  for (uint32_t i = 0; u->exceptions.n && i < u->instances && i < 64; i++)
    if (e->instances >> i & 1 && db_unit_counters(db, u, i) < fewest) {
      fewest = db_unit_counters(db, u, i);
      snprintf(name, size, "%s%" PRIu32, db_text(db, u->name), i);
    }
  return fewest;
}

/* Writes the reason why the events cannot count together, with the section of the guide. */
static void write_rule(const struct pmon_plan *plan, const struct schedule_conflict *c, char *text, size_t size)
{
  const struct pmon_event *e = plan->events[c->items[0]].event;
  struct pmon_register_info reg = {.size = sizeof reg, .name = "", .cite = ""};
  if (c->reason == SCHEDULE_TOO_MANY) {
    char name[64];
    const uint32_t counters = name_poorest(&plan->events[c->items[0]], name, sizeof name);
    snprintf(text, size, "they need more counters than they can use (%s has %" PRIu32 "; %s)", name, counters,
             db_text(e->db, e->db->units[e->unit].origin.cite));
  } else if (c->reason == SCHEDULE_LEADS) {
    snprintf(text, size,
             "some counters select the event set and umasks for others, and cannot select all that these events need");
  } else if (c->resource >= SETS_RESOURCE) {
    const char *cite = sets_cite(e, c->resource);
    snprintf(text, size, "they belong to different event sets%s%s%s", *cite ? " (" : "", cite, *cite ? ")" : "");
  } else {
    platform_get_register(plan->platform, pmon_event_unit(e), c->resource, &reg);
    snprintf(text, size, "they need different values of the unit's register %s%s (%s)", reg.name,
             c->reason == SCHEDULE_LATCHED ? ", which takes effect some time after it is written" : "", reg.cite);
  }
}

/* Reports an event that no counter can count, and the instance that causes it. */
static int explain_poorest(struct pmon_plan *plan, const struct plan_event *e, const char *text)
{
  char name[64];
  const uint32_t counters = name_poorest(e, name, sizeof name);
  if (counters == e->event->db->units[e->event->unit].counters)
    return context_fail(plan->context, PMON_E_UNSCHEDULABLE, 0, "no counter can count %s", text);
  return context_fail(plan->context, PMON_E_UNSCHEDULABLE, 0,
                      "no counter of all its instances can count %s: %s has only %" PRIu32 "; choose other instances",
                      text, name, counters);
}

static int plan_explain_conflict(struct pmon_plan *plan, const struct schedule_conflict *c)
{
  char text[1700] = "", rule[300], remedy[320];
  size_t n = 0;
  for (uint32_t i = 0; i < c->n && n < sizeof text; i++) {
    n += (size_t)snprintf(text + n, sizeof text - n, "%s", i ? ", " : "");
    if (n < sizeof text)
      n += write_event(plan->events[c->items[i]].event, text + n, sizeof text - n);
    const char *metric = c->reason == SCHEDULE_LATCHED ? latched_metric(plan, c->items[i]) : "";
    if (*metric && n < sizeof text)
      n += (size_t)snprintf(text + n, sizeof text - n, " of the metric %s", metric);
  }
  if (c->reason == SCHEDULE_NO_COUNTER)
    return explain_poorest(plan, &plan->events[c->items[0]], text);
  write_rule(plan, c, rule, sizeof rule);
  latched_remedy(plan, c, remedy, sizeof remedy);
  if (c->reason == SCHEDULE_LATCHED)
    return context_fail(plan->context, PMON_E_UNSCHEDULABLE, 0,
                        "these cannot count in one session, because %s; %smeasure one after the other: %s", rule,
                        remedy, text);
  return context_fail(plan->context, PMON_E_UNSCHEDULABLE, 0, "these cannot count in one round, because %s: %s", rule,
                      text);
}

uint32_t plan_followed_counter(const struct pmon_event *e)
{
  if (e->event == DB_NONE)
    return UINT32_MAX;
  struct db_span attrs = e->db->events[e->event].attrs;
  for (uint32_t i = attrs.first; i < attrs.first + attrs.n; i++)
    if (!strcmp(db_text(e->db, e->db->attrs[i].key), "follows"))
      return (uint32_t)strtoul(db_text(e->db, e->db->attrs[i].value), NULL, 10);
  return UINT32_MAX;
}

static bool leads(const struct pmon_event *e, const struct pmon_event *follower, uint32_t counter)
{
  return pmon_event_unit(e) == pmon_event_unit(follower) && pmon_event_get_kind(e) == PMON_EVENT_PROGRAMMED &&
         pmon_event_counters(e) == UINT32_C(1) << counter;
}

/* Checks an event that follows a counter: it is meaningful only together with an event on that counter. A group must
 * name both, and is then never split (E5-2600 guide, 2.3.2.1). */
static int check_follower(struct pmon_plan *plan, uint32_t event)
{
  const struct pmon_event *e = plan->events[event].event;
  uint32_t counter = plan_followed_counter(e);
  bool found = counter == UINT32_MAX;
  for (uint32_t g = 0; g < plan->n_groups && counter != UINT32_MAX; g++) {
    struct plan_group *group = &plan->groups[g];
    bool leader = false, here = false;
    for (uint32_t i = 0; i < group->n; i++) {
      here = here || group->items[i] == event;
      leader = leader || leads(plan->events[group->items[i]].event, e, counter);
    }
    found = found || (here && leader);
    group->strict = group->strict || (here && leader);
  }
  if (found)
    return 0;
  return context_fail(plan->context, PMON_E_UNSCHEDULABLE, 0,
                      "%s depends on the event of counter %" PRIu32 " (%s); put it into a group with an event that "
                      "only this counter counts: {EVENT,%s}",
                      pmon_event_name(e), counter, cite_of(e), pmon_event_name(e));
}

/* Removes counters of an event's unit that other sessions have; if counters select sets for each other, all of the
 * unit's counters. */
static void leave_out_taken(struct schedule_item *item, uint32_t taken)
{
  bool sets = item->n_halves != 0;
  for (uint32_t i = 0; i < item->n_needs; i++)
    sets = sets || item->needs[i].resource >= SETS_RESOURCE;
  if (!item->always)
    item->counters &= taken && sets ? 0 : ~taken;
}

int plan_schedule_around(struct pmon_plan *plan, uint32_t (*taken)(void *user, uint32_t event), void *user,
                         struct schedule_conflict *conflict, struct schedule_plan *ret)
{
  const uint32_t n_items = taken ? plan_own_events(plan) : plan->n_events;
  struct schedule_item *items = calloc(plan->n_events + 1, sizeof *items);
  struct schedule_group *groups = calloc(plan->n_groups + 1, sizeof *groups);
  int status = items && groups ? 0 : PMON_E_MEMORY;
  for (uint32_t i = 0; !status && i < n_items; i++)
    make_item(plan, &plan->events[i], &items[i]);
  if (!status)
    sets_prepare(plan, items);
  for (uint32_t i = 0; !status && taken && i < n_items; i++)
    leave_out_taken(&items[i], taken(user, i));
  for (uint32_t g = 0; !status && g < plan->n_groups; g++)
    groups[g] = (struct schedule_group){
        .items = plan->groups[g].items, .n = plan->groups[g].n, .strict = plan->groups[g].strict};
  const struct schedule_problem problem = {
      .items = items, .groups = groups, .n_items = n_items, .n_groups = plan->n_groups};
  if (!status && latched_conflict(plan, items, n_items, conflict))
    status = PMON_E_UNSCHEDULABLE;
  if (!status)
    status = schedule_solve(&problem, conflict, ret);
  free(items);
  free(groups);
  return status;
}

int pmon_plan_schedule(struct pmon_plan *plan)
{
  struct schedule_conflict conflict = {0};
  if (plan->scheduled)
    return 0;
  for (uint32_t i = 0; i < plan->n_events; i++) {
    int status = check_follower(plan, i);
    if (status)
      return status;
  }
  int status = plan_schedule_around(plan, NULL, NULL, &conflict, &plan->schedule);
  if (status == PMON_E_UNSCHEDULABLE)
    plan_explain_conflict(plan, &conflict);
  else if (status)
    context_fail(plan->context, status, 0, "no memory for a plan");
  else
    plan_add_witness(plan);
  plan->scheduled = !status;
  return status;
}
