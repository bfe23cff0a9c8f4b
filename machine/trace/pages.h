/* SPDX-License-Identifier: MIT */
/* Records of a program that changes the page sizes of its memory. */
#ifndef MACHINE_TRACE_PAGES_H
#define MACHINE_TRACE_PAGES_H

#include "machine/trace/feeder.h"

/* Applies a pages record of the feeder's thread, after all records before it. PMON_E_MEMORY. */
int pages_take(struct feeder *fd, struct traffic *t, uint64_t record);

#endif
