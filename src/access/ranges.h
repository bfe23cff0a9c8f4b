/* SPDX-License-Identifier: MIT */
/*
 * Which registers of the host may be written: the monitoring registers of its processor in the tables that are compiled
 * in, and for what these do not have, the units that the processor's discovery page lists, inside the address ranges
 * that monitoring units have. No file, no journal, no recording and no caller can add to them.
 */
#ifndef PMON_ACCESS_RANGES_H
#define PMON_ACCESS_RANGES_H

#include <pmon/discovery.h>
#include "system.h"

enum { RANGES_RAM = 256 };

struct ranges {
  uint64_t platforms; /* bit n: row n of the compiled platforms describes this processor */
  char processor[40]; /* for messages */
  bool page_read;
  struct pmon_discovery *page; /* of the first package; NULL: none was read */
  uint32_t n_ram;
  struct {
    uint64_t first, last;
  } ram[RANGES_RAM]; /* physical memory that is the system's own */
  char text[240];    /* the last refusal */
};

/* Identifies the processor. In a tree of files without proc/cpuinfo, which is no host, the tables of all processors
 * apply. */
void ranges_init(struct ranges *r, const struct system *s);
void ranges_fini(struct ranges *r);

/* Whether bits of `value` may be written at an address. `b` is read for its discovery page when the tables do not have
 * the register. PMON_OK; PMON_E_PERMISSION with the reason in r->text. */
int ranges_check(struct ranges *r, struct pmon_backend *b, const struct pmon_address *a, uint64_t value);

#endif
