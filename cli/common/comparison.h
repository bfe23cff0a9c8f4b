/* SPDX-License-Identifier: MIT */
/* The comparison that a control register applies to an event's increment per cycle. */
#ifndef CLI_COMMON_COMPARISON_H
#define CLI_COMMON_COMPARISON_H

#include "cli/common/cli.h"

struct comparison {
  uint64_t threshold; /* 0: none */
  bool above;         /* the threshold must be exceeded, not only reached */
  bool invert, edge;
  bool gate; /* bits added to the event's code: an occupancy is compared, and the event counts while the comparison
                holds */
  bool event_invert; /* of a gated event: cycles in which the event adds nothing count */
};

struct comparison comparison_of(const struct pmon_platform *platform, const struct pmon_event_info *e,
                                const struct pmon_image_register *control);
/* The smallest increment that reaches the threshold, or exceeds it if `above`; at least 1. */
uint64_t comparison_least(const struct comparison *c);
/* Whether an event of this description counts a clock: its increment is at most 1. */
bool comparison_is_clock(const char *brief);
/* Whether the event's largest increment per cycle cannot reach the threshold; `text` is then the warning. */
bool comparison_unreachable(const struct comparison *c, const struct pmon_event_info *e, char *text, size_t size);

#endif
