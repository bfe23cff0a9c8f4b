/* SPDX-License-Identifier: MIT */
/*
 * Bursts that only some rounds saw. A round that counted evenly while another round saw a burst in its own slice may
 * have missed a burst of the same size: its own counts do not show it. All events of a session are evidence for each
 * other:
 *
 *  - An event's burst is a slice that stands out (sample_excess()); its share is its excess divided by the event's
 *    estimate. The estimate contains the burst once, unscaled.
 *  - The part that a round missed is the sum of the largest shares over the cycles in which other rounds saw a burst,
 *    and the round itself saw none, or one with less than a third of the odds, in that cycle and its neighbours.
 *  - An event that never counted gets no credit for the bursts of its round, unless the round saw OWN_BURSTS_MIN of
 *    them: other events' bursts do not show activity that comes before or after them.
 *  - A round that saw bursts was scaled for bursts that it did not see: the shares of its own bursts, times (1 / f -
 *    1), are subtracted. Without a witness (below), a burst in a slice that is a tenth as long counts for a tenth:
 *    bursts of the beginning are weak evidence for later ones. With a witness, a burst in a slice less than a quarter
 *    as long that other rounds saw as well is no evidence for a later one. The same applies to cycles and queue
 *    entries, however few were counted (plan_counts_states()): one request counts once in each cycle that it waits, so
 *    that few of these counts are not few independent events.
 *  - An event that counts nearly all the time does not occur in one burst only: it missed at most the share of other
 *    such events, or EVEN_RATE times its own rate for the time of a cycle.
 *  - Events that count in every round show what the slices of each round missed (src/session/witness.c). Without such a
 *    witness, these are unknown: a count seen in one or two slices; a count with a large part in late bursts
 *    (sample_is_late()); a zero where another round saw most of an event in one burst after the first cycle; and a
 *    count that came in a fiftieth of the time where another round saw half of an event in one burst. Other counts that
 *    came in a small part of the time may be missing a quarter.
 *  - An event that counts nearly all the time may have paused between two of its own slices when such an event of
 *    another round paused: without a witness nothing else shows that.
 *  - A zero cannot be scaled for a missing part. If no other event of its round counted either, it is unknown once a
 *    burst was missed, except in the first cycle, whose slices are the shortest; otherwise, if there are witnesses,
 *    once a tenth was missed.
 *  - Counts that come in clumps in a few of the slices scatter as the number of clumps does (sample_clumps()).
 *  - If an event of another round stops and starts, few and even counts do not show what comes with each start, such as
 *    the misses of cold caches: the slices may have missed it. If another event of the round counted, a fifth may be
 *    missing. Without such a witness the upper end is as far away as possible for a known value, and a zero is unknown.
 *
 * docs/design/009-uncertainty.md compares this with other rules.
 */
#include <math.h>
#include <string.h>
#include "src/plan/witness.h"
#include "src/session/counts.h"
#include "src/session/session.h"

enum {
  MOST_BURSTS = 64,
  MANY_COUNTS = SAMPLE_FEW,
  FEW_ROUNDS = 5,
  OWN_BURSTS_MIN = 3,
  EVEN_RATE = 3,
  FIRST_CYCLES = 1,
  SHORTER = 4
};
#define SHARE_MIN 0.02
/* Part that is missing according to a witness: less than UNSEEN_MIN is scatter; up to UNSEEN_SURE it is counted
 * once. */
#define UNSEEN_MIN 0.05
#define UNSEEN_SURE 0.1
#define MISSED_WITH_WITNESS 0.2
/* Without witnesses: shares of bursts above which a zero is unknown, or a count that came in less than BRIEFEST of the
 * time; a count that came in less than BRIEF of the time may have missed MISSED_BY_BRIEF. */
#define BURST_FOR_ZERO 0.7
#define BURST_FOR_BRIEF 0.5
#define BRIEFEST 0.02
#define BRIEF 0.05
#define MISSED_BY_BRIEF 0.25
/* A zero that missed more is unknown although other events of its round counted: they are weak evidence for events that
 * never occurred together with them. */
#define MISSED_BY_ZERO 0.1
/* Counts expected in a slice without any that indicate a pause; and the maximum length of a pause, in cycles of an
 * event. */
#define SURE_COUNTS 10
#define LONGEST_PAUSE 2.0
/* Without witnesses, a zero that missed more is unknown: scaling does not widen its interval. */
#define UNKNOWN_OF_ZERO 0.3

struct burst {
  uint32_t cycle, round;
  double share, even; /* largest part of an event's estimate: any event; events that count nearly all the time */
  double many;        /* events with MANY_COUNTS and more */
  double length;      /* length of a cycle of such slices, as a part of the measured time */
};

struct bursts {
  struct burst at[MOST_BURSTS];
  uint32_t n, rounds;
  bool witnessed; /* an event counts in every round */
};

/* Notes the largest shares for a cycle and a round; if there are too many bursts, the smallest ones are dropped. */
static void note_burst(struct bursts *bursts, const struct burst *burst)
{
  struct burst *least = bursts->at;
  for (uint32_t i = 0; i < bursts->n; i++) {
    struct burst *b = &bursts->at[i];
    if (b->cycle == burst->cycle && b->round == burst->round) {
      b->share = fmax(b->share, burst->share);
      b->even = fmax(b->even, burst->even);
      b->many = fmax(b->many, burst->many);
      return;
    }
    least = b->share < least->share ? b : least;
  }
  if (bursts->n < MOST_BURSTS)
    bursts->at[bursts->n++] = *burst;
  else if (least->share < burst->share)
    *least = *burst;
}

static void note_bursts_of(struct bursts *bursts, const struct sample_total *t, double seconds, uint32_t rounds)
{
  struct sample_peak excess[SAMPLE_PEAKS];
  double rest, total;
  const uint32_t n = sample_excess(t, excess, &rest);
  if (!n || t->seconds <= 0)
    return;
  total = rest * fmax(1, seconds / t->seconds);
  for (uint32_t i = 0; i < n; i++)
    total += excess[i].count;
  for (uint32_t i = 0; i < n; i++) {
    const double share = excess[i].count / total;
    const struct burst burst = {excess[i].slice_number / rounds,
                                excess[i].round,
                                share,
                                sample_is_even(t) ? share : 0,
                                t->count >= MANY_COUNTS ? share : 0,
                                rounds * excess[i].seconds / seconds};
    if (burst.share >= SHARE_MIN)
      note_burst(bursts, &burst);
  }
}

static double odds(double share)
{
  return share / fmax(1 - share, 1e-9);
}

/* Returns the largest share that the round itself (own), or another round, saw within `reach` cycles of `cycle`. */
static double largest_share(const struct bursts *bursts, uint32_t cycle, uint32_t reach, uint32_t round, bool own)
{
  double share = 0;
  for (uint32_t i = 0; i < bursts->n; i++) {
    const struct burst *b = &bursts->at[i];
    const uint32_t distance = b->cycle > cycle ? b->cycle - cycle : cycle - b->cycle;
    if (distance <= reach && (b->round == round) == own)
      share = fmax(share, b->share);
  }
  return share;
}

/* An event, and how its round is credited with bursts from a cycle on (blind: not at all). */
struct sight {
  const struct sample_total *total;
  uint32_t first_cycle;
  bool blind, even;
};

/* Returns the part that the event missed because of one burst. */
static double missed_of_burst(const struct bursts *bursts, const struct sight *sight, const struct burst *b)
{
  const uint32_t round = sight->total->round;
  if (b->cycle < sight->first_cycle || b->round == round ||
      largest_share(bursts, b->cycle, 0, round, false) > b->share) /* another entry is this cycle's largest */
    return 0;
  const double own = sight->blind ? 0 : largest_share(bursts, b->cycle, 1, round, true);
  if (3 * odds(own) > odds(b->share))
    return 0;
  return sight->even ? fmin(b->share, fmax(b->even, EVEN_RATE * b->length)) : b->share;
}

/* Returns the part of its share with which a round's own burst counts for missed bursts in slices of that length. A
 * burst in a much shorter slice that other rounds saw as well belongs to activity that none of them missed. For few
 * counts, the others must have seen it with more than a third of its odds: the intervals of few counts include their
 * scatter. */
static double stands_for(const struct bursts *bursts, const struct burst *own, double length, bool many)
{
  if (!bursts->witnessed)
    return fmin(1, own->length / length);
  const double others = odds(largest_share(bursts, own->cycle, 1, own->round, false));
  const bool shared = many ? others > 0 : 3 * others > odds(own->share);
  return SHORTER * own->length < length && shared ? 0 : 1;
}

/* Returns the part that an event that counted for the part f of the time missed from a cycle on. For each slice length:
 * the bursts in slices of this length or longer that its round's own bursts do not account for; returns the maximum.
 * Without a witness, an own burst in a slice that is a tenth as long counts for a tenth. */
static double missed_by(const struct bursts *bursts, const struct sample_total *t, double f, uint32_t first_cycle,
                        bool many)
{
  uint32_t n_own = 0;
  double most = 0;
  for (uint32_t i = 0; i < bursts->n; i++)
    n_own += bursts->at[i].round == t->round;
  const struct sight sight = {t, first_cycle, t->count <= 0 && n_own < OWN_BURSTS_MIN, sample_is_even(t)};
  double missed_of[MOST_BURSTS];
  for (uint32_t i = 0; i < bursts->n; i++)
    missed_of[i] = missed_of_burst(bursts, &sight, &bursts->at[i]);
  for (uint32_t k = 0; k < bursts->n; k++) {
    const double length = bursts->at[k].length;
    double missed = 0, seen = 0;
    for (uint32_t i = 0; i < bursts->n; i++) {
      const struct burst *b = &bursts->at[i];
      missed += b->length >= length ? missed_of[i] : 0;
      if (b->round == t->round && b->cycle >= first_cycle && !sight.blind)
        seen += b->share * stands_for(bursts, b, length, many);
    }
    most = fmax(most, missed - (1 / f - 1) * seen);
  }
  return most;
}

/* Returns the part of the time for which the event paused, from its slices without counts; 0 if few counts are expected
 * in such a slice: these may be absent by chance. */
static double pause_of(const struct sample_total *t)
{
  const double paused = t->seconds - t->busy, slices = t->slices - t->seen;
  if (!sample_is_even(t) || slices <= 0 || paused / slices * t->count / t->busy < SURE_COUNTS)
    return 0;
  return paused / t->seconds;
}

/* Returns the part of the time for which events of other rounds paused longer than those of this one. The slices of
 * this round would have seen a pause longer than the distance between them. */
static double paused_elsewhere(const struct pmon_session *s, const struct sample_total *of)
{
  double here = 0, elsewhere = 0;
  for (uint32_t e = 0; e < s->plan->n_events; e++) {
    const struct sample_total *t = session_sum(s, e, PMON_ALL);
    if (!t || !t->slices || plan_counts_clock(s->plan->events[e].event))
      continue;
    double *const paused = t->round == of->round ? &here : &elsewhere;
    *paused = fmax(*paused, pause_of(t));
  }
  const double more = elsewhere - here;
  return more > 0 && more * of->slices <= LONGEST_PAUSE ? more : 0;
}

static void find_pause(const struct pmon_session *s, uint32_t item, bool witnessed)
{
  struct sample_total *t = session_sum(s, item, PMON_ALL);
  const bool known = t && t->slices && t->round < s->rounds && sample_is_even(t) && !witnessed &&
                     !plan_counts_clock(s->plan->events[session_item_event(s, item)].event);
  const double paused = known ? paused_elsewhere(s, t) : 0;
  for (uint32_t p = 0; p <= s->n_packages; p++) {
    struct sample_total *of = session_sum(s, item, p < s->n_packages ? p : PMON_ALL);
    if (of)
      of->paused = paused;
  }
}

/* True if another event of the round counted, in the same slices, or if an event's sums are not known. */
static bool has_witness(const struct pmon_session *s, uint32_t event, uint32_t round)
{
  for (uint32_t e = 0; e < s->plan->n_events; e++) {
    const struct sample_total *t = session_sum(s, e, PMON_ALL);
    if (e == event || plan_counts_clock(s->plan->events[e].event))
      continue;
    if (!t || (t->round == round && t->count > 0))
      return true;
  }
  return false;
}

/* True if an event of another round stops and starts. */
static bool has_beginnings(const struct pmon_session *s, uint32_t round)
{
  for (uint32_t e = 0; e < s->plan->n_events; e++) {
    const struct sample_total *t = session_sum(s, e, PMON_ALL);
    if (t && t->round != round && sample_is_intermittent(t))
      return true;
  }
  return false;
}

/* Returns the part that few and even counts of an event may have missed where others stop and start: its slices do not
 * show it. */
static double missed_at_beginnings(const struct pmon_session *s, uint32_t event, const struct sample_total *t, double f)
{
  if (!sample_is_sparse(t, f) || !has_beginnings(s, t->round))
    return 0;
  if (has_witness(s, event, t->round))
    return fmax(MISSED_WITH_WITNESS, sample_clumps(t, f));
  return t->count > 0 ? SAMPLE_UNKNOWN : 1;
}

/* True if another round saw a burst of that share from a cycle on, and the round itself did not see a third of its
 * odds. */
static bool others_saw(const struct bursts *bursts, uint32_t round, double share, uint32_t first_cycle)
{
  for (uint32_t i = 0; i < bursts->n; i++) {
    const struct burst *b = &bursts->at[i];
    if (b->round != round && b->cycle >= first_cycle && b->many >= share &&
        3 * odds(largest_share(bursts, b->cycle, 1, round, true)) <= odds(b->many))
      return true;
  }
  return false;
}

/* Returns the part that may be missing if no event counts in every round. */
static double missed_without_witness(const struct bursts *bursts, const struct sample_total *t, double f)
{
  if (sample_is_lone(t, f) || sample_is_late(t, bursts->rounds))
    return 1;
  if (t->count <= 0)
    return bursts->rounds <= FEW_ROUNDS && others_saw(bursts, t->round, BURST_FOR_ZERO, FIRST_CYCLES);
  if (sample_is_brief(t, BRIEFEST) && others_saw(bursts, t->round, BURST_FOR_BRIEF, FIRST_CYCLES))
    return 1;
  return sample_is_brief(t, BRIEF) ? MISSED_BY_BRIEF : 0;
}

static double missed_unseen(double unseen)
{
  return unseen > UNSEEN_SURE ? unseen : unseen > UNSEEN_MIN ? 1 - sqrt(1 - unseen) : 0;
}

static double missed_by_total(const struct pmon_session *s, const struct bursts *bursts, uint32_t event,
                              const struct sample_total *t)
{
  if (!t->slices || t->round >= s->rounds)
    return 0;
  const double part = fmin(1, t->seconds / pmon_session_seconds(s)), f = part > 0 ? part : 1.0 / s->rounds;
  const double alone = bursts->witnessed ? 0 : missed_without_witness(bursts, t, f);
  if (alone > SAMPLE_UNKNOWN)
    return alone;
  const double known = !has_witness(s, event, t->round) ? 0 : bursts->witnessed ? MISSED_BY_ZERO : 1;
  const bool many = t->count >= MANY_COUNTS || plan_counts_states(s->plan->events[event].event);
  if (t->count <= 0 && missed_by(bursts, t, f, FIRST_CYCLES, many) > known)
    return 1;
  const double missed = fmax(fmax(missed_by(bursts, t, f, 0, many), missed_unseen(t->unseen)), alone);
  if (!bursts->witnessed && bursts->rounds <= FEW_ROUNDS && t->count <= 0 && missed > UNKNOWN_OF_ZERO)
    return 1;
  return missed > SAMPLE_UNKNOWN ? missed : fmax(missed, missed_at_beginnings(s, event, t, f));
}

/* Returns the part that an item missed; for an item whose instances count in different rounds, the largest of their
 * parts. */
static double missed_by_item(const struct pmon_session *s, const struct bursts *bursts, uint32_t item)
{
  const uint32_t event = session_item_event(s, item);
  const struct sample_total *t = session_sum(s, item, PMON_ALL);
  const uint32_t first = s->cell_of[item], end = item + 1 < session_items(s) ? s->cell_of[item + 1] : s->n_cells;
  double missed = 0;
  if (plan_counts_clock(s->plan->events[event].event))
    return 0;
  if (t && t->slices) /* in a recording, unusable sums are empty */
    return missed_by_total(s, bursts, event, t);
  for (uint32_t i = first; i < end; i++)
    missed = fmax(missed, missed_by_total(s, bursts, event, &s->cells[i]));
  return missed;
}

void session_find_bursts(struct pmon_session *s)
{
  const double seconds = pmon_session_seconds(s);
  struct bursts bursts = {.rounds = s->rounds, .witnessed = session_has_witness(s)};
  if (!s->missed)
    return;
  memset(s->missed, 0, session_items(s) * sizeof *s->missed);
  for (uint32_t e = 0; e < s->plan->n_events && seconds > 0; e++) {
    const struct sample_total *t = session_sum(s, e, PMON_ALL);
    if (t)
      note_bursts_of(&bursts, t, seconds, s->rounds);
  }
  if (seconds > 0)
    session_find_unseen(s);
  if (seconds > 0)
    session_find_ends(s);
  if (seconds > 0)
    session_find_ratios(s);
  for (uint32_t i = 0; seconds > 0 && i < session_items(s); i++) {
    s->missed[i] = missed_by_item(s, &bursts, i);
    find_pause(s, i, bursts.witnessed);
  }
}
