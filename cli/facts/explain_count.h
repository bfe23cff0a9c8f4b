/* SPDX-License-Identifier: MIT */
/* The last lines of `pmon explain`. */
#ifndef CLI_FACTS_EXPLAIN_COUNT_H
#define CLI_FACTS_EXPLAIN_COUNT_H

#include "cli/common/comparison.h"
#include "cli/facts/describe.h"

struct explain_count {
  const struct pmon_event_info *event;
  const char *clock;                         /* of the unit; "": not known */
  const struct pmon_image_register *control; /* the register that selects the event; NULL: none */
  const struct comparison *compared;         /* used if there is no control; NULL: no comparison */
};

/* Writes what one count means: of clocks, occupancies and other events; of thresholds, inversion and edges; and a
 * warning if the event's largest increment per cycle cannot reach the threshold. */
void explain_count(struct out *o, const struct pmon_platform *platform, const struct explain_count *x);

#endif
