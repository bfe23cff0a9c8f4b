/* SPDX-License-Identifier: MIT */
/* A recording includes what time slices missed: counts in `pmon report` have the uncertainty that they had in `pmon
 * stat`. */
#include <sqlite3.h>
#include "tests/cli/frame.h"

static void report(char *text, size_t size)
{
  char command[512], path[96];
  snprintf(path, sizeof path, "%s/out", folder);
  snprintf(command, sizeof command, "'%s' report '%s/counts' >'%s' </dev/null", pmon, folder, path);
  assert_int_equal(system(command), 0);
  take_file(path, text, size);
}

static void change_recording(const char *sql)
{
  char path[96];
  sqlite3 *db;
  snprintf(path, sizeof path, "%s/counts", folder);
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* Reads, a pause and more reads, in a run of two or a few time slices: most reads fall into rounds other than the
 * event's. Whether the event's value is then unknown depends on the slices' lengths. Without the recorded spread, some
 * reports state too small an uncertainty. */
static void what_one_slice_missed_is_recorded(void **state)
{
  static const struct {
    const char *slice_ms, *size;
    int pause_us, end_us;
  } rows[] = {{"1", "128K", 30, 0}, {"2", "384K", 60, 20}, {"2", "768K", 30, 0}, {"2.5", "128K", 90, 20}};
  static char later[1 << 16];
  char path[96], arguments[512];
  int surer = 0;
  (void)state;
  snprintf(path, sizeof path, "%s/pauses", folder);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    fprintf(f, "set sockets=1\nset prefetch=off\nthread 0: stream 16K\nthread 0: sleep %dus\nthread 0: stream %s\n",
            rows[i].pause_us, rows[i].size);
    if (rows[i].end_us)
      fprintf(f, "thread 0: sleep %dus\n", rows[i].end_us);
    assert_int_equal(fclose(f), 0);
    snprintf(arguments, sizeof arguments,
             "--scenario @/pauses --slice %s -m MEM_READ_BANDWIDTH,LLC_MISS_LATENCY_NS -e cha/TOR_INSERTS.IA_MISS_DRD/,"
             "cha/TOR_INSERTS.IA_HIT/,cha/TOR_INSERTS.IA_DRD/,cha/TOR_INSERTS.ALL/ --record @/counts",
             rows[i].slice_ms);
    struct output *o = measured(arguments);
    assert_int_equal(o->status, 0);
    report(later, sizeof later);
    assert_string_equal(o->out, later);
    change_recording("UPDATE count SET spread = NULL WHERE slices = 1; UPDATE sum SET spread = NULL WHERE slices = 1");
    report(later, sizeof later);
    surer += strcmp(o->out, later) != 0;
  }
  assert_true(surer > 0);
}

/* Reads that begin late and continue to the end: the possible error of their number is recorded. Without it, reports
 * state too small an uncertainty. */
static void what_goes_on_at_the_end_is_recorded(void **state)
{
  static char later[1 << 16];
  char path[96];
  (void)state;
  snprintf(path, sizeof path, "%s/pauses", folder);
  FILE *f = fopen(path, "we");
  assert_non_null(f);
  fputs("set sockets=1\nset prefetch=off\nthread 0: random read 16K count 100k\nthread 0: stream 2M\n", f);
  assert_int_equal(fclose(f), 0);
  struct output *o =
      measured("--scenario @/pauses --slice 0.01 -e cha/TOR_INSERTS.IA_MISS_DRD/,cha/TOR_INSERTS.IA_HIT/,"
               "cha/TOR_INSERTS.IA_DRD/,cha/TOR_INSERTS.ALL/,cha/TOR_INSERTS.IA/,"
               "cha/TOR_INSERTS.IA_MISS/ --record @/counts");
  assert_int_equal(o->status, 0);
  report(later, sizeof later);
  assert_string_equal(o->out, later);
  change_recording("UPDATE sum SET spread = substr(spread, 1, 232) WHERE length(spread) = 240");
  report(later, sizeof later);
  assert_string_not_equal(o->out, later);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_one_slice_missed_is_recorded),
                                     cmocka_unit_test(what_goes_on_at_the_end_is_recorded)};
  if (argc < 2)
    return 2;
  pmon = argv[1];
  return cmocka_run_group_tests(tests, frame_set_up, frame_tear_down);
}
