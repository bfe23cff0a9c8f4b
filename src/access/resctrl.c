/* SPDX-License-Identifier: MIT */
/* The values of resctrl as registers of their own space: a value of a package is the sum over its L3 caches. */
#include "src/access/resctrl.h"
#include "src/access/method.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define NEEDS "as root `mount -t resctrl resctrl /sys/fs/resctrl`, and a processor with cache monitoring (RDT)"

struct resctrl {
  struct pmon_backend backend;
  struct resctrl_files files;
  uint32_t changes[SYSTEM_PACKAGES][RESCTRL_EVENTS]; /* files.changes at the last read; 0: it was never read */
};

static struct resctrl *resctrl_backend(struct pmon_backend *b)
{
  return (struct resctrl *)(void *)b;
}

static int resctrl_fail(struct resctrl *r, int status)
{
  r->backend.error_text = r->files.reason.text;
  return status;
}

/* Adds up the values of a package's files. */
static int resctrl_sum(struct resctrl *r, uint32_t package, enum resctrl_event event, uint64_t *ret_sum)
{
  struct resctrl_files *f = &r->files;
  uint32_t n = 0;
  uint64_t sum = 0, value = 0;
  int status = 0;
  for (uint32_t i = 0; !status && i < f->n_files; i++)
    if (f->files[i].package == package && f->files[i].event == event) {
      status = resctrl_file_read(f, &f->files[i], &value);
      sum += value;
      n++;
    }
  if (!status && !n) {
    snprintf(f->reason.text, sizeof f->reason.text,
             "resctrl has no %s of package %" PRIu32 ": none of its CPUs is online", resctrl_name_of(event), package);
    return PMON_E_NO_DEVICE;
  }
  *ret_sum = sum;
  return status == PMON_E_NO_DEVICE && f->root ? PMON_E_NO_DATA : status;
}

/* The bytes of a removed group are lost to the sum, and the kernel starts those of a new group at 0: over a change of
 * the groups, a difference of bytes is not known. */
static int resctrl_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  struct resctrl *r = resctrl_backend(b);
  const enum resctrl_event event = (enum resctrl_event)a->offset;
  uint64_t sum = 0;
  b->error_text = "resctrl has no such value";
  if (a->space != PMON_SPACE_RESCTRL || a->package >= b->packages || a->offset < RESCTRL_OCCUPANCY ||
      a->offset >= RESCTRL_EVENTS)
    return PMON_E_NO_DEVICE;
  int status = resctrl_files_open(&r->files, event);
  if (!status)
    status = resctrl_sum(r, a->package, event, &sum);
  if (status && status != PMON_E_NO_DATA)
    return resctrl_fail(r, status);
  uint32_t *changes = &r->changes[a->package][event];
  const bool other = event != RESCTRL_OCCUPANCY && *changes && *changes != r->files.changes;
  *changes = r->files.changes;
  *ret_value = status || other ? UINT64_MAX : RESCTRL_VALID | sum;
  return 0;
}

static int resctrl_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  (void)a;
  (void)value;
  b->error_text = "values of resctrl are read-only";
  return PMON_E_PERMISSION;
}

static int resctrl_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  return system_wait(&resctrl_backend(b)->files.system, until_ns, ret_now_ns, ret_ended);
}

static void resctrl_close(struct pmon_backend *b)
{
  resctrl_files_fini(&resctrl_backend(b)->files);
  free(b);
}

static int resctrl_open(const struct system *s, struct pmon_reason *reason, struct pmon_backend **ret_backend)
{
  static const struct pmon_backend_ops ops = {sizeof ops,    "resctrl",    resctrl_read,
                                              resctrl_write, resctrl_wait, resctrl_close};
  struct resctrl *r = calloc(1, sizeof *r);
  if (!r)
    return PMON_E_MEMORY;
  const int status = resctrl_files_init(&r->files, s);
  r->backend = (struct pmon_backend){.ops = &ops, .packages = s->n_packages};
  if (!status) {
    *ret_backend = &r->backend;
    return 0;
  }
  *reason = r->files.reason;
  resctrl_close(&r->backend);
  return status;
}

static int resctrl_lock_fd(const struct pmon_backend *b)
{
  (void)b;
  return -1;
}

const struct access_method access_method_resctrl = {"resctrl", "cache and memory bandwidth monitoring: /sys/fs/resctrl",
                                                    NEEDS, resctrl_open, resctrl_lock_fd};
