/* SPDX-License-Identifier: MIT */
/* Records of a program that changes what its memory is mapped by. */
#ifndef MACHINE_TRACE_PAGES_H
#define MACHINE_TRACE_PAGES_H

#include "machine/trace/feeder.h"

/* A record of the feeder's thread, after all before it. PMON_E_MEMORY. */
int pages_take(struct feeder *fd, struct traffic *t, uint64_t record);

#endif
