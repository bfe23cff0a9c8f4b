/* SPDX-License-Identifier: MIT */
/* All access methods as one backend: each access uses the access method of its space. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>
#include <pmon/platform.h>
#include "src/access/direct.h"
#include "src/access/lock.h"
#include "src/access/method.h"
#include "src/access/ranges.h"
#include "src/access/register.h"
#include "src/access/remote_backend.h"
#include "src/access/system.h"
#include "src/access/tsc.h"
#include "src/base/sized.h"

static const struct {
  const struct access_method *access_method;
  uint8_t space;
} access_methods[] = {{&access_method_msr, PMON_SPACE_MSR},
                      {&access_method_pci, PMON_SPACE_PCI},
                      {&access_method_mmio, PMON_SPACE_MMIO},
                      {&access_method_resctrl, PMON_SPACE_RESCTRL}};

/* The last access method reaches no registers: a host with this one alone has no registers that can be read. */
enum { ACCESS_METHODS = sizeof access_methods / sizeof *access_methods, REGISTER_METHODS = ACCESS_METHODS - 1 };

struct direct {
  struct pmon_backend backend;
  struct system system;
  struct ranges ranges;
  int lock_fd; /* valid while `locks` is not 0; -1: the devices have no locks */
  uint32_t locks;
  struct {
    struct pmon_backend *open;
    int status;
    struct pmon_reason reason;
  } access_method[ACCESS_METHODS];
};

static struct direct *direct_backend(struct pmon_backend *b)
{
  return (struct direct *)(void *)b;
}

/* Returns the backend of the access method, or NULL with the reason why it is not open. */
static struct pmon_backend *direct_pass(struct direct *d, const struct pmon_address *a, int *ret_status)
{
  for (size_t i = 0; i < ACCESS_METHODS; i++)
    if (access_methods[i].space == a->space) {
      d->backend.error_text = d->access_method[i].reason.text;
      *ret_status = d->access_method[i].status;
      return d->access_method[i].open;
    }
  d->backend.error_text = "this processor has no such registers";
  *ret_status = PMON_E_NO_DEVICE;
  return NULL;
}

static int direct_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  int status;
  struct pmon_backend *access_method = direct_pass(direct_backend(b), a, &status);
  if (!access_method)
    return status;
  status = access_method->ops->read(access_method, a, ret_value);
  b->error_text = access_method->error_text;
  return status;
}

static int direct_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  int status;
  struct pmon_backend *access_method = direct_pass(direct_backend(b), a, &status);
  if (!access_method)
    return status;
  status = ranges_check(&direct_backend(b)->ranges, b, a, value);
  if (status) {
    b->error_text = direct_backend(b)->ranges.text;
    return status;
  }
  status = access_method->ops->write(access_method, a, value);
  b->error_text = access_method->error_text;
  return status;
}

/* Adjacent reads of one access method are passed on together. */
static void direct_sweep(struct pmon_backend *b, struct pmon_read *reads, uint32_t n)
{
  int status;
  for (uint32_t first = 0, end; first < n; first = end) {
    for (end = first + 1; end < n && reads[end].address.space == reads[first].address.space;)
      end++;
    struct pmon_backend *access_method = direct_pass(direct_backend(b), &reads[first].address, &status);
    if (access_method)
      access_sweep(access_method, reads + first, end - first);
    for (uint32_t i = first; !access_method && i < end; i++)
      reads[i].status = status;
    if (access_method)
      b->error_text = access_method->error_text;
  }
}

static int direct_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  return system_wait(&direct_backend(b)->system, until_ns, ret_now_ns, ret_ended);
}

static bool direct_fault(struct pmon_backend *b)
{
  for (size_t i = 0; i < ACCESS_METHODS; i++)
    pmon_backend_bus_error(direct_backend(b)->access_method[i].open);
  return false;
}

static void direct_close(struct pmon_backend *b)
{
  for (size_t i = ACCESS_METHODS; i-- > 0;) /* the memory access method uses that of configuration space */
    pmon_backend_close(direct_backend(b)->access_method[i].open);
  if (direct_backend(b)->lock_fd >= 0)
    close(direct_backend(b)->lock_fd);
  ranges_fini(&direct_backend(b)->ranges);
  free(direct_backend(b));
}

/* Returns the most useful reason: of an access method that exists but is denied, rather than of one that does not
 * exist. */
static int no_access_method(const struct direct *d, struct pmon_reason *reason)
{
  size_t best = 0;
  for (size_t i = REGISTER_METHODS; i-- > 0;)
    if (d->access_method[i].status == PMON_E_PERMISSION || d->access_method[best].status == PMON_E_NO_DEVICE)
      best = i;
  *reason = d->access_method[best].reason;
  return d->access_method[best].status;
}

/* Opens all access methods, or only number `only`. */
static int direct_open(const struct pmon_system *system, size_t only, struct pmon_reason *reason,
                       struct pmon_backend **ret_backend)
{
  static const struct pmon_backend_ops ops = {sizeof ops,   "direct",    direct_read,
                                              direct_write, direct_wait, direct_close};
  struct direct *d = calloc(1, sizeof *d);
  bool any = false;
  if (!d)
    return PMON_E_MEMORY;
  int status = system_init(&d->system, system, reason);
  if (!status)
    ranges_init(&d->ranges, &d->system);
  d->lock_fd = -1;
  d->backend = (struct pmon_backend){
      .ops = &ops, .packages = d->system.n_packages, .sweep = direct_sweep, .fault = direct_fault, .host = true};
  for (size_t i = 0; !status && i < ACCESS_METHODS; i++) {
    if (only < ACCESS_METHODS && i != only) {
      d->access_method[i].status = PMON_E_NO_DEVICE;
      snprintf(d->access_method[i].reason.text, sizeof d->access_method[i].reason.text,
               "registers of %s need another access method than %s", pmon_space_name(access_methods[i].space),
               access_methods[only].access_method->name);
      continue;
    }
    d->access_method[i].status =
        access_methods[i].access_method->open(&d->system, &d->access_method[i].reason, &d->access_method[i].open);
    if (access_methods[i].access_method == &access_method_pci)
      d->system.pci = d->access_method[i].open;
    any |= !d->access_method[i].status && (i < REGISTER_METHODS || only == i);
  }
  if (!status && any) {
    d->backend.tsc_hz = tsc_of_system(&d->system);
    *ret_backend = &d->backend;
    return 0;
  }
  if (!status && only < ACCESS_METHODS) {
    *reason = d->access_method[only].reason;
    status = d->access_method[only].status;
  } else if (!status) {
    status = no_access_method(d, reason);
  }
  direct_close(&d->backend);
  return status;
}

int pmon_backend_direct_open(const struct pmon_system *system, struct pmon_reason *reason,
                             struct pmon_backend **ret_backend)
{
  struct pmon_reason unused;
  return direct_open(system, ACCESS_METHODS, reason ? reason : &unused, ret_backend);
}

int pmon_access_method_describe(uint32_t i, struct pmon_access_method_info *info)
{
  if (i >= ACCESS_METHODS)
    return PMON_E_RANGE;
  struct pmon_access_method_info full = {sizeof full, access_methods[i].access_method->name,
                                         access_methods[i].access_method->brief,
                                         access_methods[i].access_method->needs};
  return sized_fill(info, &full, sizeof full);
}

int pmon_access_method_open(uint32_t i, const struct pmon_system *system, struct pmon_reason *reason,
                            struct pmon_backend **ret_backend)
{
  struct pmon_reason unused;
  return i < ACCESS_METHODS ? direct_open(system, i, reason ? reason : &unused, ret_backend) : PMON_E_RANGE;
}

/* Returns the backend for a host's registers below wrappers; NULL: the innermost backend is another one. */
static struct direct *direct_below(struct pmon_backend *b)
{
  while (b && b->ops->write != direct_write)
    b = b->inner;
  return b ? direct_backend(b) : NULL;
}

int access_check_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  struct direct *d = direct_below(b);
  struct pmon_backend *helper = d ? NULL : remote_below(b);
  if (helper) {
    const int asked = remote_check_write(helper, a, value);
    b->error_text = helper->error_text;
    return asked;
  }
  const int status = d ? ranges_check(&d->ranges, &d->backend, a, value) : 0;
  if (status)
    b->error_text = d->ranges.text;
  return status;
}

int access_check_read(struct pmon_backend *b, const struct pmon_address *a)
{
  struct direct *d = direct_below(b);
  const int status = d ? ranges_check_read(&d->ranges, &d->backend, a) : 0;
  if (status)
    b->error_text = d->ranges.text;
  return status;
}

int access_lock(struct pmon_backend *b, struct pmon_reason *reason)
{
  static const struct access_method *const order[] = {&access_method_msr, &access_method_mmio, &access_method_pci};
  struct direct *d = direct_below(b);
  int fd = -1;
  if (!d)
    return remote_below(b) ? remote_lock(remote_below(b), true, reason) : PMON_OK;
  for (size_t i = 0; !d->locks && fd < 0 && i < sizeof order / sizeof *order; i++)
    for (size_t k = 0; fd < 0 && k < ACCESS_METHODS; k++)
      if (access_methods[k].access_method == order[i] && d->access_method[k].open)
        fd = order[i]->lock_fd(d->access_method[k].open);
  const int status = fd >= 0 ? lock_file(fd, reason, &d->lock_fd) : PMON_OK;
  d->locks += !status;
  return status;
}

void access_unlock(struct pmon_backend *b)
{
  struct direct *d = direct_below(b);
  if (!d && remote_below(b))
    remote_lock(remote_below(b), false, NULL);
  if (!d || !d->locks || --d->locks)
    return;
  if (d->lock_fd >= 0) {
    flock(d->lock_fd, LOCK_UN); /* a child may still have the descriptor */
    close(d->lock_fd);
  }
  d->lock_fd = -1;
}
