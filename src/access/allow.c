/* SPDX-License-Identifier: MIT */
/* A wrapper that refuses writes outside the described monitoring registers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/platform.h>
#include "src/access/register.h"
#include "src/access/wrap.h"
#include "src/platform/platform.h"

enum { REMEMBERED_BITS = 10 };

/* What access_writable_at() answered for an address, whatever the package. width_bits: the register's; 0: an empty
 * entry. */
struct writable {
  uint64_t offset, mask;
  uint32_t device;
  uint8_t space, access_bits, width_bits;
};

/* A session writes the same registers at its start, for each round and at its end, and looking for an address in all
 * units takes longer than the write. */
struct allow {
  struct wrap wrap;
  const struct pmon_platform *platform;
  char text[240];
  struct writable remembered[1 << REMEMBERED_BITS];
};

static int allow_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  return wrap_read((struct wrap *)(void *)b, a, ret_value);
}

static void allow_sweep(struct pmon_backend *b, struct pmon_read *reads, uint32_t n)
{
  struct wrap *w = (struct wrap *)(void *)b;
  access_sweep(w->inner, reads, n);
  b->error_text = w->inner->error_text;
}

static int allow_find(struct allow *f, const struct pmon_address *a, uint64_t *ret_mask, unsigned *ret_width)
{
  const uint64_t key = a->offset ^ (uint64_t)a->device << 32 ^ (uint64_t)a->space << 56;
  struct writable *w = &f->remembered[key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - REMEMBERED_BITS)];
  if (!w->width_bits || w->offset != a->offset || w->device != a->device || w->space != a->space ||
      w->access_bits != a->width_bits) {
    const int status = access_writable_at(f->platform, a, ret_mask, ret_width);
    if (status)
      return status;
    *w = (struct writable){a->offset, *ret_mask, a->device, a->space, a->width_bits, (uint8_t)*ret_width};
  }
  *ret_mask = w->mask;
  *ret_width = w->width_bits;
  return PMON_OK;
}

static int allow_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  struct allow *f = (struct allow *)(void *)b;
  char where[64];
  uint64_t mask = 0;
  unsigned width = 0;
  const int status = allow_find(f, a, &mask, &width);
  if (status == PMON_E_PERMISSION) {
    pmon_address_format(a, where, sizeof where);
    snprintf(f->text, sizeof f->text,
             "a write of 0x%" PRIx64 " to %s of package %" PRIu32 " was refused: the register there is read-only",
             value, where, a->package);
  } else if (status) {
    pmon_address_format(a, where, sizeof where);
    snprintf(f->text, sizeof f->text,
             "a write of 0x%" PRIx64 " to %s of package %" PRIu32
             " was refused: no monitoring register is described there",
             value, where, a->package);
  } else if (a->width_bits > width) {
    pmon_address_format(a, where, sizeof where);
    snprintf(f->text, sizeof f->text,
             "a write of %u bits to %s of package %" PRIu32 " was refused: the register there "
             "has %u bits",
             a->width_bits, where, a->package, width);
  } else if (value & ~mask) {
    pmon_address_format(a, where, sizeof where);
    snprintf(f->text, sizeof f->text,
             "a write of 0x%" PRIx64 " to %s of package %" PRIu32 " was refused: the bits 0x%" PRIx64
             " are not writable",
             value, where, a->package, value & ~mask);
  } else {
    return wrap_write(&f->wrap, a, value);
  }
  b->error_text = f->text;
  return PMON_E_PERMISSION;
}

int pmon_backend_allow_new(struct pmon_backend *inner, const struct pmon_platform *platform,
                           struct pmon_backend **ret_backend)
{
  if (!backend_is_sized(inner))
    return PMON_E_INVALID;
  static const struct pmon_backend_ops ops = {.size = sizeof ops,
                                              .name = "allow",
                                              .read = allow_read,
                                              .write = allow_write,
                                              .wait = wrap_wait,
                                              .close = wrap_close};
  struct allow *f = calloc(1, sizeof *f);
  if (!f)
    return PMON_E_MEMORY;
  wrap_init(&f->wrap, &ops, inner);
  f->wrap.backend.sweep = inner->sweep ? allow_sweep : NULL;
  f->platform = platform;
  *ret_backend = &f->wrap.backend;
  return 0;
}
