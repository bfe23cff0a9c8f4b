/* SPDX-License-Identifier: MIT */
/* The machine as a register backend. A package is a hardware thread. */
#include <stdlib.h>
#include <pmon/access.h>
#include <pmon/status.h>
#include "machine/montecito/machine.h"

struct montecito_backend {
  struct pmon_backend base;
  struct montecito_machine *m;
  char error[256];
};

static struct montecito_backend *montecito_backend_of(struct pmon_backend *b)
{
  return (struct montecito_backend *)(void *)b;
}

static int montecito_backend_status(struct pmon_backend *b, int status)
{
  b->error_text = status ? montecito_machine_error(montecito_backend_of(b)->m) : NULL;
  return status;
}

static int montecito_backend_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  return montecito_backend_status(b, montecito_machine_read(montecito_backend_of(b)->m, a, ret_value));
}

static int montecito_backend_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  return montecito_backend_status(b, montecito_machine_write(montecito_backend_of(b)->m, a, value));
}

/* 1.6 cycles take a nanosecond, so 8 cycles take 5. Returns the cycle in which the time is reached. */
static uint64_t montecito_ns_to_cycles(uint64_t ns)
{
  return ns > (UINT64_MAX - 4) / 8 ? UINT64_MAX : (ns * 8 + 4) / 5;
}

static int montecito_backend_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  struct montecito_backend *cb = montecito_backend_of(b);
  montecito_machine_stop_at_freeze(cb->m, true);
  int status = montecito_machine_run(cb->m, montecito_ns_to_cycles(until_ns), ret_ended, cb->error, sizeof cb->error);
  montecito_machine_stop_at_freeze(cb->m, false);
  const uint64_t cycle = montecito_machine_cycle(cb->m);
  *ret_now_ns = cycle / 8 * 5 + cycle % 8 * 5 / 8;
  b->error_text = status ? cb->error : NULL;
  return status;
}

static void montecito_backend_close(struct pmon_backend *b)
{
  free(montecito_backend_of(b));
}

static const struct pmon_backend_ops ops = {sizeof ops,
                                            "machine",
                                            montecito_backend_read,
                                            montecito_backend_write,
                                            montecito_backend_wait,
                                            montecito_backend_close};

int montecito_backend_new(struct montecito_machine *m, struct pmon_backend **ret_backend)
{
  struct montecito_backend *cb = calloc(1, sizeof *cb);
  if (!cb)
    return PMON_E_MEMORY;
  cb->base = (struct pmon_backend){.ops = &ops, .packages = MONTECITO_THREADS};
  cb->m = m;
  *ret_backend = &cb->base;
  return PMON_OK;
}
