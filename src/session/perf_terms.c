/* SPDX-License-Identifier: MIT */
/*
 * The kernel's PMUs take fields by the names in their format files, which are the facts' names or aliases of them. A
 * field that continues in another one (umask and umask_ext) is one term there. Linux gives the fixed counter event
 * 0xff. Free-running counters have a PMU of their own, with event 0xff, umask 0x10 for the first counter, and umasks
 * from 0x20 on for the next ones, eight per group.
 */
#include "src/session/perf_terms.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "src/encode/image.h"
#include "src/event/event.h"
#include "src/platform/platform.h"

enum { OWN_COUNTER = 0xff, FREE_FIRST = 0x10, FREE_NEXT = 0x20, FREE_GROUP = 8 };

static const char rest_of_field[] = "_ext";

static uint64_t field_value(const struct pmon_field_info *f, uint64_t value)
{
  return value >> f->lo & (UINT64_MAX >> (63 - (f->hi - f->lo)));
}

static int add_term(struct counting_event *e, const char *name, const char *alias, const struct counting_term *term)
{
  if (e->n_terms == COUNTING_TERMS)
    return PMON_E_UNSUPPORTED;
  struct counting_term *t = &e->terms[e->n_terms++];
  *t = *term;
  snprintf(t->names, sizeof t->names, "%s%s%s", name, *alias ? "," : "", alias);
  for (char *c = t->names; *c; c++)
    *c = (char)tolower((unsigned char)*c);
  return 0;
}

/* Finds the field that continues field `name`. */
static bool find_rest(const struct pmon_platform *p, const struct pmon_register_id *id, const char *name,
                      struct pmon_field_info *ret)
{
  char rest[64];
  snprintf(rest, sizeof rest, "%.50s%s", name, rest_of_field);
  for (uint32_t i = 0; platform_get_field(p, id->unit, id->reg, i, ret); i++)
    if (!*ret->overlay && !strcmp(ret->name, rest))
      return true;
  return false;
}

static bool is_rest(const char *name)
{
  const size_t n = strlen(name), k = sizeof rest_of_field - 1;
  return n > k && !strcmp(name + n - k, rest_of_field);
}

/* Adds the terms of one register: each field that the event sets, except the enable bit, which the driver sets. */
static int add_register(const struct pmon_platform *p, const struct pmon_image_register *r, bool control,
                        struct counting_event *e)
{
  const uint64_t value = r->value & r->mask;
  struct pmon_field_info f = {.size = sizeof f}, rest = {.size = sizeof rest};
  int status = 0;
  for (uint32_t i = 0; !status && platform_get_field(p, r->id.unit, r->id.reg, i, &f); i++) {
    if (*f.overlay || !strcmp(f.access, "rsvd") || !strcmp(f.access, "ro") || (control && !strcmp(f.name, "en")) ||
        (control && is_rest(f.name)))
      continue;
    struct counting_term t = {
        .value = field_value(&f, value), .width_bits = f.hi - f.lo + 1, .lo = control ? (int)f.lo : -1};
    if (control && find_rest(p, &r->id, f.name, &rest)) {
      t.value |= field_value(&rest, value) << t.width_bits;
      t.width_bits += rest.hi - rest.lo + 1;
      t.lo = -1;
    }
    if (t.value)
      status = add_term(e, f.name, f.alias, &t);
  }
  return status;
}

/* Numbers free-running counters: instances that share a counter have one PMU, and PMUs are numbered by counter. */
static int number_free(const struct pmon_event *event, uint32_t instance, struct terms *t)
{
  struct pmon_image mine, other;
  uint32_t n = 0;
  uint64_t last = UINT64_MAX;
  int status = encode_image(event, 0, instance, 0, &mine);
  for (uint32_t i = 0; !status && i < instance; i++) {
    status = encode_image(event, 0, i, 0, &other);
    const bool same = other.counter.offset == mine.counter.offset && other.counter.device == mine.counter.device;
    const uint64_t place = (uint64_t)other.counter.device << 40 ^ other.counter.offset;
    t->shared |= same;
    n += !same && place != last;
    last = place;
  }
  t->event.instance = n;
  return status;
}

static int own_counter(const struct pmon_platform *p, const struct pmon_event *event, const struct pmon_image *image,
                       struct terms *t)
{
  const struct counting_term code = {.value = OWN_COUNTER, .width_bits = 8, .lo = 0};
  struct pmon_register_info r = {.size = sizeof r};
  int status = add_term(&t->event, "event", "", &code);
  if (status || pmon_event_get_kind(event) != PMON_EVENT_FREERUNNING)
    return status;
  if (!platform_get_register(p, image->counter_id.unit, image->counter_id.reg, &r))
    return PMON_E_RANGE;
  const uint32_t index = r.index + image->counter_id.index;
  const struct counting_term umask = {
      .width_bits = 8,
      .lo = 8,
      .value = !index ? FREE_FIRST : FREE_NEXT + (index - 1) / FREE_GROUP * 0x10 + (index - 1) % FREE_GROUP};
  status = add_term(&t->event, "umask", "", &umask);
  return status ? status : number_free(event, image->counter_id.instance, t);
}

/* True for a unit without a name in the kernel: the kernel makes a PMU from the discovery page, named by the unit's
 * type there. If a unit has several instances, these PMUs have the page's numbers, which may differ from ours; and such
 * a PMU has programmed counters only. */
static bool is_known_by_type(const struct pmon_unit_info *unit, enum pmon_event_kind kind)
{
  return !*unit->perf && unit->discovery != UINT32_MAX && unit->instances == 1 && kind == PMON_EVENT_PROGRAMMED;
}

static const char *attribute_of(const struct pmon_event *event, const char *key)
{
  const struct db *db = event->db;
  const struct db_span attrs = event->event == DB_NONE ? (struct db_span){0, 0} : db->events[event->event].attrs;
  for (uint32_t i = attrs.first; i < attrs.first + attrs.n; i++)
    if (!strcmp(db_text(db, db->attrs[i].key), key))
      return db_text(db, db->attrs[i].value);
  return NULL;
}

/* Adds the fields, other than code and umask, that are set for an event of the kernel: the kernel cannot take them. */
static int add_further_terms(const struct pmon_event *event, const struct pmon_image *image, struct counting_event *e)
{
  uint32_t n = 0;
  int status = 0;
  for (uint32_t i = 0; !status && pmon_event_get_kind(event) == PMON_EVENT_PROGRAMMED && i < image->n; i++)
    status = add_register(event->platform, &image->registers[i], i + 1 == image->n, e);
  for (uint32_t i = 0; i < e->n_terms; i++)
    if (strncmp(e->terms[i].names, "ev_sel", 6) != 0 && strncmp(e->terms[i].names, "umask", 5) != 0)
      e->terms[n++] = e->terms[i];
  e->n_terms = n;
  return status;
}

/* Terms of an event of cores or of power, which the kernel has by its own name. Units with registers of hardware
 * threads are counted per thread. */
static int terms_of_kernel_event(const struct pmon_event *event, const struct pmon_unit_info *unit, const char *name,
                                 struct terms *ret)
{
  const struct db_unit *u = &event->db->units[event->unit];
  const char *pmu = attribute_of(event, "pmu");
  snprintf(ret->pmu, sizeof ret->pmu, "%.40s", pmu ? pmu : unit->perf);
  ret->event.kernel_event = name;
  ret->event.level = event_level(event) != PMON_LEVEL_NONE;
  ret->event.thread = u->places.n && event->db->places[u->places.first].space == PMON_SPACE_MSR &&
                      event->db->places[u->places.first].device;
  return *ret->pmu ? 0 : PMON_E_NO_DEVICE;
}

int terms_of_event(const struct pmon_event *event, const struct pmon_scope *where, uint32_t counter, struct terms *ret)
{
  const struct pmon_platform *platform = event->platform;
  const enum pmon_event_kind kind = pmon_event_get_kind(event);
  struct pmon_unit_info unit = {.size = sizeof unit};
  struct pmon_image image;
  int status = encode_values(event, where->package, where->instance, counter, &image);
  if (status)
    return status;
  if (!platform_get_unit(platform, pmon_event_unit(event), &unit))
    return PMON_E_RANGE;
  *ret =
      (struct terms){.event.instance = where->instance, .event.package = where->package, .event.summed = unit.summed};
  snprintf(ret->pmu, sizeof ret->pmu, "%.40s%s", unit.perf, kind == PMON_EVENT_FREERUNNING ? "_free_running" : "");
  ret->event.pmu = ret->pmu;
  const char *own_name = attribute_of(event, "perf");
  if (own_name) {
    status = add_further_terms(event, &image, &ret->event);
    return status ? status : terms_of_kernel_event(event, &unit, own_name, ret);
  }
  if (is_known_by_type(&unit, kind))
    snprintf(ret->pmu, sizeof ret->pmu, "uncore_type_%" PRIu32, unit.discovery);
  else if (!*unit.perf)
    return PMON_E_NO_DEVICE;
  if (kind != PMON_EVENT_PROGRAMMED)
    return own_counter(platform, event, &image, ret);
  for (uint32_t i = 0; !status && i < image.n; i++)
    status = add_register(platform, &image.registers[i], i + 1 == image.n, &ret->event);
  /* If the addresses are not known, neither are the positions of the fields: the kernel's formats have them. */
  for (uint32_t i = 0; unit.perf_only && i < ret->event.n_terms; i++)
    ret->event.terms[i].lo = -1;
  return status;
}
