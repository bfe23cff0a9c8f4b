/* SPDX-License-Identifier: MIT */
/*
 * Tests which rows of Montecito's events count when programs alone run. The table (montecito/programs.tsv) has a line
 * for each row: the row and a command that makes it count (programs of examples/montecito with arguments, those of
 * further hardware threads behind `--`; prefix `small`: on the machine with the smallest caches), or `-` and the reason
 * why no program does.
 *   test_programs FOLDER TABLE             each row has its line, and each command makes its row count
 *   test_programs --table FOLDER TABLE     prints the rows that count (machine/montecito/events/programs.inc)
 *   test_programs --list FOLDER COMMAND... prints each row with the first command that makes it count, or `-`
 */
#include "tests/coverage/cores.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "machine/montecito/machine.h"
#include "machine/montecito/events/events.h"
#include "machine/montecito/exec/program.h"
#include "machine/montecito/stream/stream.h"

enum { WORDS = 24, LINE_SIZE = 400, ROWS = 1000, SHARE = 90, BUNDLES = 400000 };

static const char *folder;
static char **commands;
static unsigned n_commands;
static struct line {
  char row[80], command[80], reason[240];
  bool is_seen;
} lines[ROWS];
static unsigned n_lines, n_counted, wrong;

/* Splits the command into words: argv of each program, NULL-ended. Returns the number of programs. */
static unsigned command_split(char *text, char *word[WORDS], char **program[MONTECITO_THREADS])
{
  unsigned n = 0, programs = 0;
  bool begins = true;
  for (char *w = strtok(text, " "); w; w = strtok(NULL, " ")) {
    assert_true(n + 2 < WORDS && programs <= MONTECITO_THREADS);
    if (!strcmp(w, "--")) {
      word[n++] = NULL;
      begins = true;
      continue;
    }
    if (begins)
      program[programs++] = &word[n];
    begins = false;
    word[n++] = w;
  }
  word[n] = NULL;
  return programs;
}

static struct montecito_source *command_open(const char *command, struct montecito_machine *m)
{
  char text[80], path[MONTECITO_THREADS][500], error[200] = "", *word[WORDS], **program[MONTECITO_THREADS + 1];
  struct exec_program *p = NULL;
  snprintf(text, sizeof text, "%s", command);
  const unsigned n = command_split(text, word, program);
  for (unsigned i = 0; i < n; i++) {
    snprintf(path[i], sizeof path[i], "%s/%s", folder, program[i][0]);
    const struct exec_options options = {.path = path[i], .argv = program[i], .most_bundles = BUNDLES};
    if (i ? exec_program_add(p, &options, error, sizeof error) : exec_program_open(&options, error, sizeof error, &p))
      fail_msg("%s: %s", command, error);
  }
  exec_program_set_machine(p, m);
  return exec_program_source(p);
}

static uint64_t command_count(const struct row *row, const char *command)
{
  const bool small = !strncmp(command, "small ", 6);
  uint64_t largest = 0;
  for (size_t ear = 0; ear < (strstr(row->e->name, "EAR_EVENTS") ? EARS : 1); ear++) {
    struct montecito_machine *m = machine_counting(row, 0, &ears[ear], small);
    char error[400] = "";
    bool ended;
    montecito_machine_attach(m, command_open(command + (small ? 6 : 0), m));
    if (montecito_machine_run(m, UINT64_MAX, &ended, error, sizeof error))
      fail_msg("%s: %s", command, error);
    const uint64_t value = largest_count(m);
    largest = value > largest ? value : largest;
    montecito_machine_free(m);
  }
  return largest;
}

static void row_name(const struct row *row, char *name, size_t size)
{
  snprintf(name, size, "0x%02x %s%s%s", row->e->code, row->e->name, row->umask ? "." : "",
           row->umask ? row->umask : "");
}

static void print_row(const struct row *row)
{
  char name[80];
  unsigned k = 0;
  row_name(row, name, sizeof name);
  while (k < n_commands && !command_count(row, commands[k]))
    k++;
  fprintf(stderr, "%s\t%s\n", name, k < n_commands ? commands[k] : "-");
}

static void read_table(const char *path)
{
  FILE *f = fopen(path, "r");
  char text[LINE_SIZE];
  if (!f)
    fail_msg("%s: cannot be opened", path);
  while (fgets(text, sizeof text, f)) {
    struct line *l = &lines[n_lines];
    if (*text == '#')
      continue;
    assert_true(n_lines < ROWS);
    if (sscanf(text, "%79[^\t\n]\t%79[^\t\n]\t%239[^\n]", l->row, l->command, l->reason) < 2)
      fail_msg("%s: not a row with a command, or with - and a reason: %s", path, text);
    n_lines++;
  }
  fclose(f);
}

static void test_row(const struct row *row)
{
  char name[80];
  unsigned i = 0;
  row_name(row, name, sizeof name);
  while (i < n_lines && (lines[i].is_seen || strcmp(lines[i].row, name)))
    i++;
  if (i == n_lines) {
    print_error("%s has no line\n", name);
    wrong++;
    return;
  }
  lines[i].is_seen = true;
  if (montecito_event_is_executed(row->e->code, row->value) == !strcmp(lines[i].command, "-")) {
    print_error("%s: machine/montecito/events/programs.inc differs; make it again (docs/coverage.md)\n", name);
    wrong++;
  }
  if (!strcmp(lines[i].command, "-")) {
    if (!*lines[i].reason)
      print_error("%s counts in no program, without a reason\n", name);
    wrong += !*lines[i].reason;
    return;
  }
  n_counted++;
  if (command_count(row, lines[i].command))
    return;
  print_error("%s: `%s` does not make it count\n", name, lines[i].command);
  wrong++;
}

static uint16_t executed[256];

static void mark_row(const struct row *row)
{
  char name[80];
  row_name(row, name, sizeof name);
  for (unsigned i = 0; i < n_lines; i++)
    if (!strcmp(lines[i].row, name) && strcmp(lines[i].command, "-"))
      executed[row->e->code] |= (uint16_t)(1u << row->value);
}

static void print_table(void)
{
  each_row(mark_row);
  fprintf(stderr, "/* SPDX-License-Identifier: MIT */\n"
                  "/* Made by tests/coverage/test_programs --table: by event code, the umasks that programs in Itanium "
                  "code make count. */\n");
  for (unsigned code = 0; code < 256; code++)
    if (executed[code])
      fprintf(stderr, "[0x%02x] = 0x%04x,\n", code, executed[code]);
}

static void test_rows(void **state)
{
  (void)state;
  each_row(test_row);
  for (unsigned i = 0; i < n_lines; i++)
    if (!lines[i].is_seen) {
      print_error("%s is no row, or stands twice\n", lines[i].row);
      wrong++;
    }
  assert_int_equal(wrong, 0);
  print_message("%u of %u rows count in programs\n", n_counted, n_lines);
  assert_true(100 * n_counted >= SHARE * n_lines); /* details: docs/coverage.md */
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
  const bool is_list = argc > 3 && !strcmp(argv[1], "--list"), is_table = argc > 3 && !strcmp(argv[1], "--table");
  if (argc < 3 || !freopen("/dev/null", "w", stdout)) /* discards the programs' output */
    return EXIT_FAILURE;
  folder = argv[1 + (is_list || is_table)];
  commands = argv + 3;
  n_commands = is_list ? (unsigned)(argc - 3) : 0;
  if (is_list)
    each_row(print_row);
  else
    read_table(argv[2 + is_table]);
  if (is_table)
    print_table();
  return is_list || is_table ? EXIT_SUCCESS : cmocka_run_group_tests(tests, NULL, NULL);
}
