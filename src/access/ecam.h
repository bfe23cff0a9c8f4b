/* SPDX-License-Identifier: MIT */
/*
 * Configuration space as memory (PCI Express's enhanced access): 4 KB for each function, at the address that the
 * firmware's MCFG table gives. An access is one load instead of a system call, if /dev/mem may be mapped.
 */
#ifndef PMON_ACCESS_ECAM_H
#define PMON_ACCESS_ECAM_H

#include "src/access/system.h"

enum { ECAM_RANGES = 64, ECAM_PAGE = 4096 };

struct ecam_range {
  uint64_t base;
  uint32_t segment;
  uint8_t first_bus, last_bus;
};
struct ecam {
  int mem;
  uint32_t n;
  struct ecam_range ranges[ECAM_RANGES];
};

/* Parses a table of `n` bytes, which is not trusted. Returns the number of its ranges. */
uint32_t ecam_parse(const uint8_t *table, size_t n, struct ecam_range ranges[ECAM_RANGES]);

/* Reads the firmware's table and opens memory; if either is missing there are no ranges. */
void ecam_open(struct ecam *e, const struct system *s);
void ecam_close(struct ecam *e);

/* Maps a function's 4 KB; NULL: it is in no range, or memory may not be mapped. The caller unmaps it with munmap(). */
volatile uint32_t *ecam_map(const struct ecam *e, uint32_t segment, uint8_t bus, uint8_t devfn);

#endif
