/* SPDX-License-Identifier: MIT */
/* A platform with units at the places that the discovery page has, and everything else from the tables. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <pmon/discovery.h>
#include <pmon/hardware.h>
#include "src/base/bits.h"
#include "src/base/sized.h"
#include "src/platform/page.h"
#include "src/platform/platform.h"

enum { MOST_INSTANCES = 64 };

struct repair {
  const struct pmon_discovery *page;
  const struct pmon_platform *platform;
  struct pmon_discovery_place place;
  char *text;
  size_t size, n;
};

static void repair_write(struct repair *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void repair_write(struct repair *r, const char *format, ...)
{
  va_list ap;
  va_start(ap, format);
  int n = vsnprintf(r->n < r->size ? r->text + r->n : NULL, r->n < r->size ? r->size - r->n : 0, format, ap);
  va_end(ap);
  r->n += n > 0 ? (size_t)n : 0;
}

static void put_word(struct repair *r, const char *key, db_str value)
{
  const char *text = db_text(r->platform->db, value);
  if (*text)
    repair_write(r, "  %s %s\n", key, text);
}

static void put_place(struct repair *r, const char *verb, const struct pmon_address *a)
{
  if (a->space == PMON_SPACE_PCI)
    repair_write(r, "%s pci %" PRIu32 ":%" PRIu32 ".%" PRIu32 " 0x%" PRIx64, verb, pci_bus(a->device),
                 pci_slot(a->device), pci_function(a->device), a->offset);
  else if (a->space == PMON_SPACE_MMIO && a->device <= PMON_BAR_LAST_MEM)
    repair_write(r, "%s mmio MEM%" PRIu32 "+0x%" PRIx64, verb, a->device, a->offset);
  else if (a->space == PMON_SPACE_MMIO)
    repair_write(r, "%s mmio %s+0x%" PRIx64, verb, a->device == PMON_BAR_CXL ? "CXL" : "PHYSICAL", a->offset);
  else
    repair_write(r, "%s %s 0x%" PRIx64, verb, pmon_space_name(a->space), a->offset);
}

/* The page's unit of that type and number; NULL: it has none. */
static const struct pmon_discovered_unit *find_unit(const struct repair *r, uint32_t type, uint32_t id)
{
  const struct pmon_discovered_unit *u;
  for (uint32_t i = 0; (u = pmon_discovery_unit(r->page, i)); i++)
    if (u->type == type && u->id == id)
      return u;
  return NULL;
}

/* Returns the page's place of a unit in the tables' terms: the system's bus number becomes the guide's, and an address
 * in memory a place in a BAR. */
static struct pmon_address place_of(const struct repair *r, const struct pmon_discovered_unit *u, uint32_t table_device)
{
  struct pmon_address a = {.space = u->space, .offset = u->address};
  uint64_t base, size;
  if (u->space == PMON_SPACE_PCI) {
    a.device = (table_device & ~0xffu) | (uint32_t)(u->address >> 12 & 0xff);
    a.offset = u->address & 0xfff;
  } else if (u->space == PMON_SPACE_MMIO) {
    a.device = PMON_BAR_PHYSICAL;
    for (uint32_t bar = 0; r->place.backend && bar <= PMON_BAR_LAST_MEM; bar++)
      if (!pmon_bar_address(r->place.backend, r->place.package, bar, &base, &size) && u->address >= base &&
          u->address - base < size) {
        a.device = bar;
        a.offset = u->address - base;
      }
  }
  return a;
}

/* The values that most instances of a unit have become its rows; the values of other instances become exceptions. */
struct common {
  const struct pmon_discovered_unit *unit;
  uint32_t instances, counters;
};

static bool is_alike(const struct pmon_discovered_unit *a, const struct pmon_discovered_unit *b)
{
  return a->counters == b->counters && a->width_bits == b->width_bits && a->status_offset == b->status_offset &&
         a->ctl_offset == b->ctl_offset && a->ctr_offset == b->ctr_offset;
}

/* Finds the first of the units that most others are like; NULL: the page has none of the type. Counters are as many as
 * any unit has, and as the tables have, because events name them. */
static struct common find_common(const struct repair *r, const struct db_unit *row)
{
  struct common c = {.counters = row->counters};
  const struct pmon_discovered_unit *u, *v;
  uint32_t most = 0;
  for (uint32_t id = 0; id < MOST_INSTANCES; id++) {
    uint32_t n = 0;
    if (!(u = find_unit(r, row->discovery, id)))
      continue;
    for (uint32_t i = id; i < MOST_INSTANCES; i++)
      n += (v = find_unit(r, row->discovery, i)) && is_alike(u, v);
    if (n > most) {
      most = n;
      c.unit = u;
    }
    c.instances = id + 1;
    c.counters = u->counters > c.counters ? u->counters : c.counters;
  }
  return c;
}

/* Writes the instances that differ; adjacent ones that differ alike share a line. */
static void put_exceptions(struct repair *r, const struct db_unit *row, const struct common *c)
{
  const struct pmon_discovered_unit *u, *v;
  for (uint32_t id = 0, last; id < c->instances; id = last + 1) {
    last = id;
    if (!(u = find_unit(r, row->discovery, id)) || (u->counters == c->counters && is_alike(u, c->unit)))
      continue;
    while ((v = find_unit(r, row->discovery, last + 1)) && last + 1 < c->instances && is_alike(u, v))
      last++;
    repair_write(r, last > id ? "  except %" PRIu32 "-%" PRIu32 : "  except %" PRIu32, id, last);
    const struct {
      const char *name;
      uint32_t value, common;
    } parts[] = {{"counters", u->counters, c->counters},
                 {"width", u->width_bits, c->unit->width_bits},
                 {"unit_status", u->status_offset, c->unit->status_offset},
                 {"ctl", u->ctl_offset, c->unit->ctl_offset},
                 {"ctr", u->ctr_offset, c->unit->ctr_offset}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
      if (parts[i].value != parts[i].common)
        repair_write(r, " %s %" PRIu32, parts[i].name, parts[i].value);
    repair_write(r, "\n");
  }
}

static void put_events(struct repair *r, const struct db_unit *unit)
{
  const struct db *db = r->platform->db;
  for (uint32_t i = 0; i < unit->imports.n; i++) {
    const struct db_import *import = &db->imports[unit->imports.first + i];
    repair_write(r, "  events %s", db_text(db, db->sets[import->set].name));
    for (uint32_t k = 0; k < import->settings.n; k++) {
      const struct db_setting *s = &db->settings[import->settings.first + k];
      repair_write(r, " %s=0x%" PRIx64, db_text(db, s->name), s->value);
    }
    repair_write(r, "\n");
  }
}

/* Writes the places of a register that is not in its unit's block. The page's instances share them in the same runs as
 * the tables' do; if there are too few for that, each has its own line. */
static void put_own_places(struct repair *r, const struct db_unit *row, uint32_t reg, uint32_t instances)
{
  const struct db_register *g = &r->platform->db->registers[reg];
  const uint32_t run = row->instances > g->n_own ? row->instances / g->n_own : 1, share = instances % run ? 1 : run;
  for (uint32_t k = 0; k < instances / share; k++) {
    struct platform_place at = {.unit = (uint32_t)(row - r->platform->db->units), .reg = reg, .instance = k * share};
    struct pmon_address a;
    if (at.instance >= row->instances) /* more than the tables know of */
      at.instance = row->instances ? row->instances - 1 : 0;
    if (!platform_address(r->platform->db, &at, &a))
      put_place(r, k ? "\n  also at" : " at", &a);
    if (!k && g->count > 1)
      repair_write(r, " count %" PRIu32 " step %" PRIu32, g->count, g->step);
    if (!k && g->width)
      repair_write(r, " width %" PRIu32, g->width);
    if (!k && g->index)
      repair_write(r, " index %" PRIu32, g->index);
  }
}

static void put_registers(struct repair *r, uint32_t unit, const struct common *c)
{
  const struct pmon_discovered_unit *u = c->unit;
  const struct db *db = r->platform->db;
  const struct db_unit *row = &db->units[platform_unit_row(r->platform, unit)];
  for (uint32_t i = 0; i < row->registers.n; i++) {
    const struct db_register *g = &db->registers[row->registers.first + i];
    const bool counted = g->role == PMON_ROLE_CTL || g->role == PMON_ROLE_CTR;
    const uint64_t offset = g->role == PMON_ROLE_UNIT_STATUS ? u->status_offset
                            : g->role == PMON_ROLE_CTL       ? u->ctl_offset
                            : g->role == PMON_ROLE_CTR       ? u->ctr_offset
                                                             : g->offset;
    repair_write(r, "  register %s %s %s", pmon_role_name(g->role), db_text(db, g->name),
                 g->layout == DB_NONE ? "-" : db_text(db, db->layouts[g->layout].name));
    if (g->own_place != DB_NONE)
      put_own_places(r, row, row->registers.first + i, c->instances);
    if (g->own_place == DB_NONE)
      repair_write(r, " 0x%" PRIx64, offset);
    if (g->own_place == DB_NONE && (counted || g->count > 1))
      repair_write(r, " count %" PRIu32 " step %" PRIu32, counted ? c->counters : g->count, g->step);
    if (g->own_place == DB_NONE && g->width)
      repair_write(r, " width %" PRIu32, g->width);
    if (g->own_place == DB_NONE && g->index)
      repair_write(r, " index %" PRIu32, g->index);
    repair_write(r, "\n");
  }
}

static void put_unit(struct repair *r, uint32_t unit)
{
  const struct db *db = r->platform->db;
  const struct db_unit *row = &db->units[platform_unit_row(r->platform, unit)];
  const struct common common = find_common(r, row);
  const struct pmon_discovered_unit *u;
  if (!common.unit)
    return;
  repair_write(r, "\nunit %s\n", db_text(db, row->name));
  put_word(r, "title", row->title);
  put_word(r, "cite", row->origin.cite);
  put_word(r, "prefix", row->prefix);
  put_word(r, "perf", row->perf);
  put_word(r, "pfm", row->pfm);
  put_word(r, "alias", row->alias);
  repair_write(r, "  instances %" PRIu32 "\n  counters %" PRIu32 " width %" PRIu32 "\n  discovery %" PRIu32 "\n",
               common.instances, common.counters, common.unit->width_bits, row->discovery);
  put_word(r, "clock", row->clock);
  put_events(r, row);
  for (uint32_t id = 0; id < common.instances; id++) {
    const bool known = id < row->places.n;
    const struct db_place *at = &db->places[row->places.first + (known ? id : 0)];
    struct pmon_address a = {0}; /* an instance without a place in the tables and in the page */
    if (row->places.n)
      a = (struct pmon_address){.space = (uint8_t)at->space, .device = at->device, .offset = at->base};
    if (row->places.n && at->space == PMON_SPACE_MMIO)
      platform_bar(text_of(db_text(db, at->device)), &a.device);
    if ((u = find_unit(r, row->discovery, id)))
      a = place_of(r, u, row->places.n ? at->device : 0);
    put_place(r, "  at", &a);
    repair_write(r, "\n");
  }
  put_exceptions(r, row, &common);
  put_registers(r, unit, &common);
}

size_t pmon_discovery_repair(const struct pmon_discovery *discovery, const struct pmon_platform *platform,
                             const struct pmon_discovery_place *place, const struct pmon_repair_text *out)
{
  struct pmon_repair_text to = {0};
  struct repair r = {.page = discovery, .platform = platform};
  struct pmon_platform_info info = {.size = sizeof info};
  struct pmon_unit_info unit = {.size = sizeof unit};
  if (sized_take(&to, sizeof to, out))
    return 0;
  r.text = to.text;
  r.size = to.text_size;
  if (to.text_size)
    *to.text = 0;
  if (place && sized_take(&r.place, sizeof r.place, place))
    return 0;
  pmon_platform_describe(platform, &info);
  if (to.part == PMON_PART_PLATFORM)
    repair_write(
        &r,
        "platform %s\ntitle %s, with units where its discovery page has them\ncite PAGE 817509 1.9\nimport %s\n"
        "file %s.unit\n",
        to.name, info.title, info.name, to.name);
  for (uint32_t i = 0; to.part == PMON_PART_UNITS && platform_get_unit(platform, i, &unit); i++)
    if (unit.discovery != UINT32_MAX && discovery_differences(discovery, platform, place, i))
      put_unit(&r, i);
  return r.n;
}
