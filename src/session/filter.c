/* SPDX-License-Identifier: MIT */
/*
 * Filter registers of the units that are counted. Contents that another user left in a filter would restrict counts of
 * this session, too. Each filter therefore starts a round with the neutral contents, which let everything pass, and
 * then gets the fields that the round's events use (327043 2.3.3.3, 2.4.3, 2.7.3; 817509 2.2.2.2; Montecito 3.3.5 to
 * 3.3.7). The neutral contents are the reset contents.
 */
#include <inttypes.h>
#include <stdio.h>
#include "src/access/register.h"
#include "src/event/event.h"
#include "src/platform/platform.h"
#include "src/session/overlap.h"
#include "src/session/session.h"

_Static_assert(PMON_IMAGE_REGISTERS + DB_ACTING_FILTERS <= SESSION_WRITES, "no room for each filter that acts");

int session_add_filters(struct pmon_session *s, uint32_t package, uint32_t unit, uint32_t instance)
{
  const struct pmon_platform *p = s->plan->platform;
  struct pmon_register_info info = {.size = sizeof info};
  for (uint32_t r = 0; platform_get_register(p, unit, r, &info); r++) {
    struct pmon_register_id id = {.unit = unit, .reg = r, .instance = instance};
    struct pmon_address a;
    uint32_t reg;
    /* A register with its own privilege levels configures a sample buffer, and does not filter counters. Breakpoint
     * registers belong to the debugger until an event uses one: ranges are off while the other filters are neutral. */
    if (info.role != PMON_ROLE_FILTER || access_field(p, &id, "plm") || pmon_register_address(p, &id, &a) ||
        a.space == PMON_SPACE_IBR || a.space == PMON_SPACE_DBR)
      continue;
    a.package = package;
    const bool present = session_lookup_register(s, &a) != NULL;
    if (session_find_register(s, &a, &id, PHASE_FILTER, &reg))
      return PMON_E_MEMORY;
    s->regs[reg].filter = true;
    s->regs[reg].latched = platform_is_latched(p, &id);
    s->regs[reg].optional = !present || s->regs[reg].optional;
    s->regs[reg].neutral = platform_reset_value(p, &id);
  }
  return 0;
}

uint64_t session_filter_bits(const struct pmon_session *s, const struct session_run *run,
                             const struct pmon_image *image, uint32_t reg)
{
  const struct pmon_event *e = s->plan->events[run->event].event;
  const uint32_t row = e->db->units[e->unit].registers.first + reg;
  if (event_is_narrowed(e->db, e->event, row))
    return UINT64_MAX;
  const uint64_t control = image->registers[image->n - 1].value;
  return event_filter_bits(e->db, (struct event_control){e->ctl, e->event, control}, row);
}

static bool image_has(const struct pmon_image *image, uint32_t reg)
{
  bool has = false;
  for (uint32_t i = 0; i < image->n; i++)
    has |= image->registers[i].id.reg == reg;
  return has;
}

int session_add_neutral(struct pmon_session *s, const struct pmon_image *image, uint32_t package,
                        struct session_run *run)
{
  const struct pmon_platform *p = s->plan->platform;
  const struct pmon_event *event = s->plan->events[run->event].event;
  const struct db_span regs = event->db->units[event->unit].registers;
  struct pmon_register_id id = {.unit = image->counter_id.unit, .instance = image->counter_id.instance};
  for (; id.reg < regs.n; id.reg++) {
    if (event->db->registers[regs.first + id.reg].role != PMON_ROLE_FILTER)
      continue;
    const uint64_t bits = session_filter_bits(s, run, image, id.reg);
    struct session_write w = {0};
    struct pmon_address a;
    /* Breakpoint registers belong to the debugger: the other filters, when neutral, bypass them. */
    if (!bits || image_has(image, id.reg) || pmon_register_address(p, &id, &a) || a.space == PMON_SPACE_IBR ||
        a.space == PMON_SPACE_DBR)
      continue;
    w.value = platform_reset_value(p, &id);
    a.package = package;
    const bool present = session_lookup_register(s, &a) != NULL;
    if (session_find_register(s, &a, &id, PHASE_FILTER, &w.reg))
      return PMON_E_MEMORY;
    s->regs[w.reg].optional = !present || s->regs[w.reg].optional;
    w.mask = bits & s->regs[w.reg].stable;
    w.quiet = event_is_narrowed(event->db, event->event, regs.first + id.reg);
    run->writes[run->n_writes++] = w;
  }
  run->n_neutral = run->n_writes;
  return 0;
}

/* Computes the contents of each filter in a round from the events of the round. A filter that takes effect later than
 * it is written has the same contents in all rounds, which the plan ensures. */
static void filter_prepare(struct pmon_session *s, uint32_t round)
{
  for (uint32_t i = 0; i < s->n_regs; i++) {
    struct session_register *r = &s->regs[i];
    if (r->filter)
      r->wanted = overlap_uses(s, r) ? r->now : (r->now & ~r->stable) | (r->neutral & r->stable);
  }
  for (uint32_t i = 0; i < s->n_runs; i++) {
    const struct session_run *run = &s->runs[i];
    for (uint32_t k = 0; !run->gone && k < run->n_writes; k++) {
      const struct session_write *w = &run->writes[k];
      if (run->round == round || s->regs[w->reg].latched)
        s->regs[w->reg].wanted = (s->regs[w->reg].wanted & ~w->mask) | (w->value & w->mask);
    }
  }
}

int session_program_filters(struct pmon_session *s, uint32_t round)
{
  int status = 0;
  filter_prepare(s, round);
  for (uint32_t i = 0; !status && i < s->n_regs; i++) {
    struct session_register *r = &s->regs[i];
    r->changed = r->filter && !r->missing && (r->wanted ^ r->now) & r->stable;
    if (r->changed)
      status = session_write(s, r, (r->wanted & r->stable) | (r->neutral & ~r->stable));
  }
  return status;
}

uint32_t pmon_session_filters(const struct pmon_session *s, pmon_line_sink sink, void *user)
{
  const struct pmon_platform *p = s->plan->platform;
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->n_regs; i++) {
    const struct session_register *r = &s->regs[i];
    char name[80], address[64], line[280];
    if (!r->filter || r->missing || !((r->saved ^ r->neutral) & r->stable))
      continue;
    n++;
    pmon_register_name(p, &r->id, name, sizeof name);
    pmon_address_format(&r->address, address, sizeof address);
    snprintf(line, sizeof line, "%s (instance %" PRIu32 ", package %" PRIu32 ", %s) had the filter value 0x%" PRIx64,
             name, r->id.instance, r->address.package, address, r->saved);
    if (sink)
      sink(user, line);
  }
  return n;
}
