/* SPDX-License-Identifier: MIT */
/*
 * What a round does not see of the end of the measurement. The last cycle of rounds is not complete: a round may or may
 * not have had its slice in it, and slices are longest then.
 *
 *  - Activity that continues to the end at more than the average rate was seen too much or too little, by the
 *    difference between the time of the round's slices and their part of the whole. The number may be off by the excess
 *    of the last slice's rate times this time, scaled. Activity that ended before is off by no more than that part of
 *    the number itself.
 *  - The round did not see what came after its last slice. Witnesses, events that count in every round, show whether it
 *    was activity that the round had not seen before: their rate is then higher or lower than in any of the round's
 *    slices. Few counts do not represent this activity, and are unknown.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "src/session/counts.h"
#include "src/session/session.h"

/* The activity after a round's last slice is a different one if a witness's rate differs by more than this factor from
 * those in all of the round's slices, by more than this many standard errors of counting, in at least this part of the
 * time. */
#define OTHER_RATE 2
#define OTHER_ERRORS 3
#define LEAST_TIME 0.02

struct slice {
  double count, seconds;
};

/* For a round and a witness: the witness's count after the round's last slice, and in those of the round's slices in
 * which the witness's rate was lowest and highest. */
struct session_end {
  struct slice after, least, most;
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

static void note_slice(struct session_end *end, const struct slice *slice)
{
  const bool first = end->most.seconds <= 0;
  end->after = (struct slice){0, 0};
  if (slice->seconds <= 0)
    return;
  if (first || slice->count * end->least.seconds < end->least.count * slice->seconds)
    end->least = *slice;
  if (first || slice->count * end->most.seconds > end->most.count * slice->seconds)
    end->most = *slice;
}

void session_note_ends(struct pmon_session *s)
{
  for (uint32_t k = 0; s->ends && k < s->n_witnesses; k++) {
    const struct session_sum *w = &session_sums_of(s, s->sums, s->witnesses[k])[s->n_packages];
    for (uint32_t r = 0; w->open && r < s->rounds; r++) {
      struct session_end *end = &s->ends[(size_t)r * SESSION_WITNESSES + k];
      if (r == s->round) {
        note_slice(end, &(struct slice){w->slice.count, w->slice.seconds});
      } else {
        end->after.count += w->slice.count;
        end->after.seconds += w->slice.seconds;
      }
    }
  }
}

/* True if the first rate is more than OTHER_RATE times the second, by more than OTHER_ERRORS standard errors. */
static bool is_higher(const struct slice *a, const struct slice *b)
{
  const double high = a->count / a->seconds, low = b->count / b->seconds;
  const double error = hypot(sqrt(a->count + 1) / a->seconds, sqrt(b->count + 1) / b->seconds);
  return high > OTHER_RATE * low && high - low > OTHER_ERRORS * error;
}

static bool is_other(const struct session_end *end, double seconds)
{
  if (end->most.seconds <= 0 || end->after.seconds < LEAST_TIME * seconds)
    return false;
  return is_higher(&end->after, &end->most) || is_higher(&end->least, &end->after);
}

bool session_missed_end(const struct pmon_session *s, const struct sample_total *t)
{
  bool other = false;
  for (uint32_t k = 0; s->ends && k < s->n_witnesses && t->round < s->rounds; k++)
    other = other || (!(s->no_witness && session_is_witness(s, s->witnesses[k])) &&
                      is_other(&s->ends[(size_t)t->round * SESSION_WITNESSES + k], pmon_session_seconds(s)));
  return other && t->count > 0 && t->count < SAMPLE_FEW;
}

/* Returns the part of a cycle's rounds in which the item counts. */
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
