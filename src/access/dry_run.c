/* SPDX-License-Identifier: MIT */
/* A wrapper that writes nothing: it reports each write, and returns the written value to later reads. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <pmon/platform.h>
#include "src/access/wrap.h"
#include "src/base/vec.h"

struct dry_register {
  struct pmon_address address;
  uint64_t value;
};
struct dry {
  struct wrap wrap;
  pmon_line_sink sink;
  void *user;
  struct vec registers;
};

static struct dry_register *dry_find_write(struct dry *d, const struct pmon_address *a)
{
  for (uint32_t i = 0; i < d->registers.n; i++) {
    struct dry_register *w = vec_at(&d->registers, i);
    if (w->address.package == a->package && w->address.space == a->space && w->address.device == a->device &&
        w->address.offset == a->offset)
      return w;
  }
  return NULL;
}

static int dry_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  struct dry *d = (struct dry *)(void *)b;
  const struct dry_register *w = dry_find_write(d, a);
  if (!w)
    return wrap_read(&d->wrap, a, ret_value);
  *ret_value = w->value;
  return 0;
}

static int dry_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  struct dry *d = (struct dry *)(void *)b;
  struct dry_register *w = dry_find_write(d, a);
  char where[64], line[160];
  if (w)
    w->value = value;
  else if (!vec_append(&d->registers, &(struct dry_register){*a, value}, 1))
    return PMON_E_MEMORY;
  pmon_address_format(a, where, sizeof where);
  snprintf(line, sizeof line, "write %" PRIu32 " %s %u 0x%" PRIx64, a->package, where, a->width_bits, value);
  d->sink(d->user, line);
  return 0;
}

static void dry_close(struct pmon_backend *b)
{
  vec_fini(&((struct dry *)(void *)b)->registers);
  wrap_close(b);
}

int pmon_backend_dry_new(struct pmon_backend *inner, pmon_line_sink sink, void *user, struct pmon_backend **ret_backend)
{
  if (!backend_is_sized(inner))
    return PMON_E_INVALID;
  static const struct pmon_backend_ops ops = {
      .size = sizeof ops, .name = "dry", .read = dry_read, .write = dry_write, .wait = wrap_wait, .close = dry_close};
  struct dry *d = calloc(1, sizeof *d);
  if (!d)
    return PMON_E_MEMORY;
  wrap_init(&d->wrap, &ops, inner);
  vec_init(&d->registers, sizeof(struct dry_register));
  d->sink = sink;
  d->user = user;
  *ret_backend = &d->wrap.backend;
  return 0;
}
