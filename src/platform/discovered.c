/* SPDX-License-Identifier: MIT */
/* Compares the discovery page with the platform's tables. */
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <pmon/discovery.h>
#include <pmon/hardware.h>
#include "src/base/sized.h"
#include "src/platform/page.h"
#include "src/platform/platform.h"

struct comparison {
  const struct pmon_discovery *page;
  const struct pmon_platform *platform;
  const struct pmon_discovery_place *place;
  pmon_diagnostic diagnostic;
  void *user;
  uint32_t n;
  char what[64]; /* "cha 3" */
};

static void report_difference(struct comparison *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void report_difference(struct comparison *c, const char *format, ...)
{
  char text[256];
  va_list ap;
  int n = snprintf(text, sizeof text, "%s: ", c->what);
  va_start(ap, format);
  vsnprintf(text + n, sizeof text - (size_t)n, format, ap);
  va_end(ap);
  c->n++;
  if (c->diagnostic)
    c->diagnostic(c->user, text);
}

/* Finds the address of the first register of a role; false: the unit has none. */
static bool role_address(const struct comparison *c, uint32_t unit, uint32_t instance, uint32_t role,
                         struct pmon_address *ret_address)
{
  struct pmon_register_info r = {.size = sizeof r};
  for (uint32_t i = 0; platform_get_register(c->platform, unit, i, &r); i++)
    if (r.role == role)
      return !pmon_register_address(
          c->platform, &(struct pmon_register_id){.unit = unit, .reg = i, .instance = instance}, ret_address);
  return false;
}

/* Converts the table's address to the page's encoding; false: it is unknown. */
static bool page_address(const struct comparison *c, const struct pmon_address *a, uint64_t *ret_address)
{
  uint64_t base, size;
  if (a->space == PMON_SPACE_MMIO && a->device == PMON_BAR_PHYSICAL) {
    if (c->place->package) /* such addresses are those of the first package */
      return false;
    *ret_address = a->offset;
  } else if (a->space == PMON_SPACE_MMIO) {
    if (!c->place->backend || pmon_bar_address(c->place->backend, c->place->package, a->device, &base, &size))
      return false;
    *ret_address = base + a->offset;
  } else if (a->space == PMON_SPACE_PCI) {
    *ret_address = (uint64_t)(a->device & 0xff) << 12 | a->offset; /* the system numbers buses */
  } else {
    *ret_address = a->offset;
  }
  return true;
}

static void compare_offset(struct comparison *c, const char *name, uint64_t page, uint64_t table)
{
  if (page != table)
    report_difference(c, "%s 0x%" PRIx64 " in the page, 0x%" PRIx64 " in the tables", name, page, table);
}

static void compare_unit(struct comparison *c, uint32_t unit, const struct pmon_unit_info *info,
                         const struct pmon_discovered_unit *u)
{
  static const struct {
    uint32_t role;
    const char *name;
  } roles[] = {{PMON_ROLE_UNIT_STATUS, "offset of the status"},
               {PMON_ROLE_CTL, "offset of the controls"},
               {PMON_ROLE_CTR, "offset of the counters"}};
  const uint64_t offsets[] = {u->status_offset, u->ctl_offset, u->ctr_offset};
  struct pmon_address base, a;
  uint64_t address;
  snprintf(c->what, sizeof c->what, "%s %" PRIu32, info->name, u->id);
  if (info->perf_only) {
    report_difference(c, "the tables have no addresses of this unit; the page's is 0x%" PRIx64, u->address);
    return;
  }
  if (!role_address(c, unit, u->id, PMON_ROLE_UNIT_CTL, &base)) {
    report_difference(c, "not in the tables, which have %" PRIu32 " instances", info->instances);
    return;
  }
  if (base.space != u->space) {
    report_difference(c, "%s registers in the page, %s in the tables", pmon_space_name(u->space),
                      pmon_space_name(base.space));
    return;
  }
  if (page_address(c, &base, &address))
    compare_offset(c, "address", u->space == PMON_SPACE_PCI ? u->address & 0xfffff : u->address, address);
  for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
    if (role_address(c, unit, u->id, roles[i].role, &a))
      compare_offset(c, roles[i].name, offsets[i], a.offset - base.offset);
  struct pmon_unit_info own = {.size = sizeof own};
  pmon_unit_describe_instance(c->platform, unit, u->id, &own);
  if (u->counters != own.counters)
    report_difference(c, "%" PRIu32 " counters in the page, %" PRIu32 " in the tables", u->counters, own.counters);
  if (u->width_bits != own.width_bits)
    report_difference(c, "counters of %" PRIu32 " bits in the page, of %" PRIu32 " in the tables", u->width_bits,
                      own.width_bits);
}

static bool unit_of_type(const struct comparison *c, uint32_t type, uint32_t *ret_unit, struct pmon_unit_info *info)
{
  info->size = sizeof *info;
  for (uint32_t i = 0; platform_get_unit(c->platform, i, info); i++)
    if (info->discovery == type) {
      *ret_unit = i;
      return true;
    }
  return false;
}

/* Reports instances of the tables that the page lacks: a smaller processor of the family has fewer. */
static void compare_missing(struct comparison *c)
{
  struct pmon_unit_info info = {.size = sizeof info};
  const struct pmon_discovered_unit *u;
  for (uint32_t i = 0; platform_get_unit(c->platform, i, &info); i++) {
    uint32_t there = 0;
    for (uint32_t k = 0; (u = pmon_discovery_unit(c->page, k)); k++)
      there += u->type == info.discovery && u->id < info.instances;
    snprintf(c->what, sizeof c->what, "%s", info.name);
    if (info.discovery != UINT32_MAX && !info.perf_only && there < info.instances)
      report_difference(c, "%" PRIu32 " in the page, %" PRIu32 " in the tables", there, info.instances);
  }
}

uint32_t discovery_differences(const struct pmon_discovery *discovery, const struct pmon_platform *platform,
                               const struct pmon_discovery_place *place, uint32_t unit)
{
  static const struct pmon_discovery_place nowhere = {.size = sizeof nowhere};
  struct comparison c = {.page = discovery, .platform = platform, .place = place ? place : &nowhere};
  struct pmon_unit_info info = {.size = sizeof info};
  const struct pmon_discovered_unit *u;
  platform_get_unit(platform, unit, &info);
  for (uint32_t i = 0; (u = pmon_discovery_unit(discovery, i)); i++)
    if (u->type == info.discovery)
      compare_unit(&c, unit, &info, u);
  return c.n;
}

/* Reports units of which the package's other registers have another number. */
static void compare_counts(struct comparison *c)
{
  struct pmon_unit_info info = {.size = sizeof info};
  const struct pmon_discovered_unit *u;
  uint32_t n;
  for (uint32_t i = 0; c->place->backend && platform_get_unit(c->platform, i, &info); i++) {
    uint32_t there = 0;
    for (uint32_t k = 0; (u = pmon_discovery_unit(c->page, k)); k++)
      there += u->type == info.discovery;
    if (info.discovery == UINT32_MAX || pmon_unit_count(c->place->backend, c->place->package, c->platform, i, &n) ||
        n == there)
      continue;
    snprintf(c->what, sizeof c->what, "%s", info.name);
    report_difference(c, "%" PRIu32 " in the page, %" PRIu32 " by the capability registers and BARs", there, n);
  }
}

int pmon_discovery_compare(const struct pmon_discovery *discovery, const struct pmon_platform *platform,
                           const struct pmon_discovery_place *place, pmon_diagnostic diagnostic, void *user)
{
  struct pmon_discovery_place full = {.size = sizeof full};
  const int status = place ? sized_take(&full, sizeof full, place) : 0;
  if (status)
    return status;
  struct comparison c = {
      .page = discovery, .platform = platform, .place = &full, .diagnostic = diagnostic, .user = user};
  const struct pmon_discovered_unit *u;
  struct pmon_unit_info info;
  for (uint32_t i = 0, unit; (u = pmon_discovery_unit(discovery, i)); i++) {
    if (unit_of_type(&c, u->type, &unit, &info)) {
      compare_unit(&c, unit, &info, u);
      continue;
    }
    snprintf(c.what, sizeof c.what, "type %" PRIu32 ", unit %" PRIu32, u->type, u->id);
    report_difference(&c, "this type is not in the tables");
  }
  compare_counts(&c);
  if (!c.place->fewer)
    compare_missing(&c);
  return c.n < INT_MAX ? (int)c.n : INT_MAX;
}

/* Whether the instance's control is on the page, of a package that has the buses of the tables. */
static bool lists_instance(const struct comparison *c, uint32_t unit, uint32_t instance)
{
  struct pmon_unit_info info = {.size = sizeof info};
  struct pmon_address a;
  uint64_t address;
  return platform_get_unit(c->platform, unit, &info) && role_address(c, unit, instance, PMON_ROLE_UNIT_CTL, &a) &&
         page_address(c, &a, &address) && discovery_has(c->page, info.discovery, a.space, address);
}

bool discovery_lists_instance(const struct pmon_discovery *page, const struct pmon_platform *platform, uint32_t unit,
                              uint32_t instance)
{
  static const struct pmon_discovery_place first = {.size = sizeof first};
  return lists_instance(&(struct comparison){.page = page, .platform = platform, .place = &first}, unit, instance);
}

bool pmon_discovery_lists(const struct pmon_discovery *discovery, const struct pmon_platform *platform)
{
  static const struct pmon_discovery_place first = {.size = sizeof first};
  const struct comparison c = {.page = discovery, .platform = platform, .place = &first};
  struct pmon_unit_info info = {.size = sizeof info};
  bool any = false;
  for (uint32_t u = 0; platform_get_unit(platform, u, &info); u++)
    for (uint32_t i = 0; info.discovery != UINT32_MAX && !info.perf_only && i < info.instances; i++, any = true)
      if (!lists_instance(&c, u, i))
        return false;
  return any;
}
