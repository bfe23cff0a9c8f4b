/* SPDX-License-Identifier: MIT */
/* `pmon stat` as its users run it: its outputs are consistent. */
#include <math.h>
#include "tests/cli/frame.h"

static void counts_metrics_and_sums_agree(void **state)
{
  json_t *r = measured_json("--json --trace @/trace --set numa=interleave -e imc/CAS_COUNT.RD/ "
                            "-m 'MEM_READ_BANDWIDTH,lines=imc/CAS_COUNT.RD * 1'");
  double total = json_value_of(r, "imc/CAS_COUNT.RD/", -1, -1),
         seconds = json_number_value(json_object_get(r, "seconds"));
  (void)state;
  /* 4 MB are 65,536 lines, each read once; page tables and prefetching may add some */
  assert_true(total >= 65536 && total < 70000);
  assert_true(json_value_of(r, "imc/CAS_COUNT.RD/", 0, -1) + json_value_of(r, "imc/CAS_COUNT.RD/", 1, -1) == total);
  assert_true(json_value_of(r, "imc/CAS_COUNT.RD/", 1, -1) > 20000);
  assert_true(json_value_of(r, "lines", -1, -1) == total);
  assert_true(fabs(json_value_of(r, "MEM_READ_BANDWIDTH", -1, -1) / (total * 64 / seconds) - 1) < 1e-9);
  json_decref(r);
}

static void instances_add_up(void **state)
{
  json_t *whole = measured_json("--json --trace @/trace -e cha/TOR_INSERTS.IA_MISS/");
  json_t *parts = measured_json("--json --trace @/trace -e cha/TOR_INSERTS.IA_MISS/ --per-unit");
  double sum = 0;
  (void)state;
  for (int i = 0; i < 64; i++)
    sum += json_value_of(parts, "cha/TOR_INSERTS.IA_MISS/", 0, i);
  assert_true(sum > 0 && sum == json_value_of(whole, "cha/TOR_INSERTS.IA_MISS/", 0, -1));
  json_decref(whole);
  json_decref(parts);
}

static void intervals_add_up(void **state)
{
  json_t *whole = measured_json("--json --trace @/trace -e imc/CAS_COUNT.RD/,cha/TOR_INSERTS.IA/");
  double reads = json_value_of(whole, "imc/CAS_COUNT.RD/", -1, -1),
         inserts = json_value_of(whole, "cha/TOR_INSERTS.IA/", -1, -1);
  struct output *o = measured("--json --trace @/trace -I 0.1 -e imc/CAS_COUNT.RD/,cha/TOR_INSERTS.IA/");
  unsigned lines = 0;
  (void)state;
  for (char *line = strtok(o->out, "\n"); line; line = strtok(NULL, "\n"), lines++) {
    json_t *r = frame_parse(line);
    reads -= json_value_of(r, "imc/CAS_COUNT.RD/", -1, -1);
    inserts -= json_value_of(r, "cha/TOR_INSERTS.IA/", -1, -1);
    json_decref(r);
  }
  assert_int_equal(o->status, 0);
  assert_true(lines > 2);
  assert_true(reads == 0 && inserts == 0);
  json_decref(whole);
}

/* Invariants that cost no counters are checked; on demand, all invariants are that fit into the time. */
static void invariants_are_checked(void **state)
{
  json_t *r = measured_json("--json --trace @/trace -e imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/,imc/CAS_COUNT.ALL/");
  (void)state;
  assert_int_equal(json_integer_value(json_object_get(r, "invariants_checked")), 1);
  assert_int_equal(json_array_size(json_object_get(r, "invariants_violated")), 0);
  json_decref(r);
  r = measured_json("--json --trace @/trace --set core.mlp=8 --set prefetch=off --check -e cha/CLOCKTICKS/");
  assert_true(json_integer_value(json_object_get(r, "invariants_checked")) > 20);
  assert_int_equal(json_array_size(json_object_get(r, "values")), 3);
  json_decref(r);
  struct output *o = measured("--trace @/trace --set core.mlp=8 --set prefetch=off --check");
  assert_int_equal(o->status, 0);
  assert_non_null(strstr(o->err, " invariants checked, 0 violations"));
}

/* The machine is deterministic: the mean of three runs is the one run, with deviation 0. */
static void repeats_have_mean_and_deviation(void **state)
{
  char path[96];
  (void)state;
  snprintf(path, sizeof path, "%s/scenario", folder);
  FILE *f = fopen(path, "we");
  assert_non_null(f);
  fputs("set cores=2\nthread 0 on core 1: stream read 1M stride 64\n", f);
  assert_int_equal(fclose(f), 0);
  json_t *one = measured_json("--json --scenario @/scenario -e imc/CAS_COUNT.RD/");
  json_t *three = measured_json("--json --scenario @/scenario -e imc/CAS_COUNT.RD/ -r 3");
  assert_true(json_value_of(one, "imc/CAS_COUNT.RD/", -1, -1) > 16000);
  assert_true(json_value_of(one, "imc/CAS_COUNT.RD/", -1, -1) == json_value_of(three, "imc/CAS_COUNT.RD/", -1, -1));
  assert_int_equal(json_integer_value(json_object_get(three, "runs")), 3);
  assert_true(json_number_value(json_object_get(json_array_get(json_object_get(three, "values"), 0), "deviation")) ==
              0);
  json_decref(one);
  json_decref(three);
  struct output *o = measured("--csv --per-unit --sort value --top 2 --scenario @/scenario -e imc/CAS_COUNT.RD/");
  unsigned lines = 0;
  for (const char *c = o->out; *c; c++)
    lines += *c == '\n';
  assert_int_equal(o->status, 0);
  assert_int_equal(lines, 3);
}

/* Each interval but the last holds the given number of events, plus the few until the freeze takes effect; all
 * intervals together hold the counts of one measurement. */
static void an_event_ends_intervals(void **state)
{
  json_t *whole = measured_json("--json --trace @/trace -e imc0/CAS_COUNT.RD/,cha/TOR_INSERTS.IA/");
  double reads = json_value_of(whole, "imc0/CAS_COUNT.RD/", 0, -1),
         inserts = json_value_of(whole, "cha/TOR_INSERTS.IA/", 0, -1);
  struct output *o = measured("--json --trace @/trace --every 500,imc0/CAS_COUNT.RD/ -e cha/TOR_INSERTS.IA/");
  unsigned lines = 0, full = 0;
  double sum = 0, lost = inserts;
  (void)state;
  for (char *line = strtok(o->out, "\n"); line; line = strtok(NULL, "\n"), lines++) {
    json_t *r = frame_parse(line);
    double one = json_value_of(r, "imc0/CAS_COUNT.RD/", 0, -1);
    full += one >= 500 && one < 520;
    sum += one;
    lost -= json_value_of(r, "cha/TOR_INSERTS.IA/", 0, -1);
    json_decref(r);
  }
  assert_int_equal(o->status, 0);
  assert_true(lines > 4 && full == lines - 1);
  /* counts between an overflow and its detection are in no interval */
  assert_true(sum <= reads && sum > 0.9 * reads && lost >= 0 && lost < 0.1 * inserts);
  json_decref(whole);
}

static void the_same_trace_gives_the_same_bytes(void **state)
{
  char *first = strdup(measured("--csv --per-unit --trace @/trace")->out);
  (void)state;
  assert_true(strlen(first) > 1000);
  assert_string_equal(first, measured("--csv --per-unit --trace @/trace")->out);
  free(first);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(counts_metrics_and_sums_agree),
                                     cmocka_unit_test(instances_add_up),
                                     cmocka_unit_test(intervals_add_up),
                                     cmocka_unit_test(invariants_are_checked),
                                     cmocka_unit_test(repeats_have_mean_and_deviation),
                                     cmocka_unit_test(an_event_ends_intervals),
                                     cmocka_unit_test(the_same_trace_gives_the_same_bytes)};
  if (argc < 2)
    return 2;
  pmon = argv[1];
  return cmocka_run_group_tests(tests, frame_set_up, frame_tear_down);
}
