/* SPDX-License-Identifier: MIT */
/*
 * Witnesses: events that count in every round. They show which part of the activity fell into the slices of each round.
 * If a witness's count in an event's slices is less than their part of the time, the event missed the rest, provided
 * that it behaves as the witness does. Of several witnesses, the one that shows the largest missing part is used. An
 * event that counts nearly all the time does not behave like one that comes in bursts: only witnesses of its own kind
 * are used for it. Clocks are not witnesses.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "src/plan/witness.h"
#include "src/session/counts.h"
#include "src/session/session.h"

enum { MOST_WITNESSES = 8, WITNESS_COUNTS = SAMPLE_FEW };

struct witness {
  const struct sample_total *total;
  const double *of_round;
};

int session_make_witnesses(struct pmon_session *s)
{
  const size_t rounds = s->rounds, items = session_items(s);
  s->in_round = calloc(items * rounds + 1, sizeof *s->in_round);
  s->witnessed = calloc(MOST_WITNESSES * rounds, sizeof *s->witnessed);
  if (!s->in_round || !s->witnessed)
    return PMON_E_MEMORY;
  for (uint32_t i = 0; i < s->n_runs; i++)
    if (s->runs[i].round < rounds)
      s->in_round[s->runs[i].event * rounds + s->runs[i].round] = true;
  for (uint32_t i = 0; i < s->n_parts; i++)
    for (size_t r = 0; r < rounds; r++)
      s->in_round[(s->plan->n_events + i) * rounds + r] = s->parts[i].rounds[r];
  return 0;
}

/* Computes the event's count in each round. */
static void count_rounds(const struct pmon_session *s, uint32_t event, double *of_round)
{
  memset(of_round, 0, s->rounds * sizeof *of_round);
  for (uint32_t i = 0; i < s->n_runs; i++)
    for (uint32_t r = 0; s->runs[i].event == event && !s->cell_shared[s->runs[i].cell] && r < s->rounds; r++)
      of_round[r] += session_round_count(s, &s->runs[i], r);
}

static bool is_witness(const struct pmon_session *s, uint32_t event, const struct sample_total *t)
{
  return t && t->slices && t->round >= s->rounds && !(s->no_witness && session_is_witness(s, event)) &&
         t->count >= WITNESS_COUNTS && !plan_counts_clock(s->plan->events[event].event);
}

bool session_has_witness(const struct pmon_session *s)
{
  for (uint32_t e = 0; e < s->plan->n_events; e++)
    if (is_witness(s, e, session_sum(s, e, PMON_ALL)))
      return true;
  return false;
}

static uint32_t find_witnesses(const struct pmon_session *s, struct witness witness[MOST_WITNESSES])
{
  uint32_t n = 0;
  for (uint32_t e = 0; e < s->plan->n_events && n < MOST_WITNESSES; e++) {
    const struct sample_total *t = session_sum(s, e, PMON_ALL);
    if (!is_witness(s, e, t))
      continue;
    double *of_round = &s->witnessed[(size_t)n * s->rounds];
    count_rounds(s, e, of_round);
    witness[n++] = (struct witness){t, of_round};
  }
  return n;
}

/* Returns the part of the witness's count that is missing in rounds that cover the part f of the time; below 0: these
 * rounds have more than their part. */
static double unseen_of(const struct witness *w, const bool *in_round, uint32_t rounds, double f)
{
  double seen = 0;
  for (uint32_t r = 0; r < rounds; r++)
    seen += in_round[r] ? w->of_round[r] : 0;
  return 1 - seen / w->total->count / f;
}

void session_find_unseen(struct pmon_session *s)
{
  struct witness witness[MOST_WITNESSES];
  const double seconds = pmon_session_seconds(s);
  const uint32_t n = s->n_runs && s->in_round ? find_witnesses(s, witness) : 0;
  for (uint32_t item = 0; n && item < session_items(s); item++) {
    struct sample_total *t = session_sum(s, item, PMON_ALL);
    const double f = t ? t->seconds / seconds : 0;
    if (f <= 0 || f > 1 - 1e-9 || t->round >= s->rounds)
      continue;
    t->unseen = 0;
    for (uint32_t i = 0; i < n; i++)
      if (sample_is_even(witness[i].total) || !sample_is_even(t))
        t->unseen = fmax(t->unseen, unseen_of(&witness[i], &s->in_round[(size_t)item * s->rounds], s->rounds, f));
    if (session_missed_end(s, t))
      t->unseen = 1;
  }
}
