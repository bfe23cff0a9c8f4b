/* SPDX-License-Identifier: MIT */
/*
 * No row adds more in a cycle than the guide's Max Inc/Cyc: counters whose threshold is one more stay at zero while
 * scenarios run. Each counter of each box gets another row, so that one run tries many rows; the next runs try those
 * that remain for the scenario. Arguments: the platform, the minimum number of rows that state a maximum, the maximum
 * number of runs of a scenario, the part of the scenarios (1/2: every second), then folders. Every scenario file below
 * the folders is run that states this platform; files that state none are run where the platform is the default one, or
 * has its traffic and accepts the scenario's parameters.
 */
#include <dirent.h>
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
#include "machine/config.h"
#include "machine/machine.h"
#include "machine/model.h"
#include "machine/pmon/state.h"
#include "machine/trace/scenario.h"
#include "tests/coverage/whole.h"

enum { ROWS = 1024, UNITS = 64, THRESHOLD = 24, SCENARIOS = 1000, PATH = 300 };
typedef size_t next_rows[UNITS][BLOCK_COUNTERS]; /* by unit and counter: index of the next row */

static const struct processor_model *platform;
static char scenarios[SCENARIOS][PATH];
static size_t n_scenarios, n_least;
static unsigned most_runs;
static struct pmon_context *context;
static const struct pmon_platform *facts;
static struct {
  struct coverage_row row;
  uint32_t most;
  unsigned tried, exceeded;
  bool tried_here; /* in the current scenario */
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

/* The guide gives QPI's TxL_OCCUPANCY a maximum of 1, which is impossible; the fact file notes this. */
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

/* The machine's copy of the maxima equals that of the facts; a clock needs none. */
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

/* Programs the counter for the next row of the unit, from `from` on, that it can count and that the scenario has not
 * tried. Returns the row's index, or n_rows. */
static size_t program(struct block *b, unsigned counter, size_t from)
{
  for (size_t k = 0; k < n_rows; k++) {
    const size_t i = (from + k) % n_rows;
    const struct coverage_row *row = &rows[i].row;
    if (rows[i].tried_here || strcmp(row->unit, b->unit->name) || rows[i].most + 1 > b->unit->thresh_mask)
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
        rows[row].tried_here = true;
        *at = (row + 1) % n_rows;
      }
  return n;
}

static int increments_resolve(struct scenario_inject *in)
{
  in->resolved = true;
  in->ctl = 1; /* a row without a maximum */
  for (size_t i = 0; i < n_rows; i++) {
    const struct coverage_row *row = &rows[i].row;
    const size_t n = strlen(row->event);
    const bool umask = row->umask && in->event[n] == '.' && !strcmp(in->event + n + 1, row->umask);
    if (!strcmp(row->unit, in->place.unit) && !strncmp(row->event, in->event, n) && (!in->event[n] || umask))
      in->ctl = row->ctl;
  }
  return 0;
}

/* Returns the number of rows that the run tried. */
static size_t run(const char *path, next_rows *next)
{
  static struct trial trials[4096];
  struct scenario s;
  char error[512] = "";
  bool ended = false;
  struct machine *m = whole_machine_of(platform->name, &s, path, increments_resolve);
  const size_t n = program_all(m, next, trials);
  const bool failed = n && machine_run(m, UINT64_MAX, &ended, error, sizeof error);
  const bool absent = failed && strstr(error, "the machine has no "); /* an instance that a larger processor has */
  if (failed && !(absent && platform != model_default()))
    fail_msg("%s: %s", path, error);
  for (size_t i = 0; !failed && i < n; i++) {
    const uint64_t cycles = trials[i].block->value[trials[i].counter];
    const size_t row = trials[i].row;
    rows[row].tried++;
    if (cycles && !rows[row].exceeded++)
      print_error("%s/%s.%s/: more than %u in %llu cycles of %s\n", rows[row].row.unit, rows[row].row.event,
                  rows[row].row.umask ? rows[row].row.umask : "", rows[row].most, (unsigned long long)cycles, path);
  }
  machine_free(m);
  scenario_fini(&s);
  return failed ? 0 : n;
}

static void test_increments(void **state)
{
  static next_rows next;
  unsigned exceeded = 0, tried = 0;
  (void)state;
  assert_true(n_scenarios);
  for (size_t i = 0; i < n_scenarios; i++) {
    for (size_t k = 0; k < n_rows; k++)
      rows[k].tried_here = false;
    for (unsigned k = 0; k < most_runs && run(scenarios[i], &next); k++)
      ;
  }
  for (size_t i = 0; i < n_rows; i++) {
    exceeded += rows[i].exceeded != 0;
    tried += rows[i].tried != 0;
  }
  print_message("%u of %zu rows tried in %zu scenarios, %u exceed their maximum\n", tried, n_rows, n_scenarios,
                exceeded);
  assert_int_equal(exceeded, 0);
  assert_true(tried >= n_least);
}

/* True if the file states that the machine refuses it. */
static bool is_refused(const char *path)
{
  char line[200];
  bool refused = false;
  FILE *f = fopen(path, "r");
  while (f && fgets(line, sizeof line, f))
    refused = refused || !strcmp(line, "# expect: refusal\n");
  if (f)
    fclose(f);
  return refused;
}

/* True if the platform accepts the parameters of a scenario that was written for another platform. */
static bool fits(struct scenario *s)
{
  struct machine_config config;
  struct machine *m = NULL;
  char error[512] = "";
  machine_config_init(&config);
  bool good = !machine_config_parse(&config, platform->name, error, sizeof error);
  for (size_t i = 0; i < s->n_settings; i++)
    good = good && !machine_config_parse(&config, s->setting[i], error, sizeof error);
  good = good && !machine_new(&config, error, sizeof error, &m);
  machine_free(m);
  return good;
}

/* True if the file is a scenario for this platform. */
static bool is_meant(const char *path)
{
  struct scenario s;
  struct machine_config config;
  char error[512] = "";
  const size_t n = strlen(path);
  if (n < 4 || strcmp(path + n - 4, ".scn") || is_refused(path))
    return false;
  if (scenario_load(path, error, sizeof error, &s)) {
    fprintf(stderr, "%s\n", error);
    exit(EXIT_FAILURE);
  }
  machine_config_init(&config);
  for (size_t i = 0; i < s.n_settings; i++)
    machine_config_parse(&config, s.setting[i], error, sizeof error);
  const bool states = machine_config_has_platform(&config);
  const bool meant = platform == (states ? model_of(&config) : model_default()) ||
                     (!states && platform->uncore == model_default()->uncore && fits(&s));
  scenario_fini(&s);
  return meant;
}

static int by_path(const void *a, const void *b)
{
  return strcmp(a, b);
}

static void find_scenarios(const char *folder)
{
  DIR *d = opendir(folder);
  for (struct dirent *e; d && (e = readdir(d));) {
    char path[PATH];
    if (e->d_name[0] == '.' || snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >= (int)sizeof path)
      continue;
    find_scenarios(path);
    if (is_meant(path) && n_scenarios < SCENARIOS)
      memcpy(scenarios[n_scenarios++], path, sizeof path);
  }
  if (d)
    closedir(d);
}

/* Reduces the list to part `part` (from 1) of `parts`. */
static void take_part(size_t part, size_t parts)
{
  size_t n = 0;
  qsort(scenarios, n_scenarios, sizeof *scenarios, by_path);
  for (size_t i = part - 1; i < n_scenarios; i += parts)
    memmove(scenarios[n++], scenarios[i], sizeof *scenarios);
  n_scenarios = n;
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
  unsigned part = 0, parts = 0;
  if (argc < 6 || !(platform = model_find(argv[1])) || sscanf(argv[4], "%u/%u", &part, &parts) != 2 || !part ||
      part > parts) {
    fprintf(stderr, "usage: %s PLATFORM ROWS RUNS PART/PARTS FOLDER...\n", argv[0]);
    return EXIT_FAILURE;
  }
  n_least = (size_t)atol(argv[2]);
  most_runs = (unsigned)atol(argv[3]);
  for (int i = 5; i < argc; i++)
    find_scenarios(argv[i]);
  take_part(part, parts);
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
