/* SPDX-License-Identifier: MIT */
/*
 * Memory behind PCI functions' BARs through their files resource0 to resource5: without /dev/mem, and no further
 * than the BAR goes.
 */
#ifndef PMON_ACCESS_RESOURCE_H
#define PMON_ACCESS_RESOURCE_H

#include "memory.h"
#include "system.h"

enum { RESOURCES = 64 };

struct resource {
  uint64_t first, last;
  struct memory_file file;
};
struct resources {
  uint32_t n;
  struct resource at[RESOURCES];
};

/* Whether an address is one that is going to be asked for. */
typedef bool (*resource_wanted)(void *user, uint64_t first, uint64_t last);

/* Opens the BARs' files in whose ranges something wanted lies; those that could not be opened are kept, too. */
void resources_open(struct resources *r, const struct system *s, resource_wanted wanted, void *user);
void resources_close(struct resources *r);

/* The file for `n` bytes at a physical address, and where in it they are; NULL: there is none. */
const struct memory_file *resources_find(const struct resources *r, uint64_t address, uint64_t n, uint64_t *ret_offset);

#endif
