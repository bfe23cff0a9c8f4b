/* SPDX-License-Identifier: MIT */
/* Counts on their way into cells, and into sums over instances. */
#include <stdlib.h>
#include <string.h>
#include "session.h"

static struct session_sum *sums_of(const struct pmon_session *s, uint32_t event)
{
  return &s->sums[(size_t)event * (s->n_packages + 1)];
}

/* Instances of an event that count in different rounds see different slices. */
static void find_uneven(struct pmon_session *s)
{
  const struct schedule_plan *schedule = &s->plan->schedule;
  for (uint32_t i = 0; i < schedule->n_slots; i++)
    for (uint32_t k = 0; k < i; k++)
      if (schedule->slots[k].item == schedule->slots[i].item && schedule->slots[k].round != schedule->slots[i].round)
        for (uint32_t p = 0; p <= s->n_packages; p++)
          sums_of(s, schedule->slots[i].item)[p].uneven = true;
}

int session_make_sums(struct pmon_session *s)
{
  if (s->rounds < 2)
    return 0;
  s->sums = calloc((size_t)s->plan->n_events * (s->n_packages + 1) + 1, sizeof *s->sums);
  if (!s->sums)
    return PMON_E_MEMORY;
  find_uneven(s);
  return 0;
}

static void add(struct session_sum *sum, uint64_t delta, double seconds)
{
  sum->uneven = sum->uneven || (sum->open && sum->seconds != seconds);
  sum->count = (sum->open ? sum->count : 0) + (double)delta;
  sum->seconds = seconds;
  sum->open = true;
}

void session_count(struct pmon_session *s, const struct session_run *run, uint64_t delta, double seconds,
                   uint32_t flags)
{
  sample_add(&s->cells[run->cell], (double)delta, seconds, flags);
  if (!s->sums || s->cell_shared[run->cell])
    return;
  struct session_sum *sums = sums_of(s, run->event);
  add(&sums[(run->cell - s->cell_of[run->event]) / session_instances(s, run->event)], delta, seconds);
  add(&sums[s->n_packages], delta, seconds);
}

void session_end_sums(struct pmon_session *s)
{
  const size_t n = s->sums ? (size_t)s->plan->n_events * (s->n_packages + 1) : 0;
  for (size_t i = 0; i < n; i++) {
    if (s->sums[i].open)
      sample_add(&s->sums[i].total, s->sums[i].count, s->sums[i].seconds, 0);
    s->sums[i].open = false;
  }
}

void session_clear_sums(struct pmon_session *s)
{
  const size_t n = s->sums ? (size_t)s->plan->n_events * (s->n_packages + 1) : 0;
  for (size_t i = 0; i < n; i++)
    s->sums[i].total = (struct sample_total){0};
}

struct sample_total *session_sum(const struct pmon_session *s, uint32_t event, uint32_t package)
{
  if (!s->sums || (package != PMON_ALL && package >= s->n_packages))
    return NULL;
  struct session_sum *sum = &sums_of(s, event)[package == PMON_ALL ? s->n_packages : package];
  return sum->uneven ? NULL : &sum->total;
}
