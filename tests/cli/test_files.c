/* SPDX-License-Identifier: MIT */
/* Files of `pmon stat`: journals, logs, recordings, results; and their state after a failure. */
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "src/base/sha256.h"
#include "src/session/journal.h"
#include "tests/cli/frame.h"

/* A journal exists during the session only; the journal that another session left is not overwritten. */
static void journals_are_saved_and_restored(void **state)
{
  char path[96], text[512] = "", command[512];
  (void)state;
  struct output *o = measured("--trace @/trace -e imc0/CAS_COUNT.RD/ --journal=@/journal");
  assert_int_equal(o->status, 0);
  snprintf(path, sizeof path, "%s/journal", folder);
  assert_int_equal(access(path, F_OK), -1);
  FILE *f = fopen(path, "we");
  assert_non_null(f);
  char boot[JOURNAL_BOOT], hex[SHA256_HEX];
  struct sha256 sum;
  journal_read_boot(boot);
  snprintf(text, sizeof text, JOURNAL_HEADER "process 1\nboot %s\nplatform emr\n0 mmio 0x0 0x22840 32 0x5\n", boot);
  sha256_init(&sum);
  sha256_add(&sum, text, strlen(text));
  sha256_end(&sum, hex);
  fprintf(f, "%send 1 %s\n", text, hex);
  assert_int_equal(fclose(f), 0);
  o = measured("--trace @/trace -e imc0/CAS_COUNT.RD/ --journal=@/journal");
  assert_int_equal(o->status, 2);
  assert_non_null(strstr(o->err, "pmon restore"));
  snprintf(command, sizeof command, "'%s' restore --backend machine '%s' 2>'%s/err'", pmon, path, folder);
  assert_int_equal(system(command), 0);
  snprintf(path, sizeof path, "%s/err", folder);
  take_file(path, text, sizeof text);
  assert_non_null(strstr(text, ": 1 register restored"));
  snprintf(path, sizeof path, "%s/journal", folder);
  assert_int_equal(access(path, F_OK), -1);
}

/* Removes a part of the text, which must contain it. */
static void erase(char *text, const char *part)
{
  char *at = strstr(text, part);
  assert_non_null(at);
  memmove(at, at + strlen(part), strlen(at + strlen(part)) + 1);
}

/* Replaying a log with the options of its measurement gives the same bytes; with other options the difference is
 * reported. */
static void a_log_replays_to_the_same_bytes(void **state)
{
  static const char *const options[] = {"--json -m MEM_READ_BANDWIDTH,LLC_MISS_LATENCY_NS",
                                        "--csv --per-unit -e cha/TOR_INSERTS.IA_MISS/,imc/CAS_COUNT.RD/ -I 0.1",
                                        "--check --slice 0.1 --set numa=interleave"};
  char arguments[256];
  (void)state;
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    snprintf(arguments, sizeof arguments, "%s --log @/log --trace @/trace", options[i]);
    struct output *o = measured(arguments);
    assert_int_equal(o->status, 0);
    char *out = strdup(o->out), *err = strdup(o->err);
    erase(err, "pmon stat: the trace has no dependences: loads do not wait for other loads, and simulated time is a "
               "lower bound\n");
    snprintf(arguments, sizeof arguments, "%s --replay @/log", options[i]);
    o = measured(arguments);
    assert_string_equal(o->err, err);
    assert_int_equal(o->status, 0);
    assert_string_equal(o->out, out);
    free(out);
    free(err);
  }
  struct output *o = measured("--replay @/log -e cha/TOR_INSERTS.IA_MISS/");
  assert_int_equal(o->status, 2);
  assert_non_null(strstr(o->err, "/log:"));
  assert_non_null(strstr(o->err, "but the access was"));
  o = measured("--replay @/trace");
  assert_int_equal(o->status, 2);
  assert_non_null(strstr(o->err, "not a log of register accesses"));
}

/* Runs `pmon ARGUMENTS FOLDER/FILE`. */
static struct output *reported(const char *arguments, const char *file)
{
  static struct output o;
  char command[1024], out[96], err[96];
  snprintf(out, sizeof out, "%s/out", folder);
  snprintf(err, sizeof err, "%s/err", folder);
  snprintf(command, sizeof command, "'%s' report %s %s/%s >%s 2>%s </dev/null", pmon, arguments, folder, file, out,
           err);
  int status = system(command);
  o.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  take_file(out, o.out, sizeof o.out);
  take_file(err, o.err, sizeof o.err);
  return &o;
}

/* The report of a recording equals the output of the measurement byte for byte; other metrics can be computed, too. */
static void report_of_a_recording_equals_the_live_report(void **state)
{
  static const char *const options[] = {"", "--json", "--csv --per-unit", "--csv -I 0.1"};
  static const char what[] =
      "-m 'MEM_READ_BANDWIDTH,lines=imc/CAS_COUNT.RD * 1' -e imc/CAS_COUNT.ALL/,cha/TOR_INSERTS.IA/";
  char arguments[256];
  (void)state;
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    snprintf(arguments, sizeof arguments, "%s %s --trace @/trace --set numa=interleave --record @/counts", options[i],
             what);
    struct output *o = measured(arguments);
    if (o->status)
      fail_msg("%s", o->err);
    char *out = strdup(o->out);
    o = reported(i == 3 ? "--csv -I" : options[i], "counts");
    if (o->status)
      fail_msg("%s", o->err);
    assert_string_equal(o->out, out);
    free(out);
  }
  json_t *whole = frame_parse(reported("--json", "counts")->out);
  json_t *other = frame_parse(reported("--json -m 'writes=imc/CAS_COUNT.ALL - imc/CAS_COUNT.RD'", "counts")->out);
  assert_true(json_value_of(other, "writes", -1, -1) ==
              json_value_of(whole, "imc/CAS_COUNT.ALL/", -1, -1) - json_value_of(whole, "lines", -1, -1));
  assert_int_equal(json_array_size(json_object_get(other, "values")), 3);
  json_decref(whole);
  json_decref(other);
}

static void bad_recordings_are_refused(void **state)
{
  char path[96], bytes[4096];
  struct output *o = measured("--trace @/trace -e imc/CAS_COUNT.RD/ --record @/counts");
  (void)state;
  assert_int_equal(o->status, 0);
  o = reported("-m LLC_MISS_LATENCY_NS", "counts");
  assert_int_equal(o->status, 2);
  assert_non_null(strstr(o->err, "LLC_MISS_LATENCY_NS: cha/TOR_"));
  assert_non_null(strstr(o->err, "was not recorded"));
  o = reported("-e imc/NOPE/", "counts");
  assert_int_equal(o->status, 2);
  o = reported("-p snbep", "counts");
  assert_int_equal(o->status, 2);
  assert_non_null(strstr(o->err, "counts: the recording is of platform emr; omit -p, or add -p emr"));
  o = reported("", "none"); /* wrong input, as any other file that does not exist */
  assert_int_equal(o->status, 2);
  o = reported("", "trace");
  assert_int_equal(o->status, 2);
  assert_non_null(strstr(o->err, "not a recording"));
  /* a file that is not a recording is not overwritten */
  o = measured("--trace @/trace -e imc/CAS_COUNT.RD/ --record @/trace");
  assert_int_equal(o->status, 2);
  assert_non_null(strstr(o->err, "so it is not replaced"));
  snprintf(path, sizeof path, "%s/pipe", folder); /* its size is 0, but it is not an empty file */
  assert_int_equal(mkfifo(path, 0600), 0);
  o = measured("--trace @/trace -e imc/CAS_COUNT.RD/ --record @/pipe");
  assert_int_equal(o->status, 2);
  assert_non_null(strstr(o->err, "so it is not replaced"));
  assert_int_equal(unlink(path), 0);
  /* damaged at many places, then truncated: an error with a message, or values */
  snprintf(path, sizeof path, "%s/counts", folder);
  for (long at = 0; at < 3 * 4096; at += 411 * TESTS_STEP) {
    FILE *f = fopen(path, "r+e");
    assert_non_null(f);
    assert_int_equal(fseek(f, at, SEEK_SET), 0);
    size_t n = fread(bytes, 1, 64, f);
    memset(bytes, (int)(at & 0xff) ^ 0x5a, n);
    assert_int_equal(fseek(f, at, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    o = reported("--json", "counts");
    if (o->status < 0 || o->status > 2 || (o->status && !*o->err))
      fail_msg("torn at %ld: status %d, %s", at, o->status, o->err);
  }
  assert_int_equal(truncate(path, 100), 0);
  o = reported("", "counts");
  assert_int_equal(o->status, 2);
  assert_true(*o->err && !*o->out);
}

/* The bytes of the column `spread`. */
#define ZEROS_8 "0000000000000000"
#define ZEROS_56 ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8
#define ZEROS_72 ZEROS_56 ZEROS_8 ZEROS_8

/* Tables that SQLite reads, with contents that no recording has. */
static void invalid_recordings_are_refused(void **state)
{
  static const struct {
    const char *change, *message;
  } rows[] = {
      {"UPDATE count SET count = 'x'", "a count has an invalid value"},
      {"UPDATE count SET instance = instance + 99", "a count belongs to an event or instance that was not measured"},
      {"UPDATE interval SET freeze = 99", "the freeze scope or freeze time of an interval is invalid"},
      {"DELETE FROM interval", "a count belongs to an interval that does not exist"},
      {"INSERT INTO region VALUES(1,'r',-1,1,0,0,1,2,0,0)", "its regions are not numbered consecutively"},
      {"INSERT INTO region VALUES(0,'',-1,1,0,0,1,2,0,0)", "a region has no name"},
      {"INSERT INTO region VALUES(0,'r','x',1,0,0,1,2,0,0)", "a region has no name, or an invalid number"},
      {"INSERT INTO region VALUES(0,'r',-1,-1,0,0,1,2,0,0)", "a region has no name, or an invalid number"},
      {"INSERT INTO region VALUES(0,'r',-1,1,0,0,1,99,0,0)",
       "the freeze scope or freeze time of an interval is invalid"},
      {"INSERT INTO region_count(region, event, package, instance) VALUES(0,0,0,0)",
       "a count belongs to a region that does not exist"},
      {"INSERT INTO region VALUES(0,'r',-1,1,0,0,1,2,0,0); INSERT INTO region_count(region, event, package, "
       "instance) VALUES(0,7,0,0)",
       "a count belongs to an event or instance that was not measured"},
      {"INSERT INTO region VALUES(0,'r',-1,1,0,0,1,2,0,0); INSERT INTO region_sum(region, event, package) "
       "VALUES(0,7,0)",
       "a sum belongs to an event or package that was not measured"},
      {"PRAGMA user_version=5", "format version 5 is not supported, only 7;"},
      {"PRAGMA user_version=8", "format version 8 is not supported, only 7;"},
      {"UPDATE count SET round = 64", "a count has an invalid value"},
      {"UPDATE count SET turn = -1", "a count has an invalid value"},
      {"UPDATE count SET slices = 2", "a count has an invalid value"},
      {"UPDATE count SET slices = 2, spread = zeroblob(72)", "a count has an invalid value"},
      {"UPDATE count SET slices = 2, spread = zeroblob(248)", "a count has an invalid value"},
      {"UPDATE count SET slices = 2, spread = x'000000000000f0bf" ZEROS_72 "'", "a count has an invalid value"},
      {"UPDATE count SET slices = 2, spread = x'" ZEROS_56 "000000000000f03f" ZEROS_8 ZEROS_8 "'",
       "a count has an invalid value"}, /* a pair of slices at distance two */
      {"UPDATE count SET slices = 1, spread = zeroblob(16)", "a count has an invalid value"},
      {"UPDATE count SET slices = 1, spread = x'000000000000f0bf'", "a count has an invalid value"},
      {"UPDATE count SET slices = 1, spread = x'0000000000000040'", "a count has an invalid value"},
      {"INSERT INTO count(interval, event, package, instance) VALUES(1,0,0,0)",
       "a count belongs to an interval that does not exist"},
      {"UPDATE count SET seen = slices + 1", "a count has an invalid value"},
      {"ALTER TABLE clock RENAME COLUMN hz TO rate", "no such column: hz"},
      {"DROP TABLE region_sum", "its tables are not those of a recording"}};
  char path[96], copy[256];
  sqlite3 *db;
  (void)state;
  snprintf(path, sizeof path, "%s/nonsense", folder);
  assert_int_equal(measured("--trace @/trace -e imc/CAS_COUNT.RD/ --record @/good")->status, 0);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    snprintf(copy, sizeof copy, "cp '%s/good' '%s'", folder, path);
    assert_int_equal(system(copy), 0);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, rows[i].change, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    struct output *o = reported("", "nonsense");
    if (o->status != 2 || !strstr(o->err, rows[i].message))
      fail_msg("%s: status %d, %s", rows[i].change, o->status, o->err);
  }
}

/* A recording of many intervals opens as quickly as one of a single interval: the recorder stores their sums. A
 * recording of a killed measurement has no sums. */
static void all_intervals_together_need_no_other_rows(void **state)
{
  static const char what[] =
      "--trace @/trace -I 0.02 --slice 0.004 --record @/many -m MEM_READ_BANDWIDTH "
      "-e imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/,imc/CAS_COUNT.RD,thresh=1/,imc/CAS_COUNT.RD,thresh=2/,"
      "imc/CAS_COUNT.WR,thresh=1/,imc/CAS_COUNT.WR,thresh=2/";
  static const char *const changes[] = {"DELETE FROM count WHERE interval >= 0; DELETE FROM sum WHERE interval >= 0",
                                        "DELETE FROM count WHERE interval < 0; DELETE FROM sum WHERE interval < 0"};
  char path[96];
  (void)state;
  snprintf(path, sizeof path, "%s/many", folder);
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    sqlite3 *db;
    assert_int_equal(measured(what)->status, 0);
    char *const before = strdup(reported("--per-unit --csv", "many")->out);
    assert_non_null(strstr(before, "imc/CAS_COUNT.RD"));
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, changes[i], NULL, NULL, NULL), SQLITE_OK);
    assert_true(sqlite3_changes(db) > 0);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    assert_string_equal(reported("--per-unit --csv", "many")->out, before);
    free(before);
  }
}

static void failures_have_exit_codes(void **state)
{
  static const struct {
    const char *arguments;
    int status;
    const char *err;
  } rows[] = {{"", 2, "no input, and no uncore counters are accessible on this host"},
              {"--trace @/none", 2, "none"},
              {"--trace @/trace -- true", 2, "only one"},
              {"-e cha/NOPE/ --trace @/trace", 2, "NOPE"},
              {"-m NOPE --trace @/trace", 2, "NOPE"},
              {"-m 'x=imc/CAS_COUNT.RD/(' --trace @/trace", 2, "column"},
              {"-e imc/CAS_COUNT.RD,pcu/NOPE --trace @/trace", 2, "stat: column 22: pcu has no event \"NOPE\""},
              {"-e '{pcu/CLOCKTICKS,pcu/NOPE}' --trace @/trace", 2, "stat: column 21: pcu has no event \"NOPE\""},
              {"-e 'imc/CAS_COUNT*,pcu/NOPE' --trace @/trace", 2, "stat: pcu has no event \"NOPE\""},
              {"-e 'imc/CAS_COUNT.RD, {pcu/CLOCKTICKS,pcu/NOPE}' --trace @/trace", 2, "pcu has no event"},
              {"-e '{ , },pcu/CLOCKTICKS' --trace @/trace", 2, "stat: the group names no event"},
              {"-I zero --trace @/trace", 2, "milliseconds"},
              {"--set cores=0 --trace @/trace", 2, "cores"},
              {"--set nothing=1 --trace @/trace", 2, "nothing"},
              {"--backend moon --trace @/trace", 2, "moon"},
              {"--place nowhere --trace @/trace", 2, "nowhere"},
              {"-e '{cha/TOR_OCCUPANCY.IA/,cha/TOR_OCCUPANCY.IA_HIT/}' --trace @/trace", 2, "counters 0"},
              {"-o @/no/such/folder --trace @/trace", 2, "no/such"},
              {"-- @/no-such-command", 2, "no-such-command"},
              {"-r 0 --trace @/trace", 2, "expected a number from 1 to 10000"},
              {"-r 2 -I 1 --trace @/trace", 2, "-r cannot be combined"},
              {"--sort size --trace @/trace", 2, "size"},
              {"--every imc/CAS_COUNT.RD/ --trace @/trace", 2, "N,EVENT"},
              {"--every 5,imc/CAS_COUNT.RD/ -I 1 --trace @/trace", 2, "--every"},
              {"--record @/folder/ --trace @/trace", 2, "cannot be written"},
              {"--record /dev/full --trace @/trace", 2, "is not a recording"},
              {"--journal=@/trace --trace @/trace", 2, "trace: exists and is not a journal"},
              {"--journal=/dev/null --trace @/trace", 2, "/dev/null: exists and is not a journal"}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct output *o = measured(rows[i].arguments);
    if (o->status != rows[i].status || !strstr(o->err, rows[i].err) || *o->out)
      fail_msg("%s: status %d, standard error: %s, output: %.200s", rows[i].arguments, o->status, o->err, o->out);
  }
}

static void a_full_disk_loses_nothing(void **state)
{
  struct output *o = measured("--json -o /dev/full --trace @/trace -e imc/CAS_COUNT.RD/");
  (void)state;
  assert_int_equal(o->status, 1);
  assert_non_null(strstr(o->err, "No space left"));
  json_t *r = frame_parse(o->out);
  assert_true(json_value_of(r, "imc/CAS_COUNT.RD/", -1, -1) > 0);
  json_decref(r);
}

static void files_take_results_and_accesses(void **state)
{
  struct output *o = measured("-o @/result --log @/log --trace @/trace -e imc0/CAS_COUNT.RD/");
  char path[96], text[8192];
  (void)state;
  assert_int_equal(o->status, 0);
  assert_string_equal(o->out, "");
  snprintf(path, sizeof path, "%s/result", folder);
  take_file(path, text, sizeof text);
  assert_non_null(strstr(text, "imc0/CAS_COUNT.RD/"));
  snprintf(path, sizeof path, "%s/log", folder);
  take_file(path, text, sizeof text);
  assert_non_null(strstr(text, "write 0 mmio MEM0+0x22840 32 0xcf05\n"));
}

/* A trace that breaks off is reported, and so are the counts before. */
static void a_broken_trace_preserves_measured_values(void **state)
{
  char path[96];
  (void)state;
  snprintf(path, sizeof path, "%s/broken", folder);
  FILE *f = fopen(path, "we");
  assert_non_null(f);
  for (unsigned i = 0; i < 2000; i++)
    fprintf(f, "I  00400000,4\n L %08x,8\n", 0x10000000 + 64 * i);
  fputs("this is no access\n", f);
  assert_int_equal(fclose(f), 0);
  struct output *o = measured("--json --trace @/broken -e imc/CAS_COUNT.RD/");
  assert_int_equal(o->status, 2);
  assert_non_null(strstr(o->err, "4001"));
  json_t *r = frame_parse(o->out);
  assert_true(json_value_of(r, "imc/CAS_COUNT.RD/", -1, -1) >= 1900);
  /* the time of the accesses, not the slice of a millisecond in which the trace broke off */
  assert_true(json_number_value(json_object_get(r, "seconds")) < 900e-6);
  json_decref(r);
}

/* The measured command sends SIGINT to the pmon process that measures it, and would never exit by itself. */
static void an_interrupt_reports_the_counts_so_far(void **state)
{
  struct output *o = measured("--json -e imc/CAS_COUNT.RD/ -- sh -c 'kill -INT $PPID; while :; do :; done'");
  (void)state;
  if (o->status == 3) {
    print_message("skipped, this needs the emulator: %s", o->err);
    skip();
  }
  assert_int_equal(o->status, 128 + 2);
  assert_non_null(strstr(o->err, "signal 2"));
  json_t *r = frame_parse(o->out);
  assert_true(json_value_of(r, "imc/CAS_COUNT.RD/", -1, -1) > 0);
  json_decref(r);
}

static void exit_status_of_a_failed_command_is_reported(void **state)
{
  struct output *o = measured("-e imc/CAS_COUNT.RD/ -- sh -c 'echo own output; exit 7'");
  (void)state;
  if (o->status == 3) {
    print_message("skipped, this needs the emulator: %s", o->err);
    skip();
  }
  assert_int_equal(o->status, 1);
  assert_non_null(strstr(o->err, "status 7"));
  assert_memory_equal(o->out, "own output\n", 11);
  assert_non_null(strstr(o->out, "imc/CAS_COUNT.RD/"));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(journals_are_saved_and_restored),
                                     cmocka_unit_test(a_log_replays_to_the_same_bytes),
                                     cmocka_unit_test(report_of_a_recording_equals_the_live_report),
                                     cmocka_unit_test(bad_recordings_are_refused),
                                     cmocka_unit_test(invalid_recordings_are_refused),
                                     cmocka_unit_test(all_intervals_together_need_no_other_rows),
                                     cmocka_unit_test(all_intervals_together_need_no_other_rows),
                                     cmocka_unit_test(failures_have_exit_codes),
                                     cmocka_unit_test(a_full_disk_loses_nothing),
                                     cmocka_unit_test(files_take_results_and_accesses),
                                     cmocka_unit_test(a_broken_trace_preserves_measured_values),
                                     cmocka_unit_test(an_interrupt_reports_the_counts_so_far),
                                     cmocka_unit_test(exit_status_of_a_failed_command_is_reported)};
  if (argc < 2)
    return 2;
  pmon = argv[1];
  return cmocka_run_group_tests(tests, frame_set_up, frame_tear_down);
}
