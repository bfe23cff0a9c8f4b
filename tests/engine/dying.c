/* SPDX-License-Identifier: MIT */
#include "tests/engine/dying.h"
#include <pmon/status.h>

static struct dying *dying_of(struct pmon_backend *b)
{
  return (struct dying *)(void *)b;
}

static int dying_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  struct dying *d = dying_of(b);
  return d->writes ? d->to->ops->read(d->to, a, ret_value) : PMON_E_IO;
}

static int dying_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  struct dying *d = dying_of(b);
  if (!d->writes)
    return PMON_E_IO;
  d->writes--;
  return d->to->ops->write(d->to, a, value);
}

static int dying_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  struct dying *d = dying_of(b);
  return d->to->ops->wait(d->to, until_ns, ret_now_ns, ret_ended);
}

static void dying_close(struct pmon_backend *b)
{
  (void)b;
}

void dying_init(struct dying *d, struct pmon_backend *to, uint64_t writes)
{
  static const struct pmon_backend_ops ops = {.size = sizeof ops,
                                              .name = "dying",
                                              .read = dying_read,
                                              .write = dying_write,
                                              .wait = dying_wait,
                                              .close = dying_close};
  *d = (struct dying){.backend = {.ops = &ops, .packages = to->packages}, .to = to, .writes = writes};
}
