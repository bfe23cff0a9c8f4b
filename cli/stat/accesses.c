/* SPDX-License-Identifier: MIT */
#include "cli/stat/accesses.h"
#include <stdlib.h>

struct accesses {
  struct pmon_backend backend;
  uint64_t *count;
};

static int accesses_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  struct pmon_backend *const inner = b->inner;
  ++*((struct accesses *)(void *)b)->count;
  const int status = inner->ops->read(inner, a, ret_value);
  b->error_text = inner->error_text;
  return status;
}

static int accesses_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  struct pmon_backend *const inner = b->inner;
  ++*((struct accesses *)(void *)b)->count;
  const int status = inner->ops->write(inner, a, value);
  b->error_text = inner->error_text;
  return status;
}

static void accesses_sweep(struct pmon_backend *b, struct pmon_read *reads, uint32_t n)
{
  struct pmon_backend *const inner = b->inner;
  *((struct accesses *)(void *)b)->count += n;
  inner->sweep(inner, reads, n);
  b->error_text = inner->error_text;
}

static int accesses_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  struct pmon_backend *const inner = b->inner;
  const int status = inner->ops->wait(inner, until_ns, ret_now_ns, ret_ended);
  b->error_text = inner->error_text;
  return status;
}

static void accesses_close(struct pmon_backend *b)
{
  pmon_backend_close(b->inner);
  free(b);
}

int accesses_backend_new(struct pmon_backend *inner, uint64_t *count, struct pmon_backend **ret_backend)
{
  static const struct pmon_backend_ops ops = {.size = sizeof ops,
                                              .name = "accesses",
                                              .read = accesses_read,
                                              .write = accesses_write,
                                              .wait = accesses_wait,
                                              .close = accesses_close};
  struct accesses *x = calloc(1, sizeof *x);
  if (!x)
    return PMON_E_MEMORY;
  x->backend = (struct pmon_backend){
      .ops = &ops, .packages = inner->packages, .inner = inner, .sweep = inner->sweep ? accesses_sweep : NULL};
  x->count = count;
  *ret_backend = &x->backend;
  return 0;
}
