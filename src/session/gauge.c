/* SPDX-License-Identifier: MIT */
/*
 * Gauges: registers that show a state, such as a frequency's ratio, instead of a count. The state at the end of each
 * read is taken for the time since the previous read, and counts as state times microseconds. Divided by the measured
 * time, this is the mean of the states read, for any intervals, and it adds up as counts do.
 */
#include "src/access/register.h"
#include "src/event/event.h"
#include "src/session/counts.h"
#include "src/session/session.h"

uint64_t session_gauge_bits(const struct pmon_session *s, const struct pmon_event *event,
                            const struct pmon_register_id *counter)
{
  return event_level(event) ? access_field(s->plan->platform, counter, "event_count") : 0;
}

uint64_t session_gauge_count(uint64_t state, double seconds)
{
  return (uint64_t)((double)state * seconds * 1e6 + 0.5);
}

/* A register that reads as all ones or all zeros shows no state: with a state of 0, other bits are set. */
uint32_t session_gauge(const struct session_run *run, const struct sample_reading *reading, uint64_t *ret_count)
{
  const uint64_t state = (reading->after & run->gauge) / (run->gauge & (~run->gauge + 1));
  *ret_count = 0;
  if (reading->after == UINT64_MAX || !reading->after)
    return PMON_VALUE_UNAVAILABLE;
  *ret_count = session_gauge_count(state, reading->seconds);
  return 0;
}
