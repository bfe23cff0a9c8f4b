/* SPDX-License-Identifier: MIT */
/*
 * No row adds more in a cycle than the guide's Max Inc/Cyc: counters with a threshold of one more stay at zero while
 * scenarios run. Each counter of each box gets another row, so that a run tries many; the next run goes on with the
 * next rows. Arguments: the platform, the least number of rows that state a maximum, then scenario files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/status.h>
#include "cli/target/coverage_rows.h"
#include "machine/machine.h"
#include "machine/model.h"
#include "machine/pmon/state.h"
#include "machine/trace/scenario.h"
#include "whole.h"

enum { ROWS = 1024, RUNS = 3, UNITS = 64, THRESHOLD = 24 };
typedef size_t next_rows[UNITS][BLOCK_COUNTERS]; /* by unit and counter: the row to go on with */

static const struct processor_model *platform;
static char **scenarios;
static int n_scenarios;
static size_t n_least;
static struct pmon_context *context;
static const struct pmon_platform *facts;
static struct {
  struct coverage_row row;
  uint32_t most;
  unsigned tried, exceeded;
} rows[ROWS];
static size_t n_rows;

static const struct pmon_unit *unit_of(const char *name)
{
  const struct pmon_unit *u = platform->pmon->units;
  while (u->name && strcmp(u->name, name))
    u++;
  return u->name ? u : NULL;
}

static uint32_t stated_most(const struct coverage_row *row)
{
  struct pmon_unit_info unit = {.size = sizeof unit};
  for (uint32_t i = 0; !pmon_unit_describe(facts, i, &unit); i++) {
    struct pmon_event_cursor cursor = {0};
    struct pmon_event_info e = {.size = sizeof e};
    while (!strcmp(unit.name, row->unit) && pmon_event_next(facts, i, &cursor, &e))
      if (!strcmp(e.event, row->event) && !strcmp(e.umask ? e.umask : "", row->umask ? row->umask : ""))
        return e.max_inc;
  }
  return 0;
}

/* The guide gives QPI's TxL_OCCUPANCY a maximum of 1, which it cannot be; the fact says so. */
static bool doubtful(const struct coverage_row *row)
{
  return !strcmp(row->event, "TxL_OCCUPANCY");
}

static int keep(void *data, const struct coverage_row *row)
{
  (void)data;
  const uint32_t most = row->own || doubtful(row) || !unit_of(row->unit) ? 0 : stated_most(row);
  if (!most)
    return PMON_OK;
  assert_true(n_rows < ROWS);
  rows[n_rows].row = *row;
  rows[n_rows++].most = most;
  return PMON_OK;
}

static bool is_clock(const struct pmon_unit *u, const struct coverage_row *row)
{
  for (unsigned i = 0; i < UNIT_SIGNALS && u->signals[i].code; i++)
    if ((u->signals[i].code & 0xff) == (row->ctl & 0xff) && !(row->ctl & u->ninth))
      return true;
  return false;
}

/* The machine's own copy of the maxima is that of the facts; a clock needs none. */
static void test_table(void **state)
{
  (void)state;
  assert_true(n_rows >= n_least);
  for (size_t i = 0; i < n_rows; i++) {
    const struct coverage_row *row = &rows[i].row;
    const struct pmon_unit *u = unit_of(row->unit);
    const struct unit_most *m = u->most;
    const unsigned code = (unsigned)(row->ctl & 0xff) | (row->ctl & u->ninth ? 0x100u : 0);
    while (m && m->most && m->code != code)
      m++;
    if (!is_clock(u, row) && (!m || m->most != rows[i].most))
      fail_msg("%s/%s/: the facts say at most %u a cycle, the machine %u", row->unit, row->event, rows[i].most,
               m ? m->most : 0);
  }
}

/* Programs the counter for the next row of the unit that it can count, from `from` on; its number, or n_rows. */
static size_t program(struct block *b, unsigned counter, size_t from)
{
  for (size_t k = 0; k < n_rows; k++) {
    const size_t i = (from + k) % n_rows;
    const struct coverage_row *row = &rows[i].row;
    if (strcmp(row->unit, b->unit->name) || rows[i].most + 1 > b->unit->thresh_mask)
      continue;
    for (unsigned f = 0; f < BLOCK_FILTERS && f < MACHINE_FILTERS; f++)
      b->filter[f] |= row->filter[f];
    counter_write(b, counter, row->ctl | (uint64_t)(rows[i].most + 1) << THRESHOLD);
    if (b->counters[counter].counting)
      return i;
  }
  counter_write(b, counter, 0);
  return n_rows;
}

struct trial {
  struct block *block;
  unsigned counter;
  size_t row;
};

static size_t program_all(struct machine *m, next_rows *next, struct trial *trials)
{
  size_t n = 0;
  for (unsigned s = 0; s < m->n_sockets; s++)
    for (struct block *b = m->sockets[s].blocks; b < m->sockets[s].blocks + m->sockets[s].n_blocks; b++)
      for (unsigned c = 0; c < b->unit->counters; c++) {
        size_t *at = &(*next)[b->unit - platform->pmon->units][c], row = program(b, c, *at);
        if (row == n_rows)
          continue;
        trials[n++] = (struct trial){b, c, row};
        *at = (row + 1) % n_rows;
      }
  return n;
}

/* Injected events come as often as the scenario says; an event of any row will do. */
static int increments_resolve(struct scenario_inject *in)
{
  in->resolved = true;
  in->ctl = 1;
  return 0;
}

static void run(const char *path, next_rows *next)
{
  static struct trial trials[4096];
  struct scenario s;
  char error[512] = "";
  bool ended = false;
  struct machine *m = whole_machine(&s, path, increments_resolve);
  const size_t n = program_all(m, next, trials);
  if (machine_run(m, UINT64_MAX, &ended, error, sizeof error))
    fail_msg("%s: %s", path, error);
  for (size_t i = 0; i < n; i++) {
    const uint64_t cycles = trials[i].block->value[trials[i].counter];
    const size_t row = trials[i].row;
    rows[row].tried++;
    if (cycles && !rows[row].exceeded++)
      print_error("%s/%s.%s/: more than %u in %llu cycles of %s\n", rows[row].row.unit, rows[row].row.event,
                  rows[row].row.umask ? rows[row].row.umask : "", rows[row].most, (unsigned long long)cycles, path);
  }
  machine_free(m);
}

static void test_increments(void **state)
{
  static next_rows next;
  unsigned exceeded = 0, tried = 0;
  (void)state;
  for (int i = 0; i < n_scenarios; i++)
    for (unsigned k = 0; k < RUNS; k++)
      run(scenarios[i], &next);
  for (size_t i = 0; i < n_rows; i++) {
    exceeded += rows[i].exceeded != 0;
    tried += rows[i].tried != 0;
  }
  print_message("%u of %zu rows tried, %u exceed their maximum\n", tried, n_rows, exceeded);
  assert_int_equal(exceeded, 0);
  assert_true(tried >= n_least);
}

static int set_up(void **state)
{
  (void)state;
  assert_int_equal(pmon_context_new(&context), PMON_OK);
  assert_int_equal(pmon_platform_find(context, platform->name, &facts), PMON_OK);
  assert_int_equal(coverage_rows(context, facts, keep, NULL), PMON_OK);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  pmon_context_free(context);
  return 0;
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_table), cmocka_unit_test(test_increments)};
  if (argc < 4 || !(platform = model_find(argv[1]))) {
    fprintf(stderr, "usage: %s PLATFORM ROWS SCENARIO...\n", argv[0]);
    return EXIT_FAILURE;
  }
  n_least = (size_t)atol(argv[2]);
  scenarios = argv + 3;
  n_scenarios = argc - 3;
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
