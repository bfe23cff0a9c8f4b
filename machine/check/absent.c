/* SPDX-License-Identifier: MIT */
/* Units of the platform that a machine lacks: captured machines have fewer units, and broken ones miss some. */
#include <string.h>
#include <pmon/discovery.h>
#include <pmon/status.h>
#include "machine/check/state.h"
#include "src/base/array.h"

bool unit_is_absent(const struct checker *c, uint32_t package, uint32_t unit, uint32_t instance)
{
  const char *name = db_text(c->db, c->db->units[unit].name);
  for (uint32_t i = 0; i < c->n_absent; i++)
    if (c->absent[i].package == package && c->absent[i].instance == instance && !strcmp(c->absent[i].unit, name))
      return true;
  return false;
}

static int absent_add(struct checker *c, uint32_t package, uint32_t unit, uint32_t instance)
{
  if (unit_is_absent(c, package, unit, instance))
    return PMON_OK;
  if (array_grow(&c->absent, c->n_absent, &c->cap_absent, sizeof *c->absent))
    return PMON_E_MEMORY;
  c->absent[c->n_absent++] = (struct check_absent){package, instance, db_text(c->db, c->db->units[unit].name)};
  return PMON_OK;
}

int check_set_absent(struct checker *c, uint32_t package, const char *unit, uint32_t instance)
{
  const struct db_span span = c->platform->row->units;
  for (uint32_t u = span.first; u < span.first + span.n; u++)
    if (!strcmp(unit, db_text(c->db, c->db->units[u].name)))
      return instance < c->db->units[u].instances ? absent_add(c, package, u, instance) : PMON_E_INVALID;
  return PMON_E_INVALID;
}

void check_know_units(struct checker *c, uint32_t package)
{
  if (package < 64)
    c->units_known |= UINT64_C(1) << package;
}

static bool page_lists(const struct pmon_discovery *page, uint32_t type, uint32_t instance)
{
  const struct pmon_discovered_unit *u;
  for (uint32_t i = 0; (u = pmon_discovery_unit(page, i)); i++)
    if (u->type == type && u->id == instance)
      return true;
  return false;
}

/* True if the unit's control can be read, and does not read as a removed device's. */
static bool control_answers(const struct checker *c, struct pmon_backend *plain, uint32_t package,
                            const struct platform_place *place)
{
  struct pmon_address a;
  uint64_t value = 0;
  if (platform_address(c->db, place, &a))
    return false;
  a.package = package;
  return !plain->ops->read(plain, &a, &value) && value != (a.width_bits == 32 ? UINT32_MAX : UINT64_MAX);
}

static int package_find_absent(struct checker *c, struct pmon_backend *plain, uint32_t package,
                               const struct pmon_discovery *page)
{
  const struct db_span span = c->platform->row->units;
  int status = PMON_OK;
  for (uint32_t u = span.first; u < span.first + span.n; u++) {
    const struct db_unit *unit = &c->db->units[u];
    const uint32_t control = platform_register(c->db, u, PMON_ROLE_UNIT_CTL, 0);
    for (uint32_t i = 0; control != DB_NONE && i < unit->instances && !status; i++)
      if ((page && unit->discovery != DB_NONE && !page_lists(page, unit->discovery, i)) ||
          !control_answers(c, plain, package, &(struct platform_place){u, control, i, 0}))
        status = absent_add(c, package, u, i);
  }
  return status;
}

int check_find_absent(struct checker *c, struct pmon_backend *plain, uint32_t packages)
{
  int status = PMON_OK;
  for (uint32_t package = 0; package < packages && !status; package++) {
    struct pmon_discovery *page = NULL;
    if (pmon_discovery_read(plain, package, NULL, NULL, &page))
      page = NULL; /* no page: the controls decide */
    check_know_units(c, package);
    status = package_find_absent(c, plain, package, page);
    pmon_discovery_free(page);
  }
  return status;
}

const struct check_absent *check_absent(const struct checker *c, uint32_t i)
{
  return i < c->n_absent ? &c->absent[i] : NULL;
}
