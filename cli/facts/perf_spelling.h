/* SPDX-License-Identifier: MIT */
/* Events as Linux perf spells them. */
#ifndef CLI_FACTS_PERF_SPELLING_H
#define CLI_FACTS_PERF_SPELLING_H

#include <pmon/event.h>
#include <pmon/platform.h>

/* Writes an event as Linux perf spells it, `uncore_cha/event=0x35,umask=0x1,thresh=0x3/`, with the terms of its row and
 * the settings and the instance (`uncore_cha_3`) of its own name. False: the kernel has other words for one of them, or
 * no name for the instances. */
bool perf_spelling(const struct pmon_unit_info *u, const struct pmon_event_info *e, const char *name, char *text,
                   size_t size);

#endif
