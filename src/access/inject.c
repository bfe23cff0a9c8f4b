/* SPDX-License-Identifier: MIT */
/* A wrapper whose n-th access fails. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "src/access/wrap.h"

struct fault {
  struct wrap wrap;
  uint64_t fail_at, seen;
  char text[64];
};

static bool fails(struct fault *f)
{
  f->seen++;
  if (f->seen != f->fail_at)
    return false;
  snprintf(f->text, sizeof f->text, "access %" PRIu64 ": injected failure", f->seen);
  f->wrap.backend.error_text = f->text;
  return true;
}

static int fault_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  struct fault *f = (struct fault *)(void *)b;
  return fails(f) ? PMON_E_IO : wrap_read(&f->wrap, a, ret_value);
}

static int fault_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  struct fault *f = (struct fault *)(void *)b;
  return fails(f) ? PMON_E_IO : wrap_write(&f->wrap, a, value);
}

int pmon_backend_inject_new(struct pmon_backend *inner, uint64_t n, struct pmon_backend **ret_backend)
{
  if (!backend_is_sized(inner))
    return PMON_E_INVALID;
  static const struct pmon_backend_ops ops = {.size = sizeof ops,
                                              .name = "fault",
                                              .read = fault_read,
                                              .write = fault_write,
                                              .wait = wrap_wait,
                                              .close = wrap_close};
  struct fault *f = calloc(1, sizeof *f);
  if (!f)
    return PMON_E_MEMORY;
  wrap_init(&f->wrap, &ops, inner);
  f->fail_at = n;
  *ret_backend = &f->wrap.backend;
  return 0;
}

uint64_t pmon_backend_inject_accesses(const struct pmon_backend *backend)
{
  return ((const struct fault *)(const void *)backend)->seen;
}
