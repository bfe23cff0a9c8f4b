/* SPDX-License-Identifier: MIT */
#include "src/access/wrap.h"

#include <stdlib.h>

void wrap_init(struct wrap *w, const struct pmon_backend_ops *ops, struct pmon_backend *inner)
{
  w->backend = (struct pmon_backend){.ops = ops, .packages = inner->packages, .inner = inner};
  w->inner = inner;
}

int wrap_read(struct wrap *w, const struct pmon_address *a, uint64_t *ret_value)
{
  int status = w->inner->ops->read(w->inner, a, ret_value);
  w->backend.error_text = w->inner->error_text;
  return status;
}

int wrap_write(struct wrap *w, const struct pmon_address *a, uint64_t value)
{
  int status = w->inner->ops->write(w->inner, a, value);
  w->backend.error_text = w->inner->error_text;
  return status;
}

int wrap_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  struct wrap *w = (struct wrap *)(void *)b;
  int status = w->inner->ops->wait(w->inner, until_ns, ret_now_ns, ret_ended);
  b->error_text = w->inner->error_text;
  return status;
}

void wrap_close(struct pmon_backend *b)
{
  struct wrap *w = (struct wrap *)(void *)b;
  pmon_backend_close(w->inner);
  free(w);
}

void pmon_backend_close(struct pmon_backend *backend)
{
  if (backend)
    backend->ops->close(backend);
}
