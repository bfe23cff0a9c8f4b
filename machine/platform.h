/* SPDX-License-Identifier: MIT */
/*
 * What a kind of processor brings to the machine: tables and a few functions, one of these a platform. Everything else
 * in the machine is the same for all of them.
 */
#ifndef MACHINE_PLATFORM_H
#define MACHINE_PLATFORM_H

#include <stdbool.h>
#include <stdint.h>
#include <pmon/access.h>
#include "machine/config.h"
#include "machine/pmon/unit.h"

struct machine;
struct machine_drive; /* machine/coverage.h */
struct machine_report;
struct machine_reason;

/* A clock and its rate: hz, or parameter `config` in MHz divided by `divide` when that is not 0. */
struct platform_clock {
  const char *name;
  uint64_t hz;
  unsigned config, divide;
};

struct machine_platform {
  const char *name;               /* as the parameter "platform" has it */
  const struct pmon_unit *units;  /* ends with name NULL */
  const struct reg_rows *globals; /* registers of a socket that belong to no block; ends with name NULL */
  const struct pmon_rules *rules;
  const struct platform_clock *clocks; /* ends with name NULL; a unit whose clock is not there has the last one */
  /* How many of a unit's blocks a machine of this shape has. */
  unsigned (*present)(const struct machine_config *config, const struct pmon_unit *u);
  /* What there is beside PMON registers, read only: one dword (or MSR). False: nothing there. */
  bool (*info)(const struct machine *m, const struct pmon_address *a, uint64_t *ret_value);
  /* After blocks and registers have been made; NULL: nothing to do. False: no memory. */
  bool (*build)(struct machine *m);
  /* What its blocks are told, and by whom; both end with unit NULL. NULL: nobody says. */
  const struct machine_report *reports;
  const struct machine_drive *drives;
  const struct machine_reason *reasons; /* NULL: none beside the drives' */
};

/* The platform of that name, in any case of letters; NULL: none. */
const struct machine_platform *machine_platform_named(const char *name);
/* The platform that a configuration asks for. */
const struct machine_platform *machine_platform(const struct machine_config *config);
/* A clock's rate by a configuration, in Hz. */
uint64_t machine_clock_hz(const struct platform_clock *c, const struct machine_config *config);

#endif
