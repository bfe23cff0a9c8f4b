/* SPDX-License-Identifier: MIT */
#include "cli/target/devices.h"

#include <stdlib.h>
#include <string.h>
#include "cli/target/pci_ids.h"
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

/* Finds the unit whose facts have the place of its root ports, or else the one with that name in Linux. */
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

/* Adds a device; a device without a name is named by its numbers. */
static bool devices_add_named(struct device_list *list, const struct pci_ids *ids, const struct pmon_device *device)
{
  char name[PCI_NAME];
  struct pmon_device d = *device;
  if (!d.name || !*d.name) {
    pci_ids_name(ids, &(struct pci_function){d.vendor, d.id, d.class_code}, name);
    d.name = name;
  }
  return devices_add(list, &d);
}

bool devices_of_capture(const struct pmon_capture *capture, struct device_list *list)
{
  struct pmon_device d = {.size = sizeof d};
  struct pci_ids *ids = NULL;
  bool good = true;
  for (uint32_t i = 0; good && !pmon_capture_device(capture, i, &d); i++) {
    ids = i ? ids : pci_ids_open("/sys");
    good = devices_add_named(list, ids, &d);
  }
  pci_ids_free(ids);
  return good;
}

bool devices_of_scenario(const struct scenario *scene, const struct pmon_platform *platform, struct device_list *list)
{
  struct pmon_unit_info unit;
  const bool counted = devices_unit(platform, &unit);
  struct pci_ids *ids = scene->n_devices ? pci_ids_open("/sys") : NULL;
  bool good = true;
  for (size_t i = 0; good && i < scene->n_devices; i++) {
    const struct scenario_named *d = &scene->device[i];
    good = devices_add_named(list, ids,
                             &(struct pmon_device){.unit = counted ? unit.name : "",
                                                   .package = d->socket,
                                                   .instance = d->stack,
                                                   .port = d->port,
                                                   .address = d->address,
                                                   .name = d->name,
                                                   .vendor = (uint16_t)d->vendor,
                                                   .id = (uint16_t)d->id,
                                                   .class_code = d->class_code});
  }
  pci_ids_free(ids);
  return good;
}
