/* SPDX-License-Identifier: MIT */
/* Whether an event of an event file counts a state in each cycle: cycles in which a condition holds, or entries added
 * up every cycle. Event files have no such column; fact files have (docs/formats.md, `states`). */
#ifndef CLI_IMPORT_STATES_H
#define CLI_IMPORT_STATES_H

#include <stdbool.h>

/* Decides by the description ("Cycles ...", "...: cycles ...", "... added up every cycle") or by names (OCCUPANCY,
 * CYCLES, STARVED ...). umask: "" for an event without one. */
bool states_are_counted(const char *brief, const char *event, const char *umask);

#endif
