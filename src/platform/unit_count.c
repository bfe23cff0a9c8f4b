/* SPDX-License-Identifier: MIT */
/* Counts the units of a package by other sources than the discovery page: capability registers and memory BARs. */
#include <stdbool.h>
#include <string.h>
#include <pmon/discovery.h>
#include <pmon/hardware.h>
#include "src/base/text.h"
#include "src/platform/platform.h"

struct counting {
  struct pmon_backend *backend;
  uint32_t package;
  const struct pmon_platform *platform;
};

/* Adds the number of ones in the register's fields that are named after the unit. A status; *found: there are such
 * fields. */
static int add_register(const struct counting *c, const struct pmon_register_id *id, const char *name, bool *found,
                        uint32_t *n)
{
  struct pmon_field_info f = {.size = sizeof f};
  struct pmon_address a;
  for (uint32_t i = 0; platform_get_field(c->platform, id->unit, id->reg, i, &f); i++) {
    uint64_t value = 0;
    if ((!text_is(text_of(f.name), name) && !text_in_list(text_of(name), f.alias)) ||
        pmon_register_address(c->platform, id, &a))
      continue;
    a.package = c->package;
    int status = c->backend->ops->read(c->backend, &a, &value);
    if (status)
      return status;
    const uint32_t bits = f.hi - f.lo + 1;
    value >>= f.lo;
    *n += (uint32_t)__builtin_popcountll(bits >= 64 ? value : value & ((UINT64_C(1) << bits) - 1));
    *found = true;
  }
  return 0;
}

/* Adds the instances whose controls are in a memory controller's BAR, if that BAR is mapped. */
static int add_bars(const struct counting *c, uint32_t unit, uint32_t instances, bool *found, uint32_t *n)
{
  struct pmon_register_info reg = {.size = sizeof reg};
  struct pmon_register_id id = {.unit = unit};
  struct pmon_address a;
  uint64_t base, size;
  while (platform_get_register(c->platform, unit, id.reg, &reg) && reg.role != PMON_ROLE_UNIT_CTL)
    id.reg++;
  for (; id.instance < instances; id.instance++) {
    if (pmon_register_address(c->platform, &id, &a) || a.space != PMON_SPACE_MMIO || a.device > PMON_BAR_LAST_MEM)
      continue;
    int status = pmon_bar_address(c->backend, c->package, a.device, &base, &size);
    if (status && status != PMON_E_NO_DEVICE)
      return status;
    *n += !status;
    *found = true;
  }
  return 0;
}

int pmon_unit_count(struct pmon_backend *backend, uint32_t package, const struct pmon_platform *platform, uint32_t unit,
                    uint32_t *ret_count)
{
  const struct counting c = {backend, package, platform};
  struct pmon_unit_info info = {.size = sizeof info}, of = {.size = sizeof of};
  struct pmon_register_info reg = {.size = sizeof reg};
  struct pmon_register_id id = {0};
  uint32_t n = 0;
  bool found = false;
  int status = pmon_unit_describe(platform, unit, &info);
  for (; !status && platform_get_unit(platform, id.unit, &of); id.unit++)
    for (id.reg = 0; !status && platform_get_register(platform, id.unit, id.reg, &reg); id.reg++)
      if (reg.role == PMON_ROLE_INFO && of.instances)
        status = add_register(&c, &id, info.name, &found, &n);
  if (!status && !found)
    status = add_bars(&c, unit, info.instances, &found, &n);
  if (!status && !found)
    status = PMON_E_NO_DATA;
  if (!status)
    *ret_count = n;
  return status;
}
