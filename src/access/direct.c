/* SPDX-License-Identifier: MIT */
/* All doors as one backend: an access goes through the door of its space. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "register.h"
#include "system.h"

static const struct {
  const struct door *door;
  uint8_t space;
} doors[] = {{&door_msr, PMON_SPACE_MSR}, {&door_pci, PMON_SPACE_PCI}, {&door_mmio, PMON_SPACE_MMIO}};

enum { DOORS = sizeof doors / sizeof *doors };

struct direct {
  struct pmon_backend backend;
  struct system system;
  struct {
    struct pmon_backend *open;
    int status;
    struct pmon_reason reason;
  } door[DOORS];
};

static struct direct *of(struct pmon_backend *b)
{
  return (struct direct *)(void *)b;
}

/* The door's backend, or NULL with the reason why it is shut. */
static struct pmon_backend *pass(struct direct *d, const struct pmon_address *a, int *ret_status)
{
  for (size_t i = 0; i < DOORS; i++)
    if (doors[i].space == a->space) {
      d->backend.error_text = d->door[i].reason.text;
      *ret_status = d->door[i].status;
      return d->door[i].open;
    }
  d->backend.error_text = "this processor has no such registers";
  *ret_status = PMON_E_NO_DEVICE;
  return NULL;
}

static int direct_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  int status;
  struct pmon_backend *door = pass(of(b), a, &status);
  if (!door)
    return status;
  status = door->ops->read(door, a, ret_value);
  b->error_text = door->error_text;
  return status;
}

static int direct_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  int status;
  struct pmon_backend *door = pass(of(b), a, &status);
  if (!door)
    return status;
  status = door->ops->write(door, a, value);
  b->error_text = door->error_text;
  return status;
}

/* Neighbours that go through one door go together. */
static void direct_sweep(struct pmon_backend *b, struct pmon_read *reads, uint32_t n)
{
  int status;
  for (uint32_t first = 0, end; first < n; first = end) {
    for (end = first + 1; end < n && reads[end].address.space == reads[first].address.space;)
      end++;
    struct pmon_backend *door = pass(of(b), &reads[first].address, &status);
    if (door)
      access_sweep(door, reads + first, end - first);
    for (uint32_t i = first; !door && i < end; i++)
      reads[i].status = status;
    if (door)
      b->error_text = door->error_text;
  }
}

static int direct_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  return system_wait(&of(b)->system, until_ns, ret_now_ns, ret_ended);
}

static bool direct_fault(struct pmon_backend *b)
{
  for (size_t i = 0; i < DOORS; i++)
    pmon_backend_fault(of(b)->door[i].open);
  return false;
}

static void direct_close(struct pmon_backend *b)
{
  for (size_t i = DOORS; i-- > 0;) /* memory's door looks through that of configuration space */
    pmon_backend_close(of(b)->door[i].open);
  free(of(b));
}

/* The reason that tells most: a door that is there and shut, rather than one that is not there. */
static int no_door(const struct direct *d, struct pmon_reason *reason)
{
  size_t best = 0;
  for (size_t i = DOORS; i-- > 0;)
    if (d->door[i].status == PMON_E_PERMISSION || d->door[best].status == PMON_E_NO_DEVICE)
      best = i;
  *reason = d->door[best].reason;
  return d->door[best].status;
}

int pmon_backend_direct_open(const struct pmon_system *system, struct pmon_reason *reason,
                             struct pmon_backend **ret_backend)
{
  static const struct pmon_backend_ops ops = {"direct", direct_read, direct_write, direct_wait, direct_close};
  struct direct *d = calloc(1, sizeof *d);
  struct pmon_reason unused;
  bool any = false;
  if (!d)
    return PMON_E_MEMORY;
  int status = system_init(&d->system, system);
  d->backend = (struct pmon_backend){
      .ops = &ops, .packages = d->system.n_packages, .sweep = direct_sweep, .fault = direct_fault};
  for (size_t i = 0; !status && i < DOORS; i++) {
    d->door[i].status = doors[i].door->open(&d->system, &d->door[i].reason, &d->door[i].open);
    if (doors[i].door == &door_pci)
      d->system.pci = d->door[i].open;
    any |= !d->door[i].status;
  }
  if (!status && any) {
    *ret_backend = &d->backend;
    return 0;
  }
  if (!status)
    status = no_door(d, reason ? reason : &unused);
  direct_close(&d->backend);
  return status;
}

int pmon_door_describe(uint32_t i, struct pmon_door_info *info)
{
  if (i >= DOORS)
    return PMON_E_RANGE;
  struct pmon_door_info full = {info->size, doors[i].door->name, doors[i].door->brief, doors[i].door->needs};
  memcpy(info, &full, info->size < sizeof full ? info->size : sizeof full);
  return 0;
}

int pmon_door_open(uint32_t i, const struct pmon_system *system, struct pmon_reason *reason,
                   struct pmon_backend **ret_backend)
{
  struct system s;
  struct pmon_reason unused;
  if (i >= DOORS)
    return PMON_E_RANGE;
  int status = system_init(&s, system);
  return status ? status : doors[i].door->open(&s, reason ? reason : &unused, ret_backend);
}

bool pmon_backend_fault(struct pmon_backend *backend)
{
  return backend && backend->fault && backend->fault(backend);
}
