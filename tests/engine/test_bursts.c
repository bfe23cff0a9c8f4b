/* SPDX-License-Identifier: MIT */
/* What a round missed, estimated from the bursts that it and other rounds saw. The test fills in the totals of a
 * session that counts nothing itself: three events of one counter, so that each has a round of its own. */
#include <math.h>
#include <string.h>
#include "tests/engine/places.h"

#define EVENTS "cha0/TOR_OCCUPANCY.IA_MISS_DRD/,cha0/RxC_OCCUPANCY.IRQ/,cha0/TOR_OCCUPANCY.IA/"
/* The same number of events that count occurrences. */
#define REQUESTS "ubox/RACU_DRNG.RDRAND/,ubox/RACU_DRNG.RDSEED/,ubox/RACU_DRNG.PFTCH_BUF_EMPTY/"
#define WITNESS_NAME ",imc0/CAS_COUNT.RD/"
enum { MANY, NOTHING, OTHER, ROUNDS };

/* Fills in 20 slices of `even` counts, which cover half of the time; from slice `first` on, `bursts` of every second
 * slice have `more` counts in addition. Slice 0 is in the first cycle. */
static void fill_total(struct pmon_session *s, uint32_t event, uint32_t round, double even, uint32_t bursts,
                       uint32_t first, double more)
{
  struct sample_total *t = session_sum(s, event, PMON_ALL);
  const double seconds = pmon_session_seconds(s) / 40;
  assert_non_null(t);
  *t = (struct sample_total){.count = 0};
  for (uint32_t i = 0; i < 20; i++) {
    const bool burst = i >= first && i < first + 2 * bursts && (i - first) % 2 == 0;
    sample_add(t, &(struct sample_peak){even + (burst ? more : 0), seconds, i * ROUNDS + round, round}, 0);
  }
}

/* Three bursts in which an event of the same round did not count show that the event has no share in bursts; two do
 * not. */
static void bursts_of_the_own_round_count_from_the_third(void **state)
{
  struct pmon_session *s = places_open(EVENTS, NULL, ROUNDS, 0);
  double missed[4];
  (void)state;
  for (uint32_t own = 2; own < 4; own++) {
    fill_total(s, MANY, 0, 100, own, 0, 900);
    fill_total(s, NOTHING, 0, 0, 0, 0, 0);
    fill_total(s, OTHER, 1, 10, 1, 15, 850);
    session_find_bursts(s);
    assert_true(s->missed[MANY] > 0.2 && s->missed[MANY] < 0.5);
    missed[own] = s->missed[NOTHING];
    assert_true(own < 3 ? missed[own] > s->missed[MANY] + 0.1 : missed[own] == s->missed[MANY]);
  }
  assert_true(missed[2] > 0.6);
  places_close(s);
}

/* Bursts of the own round in the short slices at the start do not stand for a burst that another round saw in a long
 * slice later; bursts in slices of that length do. */
static void short_bursts_stand_for_little(void **state)
{
  struct pmon_session *s = places_open(EVENTS, NULL, ROUNDS, 0);
  (void)state;
  for (uint32_t shorter = 1; shorter <= 50; shorter += 49) {
    struct sample_total *t = session_sum(s, MANY, PMON_ALL);
    *t = (struct sample_total){.count = 0};
    for (uint32_t i = 0; i < 20; i++) {
      const double seconds = pmon_session_seconds(s) / 40 / (i < 10 ? shorter : 1);
      sample_add(t, &(struct sample_peak){i < 6 && i % 2 == 0 ? 102 : 2, seconds, i * ROUNDS, 0}, 0);
    }
    fill_total(s, NOTHING, 0, 0, 0, 0, 0);
    fill_total(s, OTHER, 1, 10, 1, 15, 850);
    session_find_bursts(s);
    assert_true(shorter > 1 ? s->missed[MANY] > 0.6 : s->missed[MANY] <= 0);
  }
  places_close(s);
}

/* A zero that is alone in its round is unknown if another round saw a small burst, unless that was in the first cycle.
 * A count of another event in its round shows that the round saw the activity. */
static void lone_zeros_are_unknown_beside_bursts(void **state)
{
  static const struct {
    uint32_t first;
    double beside, least, most;
  } cases[] = {{10, 0, 1, 1}, {0, 0, 0, 0.2}, {10, 100, 0, 0.3}};
  struct pmon_session *s = places_open(EVENTS, NULL, ROUNDS, 0);
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fill_total(s, MANY, cases[i].beside > 0 ? 0 : 2, 100, 0, 0, 0);
    fill_total(s, NOTHING, 0, 0, 0, 0, 0);
    fill_total(s, OTHER, 1, 100, 1, cases[i].first, 300);
    session_find_bursts(s);
    assert_true(s->missed[NOTHING] >= cases[i].least && s->missed[NOTHING] <= cases[i].most);
  }
  places_close(s);
}

/* Without a witness, an event that a round saw little of is unknown if another round saw a burst that makes up most of
 * an event. That applies to zeros, whatever the round saw otherwise, and to a count in one slice of little time. */
static void without_witness_little_is_unknown_beside_bursts(void **state)
{
  static const struct {
    double more, brief;
    bool unknown;
  } cases[] = {{100000, 0, true}, {700, 0, false}, {100000, 4, true}, {300, 4, false}};
  struct pmon_session *s = places_open(EVENTS, NULL, ROUNDS, 0);
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct sample_total *t = session_sum(s, NOTHING, PMON_ALL);
    fill_total(s, MANY, 0, 100, 3, 0, 900);
    fill_total(s, NOTHING, 0, 0, 0, 0, 0);
    if (cases[i].brief > 0) {
      t->count = cases[i].brief;
      t->seen = 1;
      t->busy = t->seconds / 100;
    }
    fill_total(s, OTHER, 1, 10, 1, 15, cases[i].more);
    session_find_bursts(s);
    assert_int_equal(s->missed[NOTHING] == 1, cases[i].unknown);
  }
  places_close(s);
}

/* pmon_session_read() estimates what the rounds missed, as the end of a run does. */
static void reading_finds_bursts(void **state)
{
  struct pmon_session *s = places_open(EVENTS, NULL, ROUNDS, 0);
  (void)state;
  fill_total(s, MANY, 0, 100, 3, 0, 900);
  fill_total(s, NOTHING, 0, 0, 0, 0, 0);
  fill_total(s, OTHER, 1, 10, 1, 15, 100000);
  memset(s->missed, 0, ROUNDS * sizeof *s->missed);
  ok(pmon_session_read(s));
  assert_true(s->missed[MANY] > 0.5 || s->missed[NOTHING] > 0.5);
  places_close(s);
}

/* Fills in slices whose first ten are a fiftieth as long, as at a session's start. counts: of the first three of every
 * second slice; of one late slice; of all others. */
static void fill_growing(struct pmon_session *s, uint32_t event, uint32_t round, const double counts[3])
{
  struct sample_total *t = session_sum(s, event, PMON_ALL);
  *t = (struct sample_total){.count = 0};
  for (uint32_t i = 0; i < 20; i++) {
    const double seconds = pmon_session_seconds(s) / 40 / (i < 10 ? 50 : 1);
    const double count = counts[i < 6 && i % 2 == 0 ? 0 : i == 15 ? 1 : 2];
    sample_add(t, &(struct sample_peak){count, seconds, i * ROUNDS + (round < ROUNDS ? round : 0), round}, 0);
  }
}

/* With a witness, bursts of the own round in the short slices at the start do not stand for a later burst if other
 * rounds counted in them, too. If the own counts are few, the others must have counted a third of the expected number;
 * this does not apply to cycles or queue entries. */
static void find_shared_bursts(bool entries)
{
  static const struct {
    double own, others;
    bool missed_requests, missed_entries;
  } cases[] = {{1000, 60, true, true}, {1000, 10, false, false}, {50, 60, false, true}};
  enum { WITNESS = ROUNDS };
  struct pmon_session *s = places_open(entries ? EVENTS WITNESS_NAME : REQUESTS WITNESS_NAME, NULL, ROUNDS, 1);
  for (uint32_t i = 0; i < s->n_runs; i++)
    for (uint32_t r = 0; s->runs[i].event == WITNESS && r < ROUNDS; r++)
      s->round_counts[(size_t)i * ROUNDS + r] = 1000.0; /* each round saw its share */
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fill_growing(s, WITNESS, UINT32_MAX, (double[]){150, 150, 150});
    fill_growing(s, MANY, 0, (double[]){cases[i].own, 2, 2});
    fill_growing(s, NOTHING, 2, (double[]){0, 0, 0});
    fill_growing(s, OTHER, 1, (double[]){cases[i].others, 860, 10});
    session_sum(s, MANY, PMON_ALL)->seconds = session_sum(s, OTHER, PMON_ALL)->seconds =
        pmon_session_seconds(s) / ROUNDS;
    session_find_bursts(s);
    assert_true((entries ? cases[i].missed_entries : cases[i].missed_requests) ? s->missed[MANY] > 0.4
                                                                               : s->missed[MANY] <= 0);
  }
  places_close(s);
}

static void beside_a_witness_shared_bursts_stand_for_nothing(void **state)
{
  (void)state;
  find_shared_bursts(false);
  find_shared_bursts(true);
}

/* If an event of another round that counts nearly all the time paused between two slices, an event that also counts
 * nearly all the time may have paused there: but not so long that its own slices would have seen it, and not if few
 * counts are expected. */
static void others_pauses_reach_down(void **state)
{
  static const struct {
    uint32_t zeros;
    double length, paused;
  } cases[] = {{1, 1, 1.0 / 20}, {2, 1, 2.0 / 20}, {3, 1, 0}, {0, 1, 0}, {1, 0.05, 0}};
  struct pmon_session *s = places_open(EVENTS, NULL, ROUNDS, 0);
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct sample_total *t = session_sum(s, OTHER, PMON_ALL);
    fill_total(s, MANY, 0, 100, 0, 0, 0);
    fill_total(s, NOTHING, 2, 0, 0, 0, 0);
    fill_total(s, OTHER, 1, 100, 0, 0, 0);
    t->seen -= cases[i].zeros;
    t->busy -= cases[i].zeros * cases[i].length * t->seconds / t->slices;
    t->count -= cases[i].zeros * 100;
    session_find_bursts(s);
    assert_true(fabs(session_sum(s, MANY, PMON_ALL)->paused - cases[i].paused) < 1e-9);
    assert_true(session_sum(s, OTHER, PMON_ALL)->paused <= 0);
  }
  struct pmon_value with, without;
  struct sample_total *t = session_sum(s, MANY, PMON_ALL);
  t->paused = 0.05;
  sample_finish(t, pmon_session_seconds(s), &with);
  t->paused = 0;
  sample_finish(t, pmon_session_seconds(s), &without);
  assert_true(with.low <= 0.95 * with.number && with.low < without.low && with.high == without.high);
  places_close(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(bursts_of_the_own_round_count_from_the_third),
                                     cmocka_unit_test(short_bursts_stand_for_little),
                                     cmocka_unit_test(lone_zeros_are_unknown_beside_bursts),
                                     cmocka_unit_test(without_witness_little_is_unknown_beside_bursts),
                                     cmocka_unit_test(reading_finds_bursts),
                                     cmocka_unit_test(beside_a_witness_shared_bursts_stand_for_nothing),
                                     cmocka_unit_test(others_pauses_reach_down)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}
