/* SPDX-License-Identifier: MIT */
/* What one count of an event means: a cycle, an entry during a cycle, an occurrence, or a comparison of these. */
#include "cli/facts/explain_count.h"
#include <stdio.h>
#include <string.h>

#define FIELDS 64

/* The comparison that the control register asks for. */
struct comparison {
  uint64_t threshold;
  bool above; /* the threshold must be exceeded, not only reached */
  bool invert, edge;
};

static struct comparison explain_comparison(const struct pmon_platform *platform, const struct explain_count *x)
{
  struct comparison c = {0};
  struct pmon_field_value fields[FIELDS];
  const size_t n = pmon_value_fields(platform, &x->control->id, x->control->value, x->event->overlay, fields, FIELDS);
  for (size_t i = 0; i < n && i < FIELDS; i++) {
    const char *name = fields[i].name;
    if (!strcmp(name, "thresh") || !strcmp(name, "threshold")) {
      c.threshold = fields[i].value;
      c.above = !strcmp(name, "threshold"); /* Montecito Table 3-6 */
    } else if (!strcmp(name, "invert") || !strcmp(name, "occ_invert")) {
      c.invert = c.invert || fields[i].value;
    } else if (!strcmp(name, "edge_det") || !strcmp(name, "occ_edge_det")) {
      c.edge = c.edge || fields[i].value;
    }
  }
  return c;
}

static bool begins_with(const char *text, const char *start)
{
  return !strncmp(text, start, strlen(start));
}

static bool counts_cycles(const char *brief)
{
  return begins_with(brief, "Cycles") || begins_with(brief, "Clock cycles") ||
         begins_with(brief, "Core clock cycles") || begins_with(brief, "Bus clocks") || begins_with(brief, "Clocks ");
}

static bool is_clock(const char *brief)
{
  return begins_with(brief, "Cycles of the ") || begins_with(brief, "Clock cycles") || begins_with(brief, "Clocks of ");
}

/* What the counter adds for: the meaning of a count that is not compared. */
static void write_plain(char *text, size_t size, const struct pmon_event_info *e, const char *cycle)
{
  unsigned bytes;
  if (strstr(e->brief, "added up") || strstr(e->brief, "summed up"))
    snprintf(text, size,
             "one entry during one %s; the count divided by the cycles is their mean number, divided by their inserts "
             "their mean time in cycles",
             cycle);
  else if (e->scale != 0)
    snprintf(text, size, "%g %s", e->scale, e->result);
  else if (counts_cycles(e->brief))
    snprintf(text, size, is_clock(e->brief) ? "one %s" : "one %s in which this is so", cycle);
  else if (sscanf(e->brief, "Units of %u bytes", &bytes) == 1)
    snprintf(text, size, "%u bytes", bytes);
  else
    snprintf(text, size, "one occurrence");
}

void explain_count(struct out *o, const struct pmon_platform *platform, const struct explain_count *x)
{
  const struct pmon_event_info *e = x->event;
  const uint32_t most = e->max_inc ? e->max_inc : is_clock(e->brief) ? 1 : 0;
  struct comparison c = {0};
  char text[512], cycle[64], compared[128];
  if (x->control)
    c = explain_comparison(platform, x);
  snprintf(cycle, sizeof cycle, *x->clock ? "cycle of %s" : "cycle", x->clock);
  write_plain(text, sizeof text, e, cycle);
  if (!c.threshold && !c.edge && !c.invert) {
    describe_line(o, "one count", text);
    return;
  }
  const uint64_t least = c.above ? c.threshold + 1 : c.threshold ? c.threshold : 1;
  if (!c.invert)
    snprintf(compared, sizeof compared, "the event adds %llu or more", (unsigned long long)least);
  else
    snprintf(compared, sizeof compared, "the event adds less than %llu, nothing included", (unsigned long long)least);
  if (c.edge)
    describe_format(o, "one count", "the first %s of a period in which %s", cycle, compared);
  else
    describe_format(o, "one count", "one %s in which %s", cycle, compared);
  describe_format(o, "uncompared", "%s", text);
  if (most && least > most)
    describe_format(o, "warning", "%s: the event adds at most %u in a cycle, so it never reaches %llu",
                    c.invert ? "every cycle counts" : "the count stays 0", most, (unsigned long long)least);
}
