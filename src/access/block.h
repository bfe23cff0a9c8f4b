/* SPDX-License-Identifier: MIT */
/*
 * Blocks of registers in memory whose addresses are in no register (817509 1.10.3 has those of the memory controllers
 * only): only the discovery page has the address of each (817509 1.9, Table 1-7). These are the blocks of CXL ports,
 * types 12 and 13, and all blocks of a processor without facts.
 */
#ifndef PMON_ACCESS_BLOCK_H
#define PMON_ACCESS_BLOCK_H

#include <pmon/discovery.h>

/* Returns the physical address of an offset in the space that the tables call CXL: CXL_STACK bytes for each port, with
 * its link block at the beginning and its data path's block in the middle. PMON_OK; PMON_E_NO_DEVICE, with the reason
 * in *ret_why: the page has no such block, or its registers have other offsets in it than in the tables. */
int block_of_cxl(const struct pmon_discovery *page, uint64_t offset, uint64_t *ret_address, const char **ret_why);

/* Returns the address in another package that corresponds to `address` of the first one: in the block of the same type
 * and number. PMON_OK; PMON_E_NO_DEVICE, with the reason in *ret_why: one of the pages has no such block. */
int block_of_package(const struct pmon_discovery *first, const struct pmon_discovery *own, uint64_t address,
                     uint64_t *ret_address, const char **ret_why);

#endif
