/* SPDX-License-Identifier: MIT */
/* The emulated machine as a register backend, for measurements without the real hardware. */
#include <stdlib.h>
#include <string.h>
#include <pmon/access.h>
#include <pmon/status.h>
#include "machine/machine.h"
#include "machine/pmon/bus.h"
#include "machine/pmon/state.h"

struct machine_backend {
  struct pmon_backend base;
  struct machine *m;
  char error[256];
};

static const uint64_t FS_PER_NS = 1000000;

static struct machine_backend *backend_cast(struct pmon_backend *b)
{
  return (struct machine_backend *)(void *)b;
}

static int backend_status(struct pmon_backend *b, int status)
{
  b->error_text = status ? machine_error(backend_cast(b)->m) : NULL;
  return status;
}

static int backend_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  struct machine *m = backend_cast(b)->m;
  faults_count_access(m);
  const int status = machine_read(m, a, ret_value);
  if (!status)
    faults_after_read(m, a);
  return backend_status(b, status);
}

static int backend_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  faults_count_access(backend_cast(b)->m);
  return backend_status(b, machine_write(backend_cast(b)->m, a, value));
}

static int backend_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  struct machine_backend *mb = backend_cast(b);
  uint64_t until = until_ns > UINT64_MAX / FS_PER_NS ? UINT64_MAX : until_ns * FS_PER_NS;
  int status = machine_run(mb->m, until, ret_ended, mb->error, sizeof mb->error);
  *ret_now_ns = machine_now_fs(mb->m) / FS_PER_NS;
  b->error_text = status ? mb->error : NULL;
  return status;
}

static void backend_close(struct pmon_backend *b)
{
  free(backend_cast(b));
}

static const struct pmon_backend_ops ops = {sizeof ops,    "machine",    backend_read,
                                            backend_write, backend_wait, backend_close};

int machine_backend_new(struct machine *m, struct pmon_backend **ret_backend)
{
  struct machine_backend *mb = calloc(1, sizeof *mb);
  if (!mb)
    return PMON_E_MEMORY;
  mb->base = (struct pmon_backend){.ops = &ops, .packages = m->n_sockets};
  mb->m = m;
  *ret_backend = &mb->base;
  return PMON_OK;
}
