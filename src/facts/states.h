/* SPDX-License-Identifier: MIT */
/* Whether an event counts a state, cycle by cycle: cycles in which something is so, or entries added up every cycle. */
#ifndef PMON_FACTS_STATES_H
#define PMON_FACTS_STATES_H

#include <stdbool.h>
#include "src/base/text.h"

/* By its description, which states what is counted (docs/formats.md, `brief`); where it has the word cycle elsewhere,
 * by the guides' words in names, CYCLES and OCCUPANCY. umask: "" for an event without one. */
bool states_are_counted(const char *brief, const char *event, const char *umask);

#endif
