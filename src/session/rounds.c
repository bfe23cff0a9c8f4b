/* SPDX-License-Identifier: MIT */
/*
 * The order of rounds, and the length of their time slices. In each cycle every round has one slice. The round that
 * begins a cycle is drawn at random: otherwise a periodic activity of a program could coincide with the same round
 * again and again. The first cycle of a session that also measures invariants begins with the rounds that have most of
 * the requested events, so that these have values after a short run, too.
 */
#include <stdlib.h>
#include "src/session/session.h"

/* First slices are a 50th of the final length. Unless the caller gives the length, a slice is at least 20 times as long
 * as a change of rounds. */
enum { SLICE_FIRST_PART = 50, CHANGES_MOST = 20 };

/* Returns the number of counters of a round that count a requested event. */
static uint32_t requested_in(const struct pmon_session *s, uint32_t round)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->schedule->n_slots; i++)
    n += s->schedule->slots[i].round == round && s->schedule->slots[i].item < s->plan->n_requested;
  return n;
}

int session_begin_rounds(struct pmon_session *s)
{
  s->first_round = s->rounds > 1 ? random_below(&s->random, s->rounds) : 0;
  if (!s->plan->invariants_given || !s->plan->n_requested || s->rounds < 2)
    return 0;
  free(s->first_cycle);
  s->first_cycle = malloc(s->rounds * sizeof *s->first_cycle);
  if (!s->first_cycle)
    return PMON_E_MEMORY;
  for (uint32_t k = 0; k < s->rounds; k++) {
    const uint32_t round = (s->first_round + k) % s->rounds, has = requested_in(s, round);
    uint32_t at = k;
    for (; at && requested_in(s, s->first_cycle[at - 1]) < has; at--)
      s->first_cycle[at] = s->first_cycle[at - 1];
    s->first_cycle[at] = round;
  }
  s->first_round = s->first_cycle[0];
  return 0;
}

uint32_t session_next_round(struct pmon_session *s)
{
  s->slice_number++;
  if (s->first_cycle && s->slice_number < s->rounds)
    return s->first_cycle[s->slice_number];
  if (s->slice_number % s->rounds == 0)
    s->first_round = random_below(&s->random, s->rounds);
  return (s->first_round + s->slice_number % s->rounds) % s->rounds;
}

static uint64_t longest_slice_ns(const struct pmon_session *s)
{
  const uint64_t least = s->slice_given ? 0 : CHANGES_MOST * s->change_ns;
  return s->slice_ns > least ? s->slice_ns : least;
}

/* Slices are short at first, so that every round has a slice in a short run. */
uint64_t session_slice_ns(const struct pmon_session *s)
{
  if (s->rounds < 2)
    return s->limit_ns;
  const uint64_t longest = longest_slice_ns(s);
  uint64_t length = (s->now_ns - s->start_ns) / (8 * (uint64_t)s->rounds);
  length = length < longest / SLICE_FIRST_PART ? longest / SLICE_FIRST_PART : length;
  length = length > longest ? longest : length;
  return length > s->limit_ns ? s->limit_ns : length;
}

uint64_t session_round_end_ns(const struct pmon_session *s)
{
  return s->round_ns + session_slice_ns(s);
}
