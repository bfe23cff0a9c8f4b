/* SPDX-License-Identifier: MIT */
/*
 * The registers of the host that may be written: the monitoring registers of its processor in the compiled-in tables,
 * and, for registers that are not in the tables, those of units that the processor's discovery page lists, within the
 * address ranges of monitoring units. No file, journal, recording or caller can add to them.
 */
#ifndef PMON_ACCESS_RANGES_H
#define PMON_ACCESS_RANGES_H

#include <pmon/discovery.h>
#include "src/access/system.h"

enum { RANGES_RAM = 256 };

struct ranges {
  uint64_t platforms; /* bit n: row n of the compiled platforms describes this processor */
  char processor[40]; /* for messages */
  bool page_read;
  struct pmon_discovery *page; /* the first package's page; NULL: none was read */
  uint32_t n_ram;
  struct {
    uint64_t first, last;
  } ram[RANGES_RAM]; /* physical memory that the system uses */
  char text[240];    /* the last refusal */
};

/* Identifies the processor. In a tree of files without proc/cpuinfo, which is not a host, the tables of all processors
 * apply. */
void ranges_init(struct ranges *r, const struct system *s);
void ranges_fini(struct ranges *r);

/* Checks whether `value` may be written at an address. `b` is used to read the discovery page if the tables do not have
 * the register. PMON_OK; PMON_E_PERMISSION with the reason in r->text. */
int ranges_check(struct ranges *r, struct pmon_backend *b, const struct pmon_address *a, uint64_t value);

/* As ranges_check(), whether the register is one of those at all, also a read-only one. */
int ranges_check_read(struct ranges *r, struct pmon_backend *b, const struct pmon_address *a);

#endif
