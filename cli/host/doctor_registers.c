/* SPDX-License-Identifier: MIT */
/* Reports problems that register values show, and their remedies. */
#include "cli/host/doctor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { STATE_OFF, STATE_FROZEN, STATE_TAKEN, STATES };

static const char *const remedies[STATES] = {
    [STATE_OFF] = "reads all ones: the unit is powered down, or its device is hidden; its counts are unavailable",
    [STATE_FROZEN] =
        "is frozen: its counters do not count until the program that froze them exits, or pmon restore restores it",
    [STATE_TAKEN] = "is programmed by another program: stop that program, or measure with --force"};

struct look {
  struct doctor *doctor;
  const struct pmon_platform *platform;
  struct pmon_backend *backend;
  uint32_t answers; /* number of registers that were read */
  struct {
    uint32_t n;
    char first[160];
  } seen[STATES]; /* registers with each problem */
  struct {
    uint32_t n;
    char first[200];
  } diagnostics; /* differences of the units on a discovery page */
};

static void doctor_on_diagnostic(void *user, const char *text)
{
  struct look *l = user;
  if (!l->diagnostics.n++)
    snprintf(l->diagnostics.first, sizeof l->diagnostics.first, "%s", text);
}

/* Prints one line for each discovery page, however many problems it has; `pmon discover` prints the details. */
static void doctor_report_page(struct look *l, uint32_t package, bool broken)
{
  char cause[300], more[40] = "";
  if (l->diagnostics.n > 1)
    snprintf(more, sizeof more, " (and %" PRIu32 " more)", l->diagnostics.n - 1);
  snprintf(cause, sizeof cause, "discovery page of package %" PRIu32 ": %s%s", package, l->diagnostics.first, more);
  doctor_find(
      l->doctor, cause,
      broken ? "the firmware did not fill it, or its memory is not accessible; pmon uses the units of the tables only"
             : "pmon discover lists all differences; if the page is right, pmon discover --repair FILE.platform writes "
               "a platform that follows it");
}

static void check_discovery(struct look *l)
{
  for (uint32_t p = 0; p < l->backend->packages; p++) {
    struct pmon_discovery *page = NULL;
    l->diagnostics.n = 0;
    const int status = pmon_discovery_read(l->backend, p, doctor_on_diagnostic, l, &page);
    if (!status)
      pmon_discovery_compare(page, l->platform,
                             &(struct pmon_discovery_place){sizeof(struct pmon_discovery_place), l->backend, p, true},
                             doctor_on_diagnostic, l);
    if (l->diagnostics.n)
      doctor_report_page(l, p, status != 0);
    pmon_discovery_free(page);
  }
}

static uint64_t field_bits(const struct look *l, const struct pmon_register_id *id, const char *name)
{
  struct pmon_field_info f = {.size = sizeof f};
  for (uint32_t i = 0; !pmon_field_describe(l->platform, id->unit, id->reg, i, &f); i++)
    if (!strcasecmp(f.name, name))
      return (f.hi - f.lo >= 63 ? UINT64_MAX : (UINT64_C(1) << (f.hi - f.lo + 1)) - 1) << f.lo;
  return 0;
}

/* Returns the state in which a register does not count or is used by other software; -1 if it is in none. */
static int register_state(struct look *l, const struct pmon_register_id *id, uint32_t role,
                          const struct pmon_address *a)
{
  uint64_t value;
  if (l->backend->ops->read(l->backend, a, &value))
    return -1;
  l->answers++;
  if (value == (a->width_bits == 32 ? UINT32_MAX : UINT64_MAX))
    return STATE_OFF;
  if (role != PMON_ROLE_CTL && value & (field_bits(l, id, "frz") | field_bits(l, id, "frz_all")))
    return STATE_FROZEN;
  /* If the unit has an enable bit, an event without this bit is left over from a program that has ended. */
  const uint64_t enable = field_bits(l, id, "en");
  return role == PMON_ROLE_CTL && value & (enable ? enable : field_bits(l, id, "ev_sel")) ? STATE_TAKEN : -1;
}

static void doctor_check_register(struct look *l, const struct pmon_register_id *id, uint32_t role, uint32_t package)
{
  struct pmon_address a;
  char name[80];
  if (pmon_register_address(l->platform, id, &a))
    return;
  a.package = package;
  a.width_bits = a.space == PMON_SPACE_PCI ? 32 : a.width_bits;
  const int at = register_state(l, id, role, &a);
  if (at < 0 || l->seen[at].n++)
    return;
  pmon_register_name(l->platform, id, name, sizeof name);
  snprintf(l->seen[at].first, sizeof l->seen[at].first, "%s (instance %" PRIu32 ", package %" PRIu32 ")", name,
           id->instance, package);
}

/* Prints one line for each state, whatever the number of registers in it. */
static void doctor_report_states(struct look *l)
{
  char cause[200];
  for (int i = 0; i < STATES; i++) {
    if (!l->seen[i].n)
      continue;
    snprintf(cause, sizeof cause, "%s", l->seen[i].first);
    if (l->seen[i].n > 1)
      snprintf(cause, sizeof cause, "%s and %" PRIu32 " more", l->seen[i].first, l->seen[i].n - 1);
    doctor_find(l->doctor, cause, remedies[i]);
  }
}

static void doctor_check_registers(struct look *l)
{
  struct pmon_unit_info unit = {.size = sizeof unit};
  struct pmon_register_info reg = {.size = sizeof reg};
  for (uint32_t u = 0; !pmon_unit_describe(l->platform, u, &unit); u++)
    for (uint32_t r = 0; !pmon_register_describe(l->platform, u, r, &reg); r++) {
      if (reg.role != PMON_ROLE_UNIT_CTL && reg.role != PMON_ROLE_GLOBAL_CTL && reg.role != PMON_ROLE_CTL)
        continue;
      for (uint32_t i = 0; i < unit.instances * reg.count * l->backend->packages; i++)
        doctor_check_register(
            l,
            &(struct pmon_register_id){
                .unit = u, .reg = r, .index = i % reg.count, .instance = i / reg.count % unit.instances},
            reg.role, i / reg.count / unit.instances);
    }
}

/* A unit's control registers on one package: how many instances have them in PCI configuration space or in MMIO,
 * whether any can be read, and if not, why. */
struct reach {
  uint32_t functions, in_memory;
  bool any;
  int status;
  char why[400];
};

static void reach_unit(const struct look *l, uint32_t unit, uint32_t package, struct reach *r)
{
  struct pmon_register_info reg = {.size = sizeof reg};
  struct pmon_unit_info info = {.size = sizeof info};
  struct pmon_register_id id = {.unit = unit};
  struct pmon_address a;
  uint64_t value;
  *r = (struct reach){0};
  pmon_unit_describe(l->platform, unit, &info);
  while (!pmon_register_describe(l->platform, unit, id.reg, &reg) && reg.role != PMON_ROLE_UNIT_CTL)
    id.reg++;
  for (; id.instance < info.instances; id.instance++) {
    if (pmon_register_address(l->platform, &id, &a))
      continue;
    const bool memory = a.space == PMON_SPACE_MMIO && a.device <= PMON_BAR_LAST_MEM;
    if ((!memory && a.space != PMON_SPACE_PCI) || l->doctor->shut >> a.space & 1)
      continue; /* a closed access method has been reported already */
    a.package = package;
    a.width_bits = 32;
    r->functions += !memory;
    r->in_memory += memory;
    const int status = l->backend->ops->read(l->backend, &a, &value);
    r->any |= !status;
    if (status && !*r->why) {
      r->status = status;
      snprintf(r->why, sizeof r->why, "%s", l->backend->error_text ? l->backend->error_text : pmon_status_name(status));
    }
  }
}

/* Reports units whose registers cannot be reached: firmware can disable the PCI functions that contain them, and the
 * kernel can block access to memory. */
static void check_reach(struct look *l)
{
  struct pmon_unit_info info = {.size = sizeof info};
  struct reach r;
  char cause[160];
  for (uint32_t p = 0; p < l->backend->packages; p++)
    for (uint32_t u = 0; !pmon_unit_describe(l->platform, u, &info); u++) {
      reach_unit(l, u, p, &r);
      if (r.any || !(r.functions + r.in_memory))
        continue;
      if (r.functions)
        snprintf(cause, sizeof cause, "%s (package %" PRIu32 "): none of its %" PRIu32 " PCI functions exists",
                 info.name, p, r.functions);
      else
        snprintf(cause, sizeof cause, "%s (package %" PRIu32 ")", info.name, p);
      doctor_find(l->doctor, cause,
                  r.functions && r.status == PMON_E_NO_DEVICE
                      ? "the firmware hides them, or the processor has none: enable monitoring or uncore devices in "
                        "the firmware's set-up"
                      : r.why);
    }
}

bool doctor_check_all_registers(struct doctor *d)
{
  struct look l = {.doctor = d};
  if (!cli_platform(d->cli) || hardware_open(d->cli, &d->h, &l.backend) != CLI_DONE)
    return false;
  l.platform = d->cli->platform;
  doctor_check_registers(&l);
  if (l.answers || !d->cpu.hypervisor) {
    check_discovery(&l);
    check_reach(&l);
  }
  doctor_report_states(&l);
  hardware_close(l.backend);
  return l.answers;
}
