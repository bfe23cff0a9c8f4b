/* SPDX-License-Identifier: MIT */
/* Finds registers that other software has programmed, by their saved contents. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "src/access/register.h"
#include "src/session/session.h"

/* Returns the bits that the session's events write; in a control that several counters share, these are its own. */
static uint64_t conflict_written(const struct pmon_session *s, const struct session_register *r)
{
  uint64_t mask = 0;
  for (uint32_t i = 0; i < s->n_runs; i++)
    for (uint32_t k = 0; k < s->runs[i].n_writes; k++)
      if (&s->regs[s->runs[i].writes[k].reg] == r)
        mask |= s->runs[i].writes[k].mask;
  return mask;
}

/* If a bit enables counting, an event without it was left by software that has ended. A thread's buffer samples if it
 * has privilege levels. */
uint64_t session_find_selects(const struct pmon_platform *p, const struct pmon_register_id *id,
                              enum session_phase phase)
{
  const uint64_t first = access_field(p, id, phase == PHASE_FILTER ? "plm" : "en");
  return first || phase == PHASE_FILTER ? first : access_field(p, id, "ev_sel");
}

uint64_t session_selects(const struct pmon_session *s, const struct session_register *r)
{
  return (r->selects || r->phase != PHASE_CTL ? r->selects : conflict_written(s, r)) & r->stable;
}

uint32_t pmon_session_conflicts(const struct pmon_session *s, pmon_line_sink sink, void *user)
{
  const struct pmon_platform *p = s->plan->platform;
  struct pmon_decoded *decoded = calloc(1, sizeof *decoded);
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->n_regs; i++) {
    const struct session_register *r = &s->regs[i];
    char name[80], address[64], line[480];
    if (r->missing || (r->phase != PHASE_CTL && r->phase != PHASE_FILTER) || !(r->saved & session_selects(s, r)) ||
        session_reads_ones(r, r->saved))
      continue;
    n++;
    pmon_register_name(p, &r->id, name, sizeof name);
    pmon_address_format(&r->address, address, sizeof address);
    if (decoded)
      *decoded = (struct pmon_decoded){.size = sizeof *decoded};
    const bool event = decoded && !pmon_decode_value(p, &r->id, r->saved, decoded) && *decoded->event_text;
    snprintf(line, sizeof line, "%s (instance %" PRIu32 ", package %" PRIu32 ", %s) holds 0x%" PRIx64 "%s%s", name,
             r->id.instance, r->address.package, address, r->saved, event ? ": " : "",
             event ? decoded->event_text : "");
    if (sink)
      sink(user, line);
  }
  free(decoded);
  return n;
}
