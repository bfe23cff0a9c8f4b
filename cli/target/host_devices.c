/* SPDX-License-Identifier: MIT */
/* The host's devices: stacks by their root buses, the rest from the PCI tree in Linux' sysfs. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/target/devices.h"
#include "cli/target/pci_ids.h"
#include "cli/target/port_links.h"

enum { PORTS = 8 };

struct host_devices {
  const struct hardware *hardware;
  struct pmon_unit_info unit;
  struct root_buses buses;
  struct pci_ids *ids;
};

static bool read_number(const struct host_devices *h, const char *function, const char *file, unsigned *ret)
{
  char name[320], text[32];
  snprintf(name, sizeof name, "bus/pci/devices/%.64s/%s", function, file);
  return hardware_text(h->hardware->sys, name, text, sizeof text) && sscanf(text, "%x", ret) == 1;
}

/* Excludes base classes without I/O traffic of their own: bridges, system peripherals, and performance counters. */
static bool is_device(unsigned class_code)
{
  const unsigned base = class_code >> 16;
  return base != 0x06 && base != 0x08 && base != 0x11;
}

/* Returns the port of a root port's device number; PMON_ALL: not in the facts, or not a port. */
static uint32_t port_of(const struct host_devices *h, unsigned root_device, bool integrated)
{
  const uint32_t first = h->unit.root_port;
  return integrated || first == UINT32_MAX || root_device < first || root_device - first >= PORTS ? PMON_ALL
                                                                                                  : root_device - first;
}

/* Returns the bytes per second of the root port's link; its folder is the first `n` characters of `target`; 0: not
 * known. */
static double link_rate(const char *target, size_t n, const char *sys)
{
  const char *const devices = strstr(target, "devices/");
  char port[400];
  if (!devices || n < (size_t)(devices - target))
    return 0;
  snprintf(port, sizeof port, "%.*s", (int)(n - (size_t)(devices - target)), devices);
  return port_link_rate(sys, port, "current");
}

/* Adds a function by the target of its symbolic link: .../pciDDDD:BB/ROOT PORT/.../FUNCTION. */
static bool take_function(const struct host_devices *h, const char *function, struct device_list *list)
{
  char path[600], target[600], name[PCI_NAME];
  unsigned domain, bus, root[4], class_code, vendor, id;
  snprintf(path, sizeof path, "%.280s/bus/pci/devices/%.64s", h->hardware->sys, function);
  const ssize_t n = readlink(path, target, sizeof target - 1);
  target[n > 0 ? n : 0] = 0;
  const char *at = strstr(target, "/pci");
  if (!at || sscanf(at, "/pci%4x:%2x/%4x:%2x:%2x.%1x", &domain, &bus, &root[0], &root[1], &root[2], &root[3]) != 6)
    return true;
  const struct root_bus *b = root_buses_find(&h->buses, domain, bus);
  if (!b || !read_number(h, function, "class", &class_code) || !is_device(class_code) ||
      !read_number(h, function, "vendor", &vendor) || !read_number(h, function, "device", &id))
    return true;
  const char *first = strchr(at + 1, '/') + 1, *behind = strchr(first, '/');
  const double link = behind ? link_rate(target, (size_t)(behind - target), h->hardware->sys) : 0;
  pci_ids_name(h->ids, &(struct pci_function){vendor, id, class_code}, name);
  return devices_add(list, &(struct pmon_device){.unit = h->unit.name,
                                                 .package = b->package,
                                                 .instance = b->instance,
                                                 .port = port_of(h, root[2], !strcmp(first, function)),
                                                 .address = function,
                                                 .name = name,
                                                 .vendor = (uint16_t)vendor,
                                                 .id = (uint16_t)id,
                                                 .class_code = class_code & 0xffffff,
                                                 .link_bytes_per_second = link});
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
  return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_function(const struct dirent *e)
{
  return e->d_name[0] != '.';
}

bool devices_read_host(const struct hardware *hardware, const struct pmon_platform *platform, struct device_list *list)
{
  struct host_devices *h = calloc(1, sizeof *h);
  struct dirent **entries = NULL;
  char path[600];
  bool good = h != NULL;
  if (!good || !devices_unit(platform, &h->unit)) {
    free(h);
    return good;
  }
  h->hardware = hardware;
  root_buses_read(hardware, &h->unit, &h->buses);
  list->source = h->buses.source;
  list->unsure = h->buses.unsure;
  list->denied = h->buses.denied;
  snprintf(path, sizeof path, "%.280s/bus/pci/devices", hardware->sys);
  const int n = h->buses.n ? scandir(path, &entries, is_function, compare_names) : 0;
  h->ids = n > 0 ? pci_ids_open(hardware->sys) : NULL;
  for (int i = 0; i < n; i++) {
    good = good && take_function(h, entries[i]->d_name, list);
    free(entries[i]);
  }
  free(entries);
  pci_ids_free(h->ids);
  free(h);
  return good;
}
