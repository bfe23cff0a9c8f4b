/* SPDX-License-Identifier: MIT */
/*
 * Whether each row of Montecito's events (an event with one umask) moves as `pmon machine coverage` states. Every row
 * is counted alone on all counters of all threads, programmed as software does, while generated programs and streams
 * run. No counter may count more in a cycle than its event's maximum.
 *
 * Arguments: files of streams, for --increments also programs in Itanium code.
 *   --table       prints the rows that count (machine/montecito/events/counted.inc) instead of testing
 *   --list        prints each row with its count, and the program that produced it
 *   --increments  tests the maxima alone, without the generated programs, and whatever registers the streams write
 */
#include "tests/coverage/cores.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/status.h>
#include "machine/montecito/config.h"
#include "machine/montecito/machine.h"
#include "machine/montecito/events/events.h"
#include "machine/montecito/exec/program.h"
#include "machine/montecito/stream/stream.h"

enum { LARGEST_THRESHOLD = 7, BUNDLES = 800, PROGRAM_BUNDLES = 4000 };

static char **streams;
static unsigned n_streams, n_generated = WORKLOAD_N;
#define PROGRAMS (n_generated + n_streams)
#define RUNS (2 * PROGRAMS)

static const char *program_name(unsigned k)
{
  const unsigned program = k % PROGRAMS;
  return program < n_generated ? montecito_workload_name(program) : streams[program - n_generated];
}

/* A stream without its writes to monitoring registers and its expectations of them: only the test's own counters
 * count. */
struct quiet {
  struct montecito_source base, *stream;
};

static int quiet_next(struct montecito_source *s, struct montecito_record *ret, bool *ret_ended, char *error,
                      size_t error_size)
{
  struct quiet *q = (struct quiet *)(void *)s;
  int status;
  do
    status = q->stream->next(q->stream, ret, ret_ended, error, error_size);
  while (!status && !*ret_ended && (ret->kind == RECORD_PMC || ret->kind == RECORD_PMD || ret->kind == RECORD_EXPECT));
  return status;
}

static void quiet_free(struct montecito_source *s)
{
  struct quiet *q = (struct quiet *)(void *)s;
  q->stream->free(q->stream);
  free(q);
}

static struct montecito_source *quiet_stream(struct montecito_source *stream)
{
  struct quiet *q = calloc(1, sizeof *q);
  assert_non_null(q);
  *q = (struct quiet){{quiet_next, quiet_free}, stream};
  return &q->base;
}

static bool is_stream(const char *path)
{
  const size_t n = strlen(path);
  return n > 8 && !strcmp(path + n - 8, ".bundles");
}

static struct montecito_source *open_program(const char *path, struct montecito_machine *m)
{
  char *argv[] = {(char *)(uintptr_t)path, NULL};
  const struct exec_options options = {.path = path, .argv = argv, .most_bundles = PROGRAM_BUNDLES};
  struct exec_program *p = NULL;
  char error[200] = "";
  if (exec_program_open(&options, error, sizeof error, &p))
    fail_msg("%s: %s", path, error);
  exec_program_set_machine(p, m);
  return exec_program_source(p);
}

/* Opens program `k` as a source; n_generated is 0 where streams must not write registers. */
static struct montecito_source *open_source(unsigned k, struct montecito_machine *m)
{
  const unsigned program = k % PROGRAMS;
  struct montecito_source *s = NULL;
  char error[200] = "";
  if (program < n_generated)
    assert_int_equal(montecito_generator_new(program, BUNDLES, 1, &s), 0);
  else if (!is_stream(streams[program - n_generated]))
    return open_program(streams[program - n_generated], m);
  else if (montecito_stream_open(streams[program - n_generated], false, error, sizeof error, &s))
    fail_msg("%s: %s", streams[program - n_generated], error);
  return n_generated ? s : quiet_stream(s);
}

/* Returns the largest count of all counters in run `k`: the generated programs and the streams on the machine of
 * default size, then on the small one. */
static uint64_t count(const struct row *row, unsigned k, unsigned threshold)
{
  uint64_t largest = 0;
  for (size_t ear = 0; ear < (strstr(row->e->name, "EAR_EVENTS") ? EARS : 1); ear++) {
    struct montecito_machine *m = machine_counting(row, threshold, &ears[ear], k >= PROGRAMS);
    char error[200] = "";
    bool ended;
    montecito_machine_attach(m, open_source(k, m));
    if (montecito_machine_run(m, UINT64_MAX, &ended, error, sizeof error))
      fail_msg("%s: %s", program_name(k), error);
    const uint64_t value = largest_count(m);
    largest = value > largest ? value : largest;
    montecito_machine_free(m);
  }
  return largest;
}

/* Returns the first run in which the row counts; RUNS: none. */
static unsigned find(const struct row *row, uint64_t *ret_count)
{
  unsigned k = 0;
  while (k < RUNS && !(*ret_count = count(row, k, 0)))
    k++;
  return k;
}

static void print_row(const struct row *row)
{
  uint64_t n = 0;
  const unsigned k = find(row, &n);
  printf("%-10s 0x%02x %s%s%s %llu %s\n", k < RUNS ? "counts" : "none", row->e->code, row->e->name,
         row->umask ? "." : "", row->umask ? row->umask : "", (unsigned long long)n, n ? program_name(k) : "");
}

static uint16_t counted[256];

static void mark_row(const struct row *row)
{
  uint64_t n = 0;
  if (find(row, &n) < RUNS)
    counted[row->e->code] |= (uint16_t)(1u << row->value);
}

static int print_table(void)
{
  each_row(mark_row);
  printf("/* SPDX-License-Identifier: MIT */\n"
         "/* Made by tests/coverage/test_cores --table: by event code, the umasks that programs make count. */\n");
  for (unsigned code = 0; code < 256; code++)
    if (counted[code])
      printf("[0x%02x] = 0x%04x,\n", code, counted[code]);
  return EXIT_SUCCESS;
}

static unsigned wrong;

/* A row that programs move is declared as modelled; a row that they do not move is not. */
static void test_row(const struct row *row)
{
  uint64_t n = 0;
  const bool counts = find(row, &n) < RUNS;
  if (counts == montecito_event_is_counted(row->e->code, row->value))
    return;
  print_error("%s.%s %s: make the table again (docs/coverage.md)\n", row->e->name, row->umask ? row->umask : "",
              counts ? "counts" : "does not count");
  wrong++;
}

static void test_rows(void **state)
{
  (void)state;
  wrong = 0;
  each_row(test_row);
  assert_int_equal(wrong, 0);
}

/* With a threshold, a counter counts the cycles with more occurrences than the threshold. */
static void test_increment(const struct row *row)
{
  if (row->e->flags & EVENT_UNCLAMPED || row->e->max > LARGEST_THRESHOLD)
    return;
  if (!montecito_event_is_counted(row->e->code, row->value))
    return;
  for (unsigned k = 0; k < RUNS; k++)
    if (count(row, k, row->e->max)) {
      print_error("%s.%s: more than %u in a cycle of %s\n", row->e->name, row->umask ? row->umask : "", row->e->max,
                  program_name(k));
      wrong++;
    }
}

static void test_increments(void **state)
{
  (void)state;
  wrong = 0;
  each_row(test_increment);
  assert_int_equal(wrong, 0);
}

/* Events that only the input can state are moved by a line of the input. */
static void test_signal(const struct row *row)
{
  char line[200], error[200] = "";
  uint8_t thread = 0;
  struct montecito_record r;
  bool any;
  if (montecito_event_is_counted(row->e->code, row->value) || row->e->how == HOW_CONSTANT || row->e->how == HOW_NONE ||
      montecito_event_find_by_name(row->e->name) != row->e) /* a line selects the first code of the name */
    return;
  struct montecito_machine *m = machine_counting(row, 0, &ears[0], false);
  snprintf(line, sizeof line, "signal %s%s%s 1 3", row->e->name, row->umask ? "." : "", row->umask ? row->umask : "");
  if (montecito_stream_parse_line(line, &thread, &r, &any, error, sizeof error) ||
      montecito_machine_apply(m, &r, error, sizeof error))
    fail_msg("%s: %s", line, error);
  montecito_machine_close_cycles(m);
  if (!largest_count(m)) {
    print_error("%s counts nothing\n", line);
    wrong++;
  }
  montecito_machine_free(m);
}

static void test_signals(void **state)
{
  (void)state;
  wrong = 0;
  each_row(test_signal);
  assert_int_equal(wrong, 0);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_increments),
                                     cmocka_unit_test(test_signals)};
  const char *mode = argc > 1 && !strncmp(argv[1], "--", 2) ? argv[1] : "";
  streams = argv + (*mode ? 2 : 1);
  n_streams = (unsigned)(argc - (*mode ? 2 : 1));
  if (!strcmp(mode, "--increments")) {
    const struct CMUnitTest increments[] = {cmocka_unit_test(test_increments)};
    n_generated = 0;
    return n_streams && freopen("/dev/null", "w", stdout) /* discards the programs' output */
               ? cmocka_run_group_tests(increments, NULL, NULL)
               : EXIT_FAILURE;
  }
  if (!strcmp(mode, "--table"))
    return print_table();
  if (!strcmp(mode, "--list")) {
    each_row(print_row);
    return EXIT_SUCCESS;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
