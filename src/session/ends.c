/* SPDX-License-Identifier: MIT */
/*
 * What a round cannot know of the measurement's end. The last cycle of turns is not complete: a round may have had its
 * turn of it or not, and slices are the longest then.
 *
 *  - What goes on at the end at more than the average rate was seen too often or too little by the time that the
 * round's slices have more or less than their part of the whole. What the excess of the last slice's rate makes of that
 * time, scaled, is how far the number is off. What ended before is off by no more than that part of the number itself.
 *  - What came after the round's last slice was not seen by it at all. Whether something came there that was not there
 *    before, witnesses show: events that count in every round. Few counts say nothing of it, and are unknown.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "src/session/counts.h"
#include "src/session/session.h"

/* After a round's last slice the activity is another one if a witness's rate differs so many times, by more than so
 * many standard errors of counting, in so much of the time at least; so few counts say nothing of it. */
#define OTHER_RATE 2
#define OTHER_ERRORS 3
#define LEAST_TIME 0.02
#define FEW_COUNTS 350

/* Of a round and a witness: what this counted in the last slice of the round, and after it. */
struct session_end {
  double last, last_seconds, after, after_seconds;
};

int session_make_ends(struct pmon_session *s)
{
  s->ends = calloc((size_t)s->rounds * SESSION_WITNESSES, sizeof *s->ends);
  return s->ends ? 0 : PMON_E_MEMORY;
}

void session_clear_ends(struct pmon_session *s)
{
  if (s->ends)
    memset(s->ends, 0, (size_t)s->rounds * SESSION_WITNESSES * sizeof *s->ends);
}

void session_note_ends(struct pmon_session *s)
{
  for (uint32_t k = 0; s->ends && k < s->n_witnesses; k++) {
    const struct session_sum *w = &session_sums_of(s, s->sums, s->witnesses[k])[s->n_packages];
    for (uint32_t r = 0; w->open && r < s->rounds; r++) {
      struct session_end *end = &s->ends[(size_t)r * SESSION_WITNESSES + k];
      if (r == s->round) {
        *end = (struct session_end){w->slice.count, w->slice.seconds, 0, 0};
      } else {
        end->after += w->slice.count;
        end->after_seconds += w->slice.seconds;
      }
    }
  }
}

static bool is_other(const struct session_end *end, double seconds)
{
  if (end->last_seconds <= 0 || end->after_seconds < LEAST_TIME * seconds)
    return false;
  const double before = end->last / end->last_seconds, after = end->after / end->after_seconds;
  const double error = hypot(sqrt(end->last + 1) / end->last_seconds, sqrt(end->after + 1) / end->after_seconds);
  return fmax(before, after) > OTHER_RATE * fmin(before, after) && fabs(after - before) > OTHER_ERRORS * error;
}

bool session_missed_end(const struct pmon_session *s, const struct sample_total *t)
{
  bool other = false;
  for (uint32_t k = 0; s->ends && k < s->n_witnesses && t->round < s->rounds; k++)
    other = other || (!(s->no_witness && session_is_witness(s, s->witnesses[k])) &&
                      is_other(&s->ends[(size_t)t->round * SESSION_WITNESSES + k], pmon_session_seconds(s)));
  return other && t->count > 0 && t->count < FEW_COUNTS;
}

/* In which part of a cycle's turns the item counts. */
static double part_of_rounds(const struct pmon_session *s, uint32_t item)
{
  uint32_t n = 0;
  for (uint32_t r = 0; r < s->rounds; r++)
    n += s->in_round[(size_t)item * s->rounds + r];
  return (double)n / s->rounds;
}

void session_find_ends(struct pmon_session *s)
{
  const double seconds = pmon_session_seconds(s);
  for (uint32_t item = 0; s->n_runs && s->in_round && item < session_items(s); item++) {
    const double whole = seconds * part_of_rounds(s, item);
    for (uint32_t p = 0; p <= s->n_packages; p++) {
      struct session_sum *sum = &session_sums_of(s, s->sums, item)[p];
      struct sample_total *t = &sum->total;
      t->off = 0;
      if (sum->uneven || sum->lost || t->slices < 2 || t->seconds <= 0 || t->last[0].seconds <= 0)
        continue;
      const double more = fmax(0, t->last[0].count / t->last[0].seconds - t->count / t->seconds);
      t->off = more * fabs(t->seconds - whole) * seconds / t->seconds;
    }
  }
}
