/* SPDX-License-Identifier: MIT */
#include "cli/common/comparison.h"
#include <stdio.h>
#include <string.h>

#define FIELDS 64

struct comparison comparison_of(const struct pmon_platform *platform, const struct pmon_event_info *e,
                                const struct pmon_image_register *control)
{
  struct comparison c = {0};
  bool invert = false, edge = false, occ_invert = false, occ_edge = false, occupancy = false;
  struct pmon_field_value fields[FIELDS];
  const size_t n = pmon_value_fields(platform, &control->id, control->value, e->overlay, fields, FIELDS);
  for (size_t i = 0; i < n && i < FIELDS; i++) {
    const char *name = fields[i].name;
    if (!strcmp(name, "thresh") || !strcmp(name, "threshold")) {
      c.threshold = fields[i].value;
      c.above = !strcmp(name, "threshold"); /* Montecito Table 3-6 */
    } else if (!strcmp(name, "invert")) {
      invert = fields[i].value;
    } else if (!strcmp(name, "edge_det")) {
      edge = fields[i].value;
    } else if (!strcmp(name, "occ_invert")) {
      occ_invert = fields[i].value;
    } else if (!strcmp(name, "occ_edge_det")) {
      occ_edge = fields[i].value;
    } else if (!strcmp(name, "occ_sel")) {
      occupancy = fields[i].value;
    } else if (!strcmp(name, "ev_sel") && e->event && e->kind == PMON_EVENT_PROGRAMMED) {
      c.gate = fields[i].value != e->code && (fields[i].value & e->code) == e->code;
    }
  }
  /* The E5-2600's core occupancy has an inversion and an edge detection of its own (Table 2-75). Where it gates an
   * event, `invert` acts on the event (Table 2-80, case 6). */
  c.invert = occupancy ? occ_invert : invert;
  c.edge = occupancy ? occ_edge : edge;
  c.event_invert = c.gate && invert;
  return c;
}

uint64_t comparison_least(const struct comparison *c)
{
  return c->above ? c->threshold + 1 : c->threshold ? c->threshold : 1;
}

bool comparison_is_clock(const char *brief)
{
  static const char *const starts[] = {"Cycles of the ", "Clock cycles", "Clocks of "};
  for (size_t i = 0; brief && i < sizeof starts / sizeof *starts; i++)
    if (!strncmp(brief, starts[i], strlen(starts[i])))
      return true;
  return false;
}

bool comparison_unreachable(const struct comparison *c, const struct pmon_event_info *e, char *text, size_t size)
{
  const uint32_t most = e->max_inc ? e->max_inc : comparison_is_clock(e->brief) ? 1 : 0;
  const uint64_t least = comparison_least(c);
  if (!most || least <= most || c->gate)
    return false;
  snprintf(text, size, "%s: the event adds at most %u in a cycle, so it never reaches %llu",
           c->invert ? "every cycle counts" : "the count stays 0", most, (unsigned long long)least);
  return true;
}
