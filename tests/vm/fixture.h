/* SPDX-License-Identifier: MIT */
/* For tests without a guest: a platform's machine, and the bus through which a guest accesses it. Include after
 * cmocka's header. */
#ifndef TESTS_VM_FIXTURE_H
#define TESTS_VM_FIXTURE_H

#include <pmon/status.h>
#include "machine/config.h"
#include "machine/machine.h"
#include "vm/bus.h"
#include "vm/kind.h"

struct fixture {
  struct machine *m;
  struct pmon_backend *backend;
  struct bus bus;
};

static inline int fixture_init(struct fixture *f, const char *platform, struct guest_shape shape)
{
  struct machine_config config;
  char error[256];
  assert_int_equal(machine_config_preset(&config, platform), PMON_OK);
  assert_int_equal(machine_new(&config, error, sizeof error, &f->m), PMON_OK);
  assert_int_equal(machine_backend_new(f->m, &f->backend), PMON_OK);
  bus_init(&f->bus, f->m, f->backend, guest_kind_named(platform), &shape);
  return 0;
}

static inline int fixture_fini(void **state)
{
  struct fixture *f = *state;
  pmon_backend_close(f->backend);
  machine_free(f->m);
  return 0;
}

#endif
