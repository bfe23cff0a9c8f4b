/* SPDX-License-Identifier: MIT */
#include "vm/slots.h"

#include <stdio.h>
#include <stdlib.h>

/* For devices whose numbers are not known: QEMU's vendor, and a class without meaning. */
enum { UNKNOWN_VENDOR = 0x1234, UNKNOWN_ID = 0x6476, UNKNOWN_CLASS = 0xff0000, MULTIFUNCTION = 0x80 };
enum { LAST_BUS = 0xff, DEVICE_NUMBERS = 32 };

static void slots_refuse(const struct slots_options *o, const struct pmon_device *d, const char *why)
{
  char text[200];
  snprintf(text, sizeof text, "device %.20s: not visible in the guest: %s", d->address, why);
  if (o->refused)
    o->refused(o->report, text);
}

static int compare_places(const void *a, const void *b)
{
  const struct slot *x = a, *y = b;
  return x->bus != y->bus ? (x->bus < y->bus ? -1 : 1) : x->devfn < y->devfn ? -1 : x->devfn > y->devfn;
}

/* Lists the devices with a place in the guest, in the order of their addresses. */
static unsigned slots_take(struct slot *list, const struct slots_options *o)
{
  unsigned n = 0;
  for (uint32_t i = 0; i < o->n; i++) {
    const struct pmon_device *d = &o->devices[i];
    unsigned domain, bus, device, function;
    if (sscanf(d->address, "%x:%x:%x.%x", &domain, &bus, &device, &function) != 4 || domain || bus > LAST_BUS ||
        device >= DEVICE_NUMBERS || function > 7)
      slots_refuse(o, d, "its PCI domain is not 0");
    else if (device)
      slots_refuse(o, d, "only device 0, with up to 8 functions, can be behind a root port");
    else if (d->package >= o->sockets)
      slots_refuse(o, d, "its socket is not in the guest; --sockets 2 adds it");
    else if (n == SLOTS_MOST)
      slots_refuse(o, d, "too many devices");
    else
      list[n++] = (struct slot){.device = d, .bus = bus, .devfn = device << 3 | function};
  }
  qsort(list, n, sizeof *list, compare_places);
  return n;
}

static bool same_stack(const struct pmon_device *a, const struct pmon_device *b)
{
  return a->package == b->package && a->instance == b->instance;
}

/* Adds a bridge to the bus of `at`. Returns NULL, or why there cannot be one. */
static const char *slots_add_bus(struct slots *s, const struct slots_options *o, const struct slot *at)
{
  const struct slot *last = s->n ? &s->slot[s->n - 1] : NULL;
  const struct slot_bridge *before = s->n_bridges ? &s->bridge[s->n_bridges - 1] : NULL;
  const bool adjacent = last && last->bus + 1 == at->bus;
  unsigned number = at->device->port == UINT32_MAX ? 0 : o->root_port + at->device->port;
  if (o->taken(o->user, at->bus))
    return "its bus is used by the uncore or by the guest itself";
  if (adjacent && !same_stack(last->device, at->device))
    return "the bus before it, which is its root bus, belongs to another stack; leave a bus between stacks";
  if (adjacent && number && number <= before->number)
    return "the buses of a stack must be in the order of its ports";
  if (!adjacent && (at->bus < 2 || o->taken(o->user, at->bus - 1)))
    return "the bus before it, which is its root bus, is used by the uncore or by the guest itself";
  if (!adjacent)
    s->host[s->n_hosts++] = (struct slot_host){at->bus - 1, at->device->package};
  if (!number)
    number = adjacent ? before->number + 1 : o->root_port;
  if (number >= DEVICE_NUMBERS)
    return "its root bus has no more ports";
  s->bridge[s->n_bridges++] = (struct slot_bridge){s->n_hosts - 1, number};
  return NULL;
}

void slots_place(struct slots *s, const struct slots_options *o)
{
  struct slot list[SLOTS_MOST];
  const unsigned n = slots_take(list, o);
  *s = (struct slots){0};
  for (unsigned i = 0; i < n; i++) {
    struct slot *last = s->n ? &s->slot[s->n - 1] : NULL, *at = &list[i];
    const char *why = NULL;
    const bool same_bus = last && last->bus == at->bus, same_device = same_bus && last->devfn >> 3 == at->devfn >> 3;
    if (same_bus && !same_stack(last->device, at->device))
      why = "another stack's devices are on its bus";
    else if (same_device && last->devfn == at->devfn)
      why = "another device has the same address";
    else if (at->devfn & 7 && !same_device)
      why = "it has no function 0";
    else if (!same_bus)
      why = slots_add_bus(s, o, at);
    if (why) {
      slots_refuse(o, at->device, why);
      continue;
    }
    at->bridge = s->n_bridges - 1;
    at->several = same_device;
    for (unsigned k = 0; same_device && k < s->n; k++)
      if (s->slot[k].bus == at->bus && s->slot[k].devfn >> 3 == at->devfn >> 3)
        s->slot[k].several = true;
    s->slot[s->n++] = *at;
  }
}

uint32_t slot_config_read(void *user, unsigned devfn, unsigned offset, unsigned size)
{
  const struct slot *s = user;
  const struct pmon_device *d = s->device;
  uint32_t dword = 0;
  (void)devfn;
  switch (offset & ~3u) {
  case 0x00: dword = d->vendor ? (uint32_t)d->id << 16 | d->vendor : (uint32_t)UNKNOWN_ID << 16 | UNKNOWN_VENDOR; break;
  case 0x08: dword = (d->class_code ? d->class_code : UNKNOWN_CLASS) << 8; break;
  case 0x0c: dword = s->several ? (uint32_t)MULTIFUNCTION << 16 : 0; break;
  }
  dword >>= offset % 4 * 8;
  return size == 4 ? dword : dword & ((1u << size * 8) - 1);
}

void slot_config_write(void *user, unsigned devfn, unsigned offset, unsigned size, uint32_t value)
{
  (void)user, (void)devfn, (void)offset, (void)size, (void)value;
}
