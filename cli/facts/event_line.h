/* SPDX-License-Identifier: MIT */
/* An event as lists show it: name, codes, counters, meaning. */
#ifndef CLI_FACTS_EVENT_LINE_H
#define CLI_FACTS_EVENT_LINE_H

#include "cli/common/cli.h"

enum { EVENT_LINE_NARROW = 120 }; /* in narrower terminals the meaning gets lines of its own */

/* Writes the names of the columns, for the same widths as the events below. */
void event_line_header(struct out *o, size_t name_width, unsigned width);

/* Writes the event, its name filled up to `name_width`. `width`: the terminal's; 0: none. */
void event_line_write(struct out *o, const struct pmon_event_info *e, size_t name_width, unsigned width);

#endif
