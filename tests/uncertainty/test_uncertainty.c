/* SPDX-License-Identifier: MIT */
/*
 * Checks the printed uncertainty. Each kind of workload of a collection runs several times with other sizes and with
 * several lengths of slices: the interval of a multiplexed event has to contain the count of the event without
 * multiplexing, in at least 93 % of the cases of each kind of workload and of each class of counts. A value that is
 * flagged as unknown is not a case.
 *
 * usage: test_uncertainty [--table] [--cases] [--first N] [--runs N] [--orders N] [--slices N] [--unit UNIT]
 *                         [--kind NAME] FILE...
 * --table prints the table of docs/design/009-uncertainty.md, --cases each interval that misses the true count; --runs:
 * variations of each kind, from the number --first on, which also gives other orders; --orders: orders of rounds of
 * each; --slices: only so many lengths of slices; --unit: only events of that unit.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/engine/rig.h"
#include "tests/uncertainty/measure.h"
#include "tests/uncertainty/tally.h"

enum { MOST_KINDS = 8 };
struct settings {
  bool table, cases, no_witness;
  unsigned first, runs, orders, slices, n_kinds;
  const char *kinds[MOST_KINDS], *unit;
  int first_file, n_args;
  char **args;
};
static struct settings settings = {.runs = 1, .orders = 1, .slices = 1};

/* The round order of plain scaling starts with another round each time. */
static void compare_one(const struct collection *c, const struct truth *truth, const char *lines,
                        const struct multiplexed *how, struct tally *tally)
{
  struct pmon_value v[COLLECTION_EVENTS];
  const uint32_t rounds = measure_multiplexed(c, lines, how, v);
  assert_true(rounds > 1);
  for (unsigned i = 0; i < collection_events(c); i++) {
    struct tally_case one = {.value = &v[i], .truth = truth->total[i]};
    assert_true(v[i].valid || v[i].reason[0]);
    if (v[i].valid && !(v[i].flags & PMON_VALUE_SCALED))
      continue;
    const uint32_t round_of[2] = {(uint32_t)(how->seed + i) % rounds, rounds};
    one.has_plain = measure_plain(truth, i, how->slice_ns, round_of, &one.plain);
    tally_add(tally, &one);
    if (settings.cases && v[i].valid && !(v[i].low <= one.truth && one.truth <= v[i].high))
      printf("%s: slices of %llu ns, truth %.0f, %.0f (%.0f to %.0f)\n", c->event[i], (unsigned long long)how->slice_ns,
             one.truth, v[i].number, v[i].low, v[i].high);
  }
}

static void measure_kind(const struct collection *c, const struct kind *kind, struct tally *tally)
{
  static uint64_t session; /* another order of rounds in each session, the same in each run of this program */
  for (unsigned run = settings.first; run < settings.first + settings.runs; run++) {
    char *lines = collection_lines(kind, run);
    struct truth truth;
    measure_truth(c, lines, c->slice_ns[0], &truth);
    for (unsigned s = 0; s < c->n_slices && s < settings.slices; s++)
      for (unsigned order = 0; order < settings.orders; order++)
        compare_one(
            c, &truth, lines,
            &(struct multiplexed){c->slice_ns[s], ((uint64_t)settings.first << 32) + ++session, settings.no_witness},
            tally);
    truth_fini(&truth);
    free(lines);
  }
}

static bool is_selected(const char *kind)
{
  for (unsigned i = 0; i < settings.n_kinds; i++)
    if (!strcmp(settings.kinds[i], kind))
      return true;
  return !settings.n_kinds;
}

static void measure_collection(const char *path)
{
  struct collection c;
  struct tally whole = {0};
  collection_load(path, &c);
  if (settings.unit)
    collection_keep_unit(&c, settings.unit);
  else
    collection_keep_shared(&c);
  tally_print_head(settings.table, c.platform);
  for (unsigned k = 0; k < c.n_kinds; k++) {
    struct tally tally = {0};
    if (!is_selected(c.kind[k].name))
      continue;
    measure_kind(&c, &c.kind[k], &tally);
    tally_print(settings.table, c.kind[k].name, &tally);
    tally_merge(&whole, &tally);
    tally_fini(&tally);
  }
  assert_true(tally_cases(&whole) > 0);
  tally_print(settings.table, "all", &whole);
  tally_print_classes(&whole);
  tally_fini(&whole);
  collection_free(&c);
}

static void intervals_contain_the_truth(void **state)
{
  (void)state;
  for (int i = settings.first_file; i < settings.n_args; i++)
    measure_collection(settings.args[i]);
  assert_int_equal(tally_failures(), 0);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(intervals_contain_the_truth)};
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; i++) {
    unsigned *number = !strcmp(argv[i], "--first")    ? &settings.first
                       : !strcmp(argv[i], "--runs")   ? &settings.runs
                       : !strcmp(argv[i], "--orders") ? &settings.orders
                       : !strcmp(argv[i], "--least")  ? &tally_least
                       : !strcmp(argv[i], "--slices") ? &settings.slices
                                                      : NULL;
    if (!strcmp(argv[i], "--table"))
      settings.table = true;
    else if (!strcmp(argv[i], "--cases"))
      settings.cases = true;
    else if (!strcmp(argv[i], "--no-witness"))
      settings.no_witness = true;
    else if (number && i + 1 < argc)
      *number = (unsigned)strtoul(argv[++i], NULL, 10);
    else if (!strcmp(argv[i], "--unit") && i + 1 < argc)
      settings.unit = argv[++i];
    else if (!strcmp(argv[i], "--kind") && i + 1 < argc && settings.n_kinds < MOST_KINDS)
      settings.kinds[settings.n_kinds++] = argv[++i];
    else
      return 2;
  }
  settings.first_file = i;
  settings.n_args = argc;
  settings.args = argv;
  return i < argc ? cmocka_run_group_tests(tests, rig_begin, rig_end) : 2;
}
