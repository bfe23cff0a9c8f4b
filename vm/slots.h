/* SPDX-License-Identifier: MIT */
/*
 * Positions of devices behind I/O stacks in the guest's PCI tree: each has its own address. Each run of adjacent buses
 * of a stack has a host bridge, whose number is one less than that of the first bus; on it are the root ports, bridges
 * to one bus each, at the device numbers that the stack's ports have. The firmware numbers buses in this order.
 */
#ifndef VM_SLOTS_H
#define VM_SLOTS_H

#include <stdbool.h>
#include <stdint.h>
#include <pmon/platform.h>

enum { SLOTS_MOST = 48 };

struct slot {
  const struct pmon_device *device;
  unsigned bus, devfn;
  unsigned bridge; /* index of the bridge that leads to its bus */
  bool several;    /* the device has other functions */
};

struct slot_bridge {
  unsigned host, number; /* index of the host bridge, and the device number on it */
};

struct slot_host {
  unsigned bus, package;
};

struct slots {
  unsigned n, n_bridges, n_hosts;
  struct slot slot[SLOTS_MOST];
  struct slot_bridge bridge[SLOTS_MOST];
  struct slot_host host[SLOTS_MOST];
};

struct slots_options {
  const struct pmon_device *devices;
  uint32_t n;
  unsigned root_port;                            /* device number of a stack's port 0 on its root bus */
  unsigned sockets;                              /* of the guest */
  bool (*taken)(const void *user, unsigned bus); /* true if the guest has another bus of that number */
  const void *user;
  /* Called for a device that cannot be shown, with the reason. */
  void (*refused)(void *report, const char *text);
  void *report;
};

/* Places the devices; those that the guest cannot show are reported and left out. */
void slots_place(struct slots *s, const struct slots_options *o);

/* Configuration space of a slot, as in struct proxy_function (`user` is the slot): the header, without BARs and
 * interrupts; all bytes after it are zero, and writes are dropped. */
uint32_t slot_config_read(void *user, unsigned devfn, unsigned offset, unsigned size);
void slot_config_write(void *user, unsigned devfn, unsigned offset, unsigned size, uint32_t value);

#endif
