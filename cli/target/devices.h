/* SPDX-License-Identifier: MIT */
/* The devices behind the ports of I/O stacks: of the host, of a scenario, or of a capture. */
#ifndef CLI_TARGET_DEVICES_H
#define CLI_TARGET_DEVICES_H

#include <pmon/platform.h>
#include "cli/target/hardware.h"
#include "cli/target/root_buses.h"

struct scenario;

struct device_list {
  struct pmon_device *devices;
  uint32_t n;
  /* Of the host's devices: the source of the stacks of root buses (root_buses.h). */
  enum root_bus_source source;
  bool unsure, denied;
};

/* Reads the devices of the system's PCI tree whose stack is known (root_buses.h), with names from pci.ids if the system
 * has it. Devices without a stack are left out. False: no memory. */
bool devices_read_host(const struct hardware *h, const struct pmon_platform *platform, struct device_list *list);
/* Read the devices that a scenario names, or that a capture has. A device that has only numbers gets its
 * name from pci.ids. For platforms without a unit of I/O stacks, the unit's name is "". False: no memory. */
bool devices_of_scenario(const struct scenario *scene, const struct pmon_platform *platform, struct device_list *list);
bool devices_of_capture(const struct pmon_capture *capture, struct device_list *list);
void devices_free(struct device_list *list);

/* Adds a copy; false: no memory. */
bool devices_add(struct device_list *list, const struct pmon_device *device);
/* The platform's unit of I/O stacks; false: it has none. */
bool devices_unit(const struct pmon_platform *platform, struct pmon_unit_info *unit);

#endif
