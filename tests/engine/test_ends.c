/* SPDX-License-Identifier: MIT */
/* What a round does not know about the end of the measurement. The test fills in the slices of a session that counts
 * nothing itself: two rounds of a unit's events, and an event of another unit that counts all the time. */
#include <math.h>
#include <string.h>
#include "tests/engine/places.h"

#define EVENTS                                                                                                         \
  "cha0/TOR_INSERTS.IA/,cha0/TOR_INSERTS.IA_MISS/,cha0/LLC_LOOKUP.ALL/,cha0/TOR_INSERTS.IA_HIT/,"                      \
  "cha0/TOR_INSERTS.IA_MISS_DRD/,cha0/REQUESTS.READS/,cha0/TOR_INSERTS.IA_MISS_RFO/,cha0/TOR_INSERTS.IA_HIT_DRD/,"     \
  "imc0/CAS_COUNT.RD/"
enum { WITNESS = 8, CYCLES = 20 };

/* Cycles of both rounds, then `more` slices of the second round. An event counts `rate` per slice, and `late` per slice
 * from slice `from` on and after the first round's last slice. The witness counts `witness`, and `witness_late` after
 * that slice; `witness_even`: its count in every second cycle before (0: `witness`). */
struct shape {
  unsigned more, from;
  double rate, late, witness, witness_late, witness_even;
};

static void take_slice(struct pmon_session *s, unsigned number, uint32_t round, const double of[2])
{
  s->round = round;
  s->read_slice_number = number;
  for (uint32_t i = 0; i < s->n_runs; i++) {
    const struct session_run *run = &s->runs[i];
    const bool always = run->round == UINT32_MAX;
    if (always || run->round == round)
      session_count(s, run, (uint64_t)of[always], 1e-6, 0);
  }
  session_end_sums(s);
}

static void end_measure(struct pmon_session *s, const struct shape *shape)
{
  const unsigned slices = 2 * CYCLES + shape->more;
  pmon_session_mark(s);
  for (unsigned i = 0; i < slices; i++) {
    const bool late = i >= 2 * CYCLES, on = late || i >= shape->from;
    const bool even = i / 2 % 2 == 0 && shape->witness_even > 0;
    const double before = even ? shape->witness_even : shape->witness;
    const double of[2] = {on ? shape->late : shape->rate, late ? shape->witness_late : before};
    take_slice(s, i, late ? 1 : i % 2, of);
  }
  s->now_ns = s->mark_ns + slices * UINT64_C(1000);
  session_find_bursts(s);
}

static uint32_t event_of_round(const struct pmon_session *s, uint32_t round)
{
  uint32_t i = 0;
  while (s->runs[i].round != round)
    i++;
  return s->runs[i].event;
}

static struct pmon_session *ends_session(void)
{
  struct pmon_session *s = places_open(EVENTS, NULL, 2, 1);
  assert_int_equal(s->witnesses[0], WITNESS);
  return s;
}

/* Few counts are unknown if the witness shows that another activity followed their round's last slice. */
static void few_counts_say_nothing_of_what_came_after(void **state)
{
  static const struct {
    const char *what;
    struct shape shape;
    bool unknown;
  } cases[] = {{"the witness stopped", {3, 1000, 2, 2, 1000, 0, 0}, true},
               {"the witness began", {3, 1000, 2, 2, 100, 1000, 0}, true},
               {"all went on", {3, 1000, 2, 2, 1000, 1000, 0}, false},
               {"not twice as much", {3, 1000, 2, 2, 1000, 1900, 0}, false},
               {"no more than counting scatters", {3, 1000, 2, 2, 40, 15, 0}, false},
               {"no less than in other cycles", {3, 1000, 2, 2, 1000, 100, 100}, false},
               {"no more than in other cycles", {3, 1000, 2, 2, 100, 1000, 1000}, false},
               {"less than in any cycle", {3, 1000, 2, 2, 1000, 0, 700}, true},
               {"more than in any cycle", {3, 1000, 2, 2, 100, 2000, 300}, true},
               {"hardly any time", {0, 1000, 2, 2, 1000, 0, 0}, false},
               {"many counts", {3, 1000, 20, 20, 1000, 0, 0}, false},
               {"nothing counted", {3, 1000, 0, 0, 1000, 0, 0}, false}};
  struct pmon_session *s = ends_session();
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    end_measure(s, &cases[i].shape);
    const double unseen = session_sum(s, event_of_round(s, 0), PMON_ALL)->unseen;
    if ((unseen == 1) != cases[i].unknown)
      fail_msg("%s: unseen %f", cases[i].what, unseen);
    assert_true(session_sum(s, event_of_round(s, 1), PMON_ALL)->unseen < 1);
  }
  places_close(s);
}

/* An activity that continues to the end is overrepresented in the round that had the last slices: the interval includes
 * the possible error. It does not change for a round with its share of the time, nor at an even rate. */
static void what_goes_on_at_the_end_is_off(void **state)
{
  static const struct {
    const char *what;
    struct shape shape;
    bool off;
  } cases[] = {{"it began before the end", {4, 36, 100, 900, 1000, 1000, 0}, true},
               {"it goes on evenly", {4, 1000, 100, 100, 1000, 1000, 0}, false},
               {"it stopped before the end", {4, 36, 900, 100, 1000, 1000, 0}, false},
               {"each round had its part", {0, 36, 100, 900, 1000, 1000, 0}, false}};
  struct pmon_session *s = ends_session();
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const uint32_t event = event_of_round(s, 1);
    end_measure(s, &cases[i].shape);
    struct sample_total *t = session_sum(s, event, PMON_ALL);
    if ((t->off > 1) != cases[i].off) /* except for rounding */
      fail_msg("%s: off %f", cases[i].what, t->off);
    if (!cases[i].off)
      continue;
    /* The excess of the last rate, times the time beyond half of the total, scaled to the total. */
    const double all = 2 * CYCLES + 4, own = CYCLES + 4, more = t->last[0].count - t->count / own;
    assert_true(fabs(t->off - more * (own - all / 2) * all / own) < 1e-6 * t->off);
    struct pmon_value with, without;
    sample_finish(t, pmon_session_seconds(s), &with);
    t->off = 0;
    sample_finish(t, pmon_session_seconds(s), &without);
    assert_true(with.high > without.high && with.number == without.number && with.low < without.low);
    assert_true(with.sigma > without.sigma); /* pmon diff judges single values by sigma */
  }
  places_close(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(few_counts_say_nothing_of_what_came_after),
                                     cmocka_unit_test(what_goes_on_at_the_end_is_off)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}
