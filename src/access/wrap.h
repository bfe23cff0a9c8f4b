/* SPDX-License-Identifier: MIT */
/* Common parts of wrappers: a backend that owns another one. */
#ifndef PMON_ACCESS_WRAP_H
#define PMON_ACCESS_WRAP_H

#include <pmon/access.h>

struct wrap {
  struct pmon_backend backend;
  struct pmon_backend *inner;
};

/* True if the backend's operations have all functions of this library's first version. */
static inline bool backend_is_sized(const struct pmon_backend *b)
{
  return b->ops->size >= offsetof(struct pmon_backend_ops, close) + sizeof b->ops->close;
}

/* Fills the head of a wrapper. */
void wrap_init(struct wrap *w, const struct pmon_backend_ops *ops, struct pmon_backend *inner);

/* Forward to the inner backend, and take over its error text. */
int wrap_read(struct wrap *w, const struct pmon_address *a, uint64_t *ret_value);
int wrap_write(struct wrap *w, const struct pmon_address *a, uint64_t value);
int wrap_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended);

/* Closes inner and frees the wrapper, which is one block. */
void wrap_close(struct pmon_backend *b);

#endif
