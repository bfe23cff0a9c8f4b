/* SPDX-License-Identifier: MIT */
/*
 * Blocks of registers in memory whose places no register names (817509 1.10.3 has the memory controllers' alone):
 * only the discovery page knows the address of each (817509 1.9, Table 1-7). These are the CXL ports', types 12 and
 * 13, and all of a processor that there are no facts about.
 */
#ifndef PMON_ACCESS_BLOCK_H
#define PMON_ACCESS_BLOCK_H

#include <pmon/discovery.h>

/* The physical address of an offset in the space that the tables call CXL: a stretch of CXL_STACK bytes for each port,
 * its link block at the beginning, its data path's in the middle. PMON_OK; PMON_E_NO_DEVICE: the page has no such
 * block, or its registers stand otherwise in it than the tables say, with the reason in *ret_why. */
int block_of_cxl(const struct pmon_discovery *page, uint64_t offset, uint64_t *ret_address, const char **ret_why);

/* Where what stands at `address` of the first package stands in another one: in the block of the same type and number.
 * PMON_OK; PMON_E_NO_DEVICE: one of the pages has no such block, with the reason in *ret_why. */
int block_of_package(const struct pmon_discovery *first, const struct pmon_discovery *own, uint64_t address,
                     uint64_t *ret_address, const char **ret_why);

#endif
