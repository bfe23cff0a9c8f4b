/* SPDX-License-Identifier: MIT */
#include "cxl.h"

enum { CXL_STACK = 0x8000, CXL_BLOCK = 0x4000 };

/* The blocks as data/emr/units.unit lays them out. */
static const struct block { uint32_t type, counters, ctl, ctr, status; } blocks[] = {
  {12, 8, 0x48, 0x08, 0x88}, {13, 4, 0x28, 0x08, 0x48}};

int cxl_address(const struct pmon_discovery *page, uint64_t offset, uint64_t *ret_address, const char **ret_why)
{
  const struct block *b = &blocks[offset / CXL_BLOCK % 2];
  const struct pmon_discovered_unit *u;
  for (uint32_t i = 0; (u = pmon_discovery_unit(page, i)); i++) {
    if (u->type != b->type || u->id != offset / CXL_STACK || u->space != PMON_SPACE_MMIO)
      continue;
    *ret_why = "the discovery page has this block's registers in other places than the tables: "
               "pmon discover --repair FILE makes a platform of the page's";
    if (u->ctl_offset != b->ctl || u->ctr_offset != b->ctr || u->status_offset != b->status ||
        u->counters > b->counters)
      return PMON_E_NO_DEVICE;
    *ret_address = u->address + offset % CXL_BLOCK;
    return 0;
  }
  *ret_why = "the discovery page lists no such CXL block";
  return PMON_E_NO_DEVICE;
}
