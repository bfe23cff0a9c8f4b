/* SPDX-License-Identifier: MIT */
/* Adds counts to cells, and to sums over instances. */
#include <stdlib.h>
#include <string.h>
#include "src/session/counts.h"
#include "src/session/session.h"

/* Marks sums of events whose instances count in different rounds, and therefore see different slices. */
static void find_uneven(struct pmon_session *s)
{
  const struct schedule_plan *schedule = s->schedule;
  for (uint32_t i = 0; i < schedule->n_slots; i++)
    for (uint32_t k = 0; k < i; k++)
      if (schedule->slots[k].item == schedule->slots[i].item && schedule->slots[k].round != schedule->slots[i].round)
        for (uint32_t p = 0; p <= s->n_packages; p++)
          session_sums_of(s, s->sums, schedule->slots[i].item)[p].uneven = true;
}

int session_make_sums(struct pmon_session *s)
{
  if (s->rounds < 2)
    return 0;
  s->sums = calloc((size_t)session_items(s) * (s->n_packages + 1) + 1, sizeof *s->sums);
  s->missed = session_missed_new(s);
  if (!s->sums || !s->missed)
    return PMON_E_MEMORY;
  find_uneven(s);
  return 0;
}

static void sums_add_count(struct session_sum *sum, const struct sample_peak *slice)
{
  sum->uneven = sum->uneven || (sum->open && sum->slice.seconds != slice->seconds);
  const double before = sum->open ? sum->slice.count : 0;
  sum->slice = *slice;
  sum->slice.count += before;
  sum->open = true;
}

/* Cells and sums of the session, or of a region. */
struct counted {
  struct sample_total *cells;
  struct session_sum *sums;
};

static void add_to_item(const struct pmon_session *s, const struct counted *into, uint32_t item,
                        const struct session_run *run, const struct sample_peak *slice)
{
  const uint32_t place = run->cell - s->cell_of[run->event];
  const uint32_t event = session_item_event(s, item);
  if (!into->sums || s->cell_shared[s->cell_of[event] + place])
    return;
  struct session_sum *sums = session_sums_of(s, into->sums, item), *sum = &sums[place / session_instances(s, event)];
  sum->lost = sum->lost || run->flags & PMON_VALUE_LOST;
  sums_add_count(sum, slice);
  sums_add_count(&sums[s->n_packages], slice);
}

static void count_slice(const struct pmon_session *s, const struct counted *into, const struct session_run *run,
                        const struct sample_peak *slice, uint32_t flags)
{
  const uint32_t place = run->cell - s->cell_of[run->event];
  sample_add(&into->cells[run->cell], slice, flags);
  add_to_item(s, into, run->event, run, slice);
  const struct sample_peak of_round = {slice->count, slice->seconds, slice->slice_number, s->round};
  for (uint32_t i = s->first_part ? s->first_part[run->event] : UINT32_MAX; i != UINT32_MAX; i = s->parts[i].next) {
    const uint32_t item = s->plan->n_events + i;
    if (s->round >= s->rounds || !s->parts[i].rounds[s->round])
      continue;
    sample_add(&into->cells[s->cell_of[item] + place], &of_round, flags);
    add_to_item(s, into, item, run, &of_round);
  }
}

int session_make_round_counts(struct pmon_session *s)
{
  if (s->rounds > 1)
    s->round_counts = calloc((size_t)s->n_runs * s->rounds + 1, sizeof *s->round_counts);
  if (s->rounds < 2)
    return 0;
  if (!s->round_counts || session_make_witnesses(s) || session_make_ends(s))
    return PMON_E_MEMORY;
  return session_make_ratios(s);
}

void session_clear_round_counts(struct pmon_session *s)
{
  if (s->round_counts)
    memset(s->round_counts, 0, (size_t)s->n_runs * s->rounds * sizeof *s->round_counts);
}

void session_count(struct pmon_session *s, const struct session_run *run, uint64_t delta, double seconds,
                   uint32_t flags)
{
  if (run->round == UINT32_MAX && s->round_counts && s->round < s->rounds)
    s->round_counts[(size_t)(run - s->runs) * s->rounds + s->round] += (double)delta;
  const struct sample_peak slice = {(double)delta, seconds, s->read_slice_number, run->round};
  count_slice(s, &(struct counted){s->cells, s->sums}, run, &slice, flags);
  for (uint32_t i = 0; i < s->n_open; i++)
    count_slice(s, &(struct counted){s->open[i]->cells, s->open[i]->sums}, run, &slice, flags);
}

static void end_sums(const struct pmon_session *s, struct session_sum *sums)
{
  const size_t n = session_count_sums(s);
  if (n)
    session_note_witnesses(s, sums);
  for (size_t i = 0; i < n; i++) {
    if (sums[i].open)
      sample_add(&sums[i].total, &sums[i].slice, 0);
    sums[i].open = false;
  }
}

void session_end_sums(struct pmon_session *s)
{
  session_note_ends(s);
  end_sums(s, s->sums);
  for (uint32_t i = 0; i < s->n_open; i++)
    end_sums(s, s->open[i]->sums);
}

void session_clear_sums(struct pmon_session *s)
{
  const size_t n = session_count_sums(s);
  for (size_t i = 0; i < n; i++) {
    s->sums[i].total = (struct sample_total){0};
    s->sums[i].lost = false;
    memset(s->sums[i].by_witness, 0, sizeof s->sums[i].by_witness);
  }
}
