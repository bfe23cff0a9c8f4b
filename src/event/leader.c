/* SPDX-License-Identifier: MIT */
/* Leading counters: they select the set of events for other counters (Montecito 4.8.2, 4.8.4: `attr lead`, `attr
 * through`). */
#include <stdlib.h>
#include "src/base/bits.h"
#include "src/event/row.h"

static const char *leader_attr(const struct pmon_event *e, const char *key)
{
  const struct db_span attrs = e->db->events[e->event].attrs;
  for (uint32_t i = attrs.first; i < attrs.first + attrs.n; i++)
    if (text_is(text_of(key), db_text(e->db, e->db->attrs[i].key)))
      return db_text(e->db, e->db->attrs[i].value);
  return "";
}

/* Returns the first counter of the group in `4+5+8,6+7+9` that contains `counter`; UINT32_MAX: none. */
static uint32_t leader_in_list(const char *list, uint32_t counter)
{
  while (*list) {
    uint32_t lead = UINT32_MAX;
    bool found = false;
    for (char more = '+'; more == '+';) {
      char *end;
      const uint32_t n = (uint32_t)strtoul(list, &end, 10);
      if (end == list)
        return UINT32_MAX;
      lead = lead == UINT32_MAX ? n : lead;
      found |= n == counter;
      more = *end;
      list = end + (more != 0);
    }
    if (found)
      return lead;
  }
  return UINT32_MAX;
}

uint32_t pmon_event_leader(const struct pmon_event *event, uint32_t counter)
{
  if (event->event == DB_NONE || event->kind != PMON_EVENT_PROGRAMMED || counter > 31 ||
      !bit_is(event->counters, counter))
    return counter;
  const char *lead = leader_attr(event, "lead");
  const uint32_t found =
      *lead ? (uint32_t)strtoul(lead, NULL, 10) : leader_in_list(leader_attr(event, "through"), counter);
  return found == UINT32_MAX ? counter : found;
}
