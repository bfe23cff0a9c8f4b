/* SPDX-License-Identifier: MIT */
/* Small machines that targets share between inputs. */
#ifndef FUZZ_SMALL_H
#define FUZZ_SMALL_H

#include <stdlib.h>
#include "machine/config.h"
#include "machine/machine.h"

static inline struct machine *small_machine(const char *preset)
{
  static const char *const settings[] = {"sockets=1", "cores=2", "chas=2", "imcs=1"};
  struct machine_config config;
  struct machine *m = NULL;
  char error[256];
  if (machine_config_preset(&config, preset))
    abort();
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    machine_config_parse(&config, settings[i], error, sizeof error);
  if (machine_new(&config, error, sizeof error, &m))
    abort();
  return m;
}

#endif
