/* SPDX-License-Identifier: MIT */
/* Describes what one count of an event means: a cycle, an entry in a cycle, an occurrence, or a comparison of these. */
#include "cli/facts/explain_count.h"
#include <stdio.h>
#include <string.h>

static bool begins_with(const char *text, const char *start)
{
  return !strncmp(text, start, strlen(start));
}

static bool counts_entries(const struct pmon_event_info *e)
{
  return strstr(e->brief, "added up every cycle") || strstr(e->brief, "added up each cycle") ||
         (e->states && strstr(e->event, "OCCUPANCY"));
}

/* Finds this from the description, because user-supplied facts may have no column for it. */
static bool counts_cycles(const char *brief)
{
  return begins_with(brief, "Cycles") || begins_with(brief, "Clock cycles") ||
         begins_with(brief, "Core clock cycles") || begins_with(brief, "Bus clocks") || begins_with(brief, "Clocks ");
}

static bool counts_a_clock(const struct pmon_event_info *e)
{
  return comparison_is_clock(e->brief) || (e->event && strstr(e->event, "CLOCKTICKS"));
}

/* Writes the meaning of a count that is not compared. */
static void write_plain(char *text, size_t size, const struct pmon_event_info *e, const char *cycle)
{
  unsigned bytes;
  if (e->scale != 0)
    describe_scale(e, text, size);
  else if (counts_entries(e))
    snprintf(text, size,
             "one entry during one %s; the count divided by the cycles is the mean number of entries, divided by the "
             "inserts the mean time of an entry in cycles",
             cycle);
  else if (e->states && e->max_inc > 1 && !counts_cycles(e->brief))
    snprintf(text, size, "one of up to %u in one %s", e->max_inc, cycle);
  else if (e->states || counts_cycles(e->brief))
    snprintf(text, size, counts_a_clock(e) ? "one %s" : "one %s in which the condition is true", cycle);
  else if (sscanf(e->brief, "Units of %u bytes", &bytes) == 1)
    snprintf(text, size, "%u bytes", bytes);
  else
    snprintf(text, size, "one occurrence");
}

/* An event that counts while an occupancy satisfies a comparison; without a threshold, every occupancy does. */
static void explain_gated(struct out *o, const struct comparison *c, const char *cycle)
{
  char occupancy[96] = "";
  if (c->threshold)
    snprintf(occupancy, sizeof occupancy, " while the selected occupancy is %s %llu", c->invert ? "below" : "at least",
             (unsigned long long)c->threshold);
  describe_format(o, "one count", "%s %s%s in which the event adds %s%s", c->edge ? "the first" : "one", cycle,
                  c->edge ? " of a period" : "", c->event_invert ? "nothing" : "1 or more", occupancy);
}

void explain_count(struct out *o, const struct pmon_platform *platform, const struct explain_count *x)
{
  const struct pmon_event_info *e = x->event;
  struct comparison c = x->compared ? *x->compared : (struct comparison){0};
  char text[512], cycle[64], compared[128];
  if (x->control)
    c = comparison_of(platform, e, x->control);
  snprintf(cycle, sizeof cycle, *x->clock ? "cycle of %s" : "cycle", x->clock);
  write_plain(text, sizeof text, e, cycle);
  if (c.gate) {
    explain_gated(o, &c, cycle);
    return;
  }
  if (!c.threshold && !c.edge && !c.invert) {
    describe_line(o, "one count", text);
    return;
  }
  const uint64_t least = comparison_least(&c);
  if (!c.invert)
    snprintf(compared, sizeof compared, "the event adds %llu or more", (unsigned long long)least);
  else
    snprintf(compared, sizeof compared, "the event adds less than %llu, including 0", (unsigned long long)least);
  if (c.edge)
    describe_format(o, "one count", "the first %s of a period in which %s", cycle, compared);
  else
    describe_format(o, "one count", "one %s in which %s", cycle, compared);
  describe_format(o, "uncompared", "%s", text);
  if (comparison_unreachable(&c, e, text, sizeof text))
    describe_line(o, "warning", text);
}
