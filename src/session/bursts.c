/* SPDX-License-Identifier: MIT */
/*
 * Bursts that only some rounds saw. A round that counted evenly while another saw a burst in its own slice may have
 * missed as much itself: nothing in its own counts shows it. All events of a session are evidence for each other:
 *
 *  - An event's burst is a slice that stands out (sample_excess()); its share is its excess over the event's estimate,
 *    in which the burst is counted once: it was seen, not scaled.
 *  - What a round missed is the sum of the largest shares over the cycles of turns in which other rounds saw a burst,
 *    and the round itself none, or one with less than a third of the odds, in that cycle and its neighbours.
 *  - An event that never counted has no share in what its round saw, until this was so in OWN_BURSTS_MIN bursts: the
 *    other events' bursts of a round say nothing of an event that comes before or after them.
 *  - A round that saw bursts of its own is scaled for those that it did not see: their shares, times (1 / f - 1), are
 *    taken off. Without a witness (below), a burst in a slice that is a tenth as long stands for a tenth: those of the
 *    beginning say little of later ones. With one, those in slices less than a quarter as long that other rounds saw as
 *    well say nothing of a later one.
 *    So it is with cycles and entries of queues, however few were counted (plan_counts_states()): one request makes as
 * many as it waits, so that few of them are not few independent events.
 *  - An event that counts nearly all the time is not all in one burst: it missed at most the share of such events, or
 * what EVEN_RATE times its own rate is in the time of a cycle.
 *  - Events that count in every round show what the slices of each round missed (src/session/witness.c). Without any,
 *    a count that one slice or two have seen is unknown, and one that late bursts are a good part of
 * (sample_is_late()); so is a zero where another round saw the most of an event in one burst after the first cycle, and
 * what came in a fiftieth of the time where another round saw half of an event in one. What else came in a small part
 * of the time may be a quarter of it.
 *  - An event that counts nearly all the time may have paused where another round's such event did, between two of its
 * own slices: without a witness nothing else shows that.
 *  - Of a zero no part can be missing that a factor would add. If no other event of its round counted either, it is
 *    unknown once a burst was missed, except in the first cycle, whose slices are the shortest; otherwise, where there
 * are witnesses, once a tenth was.
 *  - Counts that come in clumps in a few of the slices scatter as the number of clumps does (sample_clumps()).
 *  - Where an event of another round stops and goes on, few and even counts say nothing of what comes with each
 *    beginning, such as the misses of cold caches: the slices may have missed it. If another event of the round
 *    counted, a fifth may be missing. Without such a witness the upper end is as far away as it can be for a known
 *    value, and a zero is unknown.
 *
 * docs/design/009-uncertainty.md has the comparison with other rules.
 */
#include <math.h>
#include <stdlib.h>
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
/* What a witness shows as missing: less than UNSEEN_MIN is scatter, and up to UNSEEN_SURE it is missing once. */
#define UNSEEN_MIN 0.05
#define UNSEEN_SURE 0.1
#define MISSED_WITH_WITNESS 0.2
/* Without witnesses: shares of bursts that leave a zero, or what came in less than this part of the time, unknown;
 * counts of less than so much of the time may have missed this part. */
#define BURST_FOR_ZERO 0.7
#define BURST_FOR_BRIEF 0.5
#define BRIEFEST 0.02
#define BRIEF 0.05
#define MISSED_BY_BRIEF 0.25
/* A zero that missed more is unknown: the other events of its round say little of what never came with them. */
#define MISSED_BY_ZERO 0.1
/* So many counts that are expected in a slice without any show a pause, of at most so many of an event's cycles. */
#define SURE_COUNTS 10
#define LONGEST_PAUSE 2.0
/* A zero that missed more is unknown there: no factor makes its interval longer. */
#define UNKNOWN_OF_ZERO 0.3

struct burst {
  uint32_t cycle, round;
  double share, even; /* of the estimate of any event; of those that count nearly all the time */
  double many;        /* of those that count MANY_COUNTS and more */
  double length;      /* of a cycle of such slices, as a part of the measured time */
};

struct bursts {
  struct burst at[MOST_BURSTS];
  uint32_t n, rounds;
  bool witnessed; /* there are events that count in every round */
};

/* The largest share for a cycle and a round; of too many bursts the smallest are left out. */
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
    const struct burst burst = {excess[i].turn / rounds,
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

/* The largest share that the round itself (own), or that another one, saw within `reach` cycles of `cycle`. */
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

/* An event whose round saw or did not see bursts from a cycle on. */
struct sight {
  const struct sample_total *total;
  uint32_t first_cycle;
  bool blind, even;
};

/* What the event missed of one burst. */
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

/* For which part of its share a round's own burst stands for bursts in slices of that length which the round missed.
 * One in a much shorter slice that other rounds saw as well is of an activity that none of them missed. Of few counts
 * they must have seen it with more than a third of its odds: the scatter of these is in their intervals besides. */
static double stands_for(const struct bursts *bursts, const struct burst *own, double length, bool many)
{
  if (!bursts->witnessed)
    return fmin(1, own->length / length);
  const double others = odds(largest_share(bursts, own->cycle, 1, own->round, false));
  const bool shared = many ? others > 0 : 3 * others > odds(own->share);
  return SHORTER * own->length < length && shared ? 0 : 1;
}

/* What an event missed from a cycle on that counted the part f of the time: of the bursts in slices of any length and
 * more, what its round's own ones do not stand for. Without a witness, one in a slice that is a tenth as long stands
 * for a tenth. */
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

/* Which part of the time the event paused, by its slices without counts; few that are expected in one may be none. */
static double pause_of(const struct sample_total *t)
{
  const double paused = t->seconds - t->busy, slices = t->slices - t->seen;
  if (!sample_is_even(t) || slices <= 0 || paused / slices * t->count / t->busy < SURE_COUNTS)
    return 0;
  return paused / t->seconds;
}

/* Which part of the time events of other rounds paused that those of this one did not. A longer pause than lies between
 * its own slices these would have seen. */
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

double *session_missed_new(const struct pmon_session *s)
{
  return calloc((size_t)session_items(s) + 1, sizeof(double));
}

/* Whether another event of the round counted, whose slices were the same. Sums that are not known could be such. */
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

/* Whether an event of another round stops and goes on. */
static bool has_beginnings(const struct pmon_session *s, uint32_t round)
{
  for (uint32_t e = 0; e < s->plan->n_events; e++) {
    const struct sample_total *t = session_sum(s, e, PMON_ALL);
    if (t && t->round != round && sample_is_intermittent(t))
      return true;
  }
  return false;
}

/* What few and even counts of an event may have missed where others stop and go on: nothing in its slices shows it. */
static double missed_at_beginnings(const struct pmon_session *s, uint32_t event, const struct sample_total *t, double f)
{
  if (!sample_is_sparse(t, f) || !has_beginnings(s, t->round))
    return 0;
  if (has_witness(s, event, t->round))
    return fmax(MISSED_WITH_WITNESS, sample_clumps(t, f));
  return t->count > 0 ? SAMPLE_UNKNOWN : 1;
}

/* Whether another round saw a burst of that share from a cycle on, of which the round itself had no third of the odds.
 */
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

/* What may be missing where no event counts in every round. */
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

/* Items whose instances count in different rounds missed what the worst of these did. */
static double missed_by_item(const struct pmon_session *s, const struct bursts *bursts, uint32_t item)
{
  const uint32_t event = session_item_event(s, item);
  const struct sample_total *t = session_sum(s, item, PMON_ALL);
  const uint32_t first = s->cell_of[item], end = item + 1 < session_items(s) ? s->cell_of[item + 1] : s->n_cells;
  double missed = 0;
  if (plan_counts_clock(s->plan->events[event].event))
    return 0;
  if (t && t->slices) /* of a recording, sums that say nothing are empty */
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
