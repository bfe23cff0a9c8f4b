/* SPDX-License-Identifier: MIT */
/* `pmon stat` as its users run it: what it prints agrees with itself, and its failures have their exit codes. */
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static const char *pmon;
static char folder[] = "/tmp/pmon-stat-XXXXXX", trace[64];

struct output { int status; char out[1 << 20], err[8192]; };

static void take_file(const char *path, char *text, size_t size)
{
  FILE *f = fopen(path, "re");
  size_t n = f ? fread(text, 1, size - 1, f) : 0;
  text[n] = 0;
  if (f)
    fclose(f);
}

/* Runs `pmon stat ARGUMENTS`; @ stands for the test's folder. */
static struct output *stat_of(const char *arguments)
{
  static struct output o;
  char command[2048], words[1024] = "", out[96], err[96];
  size_t n = 0;
  for (const char *c = arguments; *c; c++)
    n += (size_t)snprintf(words + n, sizeof words - n, *c == '@' ? "%s" : "%.1s", *c == '@' ? folder : c);
  snprintf(out, sizeof out, "%s/out", folder);
  snprintf(err, sizeof err, "%s/err", folder);
  snprintf(command, sizeof command, "'%s' -p emr stat %s >%s 2>%s </dev/null", pmon, words, out, err);
  int status = system(command);
  o.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  take_file(out, o.out, sizeof o.out);
  take_file(err, o.err, sizeof o.err);
  return &o;
}

/* Accesses that miss every cache, come back, and write: two passes over 4 MB in lackey's words. */
static int set_up(void **state)
{
  (void)state;
  if (!mkdtemp(folder))
    return -1;
  snprintf(trace, sizeof trace, "%s/trace", folder);
  FILE *f = fopen(trace, "we");
  for (unsigned pass = 0; f && pass < 2; pass++)
    for (unsigned i = 0; i < 65536; i++)
      fprintf(f, "I  00400000,4\n %c %08x,8\n", i % 4 ? 'L' : 'S', 0x10000000 + 64 * i);
  return !f || fclose(f);
}

static int tear_down(void **state)
{
  char command[96];
  (void)state;
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

static json_t *parse(const char *text)
{
  json_error_t error;
  json_t *o = json_loads(text, 0, &error);
  if (!o)
    fail_msg("%s: %s", error.text, text);
  return o;
}

/* The value of a name in a scope: package and instance, -1 for none. */
static double value_of(const json_t *report, const char *name, int package, int instance)
{
  size_t i;
  json_t *row;
  json_array_foreach(json_object_get(report, "values"), i, row)
  {
    const json_t *p = json_object_get(row, "package"), *n = json_object_get(row, "instance");
    if (!strcmp(json_string_value(json_object_get(row, "name")), name) &&
        (json_is_null(p) ? -1 : (int)json_integer_value(p)) == package &&
        (json_is_null(n) ? -1 : (int)json_integer_value(n)) == instance) {
      assert_true(json_is_number(json_object_get(row, "value")));
      return json_number_value(json_object_get(row, "value"));
    }
  }
  fail_msg("no %s of package %d, instance %d", name, package, instance);
  return 0;
}

static json_t *report_of(const char *arguments)
{
  struct output *o = stat_of(arguments);
  if (o->status)
    fail_msg("%s: status %d: %s", arguments, o->status, o->err);
  return parse(o->out);
}

static void counts_metrics_and_sums_agree(void **state)
{
  json_t *r = report_of("--json --trace @/trace --set numa=interleave -e imc/CAS_COUNT.RD/ "
                        "-m 'MEM_READ_BANDWIDTH,lines=imc/CAS_COUNT.RD * 1'");
  double total = value_of(r, "imc/CAS_COUNT.RD/", -1, -1), seconds = json_number_value(json_object_get(r, "seconds"));
  (void)state;
  /* 4 MB are 65,536 lines, each read once; page tables and prefetching may add some */
  assert_true(total >= 65536 && total < 70000);
  assert_true(value_of(r, "imc/CAS_COUNT.RD/", 0, -1) + value_of(r, "imc/CAS_COUNT.RD/", 1, -1) == total);
  assert_true(value_of(r, "imc/CAS_COUNT.RD/", 1, -1) > 20000);
  assert_true(value_of(r, "lines", -1, -1) == total);
  assert_true(fabs(value_of(r, "MEM_READ_BANDWIDTH", -1, -1) / (total * 64 / seconds) - 1) < 1e-9);
  json_decref(r);
}

static void instances_add_up(void **state)
{
  json_t *whole = report_of("--json --trace @/trace -e cha/TOR_INSERTS.IA_MISS/");
  json_t *parts = report_of("--json --trace @/trace -e cha/TOR_INSERTS.IA_MISS/ --per-unit");
  double sum = 0;
  (void)state;
  for (int i = 0; i < 64; i++)
    sum += value_of(parts, "cha/TOR_INSERTS.IA_MISS/", 0, i);
  assert_true(sum > 0 && sum == value_of(whole, "cha/TOR_INSERTS.IA_MISS/", 0, -1));
  json_decref(whole);
  json_decref(parts);
}

static void intervals_add_up(void **state)
{
  json_t *whole = report_of("--json --trace @/trace -e imc/CAS_COUNT.RD/,cha/TOR_INSERTS.IA/");
  double reads = value_of(whole, "imc/CAS_COUNT.RD/", -1, -1), inserts = value_of(whole, "cha/TOR_INSERTS.IA/", -1, -1);
  struct output *o = stat_of("--json --trace @/trace -I 0.1 -e imc/CAS_COUNT.RD/,cha/TOR_INSERTS.IA/");
  unsigned lines = 0;
  (void)state;
  for (char *line = strtok(o->out, "\n"); line; line = strtok(NULL, "\n"), lines++) {
    json_t *r = parse(line);
    reads -= value_of(r, "imc/CAS_COUNT.RD/", -1, -1);
    inserts -= value_of(r, "cha/TOR_INSERTS.IA/", -1, -1);
    json_decref(r);
  }
  assert_int_equal(o->status, 0);
  assert_true(lines > 2);
  assert_true(reads == 0 && inserts == 0);
  json_decref(whole);
}

/* Laws that cost nothing are checked, and on demand all of them that fit into the time. */
static void laws_are_checked(void **state)
{
  json_t *r = report_of("--json --trace @/trace -e imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/,imc/CAS_COUNT.ALL/");
  (void)state;
  assert_int_equal(json_integer_value(json_object_get(r, "rules_checked")), 1);
  assert_int_equal(json_array_size(json_object_get(r, "broken_rules")), 0);
  json_decref(r);
  r = report_of("--json --trace @/trace --check -e cha/CLOCKTICKS/");
  assert_true(json_integer_value(json_object_get(r, "rules_checked")) > 20);
  assert_int_equal(json_array_size(json_object_get(r, "values")), 3);
  json_decref(r);
  struct output *o = stat_of("--trace @/trace --check");
  assert_int_equal(o->status, 0);
  assert_non_null(strstr(o->err, " laws checked, broken 0 times"));
}

/* A journal is there while the session runs only; what another session left is not overwritten. */
static void journals_are_kept_and_given_back(void **state)
{
  char path[96], text[256] = "", command[512];
  (void)state;
  struct output *o = stat_of("--trace @/trace -e imc0/CAS_COUNT.RD/ --journal=@/journal");
  assert_int_equal(o->status, 0);
  snprintf(path, sizeof path, "%s/journal", folder);
  assert_int_equal(access(path, F_OK), -1);
  FILE *f = fopen(path, "we");
  assert_non_null(f);
  fputs("pmon journal 1\nplatform emr\n0 mmio 0x0 0x22840 32 0x5\nend 1\n", f);
  assert_int_equal(fclose(f), 0);
  o = stat_of("--trace @/trace -e imc0/CAS_COUNT.RD/ --journal=@/journal");
  assert_int_equal(o->status, 2);
  assert_non_null(strstr(o->err, "pmon restore"));
  snprintf(command, sizeof command, "'%s' restore --backend machine '%s' 2>'%s/err'", pmon, path, folder);
  assert_int_equal(system(command), 0);
  snprintf(path, sizeof path, "%s/err", folder);
  take_file(path, text, sizeof text);
  assert_non_null(strstr(text, ": 1 registers given back"));
  snprintf(path, sizeof path, "%s/journal", folder);
  assert_int_equal(access(path, F_OK), -1);
}

/* A log with the options that made it gives the same bytes; with others it says where they part. */
static void a_log_replays_to_the_same_bytes(void **state)
{
  static const char *const options[] = {"--json -m MEM_READ_BANDWIDTH,LLC_MISS_LATENCY_NS",
                                        "--csv --per-unit -e cha/TOR_INSERTS.IA_MISS/,imc/CAS_COUNT.RD/ -I 0.1",
                                        "--check --slice 0.02 --set numa=interleave"};
  char arguments[256];
  (void)state;
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    snprintf(arguments, sizeof arguments, "%s --log @/log --trace @/trace", options[i]);
    struct output *o = stat_of(arguments);
    assert_int_equal(o->status, 0);
    char *out = strdup(o->out), *err = strdup(o->err);
    snprintf(arguments, sizeof arguments, "%s --replay @/log", options[i]);
    o = stat_of(arguments);
    assert_string_equal(o->err, err);
    assert_int_equal(o->status, 0);
    assert_string_equal(o->out, out);
    free(out);
    free(err);
  }
  struct output *o = stat_of("--replay @/log -e cha/TOR_INSERTS.IA_MISS/");
  assert_int_equal(o->status, 2);
  assert_non_null(strstr(o->err, "/log:"));
  assert_non_null(strstr(o->err, "was asked for"));
  o = stat_of("--replay @/trace");
  assert_int_equal(o->status, 2);
  assert_non_null(strstr(o->err, "no log of register accesses"));
}

/* The machine does the same again: the mean of three runs is the one run, without deviation. */
static void repeats_have_mean_and_deviation(void **state)
{
  char path[96];
  (void)state;
  snprintf(path, sizeof path, "%s/scenario", folder);
  FILE *f = fopen(path, "we");
  assert_non_null(f);
  fputs("set cores=2\nthread 0 on core 1: stream read 1M stride 64\n", f);
  assert_int_equal(fclose(f), 0);
  json_t *one = report_of("--json --scenario @/scenario -e imc/CAS_COUNT.RD/");
  json_t *three = report_of("--json --scenario @/scenario -e imc/CAS_COUNT.RD/ -r 3");
  assert_true(value_of(one, "imc/CAS_COUNT.RD/", -1, -1) > 16000);
  assert_true(value_of(one, "imc/CAS_COUNT.RD/", -1, -1) == value_of(three, "imc/CAS_COUNT.RD/", -1, -1));
  assert_int_equal(json_integer_value(json_object_get(three, "runs")), 3);
  assert_true(json_number_value(json_object_get(json_array_get(json_object_get(three, "values"), 0), "deviation")) ==
              0);
  json_decref(one);
  json_decref(three);
  struct output *o = stat_of("--csv --per-unit --sort value --top 2 --scenario @/scenario -e imc/CAS_COUNT.RD/");
  unsigned lines = 0;
  for (const char *c = o->out; *c; c++)
    lines += *c == '\n';
  assert_int_equal(o->status, 0);
  assert_int_equal(lines, 3);
}

/* Runs `pmon ARGUMENTS FOLDER/FILE`. */
static struct output *report_on(const char *arguments, const char *file)
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

/* The bytes that a measurement told come out of its recording again, and other metrics too. */
static void a_recording_tells_the_same(void **state)
{
  static const char *const options[] = {"", "--json", "--csv --per-unit", "--csv -I 0.1"};
  static const char what[] =
      "-m 'MEM_READ_BANDWIDTH,lines=imc/CAS_COUNT.RD * 1' -e imc/CAS_COUNT.ALL/,cha/TOR_INSERTS.IA/";
  char arguments[256];
  (void)state;
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    snprintf(arguments, sizeof arguments, "%s %s --trace @/trace --set numa=interleave --record @/counts", options[i],
             what);
    struct output *o = stat_of(arguments);
    if (o->status)
      fail_msg("%s", o->err);
    char *out = strdup(o->out);
    o = report_on(i == 3 ? "--csv -I" : options[i], "counts");
    if (o->status)
      fail_msg("%s", o->err);
    assert_string_equal(o->out, out);
    free(out);
  }
  json_t *whole = parse(report_on("--json", "counts")->out);
  json_t *other = parse(report_on("--json -m 'writes=imc/CAS_COUNT.ALL - imc/CAS_COUNT.RD'", "counts")->out);
  assert_true(value_of(other, "writes", -1, -1) ==
              value_of(whole, "imc/CAS_COUNT.ALL/", -1, -1) - value_of(whole, "lines", -1, -1));
  assert_int_equal(json_array_size(json_object_get(other, "values")), 3);
  json_decref(whole);
  json_decref(other);
}

static void bad_recordings_are_refused(void **state)
{
  char path[96], bytes[4096];
  struct output *o = stat_of("--trace @/trace -e imc/CAS_COUNT.RD/ --record @/counts");
  (void)state;
  assert_int_equal(o->status, 0);
  o = report_on("-m LLC_MISS_LATENCY_NS", "counts");
  assert_int_equal(o->status, 2);
  assert_non_null(strstr(o->err, "was not recorded"));
  o = report_on("-e imc/NOPE/", "counts");
  assert_int_equal(o->status, 2);
  o = report_on("", "none");
  assert_int_equal(o->status, 1);
  o = report_on("", "trace");
  assert_int_equal(o->status, 2);
  assert_non_null(strstr(o->err, "no recording"));
  /* what is no recording is not overwritten */
  o = stat_of("--trace @/trace -e imc/CAS_COUNT.RD/ --record @/trace");
  assert_int_equal(o->status, 1);
  assert_non_null(strstr(o->err, "left alone"));
  snprintf(path, sizeof path, "%s/pipe", folder);        /* of no size, but no empty file */
  assert_int_equal(mkfifo(path, 0600), 0);
  o = stat_of("--trace @/trace -e imc/CAS_COUNT.RD/ --record @/pipe");
  assert_int_equal(o->status, 1);
  assert_non_null(strstr(o->err, "left alone"));
  assert_int_equal(unlink(path), 0);
  /* cut, and torn at many places: an error that is told, or values */
  snprintf(path, sizeof path, "%s/counts", folder);
  for (long at = 0; at < 3 * 4096; at += 411) {
    FILE *f = fopen(path, "r+e");
    assert_non_null(f);
    assert_int_equal(fseek(f, at, SEEK_SET), 0);
    size_t n = fread(bytes, 1, 64, f);
    memset(bytes, (int)(at & 0xff) ^ 0x5a, n);
    assert_int_equal(fseek(f, at, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    o = report_on("--json", "counts");
    if (o->status < 0 || o->status > 2 || (o->status && !*o->err))
      fail_msg("torn at %ld: status %d, %s", at, o->status, o->err);
  }
  assert_int_equal(truncate(path, 100), 0);
  o = report_on("", "counts");
  assert_int_equal(o->status, 2);
  assert_true(*o->err && !*o->out);
}

/* Each interval but the last holds just as many of the event, and all of them what one measurement has. */
static void an_event_ends_intervals(void **state)
{
  json_t *whole = report_of("--json --trace @/trace -e imc0/CAS_COUNT.RD/,cha/TOR_INSERTS.IA/");
  double reads = value_of(whole, "imc0/CAS_COUNT.RD/", 0, -1), inserts = value_of(whole, "cha/TOR_INSERTS.IA/", 0, -1);
  struct output *o = stat_of("--json --trace @/trace --every 500,imc0/CAS_COUNT.RD/ -e cha/TOR_INSERTS.IA/");
  unsigned lines = 0, full = 0;
  double sum = 0, lost = inserts;
  (void)state;
  for (char *line = strtok(o->out, "\n"); line; line = strtok(NULL, "\n"), lines++) {
    json_t *r = parse(line);
    double one = value_of(r, "imc0/CAS_COUNT.RD/", 0, -1);
    full += one == 500;
    sum += one;
    lost -= value_of(r, "cha/TOR_INSERTS.IA/", 0, -1);
    json_decref(r);
  }
  assert_int_equal(o->status, 0);
  assert_true(lines > 4 && full == lines - 1);
  /* what came between an overflow and its being seen is in no interval */
  assert_true(sum <= reads && sum > 0.9 * reads && lost >= 0 && lost < 0.1 * inserts);
  json_decref(whole);
}

static void the_same_trace_gives_the_same_bytes(void **state)
{
  char *first = strdup(stat_of("--csv --per-unit --trace @/trace")->out);
  (void)state;
  assert_true(strlen(first) > 1000);
  assert_string_equal(first, stat_of("--csv --per-unit --trace @/trace")->out);
  free(first);
}

static void failures_have_their_codes(void **state)
{
  static const struct { const char *arguments; int status; const char *err; } rows[] = {
    {"", 2, "nothing to measure"}, {"--trace @/none", 2, "none"}, {"--trace @/trace -- true", 2, "only one"},
    {"-e cha/NOPE/ --trace @/trace", 2, "NOPE"}, {"-m NOPE --trace @/trace", 2, "NOPE"},
    {"-m 'x=imc/CAS_COUNT.RD/(' --trace @/trace", 2, "column"}, {"-I zero --trace @/trace", 2, "milliseconds"},
    {"--set cores=0 --trace @/trace", 2, "cores"}, {"--set nothing=1 --trace @/trace", 2, "nothing"},
    {"--backend moon --trace @/trace", 2, "moon"}, {"--place nowhere --trace @/trace", 2, "nowhere"},
    {"-e '{cha/TOR_OCCUPANCY.IA/,cha/TOR_OCCUPANCY.IA_HIT/}' --trace @/trace", 2, "counters 0"},
    {"-o @/no/such/folder --trace @/trace", 2, "no/such"}, {"-- @/no-such-command", 2, "no-such-command"},
    {"-r 0 --trace @/trace", 2, "no number"}, {"-r 2 -I 1 --trace @/trace", 2, "-r repeats"},
    {"--sort size --trace @/trace", 2, "size"}, {"--every imc/CAS_COUNT.RD/ --trace @/trace", 2, "N,EVENT"},
    {"--every 5,imc/CAS_COUNT.RD/ -I 1 --trace @/trace", 2, "--every"}, {"--no-such-option", 2, "no-such-option"}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct output *o = stat_of(rows[i].arguments);
    if (o->status != rows[i].status || !strstr(o->err, rows[i].err) || *o->out)
      fail_msg("%s: status %d, standard error: %s, output: %.200s", rows[i].arguments, o->status, o->err, o->out);
  }
}

static void a_full_disk_loses_nothing(void **state)
{
  struct output *o = stat_of("--json -o /dev/full --trace @/trace -e imc/CAS_COUNT.RD/");
  (void)state;
  assert_int_equal(o->status, 1);
  assert_non_null(strstr(o->err, "No space left"));
  json_t *r = parse(o->out);
  assert_true(value_of(r, "imc/CAS_COUNT.RD/", -1, -1) > 0);
  json_decref(r);
}

static void files_take_results_and_accesses(void **state)
{
  struct output *o = stat_of("-o @/result --log @/log --trace @/trace -e imc0/CAS_COUNT.RD/");
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

/* A trace that breaks off is told, and what came before is told too. */
static void a_broken_trace_keeps_what_was_measured(void **state)
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
  struct output *o = stat_of("--json --trace @/broken -e imc/CAS_COUNT.RD/");
  assert_int_equal(o->status, 1);
  assert_non_null(strstr(o->err, "4001"));
  json_t *r = parse(o->out);
  assert_true(value_of(r, "imc/CAS_COUNT.RD/", -1, -1) >= 1900);
  /* in the time that they took, not in the slice of a millisecond in which the trace broke off */
  assert_true(json_number_value(json_object_get(r, "seconds")) < 900e-6);
  json_decref(r);
}

/* The measured command interrupts the one that measures it, and would never end by itself. */
static void an_interrupt_tells_what_was_measured(void **state)
{
  struct output *o = stat_of("--json -e imc/CAS_COUNT.RD/ -- sh -c 'kill -INT $PPID; while :; do :; done'");
  (void)state;
  if (o->status == 3) {
    print_message("skipped, this needs the emulator: %s", o->err);
    skip();
  }
  assert_int_equal(o->status, 1);
  assert_non_null(strstr(o->err, "signal 2"));
  json_t *r = parse(o->out);
  assert_true(value_of(r, "imc/CAS_COUNT.RD/", -1, -1) > 0);
  json_decref(r);
}

static void a_commands_failure_is_told_with_its_counts(void **state)
{
  struct output *o = stat_of("-e imc/CAS_COUNT.RD/ -- sh -c 'echo own output; exit 7'");
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(counts_metrics_and_sums_agree),
                                     cmocka_unit_test(instances_add_up),
                                     cmocka_unit_test(intervals_add_up),
                                     cmocka_unit_test(laws_are_checked),
                                     cmocka_unit_test(journals_are_kept_and_given_back),
                                     cmocka_unit_test(a_log_replays_to_the_same_bytes),
                                     cmocka_unit_test(repeats_have_mean_and_deviation),
                                     cmocka_unit_test(a_recording_tells_the_same),
                                     cmocka_unit_test(bad_recordings_are_refused),
                                     cmocka_unit_test(an_event_ends_intervals),
                                     cmocka_unit_test(the_same_trace_gives_the_same_bytes),
                                     cmocka_unit_test(failures_have_their_codes),
                                     cmocka_unit_test(a_full_disk_loses_nothing),
                                     cmocka_unit_test(files_take_results_and_accesses),
                                     cmocka_unit_test(a_broken_trace_keeps_what_was_measured),
                                     cmocka_unit_test(an_interrupt_tells_what_was_measured),
                                     cmocka_unit_test(a_commands_failure_is_told_with_its_counts)};
  if (argc < 2)
    return 2;
  pmon = argv[1];
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
