/* SPDX-License-Identifier: MIT */
/* How the session chooses the scale of counts: time, or which witness. The test fills in the slices of a session that
 * counts nothing itself: two rounds of four events of a unit, and events of two other units that count all the time. */
#include <math.h>
#include <string.h>
#include "tests/engine/places.h"

#define EVENTS                                                                                                         \
  "cha0/TOR_INSERTS.IA/,cha0/TOR_INSERTS.IA_MISS/,cha0/LLC_LOOKUP.ALL/,cha0/CLOCKTICKS/,cha0/TOR_INSERTS.IA_HIT/,"     \
  "cha0/TOR_INSERTS.IA_MISS_DRD/,cha0/REQUESTS.READS/,cha0/TOR_INSERTS.IA_MISS_RFO/,imc0/CAS_COUNT.RD/,"               \
  "upi0/TxL_FLITS.ALL_DATA/"
enum { CLOCK = 3, N_MULTIPLEXED = 8, FIRST_WITNESS = 8, SECOND_WITNESS, N_EVENTS, SLICES = 16 };

/* Slices alternate between the two rounds and have equal lengths. An event or witness counts `a + b x` in a slice; x is
 * the slice's activity, which is higher in every third cycle, and highest in the first round's slice of it. */
struct line {
  double a, b;
};
struct shape {
  struct line even, odd, first, second; /* even, odd: events of even and odd numbers; the two witnesses */
  double peak;                          /* x of the first round in every third cycle */
  unsigned slices;                      /* of both rounds together */
};

static double activity(const struct shape *shape, unsigned slice)
{
  const unsigned cycle = slice / 2;
  return cycle % 3 ? 1 : slice % 2 ? 2 : shape->peak;
}

static void put_slice(struct pmon_session *s, uint32_t item, const struct sample_peak *slice)
{
  const uint32_t package[] = {0, s->n_packages};
  for (unsigned i = 0; i < 2; i++) {
    struct session_sum *sum = &session_sums_of(s, s->sums, item)[package[i]];
    sum->slice = *slice;
    sum->open = true;
  }
}

static struct session_run *run_of(const struct pmon_session *s, uint32_t event)
{
  uint32_t i = 0;
  while (i < s->n_runs && s->runs[i].event != event)
    i++;
  assert_true(i < s->n_runs);
  return &s->runs[i];
}

static uint32_t round_of(const struct pmon_session *s, uint32_t event)
{
  return run_of(s, event)->round;
}

static void fill(struct pmon_session *s, const struct shape *shape)
{
  const double seconds = pmon_session_seconds(s) / shape->slices;
  session_clear_sums(s);
  for (unsigned i = 0; i < shape->slices; i++) {
    const double x = activity(shape, i);
    for (uint32_t e = 0; e < N_EVENTS; e++) {
      const struct line *l = e == FIRST_WITNESS    ? &shape->first
                             : e == SECOND_WITNESS ? &shape->second
                             : e % 4 > 1           ? &shape->odd
                                                   : &shape->even;
      const uint32_t round = round_of(s, e);
      if (round == UINT32_MAX || round == i % 2)
        put_slice(s, e, &(struct sample_peak){l->a + l->b * x, seconds, i, round});
    }
    session_end_sums(s);
  }
  session_find_ratios(s);
}

/* Returns the factor for a round: its share of the time over its share of the witness's count. 1: the factor exceeds
 * two, and is rejected. */
static double expected(const struct shape *shape, const struct line *witness, uint32_t round)
{
  double seen = 0, all = 0;
  for (unsigned i = 0; i < shape->slices; i++) {
    const double w = witness->a + witness->b * activity(shape, i);
    all += w;
    seen += i % 2 == round ? w : 0;
  }
  const double times = 0.5 / (seen / all);
  return times > 2 ? 1 : times;
}

static struct pmon_session *choice_session(void)
{
  struct pmon_session *s = places_open(EVENTS, NULL, 2, 2);
  assert_true(round_of(s, FIRST_WITNESS) == UINT32_MAX && round_of(s, SECOND_WITNESS) == UINT32_MAX);
  return s;
}

/* The factor by which all events but the clock are scaled; `witness`: 0: by time, else by the first or second
 * witness. */
struct row {
  const char *what;
  struct shape shape;
  unsigned witness;
};

static void check_row(struct pmon_session *s, const struct row *row)
{
  const struct line *lines[] = {NULL, &row->shape.first, &row->shape.second};
  fill(s, &row->shape);
  for (uint32_t e = 0; e < N_EVENTS; e++) {
    const double times = session_times(s, e, 0);
    const double want = e == CLOCK || e >= N_MULTIPLEXED || !row->witness
                            ? 1
                            : expected(&row->shape, lines[row->witness], round_of(s, e));
    if (fabs(times - want) > 1e-9)
      fail_msg("%s: event %u times %.9f, not %.9f", row->what, e, times, want);
  }
}

static const struct line none = {0, 0}, even = {100, 0}, like = {0, 100}, close_to = {40, 100}, few = {0, 10};

static void what_goes_along_scales(void **state)
{
  const struct row rows[] = {{"alike", {like, like, like, even, 4, SLICES}, 1},
                             {"of two the one that is more alike", {like, like, close_to, like, 4, SLICES}, 2},
                             {"its place does not matter", {like, like, like, close_to, 4, SLICES}, 1},
                             {"time is better for what is even", {even, even, like, like, 4, SLICES}, 0},
                             {"one event of a round would be worse", {like, even, like, even, 4, SLICES}, 0},
                             {"a witness that is even says what time does", {like, like, even, even, 4, SLICES}, 0},
                             {"the other way round", {{500, -100}, {500, -100}, like, even, 4, SLICES}, 0},
                             {"a witness of few counts", {like, like, few, none, 4, SLICES}, 0},
                             {"few slices", {like, like, like, even, 4, 6}, 0},
                             {"hardly anything in the other round", {like, like, like, even, 30, SLICES}, 1},
                             {"nothing counted", {none, none, like, even, 4, SLICES}, 0}};
  struct pmon_session *s = choice_session();
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    check_row(s, &rows[i]);
  places_close(s);
}

/* A witness that counted part of the time only is rejected: it did not see the activity of the rest. */
static void witnesses_count_all_the_time(void **state)
{
  const struct shape shape = {like, like, like, even, 4, SLICES};
  struct pmon_session *s = choice_session();
  (void)state;
  fill(s, &shape);
  assert_true(session_times(s, 0, 0) != 1);
  session_sum(s, FIRST_WITNESS, 0)->seconds *= 0.8;
  session_find_ratios(s);
  assert_true(session_times(s, 0, 0) == 1);
  places_close(s);
}

/* A witness whose count is wrong or too low on an instance of the package is rejected, too. */
static void witnesses_have_a_value(void **state)
{
  static const uint32_t flags[] = {PMON_VALUE_STOLEN, PMON_VALUE_BACKWARDS, PMON_VALUE_VANISHED, PMON_VALUE_UNAVAILABLE,
                                   PMON_VALUE_LOST};
  const struct shape shape = {like, like, like, even, 4, SLICES};
  struct pmon_session *s = choice_session();
  struct sample_total *cell = &s->cells[s->cell_of[FIRST_WITNESS]];
  (void)state;
  fill(s, &shape);
  assert_true(cell->slices && !(cell->flags & PMON_VALUE_INVALID) && session_times(s, 0, 0) != 1);
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    cell->flags = flags[i];
    session_find_ratios(s);
    assert_true(session_times(s, 0, 0) == 1);
  }
  cell->flags = PMON_VALUE_WRAPPED;
  session_find_ratios(s);
  assert_true(session_times(s, 0, 0) != 1);
  places_close(s);
}

/* pmon_session_verify() finds a changed control of the witness, although the values were computed before. */
static void looks_find_what_is_wrong_with_a_witness(void **state)
{
  const struct shape shape = {like, like, like, even, 4, SLICES};
  struct pmon_session *s = choice_session();
  struct session_run *run = run_of(s, FIRST_WITNESS);
  const struct session_register *control = &s->regs[run->writes[run->n_writes - 1].reg];
  uint32_t at = 0;
  (void)state;
  fill(s, &shape);
  assert_true(session_times(s, 0, 0) != 1);
  while (at < places_fake.n && !session_same_place(&places_fake.regs[at].address, &control->address))
    at++;
  assert_true(at < places_fake.n);
  places_fake.regs[at].value ^= 0x100;
  run->verified_ns = 0;
  ok(pmon_session_verify(s));
  assert_true(session_times(s, 0, 0) == 1);
  places_close(s);
}

/* A witness that Linux perf counted in part of a slice only is rejected. */
static void witnesses_count_whole_slices(void **state)
{
  const struct shape shape = {like, like, like, even, 4, SLICES};
  struct pmon_session *s = choice_session();
  (void)state;
  fill(s, &shape);
  for (int part = 0; part < 2; part++) {
    struct session_run *run = run_of(s, FIRST_WITNESS);
    run->flags = part ? PMON_VALUE_LOST : 0;
    session_count(s, run, 100, 1e-6, 0);
    session_end_sums(s);
    session_find_ratios(s);
    assert_true((session_times(s, 0, 0) == 1) == (part != 0));
  }
  fill(s, &shape);
  assert_true(session_times(s, 0, 0) != 1);
  places_close(s);
}

/* Six metrics whose divisor counts in every round; each metric uses the parts of the divisor's count from the rounds of
 * its operands. */
#define PER_INSERT(EVENT) "cha/" EVENT "//cha/TOR_INSERTS.IA/"
static const char ratios[] = "a=" PER_INSERT("TOR_INSERTS.IA_MISS") ",b=" PER_INSERT("LLC_LOOKUP.ALL") //
    ",c=" PER_INSERT("REQUESTS.READS") ",d=" PER_INSERT("TOR_INSERTS.IA_HIT")                          //
    ",e=" PER_INSERT("TOR_INSERTS.IA_MISS_DRD") ",f=" PER_INSERT("TOR_INSERTS.IA_MISS_RFO");

/* The divisor is one of the witnesses; the other witness counts evenly. The multiplexed events have bursts in the
 * divisor's cycles (`alike`), or in other ones. */
static void fill_ratios(struct pmon_session *s, bool alike)
{
  const double seconds = pmon_session_seconds(s) / SLICES;
  session_clear_sums(s);
  for (unsigned i = 0; i < SLICES; i++) {
    const unsigned cycle = i / 2;
    const double divisor = cycle % 3 ? 2000 : i % 2 ? 3000 : 4000, other = cycle % 4 == 2 ? 6000 : 2000;
    for (uint32_t item = 0; item < session_items(s); item++) {
      const uint32_t event = session_item_event(s, item), round = round_of(s, event);
      const bool part = item != event, own = !strncmp(pmon_event_name(s->plan->events[event].event), "CAS_", 4);
      if (part ? s->parts[item - s->plan->n_events].rounds[i % 2] : round == UINT32_MAX || round == i % 2)
        put_slice(s, item,
                  &(struct sample_peak){own                            ? 2000
                                        : round == UINT32_MAX || alike ? divisor
                                                                       : other,
                                        seconds, i, part ? i % 2 : round});
    }
    session_end_sums(s);
  }
  session_find_ratios(s);
}

/* A part of the divisor correlates with the divisor perfectly, being the same count; that says nothing about the other
 * events. The part is scaled as they are, so that the metric's operands keep their ratio. */
static void a_witness_has_no_vote_for_itself(void **state)
{
  struct pmon_session *s = places_open("imc0/CAS_COUNT.ALL/", ratios, 2, 2);
  uint32_t parts = 0;
  (void)state;
  for (int alike = 0; alike < 2; alike++) {
    fill_ratios(s, alike);
    for (uint32_t item = 0; item < session_items(s); item++) {
      const uint32_t event = session_item_event(s, item), group = s->group_of[item];
      const bool scaled = alike && (item != event || round_of(s, event) != UINT32_MAX);
      assert_true(session_times(s, item, 0) == session_times(s, group, 0));
      assert_true((session_times(s, item, 0) != 1) == scaled);
      parts += item != event && round_of(s, event) == UINT32_MAX && group != item;
    }
  }
  assert_true(parts >= 2);
  places_close(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_goes_along_scales),
                                     cmocka_unit_test(a_witness_has_no_vote_for_itself),
                                     cmocka_unit_test(witnesses_count_all_the_time),
                                     cmocka_unit_test(witnesses_have_a_value),
                                     cmocka_unit_test(looks_find_what_is_wrong_with_a_witness),
                                     cmocka_unit_test(witnesses_count_whole_slices)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}
