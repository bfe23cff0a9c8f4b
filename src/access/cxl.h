/* SPDX-License-Identifier: MIT */
/*
 * Where the registers of CXL ports are in memory. No register names a BAR of theirs (817509 1.10.3 has the memory
 * controllers' alone): only the discovery page knows the address of each block, types 12 and 13 (817509 1.9, Table
 * 1-7).
 */
#ifndef PMON_ACCESS_CXL_H
#define PMON_ACCESS_CXL_H

#include <pmon/discovery.h>

/* The physical address of an offset in the space that the tables call CXL: a stretch of CXL_STACK bytes for each port,
 * its link block at the beginning, its data path's in the middle. PMON_OK; PMON_E_NO_DEVICE: the page has no such
 * block, or its registers stand otherwise in it than the tables say, which *ret_why tells. */
int cxl_address(const struct pmon_discovery *page, uint64_t offset, uint64_t *ret_address, const char **ret_why);

#endif
