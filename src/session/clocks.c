/* SPDX-License-Identifier: MIT */
/* Frequencies of clocks: those of the session's host or machine, else those of the facts. */
#include "src/base/text.h"
#include "src/platform/platform.h"
#include "src/session/session.h"
#include "src/session/values.h"

static double facts_clock_hz(const struct pmon_session *s, const char *clock)
{
  const struct pmon_platform *p = s->plan->platform;
  for (uint32_t i = 0; i < p->row->clocks.n; i++) {
    const struct db_clock *c = &p->db->clocks[p->row->clocks.first + i];
    if (text_is(text_of(db_text(p->db, c->name)), clock))
      return (double)c->hz;
  }
  return 0;
}

double session_clock_hz(const struct pmon_session *s, const char *clock)
{
  for (uint32_t i = 0; i < s->n_clocks; i++)
    if (text_is(text_of(s->clocks[i].name), clock))
      return (double)s->clocks[i].hz;
  return facts_clock_hz(s, clock);
}

double session_reference_hz(const struct pmon_session *s, const char *clock)
{
  const double hz = session_clock_hz(s, clock);
  return hz > 0 ? hz : facts_clock_hz(s, clock);
}
