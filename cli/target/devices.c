/* SPDX-License-Identifier: MIT */
#include "cli/target/devices.h"

#include <stdlib.h>
#include <string.h>
#include <pmon/record.h>
#include "machine/trace/scenario.h"

static char *copy_text(const char *s)
{
  return strdup(s ? s : "");
}

bool devices_add(struct device_list *list, const struct pmon_device *device)
{
  struct pmon_device *const grown = realloc(list->devices, (list->n + 1) * sizeof *grown);
  if (!grown)
    return false;
  list->devices = grown;
  struct pmon_device *d = &grown[list->n++];
  *d = *device;
  d->size = sizeof *d;
  d->unit = copy_text(device->unit);
  d->address = copy_text(device->address);
  d->name = copy_text(device->name);
  return d->unit && d->address && d->name;
}

void devices_free(struct device_list *list)
{
  for (uint32_t i = 0; i < list->n; i++) {
    free((char *)list->devices[i].unit);
    free((char *)list->devices[i].address);
    free((char *)list->devices[i].name);
  }
  free(list->devices);
  *list = (struct device_list){0};
}

/* The unit whose facts say where its root ports are; else the one that Linux calls so. */
bool devices_unit(const struct pmon_platform *platform, struct pmon_unit_info *unit)
{
  static const char linux_name[] = "uncore_iio";
  for (int by_name = 0; by_name < 2; by_name++)
    for (uint32_t i = 0;; i++) {
      *unit = (struct pmon_unit_info){.size = sizeof *unit};
      if (pmon_unit_describe(platform, i, unit))
        break;
      if (by_name ? !strcmp(unit->perf, linux_name) : unit->root_port != UINT32_MAX)
        return true;
    }
  return false;
}

bool devices_of_scenario(const struct scenario *scene, const struct pmon_platform *platform, struct device_list *list)
{
  struct pmon_unit_info unit;
  bool good = true;
  if (!devices_unit(platform, &unit))
    return true;
  for (size_t i = 0; good && i < scene->n_devices; i++) {
    const struct scenario_named *d = &scene->device[i];
    good = devices_add(list, &(struct pmon_device){.unit = unit.name,
                                                   .package = d->socket,
                                                   .instance = d->stack,
                                                   .port = d->port,
                                                   .address = d->address,
                                                   .name = d->name});
  }
  return good;
}

bool devices_of_recording(struct pmon_recording *recording, struct device_list *list)
{
  struct pmon_device d = {.size = sizeof d};
  bool good = true;
  for (uint32_t i = 0; good && !pmon_recording_device(recording, i, &d); i++)
    good = devices_add(list, &d);
  return good;
}
