/* SPDX-License-Identifier: MIT */
/*
 * Memory of PCI functions' BARs through their files resource0 to resource5: without /dev/mem, and limited to the BAR.
 */
#ifndef PMON_ACCESS_RESOURCE_H
#define PMON_ACCESS_RESOURCE_H

#include "src/access/memory.h"
#include "src/access/system.h"

enum { RESOURCES = 64 };

struct resource {
  uint64_t first, last;
  struct memory_file file;
};
struct resources {
  uint32_t n;
  struct resource at[RESOURCES];
};

/* True if a range contains an address that will be accessed. */
typedef bool (*resource_needed)(void *user, uint64_t first, uint64_t last);

/* Opens the files of the BARs whose ranges contain a needed address. Files that could not be opened are recorded as
 * well. */
void resources_open(struct resources *r, const struct system *s, resource_needed needed, void *user);
void resources_close(struct resources *r);

/* Returns the file for `n` bytes at a physical address, and their offset in it; NULL: there is none. */
const struct memory_file *resources_find(const struct resources *r, uint64_t address, uint64_t n, uint64_t *ret_offset);

#endif
