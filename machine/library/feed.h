/* SPDX-License-Identifier: MIT */
/* Accesses from a caller's function as a source of records. */
#ifndef MACHINE_LIBRARY_FEED_H
#define MACHINE_LIBRARY_FEED_H

#include <pmon/machine.h>
#include "machine/trace/source.h"

/* A source with `threads` threads, all of which begin at once. PMON_E_MEMORY. */
int feed_source_new(pmon_machine_feed feed, void *user, uint32_t threads, struct trace_source **ret_source);

#endif
