/* SPDX-License-Identifier: MIT */
/*
 * Scaling by a witness: ratio estimation. The count of an event that ran for part of the time is scaled to all of it,
 * by the part of the time or by the part of a witness's count that fell into the same slices. A witness is an event
 * that counts in every round. If both rise and fall together, the quotient of their counts is nearly the same in each
 * slice, and if the slices missed a part of a burst, they missed the same part of both.
 *
 * The slices themselves show whether this holds. With c, w and t of a slice, the variance of the number by the witness
 * follows from the residuals c - R w, R = sum(c) / sum(w), that of the number by time from c - r t, r = sum(c) /
 * sum(t). The former is smaller if the correlation of c and w is more than half of the quotient of their coefficients
 * of variation. Residuals of neighbouring slices are compared (src/sample/sample.h): changes that all rounds see alike
 * do not matter.
 *
 * One witness, or time, is chosen for a group: all items of a unit that count in the same rounds of a package. Their
 * counts therefore keep their ratios. Instances have the factor of their package. A witness is chosen if the mean of
 * the group's variances is less than USEFUL of the variance by time, and none of them more than HARMFUL of it; of
 * several witnesses, the one with the smallest mean. Clocks are always scaled by time, which is what they count.
 *
 * docs/design/009-uncertainty.md has the comparison.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "src/plan/witness.h"
#include "src/session/counts.h"
#include "src/session/session.h"

/* Minimum count of a witness, since fewer counts scatter too much; minimum number of pairs of slices for a
 * comparison. */
enum { WITNESS_COUNTS = SAMPLE_FEW, LEAST_PAIRS = 3 };
#define USEFUL 0.9
#define HARMFUL 1.5
/* Minimum part of the time for which a witness must have counted: reads at the ends of a region take some of it. */
#define WITNESSED 0.9

/* The votes of a group for a witness: logarithms of the quotients of variances. */
struct session_vote {
  double sum, most;
  uint32_t n;
};

enum { EVERY_ROUND = 1, ONE_ROUND = 2 };

/* Returns for each event whether its runs count in every round, in one, or some of them each; NULL: no memory. */
static uint8_t *find_rounds(const struct pmon_session *s)
{
  uint8_t *ret = calloc(s->plan->n_events + 1, sizeof *ret);
  for (uint32_t i = 0; ret && i < s->n_runs; i++)
    if (!s->runs[i].gone)
      ret[s->runs[i].event] |= s->runs[i].round == UINT32_MAX ? EVERY_ROUND : ONE_ROUND;
  return ret;
}

static bool has_witness(const struct pmon_session *s, uint32_t event, bool of_unit)
{
  const uint32_t unit = pmon_event_unit(s->plan->events[event].event);
  for (uint32_t i = 0; i < s->n_witnesses; i++)
    if (of_unit ? pmon_event_unit(s->plan->events[s->witnesses[i]].event) == unit : s->witnesses[i] == event)
      return true;
  return false;
}

/* Chooses the candidates: pmon's own witnesses, then the first event of each unit, then others. */
static void find_witnesses(struct pmon_session *s, const uint8_t *rounds_of)
{
  enum { OWN, FIRST_OF_UNIT, OTHERS };
  s->n_witnesses = 0;
  for (int pass = OWN; pass <= OTHERS; pass++)
    for (uint32_t e = 0; e < s->plan->n_events && s->n_witnesses < SESSION_WITNESSES; e++)
      if (rounds_of[e] == EVERY_ROUND && (pass != OWN || session_is_witness(s, e)) &&
          !has_witness(s, e, pass == FIRST_OF_UNIT) && !plan_counts_clock(s->plan->events[e].event))
        s->witnesses[s->n_witnesses++] = e;
}

static bool is_group(const struct pmon_session *s, uint32_t a, uint32_t b)
{
  const struct plan_event *events = s->plan->events;
  return pmon_event_unit(events[session_item_event(s, a)].event) ==
             pmon_event_unit(events[session_item_event(s, b)].event) &&
         !memcmp(&s->in_round[(size_t)a * s->rounds], &s->in_round[(size_t)b * s->rounds],
                 s->rounds * sizeof *s->in_round);
}

int session_make_ratios(struct pmon_session *s)
{
  const uint32_t items = session_items(s);
  uint8_t *rounds_of = find_rounds(s);
  s->group_of = calloc(items + 1, sizeof *s->group_of);
  s->votes = calloc((size_t)items * SESSION_WITNESSES + 1, sizeof *s->votes);
  if (rounds_of)
    find_witnesses(s, rounds_of);
  free(rounds_of);
  if (!rounds_of || !s->group_of || !s->votes)
    return PMON_E_MEMORY;
  for (uint32_t i = 0; i < items; i++)
    while (s->group_of[i] < i && !is_group(s, s->group_of[i], i))
      s->group_of[i]++;
  return 0;
}

static void note_slice(struct session_witness_sums *b, const struct session_sum *sum, double witness)
{
  const struct sample_total *t = &sum->total;
  if (t->slices) {
    const double w = witness - b->last;
    b->ww += w * w;
    b->cw += w * (sum->slice.count - t->last[0].count);
  }
  b->last = witness;
  b->seen += witness;
}

void session_note_witnesses(const struct pmon_session *s, struct session_sum *sums)
{
  for (uint32_t item = 0; s->n_witnesses && item < session_items(s); item++)
    for (uint32_t p = 0; p < s->n_packages; p++) {
      struct session_sum *sum = &session_sums_of(s, sums, item)[p];
      for (uint32_t k = 0; sum->open && sum->slice.round < s->rounds && k < s->n_witnesses; k++) {
        const struct session_sum *w = &session_sums_of(s, sums, s->witnesses[k])[p];
        note_slice(&sum->by_witness[k], sum, w->open ? w->slice.count : 0);
      }
    }
}

/* Returns half the mean square of the differences of c - rate x, and at least the variance of independent events. */
static double variance(const struct sample_total *t, double cx, double xx, double rate)
{
  return fmax(t->count / t->slices, (t->spread[0].cc - 2 * rate * cx + rate * rate * xx) / (2.0 * t->spread[0].pairs));
}

/* True if the item votes. A part of an event that counts in every round (parts.c) is scaled as its group is, and has no
 * vote: its event is or may be the witness, and correlates with itself whatever the others do. */
static bool has_vote(const struct pmon_session *s, uint32_t item, uint32_t package)
{
  const struct session_sum *whole = &session_sums_of(s, s->sums, session_item_event(s, item))[package];
  return whole->uneven || whole->total.round < s->rounds;
}

static void vote(const struct session_sum *sum, uint32_t k, struct session_vote *votes)
{
  const struct sample_total *t = &sum->total;
  const struct session_witness_sums *b = &sum->by_witness[k];
  if (t->spread[0].pairs < LEAST_PAIRS || t->count <= 0 || b->seen <= 0 || t->seconds <= 0)
    return;
  const double by_time = variance(t, t->spread[0].ct, t->spread[0].tt, t->count / t->seconds);
  const double one = log(variance(t, b->cw, b->ww, t->count / b->seen) / by_time);
  votes->most = votes->n++ ? fmax(votes->most, one) : one;
  votes->sum += one;
}

/* The witnesses' sums in a package; NULL: not a witness there. */
struct witnesses {
  const struct session_sum *sum[SESSION_WITNESSES];
};

/* True if an instance's count of the event in the package is invalid or incomplete. */
static bool is_doubtful(const struct pmon_session *s, uint32_t event, uint32_t package)
{
  const uint32_t instances = session_instances(s, event);
  const struct sample_total *cells = &s->cells[s->cell_of[event] + package * instances];
  for (uint64_t left = s->plan->events[event].instances; left; left &= left - 1) {
    const struct sample_total *t = &cells[__builtin_ctzll(left)];
    /* Absent instances are not part of the sum. */
    if (t->flags & (PMON_VALUE_INVALID | PMON_VALUE_LOST) && (t->slices || t->flags != PMON_VALUE_UNAVAILABLE))
      return true;
  }
  return session_sums_of(s, s->sums, event)[package].lost;
}

static struct witnesses witnesses_in(const struct pmon_session *s, uint32_t package)
{
  struct witnesses ret = {{NULL}};
  for (uint32_t k = 0; k < s->n_witnesses; k++) {
    const struct session_sum *w = &session_sums_of(s, s->sums, s->witnesses[k])[package];
    if (!w->uneven && w->total.count >= WITNESS_COUNTS && w->total.seconds > WITNESSED * pmon_session_seconds(s) &&
        !(s->no_witness && session_is_witness(s, s->witnesses[k])) && !is_doubtful(s, s->witnesses[k], package))
      ret.sum[k] = w;
  }
  return ret;
}

/* Returns the number by the witness divided by that by time; 0: the witness is not used. */
static double times_by(const struct session_sum *sum, uint32_t k, const struct sample_total *witness)
{
  const double seen = sum->by_witness[k].seen / witness->count, times = sum->total.seconds / witness->seconds / seen;
  return seen > 0 && times <= SAMPLE_TIMES_MOST && times >= 1 / SAMPLE_TIMES_MOST ? times : 0;
}

static double choose(const struct session_sum *sum, const struct session_vote *votes, const struct witnesses *witnesses)
{
  double least = log(USEFUL), times = 0;
  for (uint32_t k = 0; k < SESSION_WITNESSES; k++) {
    const struct session_vote *v = &votes[k];
    if (!v->n || v->sum / v->n >= least || v->most > log(HARMFUL))
      continue;
    least = v->sum / v->n;
    times = times_by(sum, k, &witnesses->sum[k]->total);
  }
  return times;
}

/* True if the sum of an item is scaled, and is not a clock. */
static bool is_scaled(const struct pmon_session *s, uint32_t item, const struct session_sum *sum)
{
  return !sum->uneven && sum->total.slices && sum->total.round < s->rounds &&
         !plan_counts_clock(s->plan->events[session_item_event(s, item)].event);
}

void session_find_ratios(struct pmon_session *s)
{
  const uint32_t items = session_items(s);
  for (uint32_t p = 0; s->group_of && s->n_witnesses && p < s->n_packages; p++) {
    const struct witnesses witnesses = witnesses_in(s, p);
    memset(s->votes, 0, (size_t)items * SESSION_WITNESSES * sizeof *s->votes);
    for (uint32_t i = 0; i < items; i++) {
      const struct session_sum *sum = &session_sums_of(s, s->sums, i)[p];
      for (uint32_t k = 0; is_scaled(s, i, sum) && has_vote(s, i, p) && k < s->n_witnesses; k++)
        if (witnesses.sum[k])
          vote(sum, k, &s->votes[(size_t)s->group_of[i] * SESSION_WITNESSES + k]);
    }
    for (uint32_t i = 0; i < items; i++) {
      struct session_sum *sum = &session_sums_of(s, s->sums, i)[p];
      sum->total.times =
          is_scaled(s, i, sum) ? choose(sum, &s->votes[(size_t)s->group_of[i] * SESSION_WITNESSES], &witnesses) : 0;
    }
  }
}

double session_times(const struct pmon_session *s, uint32_t item, uint32_t package)
{
  const struct sample_total *t = session_sum(s, item, package);
  return t && t->times > 0 ? t->times : 1;
}
