/* SPDX-License-Identifier: MIT */
#include "tests/hardware/kernel_pmus.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tests/hardware/kernel_own.h"

struct kernel_pmus kernel_pmus;

/* Formats by unit, as in the kernel's driver; NULL: all units of the platform. */
static const struct {
  const char *platform, *unit, *name, *text;
} formats[] = {
    {"emr", NULL, "event", "config:0-7"},
    {"emr", NULL, "edge", "config:18"},
    {"emr", NULL, "inv", "config:23"},
    {"emr", "iio", "thresh", "config:24-35"},
    {"emr", "iio", "umask", "config:8-15"},
    {"emr", "iio", "ch_mask", "config:36-47"},
    {"emr", "iio", "fc_mask", "config:48-50"},
    {"emr", NULL, "thresh", "config:24-31"},
    {"emr", "cha", "umask", "config:8-15,32-63"},
    {"emr", "cha", "tid_en", "config:16"},
    {"emr", "cha", "filter_tid", "config1:0-9"},
    {"emr", "ubox", "umask", "config:8-15"},
    {"emr", NULL, "umask", "config:8-15,32-55"},
    {"snbep", "qpi", "event", "config:0-7,21"},
    {"snbep", NULL, "event", "config:0-7"},
    {"snbep", "pcu", "occ_sel", "config:14-15"},
    {"snbep", "pcu", "occ_edge", "config:14-51"},
    {"snbep", NULL, "umask", "config:8-15"},
    {"snbep", NULL, "edge", "config:18"},
    {"snbep", NULL, "inv", "config:23"},
    {"snbep", "cbo", "tid_en", "config:19"},
    {"snbep", "cbo", "filter_tid", "config1:0-4"},
    {"snbep", "cbo", "filter_nid", "config1:10-17"},
    {"snbep", "cbo", "filter_state", "config1:18-22"},
    {"snbep", "cbo", "filter_opc", "config1:23-31"},
    {"snbep", "qpi", "match_mc", "config1:9-12"},
    {"snbep", "qpi", "match_rds", "config1:48-51"},
    {"snbep", "qpi", "mask_mc", "config2:9-12"},
    {"snbep", "qpi", "mask_rds", "config2:48-51"},
    {"snbep", NULL, "thresh", "config:24-31"},
};

void kernel_path(char *path, size_t size, const char *pmu, const char *file)
{
  snprintf(path, size, "sys/bus/event_source/devices/%s/%s", pmu, file);
}

static void add_file(const struct tree *t, const char *pmu, const char *file, const char *text)
{
  char path[256], line[96];
  kernel_path(path, sizeof path, pmu, file);
  snprintf(line, sizeof line, "%s\n", text);
  tree_file(t, path, line);
}

static void add_pmu(const struct tree *t, const struct pmon_unit_info *unit, const struct kernel_pmu *pmu)
{
  char text[64];
  kernel_pmus.at[kernel_pmus.n] = *pmu;
  snprintf(text, sizeof text, "%u", KERNEL_FIRST_TYPE + kernel_pmus.n++);
  add_file(t, pmu->name, "type", text);
  add_file(t, pmu->name, "cpumask", "0,2");
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    char file[64], path[256], full[400];
    snprintf(file, sizeof file, "format/%s", formats[i].name);
    kernel_path(path, sizeof path, pmu->name, file);
    snprintf(full, sizeof full, "%s/%s", t->root, path);
    if (!strcmp(formats[i].platform, kernel_pmus.has_enable ? "snbep" : "emr") &&
        (!formats[i].unit || !strcmp(formats[i].unit, unit->name)) && access(full, F_OK))
      add_file(t, pmu->name, file, formats[i].text);
  }
}

bool kernel_address_of(const struct kernel_pmu *p, enum pmon_role role, uint32_t number, struct pmon_address *a)
{
  struct pmon_register_info r = {.size = sizeof r};
  struct pmon_register_id id = {.unit = p->unit, .instance = p->instance};
  for (; !pmon_register_describe(kernel_pmus.platform, id.unit, id.reg, &r); id.reg++)
    if (r.role == role && number >= (role == PMON_ROLE_FREERUNNING ? r.index : 0)) {
      id.index = number - (role == PMON_ROLE_FREERUNNING ? r.index : 0);
      if (id.index < r.count && !pmon_register_address(kernel_pmus.platform, &id, a))
        return true;
    }
  return false;
}

static void add_own_pmus(const struct tree *t)
{
  for (const struct kernel_own *o = kernel_own_events; o->pmu; o++)
    if (kernel_own_add(t, o, KERNEL_FIRST_TYPE + kernel_pmus.n)) {
      snprintf(kernel_pmus.at[kernel_pmus.n].name, sizeof kernel_pmus.at[kernel_pmus.n].name, "%s", o->pmu);
      kernel_pmus.at[kernel_pmus.n++].own = true;
    }
}

/* Formats a PMU's name without its number. A single unit without a name in Linux is named by its type in the page. */
static void name_pmu(const struct pmon_unit_info *unit, char *name, size_t size)
{
  if (!*unit->perf && unit->discovery != UINT32_MAX && unit->instances == 1)
    snprintf(name, size, "uncore_type_%" PRIu32, unit->discovery);
  else
    snprintf(name, size, "%s", unit->perf);
}

void kernel_make_pmus(const struct tree *t, const struct pmon_platform *p, const char *none)
{
  struct pmon_unit_info unit = {.size = sizeof unit};
  struct pmon_platform_info info = {.size = sizeof info};
  char name[32];
  kernel_pmus.platform = p;
  kernel_pmus.n = 0;
  pmon_platform_describe(p, &info);
  kernel_pmus.has_enable = !strcmp(info.name, "snbep");
  for (uint32_t u = 0; !pmon_unit_describe(p, u, &unit); u++) {
    name_pmu(&unit, name, sizeof name);
    for (uint32_t i = 0; *name && unit.counters && (!none || strcmp(none, unit.name)) && i < unit.instances; i++) {
      struct kernel_pmu pmu = {.unit = u, .instance = i};
      struct pmon_address a;
      uint64_t value;
      if (!kernel_address_of(&pmu, PMON_ROLE_CTL, 0, &a))
        continue;
      a.width_bits = a.space == PMON_SPACE_PCI ? 32 : a.width_bits;
      if (machine_read(t->machine, &a, &value) || kernel_pmus.n == KERNEL_PMUS - 1)
        continue;
      if (unit.instances > 1)
        snprintf(pmu.name, sizeof pmu.name, "%s_%" PRIu32, name, i);
      else
        snprintf(pmu.name, sizeof pmu.name, "%s", name);
      add_pmu(t, &unit, &pmu);
    }
  }
  add_own_pmus(t);
}
