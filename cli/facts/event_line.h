/* SPDX-License-Identifier: MIT */
/* An event as lists show it: name, codes, counters, meaning. */
#ifndef CLI_FACTS_EVENT_LINE_H
#define CLI_FACTS_EVENT_LINE_H

#include "cli/common/cli.h"

enum { EVENT_LINE_NARROW = 120 }; /* in narrower terminals the meaning gets lines of its own */

/* Returns the width of the column of names whose longest has `widest` characters. */
size_t event_line_name_width(size_t widest, unsigned width);

/* Writes the names of the columns, for the same widths as the events below. */
void event_line_header(struct out *o, size_t name_width, unsigned width);

/* Writes the event, its name filled up to `name_width`. `width`: the terminal's; 0: none. On a terminal a longer name
 * has a line of its own, and the fields that the row sets precede the meaning. */
void event_line_write(struct out *o, const struct pmon_event_info *e, size_t name_width, unsigned width);

#endif
