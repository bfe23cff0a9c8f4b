/* SPDX-License-Identifier: MIT */
#include "src/access/block.h"

/* BLOCK_BYTES: maximum size of a unit's registers; offsets in 817509 Table 1-14 have one byte. */
enum { CXL_STACK = 0x8000, CXL_BLOCK = 0x4000, BLOCK_BYTES = 0x1000 };

/* The blocks as data/emr/units.unit lays them out. */
static const struct block {
  uint32_t type, counters, ctl, ctr, status;
} blocks[] = {{12, 8, 0x48, 0x08, 0x88}, {13, 4, 0x28, 0x08, 0x48}};

/* Returns the page's block of that type and number; NULL: it has none in memory. */
static const struct pmon_discovered_unit *block_find_unit(const struct pmon_discovery *page, uint32_t type, uint64_t id)
{
  const struct pmon_discovered_unit *u;
  for (uint32_t i = 0; (u = pmon_discovery_unit(page, i)); i++)
    if (u->type == type && u->id == id && u->space == PMON_SPACE_MMIO)
      return u;
  return NULL;
}

int block_of_cxl(const struct pmon_discovery *page, uint64_t offset, uint64_t *ret_address, const char **ret_why)
{
  const struct block *b = &blocks[offset / CXL_BLOCK % 2];
  const struct pmon_discovered_unit *u = block_find_unit(page, b->type, offset / CXL_STACK);
  if (!u) {
    *ret_why = "the discovery page lists no such CXL block";
    return PMON_E_NO_DEVICE;
  }
  *ret_why = "the discovery page has this block's registers at other addresses than the tables: pmon discover --repair "
             "FILE writes a platform file from the page";
  if (u->ctl_offset != b->ctl || u->ctr_offset != b->ctr || u->status_offset != b->status || u->counters > b->counters)
    return PMON_E_NO_DEVICE;
  *ret_address = u->address + offset % CXL_BLOCK;
  return 0;
}

int block_of_package(const struct pmon_discovery *first, const struct pmon_discovery *own, uint64_t address,
                     uint64_t *ret_address, const char **ret_why)
{
  const struct pmon_discovered_unit *u, *there = NULL;
  for (uint32_t i = 0; (u = pmon_discovery_unit(first, i)); i++)
    if (u->space == PMON_SPACE_MMIO && u->address <= address && address - u->address < BLOCK_BYTES &&
        (!there || u->address > there->address))
      there = u;
  *ret_why =
      "the first package's discovery page has no block at this address, so its address in this package is unknown";
  if (!there)
    return PMON_E_NO_DEVICE;
  *ret_why = "its discovery page does not list this block of the first package's page";
  u = block_find_unit(own, there->type, there->id);
  if (!u)
    return PMON_E_NO_DEVICE;
  *ret_address = u->address + (address - there->address);
  return 0;
}
