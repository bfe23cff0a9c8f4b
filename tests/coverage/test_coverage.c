/* SPDX-License-Identifier: MIT */
/*
 * Whether each row of a platform's event tables moves as `pmon machine coverage` states: scenarios run, and the
 * function by which counters select occurrences is applied to the machine's reports. Arguments: the platform, then
 * scenario files.
 *   --table   prints the table of reports that the platform must have (machine/emr/reports.inc) instead of testing
 *   --list    prints each row with the amount that was counted
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
#include "machine/model.h"
#include "machine/trace/scenario.h"
#include "tests/coverage/recorder.h"

enum { ROWS = 8192, REPORTS = 4096, OBSERVED = 1 << 17 };

static const struct processor_model *platform;
static char **scenarios;
static int n_scenarios;
static struct coverage_row rows[ROWS];
static size_t n_rows;
static struct machine_report reports[REPORTS]; /* the expected table */
static size_t n_reports;
static struct recorder *recorder;
static struct pmon_context *context;

static const struct pmon_unit *unit_of(const char *name)
{
  const struct pmon_unit *u = platform->pmon->units;
  while (u->name && strcmp(u->name, name))
    u++;
  assert_non_null(u->name);
  return u;
}

static bool machine_has_unit(const char *name)
{
  const struct pmon_unit *u = platform->pmon->units;
  while (u->name && strcmp(u->name, name))
    u++;
  return u->name != NULL;
}

static uint64_t weight(const struct coverage_row *row, uint64_t attr)
{
  const struct pmon_unit *u = unit_of(row->unit);
  return u->filtered ? u->filtered(row->filter, row->ctl, attr) : u->weight(row->ctl, attr);
}

static bool counts(const struct coverage_row *row, const char *unit, uint16_t code)
{
  return !strcmp(row->unit, unit) && (row->own ? row->own == code : (row->ctl & 0xff) == code);
}

/* Rows of units that the machine does not have count nothing. */
static int keep(void *data, const struct coverage_row *row)
{
  (void)data;
  if (!machine_has_unit(row->unit))
    return PMON_OK;
  assert_true(n_rows < ROWS);
  rows[n_rows++] = *row;
  return PMON_OK;
}

/* ---- the table ---- */

/* True if one report with the bits of both is selected by each row exactly as the two reports are. */
static bool same(const struct machine_report *a, uint64_t attr)
{
  if (a->code >= DRIVE_FREERUNNING)
    return a->attr == attr;
  for (size_t i = 0; i < n_rows; i++)
    if (counts(&rows[i], a->unit, a->code) &&
        !weight(&rows[i], a->attr | attr) != (!weight(&rows[i], a->attr) && !weight(&rows[i], attr)))
      return false;
  return true;
}

static int by_place(const void *x, const void *y)
{
  const struct machine_report *a = x, *b = y;
  const struct pmon_unit *u = unit_of(a->unit), *v = unit_of(b->unit);
  if (u != v)
    return u < v ? -1 : 1;
  if (a->code != b->code)
    return a->code < b->code ? -1 : 1;
  return a->attr < b->attr ? -1 : a->attr > b->attr;
}

/* Makes the table: reports that counted something, in the order of units, codes and attributes, merged to the fewest
 * with the same meaning. */
static void table_make(void)
{
  static struct machine_report all[OBSERVED];
  size_t n, k = 0;
  const struct record *r = recorder_records(recorder, &n);
  for (size_t i = 0; i < n; i++)
    if (r[i].amount > 0) {
      assert_true(k < OBSERVED);
      all[k++] = (struct machine_report){r[i].unit, r[i].code, r[i].attr};
    }
  qsort(all, k, sizeof *all, by_place);
  for (size_t i = 0, first = 0; i < k; i++) {
    if (!n_reports || strcmp(reports[n_reports - 1].unit, all[i].unit) || reports[n_reports - 1].code != all[i].code)
      first = n_reports;
    size_t at = first;
    while (at < n_reports && !same(&reports[at], all[i].attr))
      at++;
    assert_true(at < REPORTS);
    if (at < n_reports)
      reports[at].attr |= all[i].attr;
    else
      reports[n_reports++] = all[i];
  }
}

static int print_table(void)
{
  printf("/* SPDX-License-Identifier: MIT */\n"
         "/* Made by tests/coverage/test_coverage --table %s, from what the machine reports. */\n",
         platform->name);
  for (size_t i = 0; i < n_reports; i++)
    printf("{ \"%s\", 0x%02x, 0x%llx },\n", reports[i].unit, reports[i].code, (unsigned long long)reports[i].attr);
  return EXIT_SUCCESS;
}

static void test_table(void **state)
{
  size_t i = 0;
  (void)state;
  for (; platform->reports[i].unit && i < n_reports; i++) {
    const struct machine_report *a = &platform->reports[i], *b = &reports[i];
    if (strcmp(a->unit, b->unit) || a->code != b->code || a->attr != b->attr)
      fail_msg("entry %zu of the table is %s 0x%x 0x%llx, and should be %s 0x%x 0x%llx: docs/coverage.md", i, a->unit,
               a->code, (unsigned long long)a->attr, b->unit, b->code, (unsigned long long)b->attr);
  }
  assert_null(platform->reports[i].unit);
  assert_int_equal(i, n_reports);
}

/* ---- the rows ---- */

/* True for rows that no report moves: clocks, and events that follow another counter. */
static bool clock_row(const struct coverage_row *row)
{
  const struct pmon_unit *u = unit_of(row->unit);
  if (u->follow_code && (row->ctl & 0xff) == u->follow_code)
    return true;
  for (unsigned i = 0; !row->own && i < UNIT_SIGNALS && u->signals[i].code; i++)
    if ((u->signals[i].code & 0xff) == (row->ctl & 0xff) && u->weight(row->ctl, u->signals[i].attr))
      return true;
  if (row->own && u->read) /* computed by the model; tests/engine/test_known.c */
    return true;
  return row->own == DRIVE_FIXED || (row->own == DRIVE_FREERUNNING && u->freerunning_clock == row->index + 1);
}

static double amount_of(const struct coverage_row *row)
{
  size_t n;
  const struct record *r = recorder_records(recorder, &n);
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    if (counts(row, r[i].unit, r[i].code))
      sum += r[i].amount * (double)(row->own ? r[i].attr == row->index : weight(row, r[i].attr));
  return sum;
}

static void name_of(const struct coverage_row *row, char *text, size_t size)
{
  snprintf(text, size, "%s/%s%s%s/", row->unit, row->event, row->umask ? "." : "", row->umask ? row->umask : "");
}

static void test_rows(void **state)
{
  unsigned wrong = 0;
  (void)state;
  for (size_t i = 0; i < n_rows; i++) {
    struct machine_coverage c;
    char name[160];
    assert_true(coverage_of_row(platform->name, &rows[i], &c));
    assert_true(c.part && *c.part);
    double amount = amount_of(&rows[i]);
    bool moves = amount > 0 || clock_row(&rows[i]), modelled = !strcmp(c.how, "modelled");
    name_of(&rows[i], name, sizeof name);
    if (moves ? !modelled && strcmp(c.how, "constant") : modelled) {
      print_error("%s is said to be %s (%s), and counts %.0f\n", name, c.how, c.part, amount);
      wrong++;
    }
  }
  assert_int_equal(wrong, 0);
}

/* ---- invariants ---- */

/* Two lists of events of Emerald Rapids have the same sum over all scenarios together; only attributes with a bit of
 * `mask` count (0: all). Lists end with 0. */
static const struct invariant {
  const char *brief;
  struct {
    const char *unit;
    uint8_t code[10];
    uint64_t mask;
  } side[2];
} invariants[] = {
    {"what a CHA turns away for want of credits, it tries again",
     {{"cha", {0x18, 0x20, 0x22, 0x24, 0x26, 0x28}, 0}, {"cha", {0x2a, 0x2c, 0x2e}, 0}}},
    {"what a CHA turns away for other reasons, it tries again",
     {{"cha", {0x19, 0x21, 0x23, 0x25, 0x27, 0x29}, 0}, {"cha", {0x2b, 0x2d, 0x2f}, 0}}},
    {"flits that are sent are received", {{"upi", {0x02}, 0}, {"upi", {0x03}, 0}}},
    {"messages that the mesh brings to a link come out of the other side's flow queues",
     {{"m3upi", {0x41}, 0}, {"m3upi", {0x2d, 0x2e, 0x2f}, 0}}},
    {"what goes to a CXL device from the mesh goes onto its link", {{"cxldp", {0x02}, 0}, {"cxlcm", {0x02}, 0}}},
    {"what a CXL link brings is taken by the mesh", {{"cxlcm", {0x41}, 0}, {"cxlcm", {0x43}, 0}}},
    {"what waits for a bridge or passes its queue crosses it", {{"mdf", {0x12, 0x14}, 0}, {"mdf", {0x47}, 0x3f00}}},
    {"data that memory sends straight to a link go by its stop", {{"m2m", {0x19}, 0}, {"m3upi", {0x2a}, 0}}},
    {"damaged flits of CXL links come again", {{"cxlcm", {0x40}, 0x200}, {"cxlcm", {0x40}, 0x800}}},
    {"errors on links are asked for again", {{"upi", {0x0b}, 0}, {"upi", {0x08}, 0}}},
    {"every snoop over a link is answered", {{"cha", {0x51}, 0x100}, {"cha", {0x5c}, 0}}},
    {"snoops that do not wait for the directory are broadcast", {{"cha", {0x55}, 0x1f00}, {"cha", {0x51}, 0x1000}}},
    {"remote requests hit HitMe or miss it", {{"cha", {0x5e}, 0x100}, {"cha", {0x5f, 0x60}, 0xe700}}},
    {"who asks a stack's arbiter wins", {{"iio", {0x86}, 0}, {"iio", {0x87}, 0}}},
    {"a ring port that lost a line finds it in a state that shows it",
     {{"irp", {0x1f}, 0x1000}, {"irp", {0x1f}, 0x0b00}}},
    {"requests that meet an earlier one get its line, in a state that suffices or not",
     {{"irp", {0x1e}, 0x1c00}, {"irp", {0x1f}, 0x6000}}},
    {"credits of stacks are taken by what enters them", {{"m2pcie", {0x33}, 0}, {"m2pcie", {0x11}, 0}}},
};

static double side_of(const struct invariant *l, unsigned side)
{
  size_t n;
  const struct record *r = recorder_records(recorder, &n);
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    for (const uint8_t *c = l->side[side].code; *c; c++)
      if (!strcmp(r[i].unit, l->side[side].unit) && r[i].code == *c &&
          (!l->side[side].mask || r[i].attr & l->side[side].mask))
        sum += r[i].amount;
  return sum;
}

static void test_invariants(void **state)
{
  (void)state;
  for (size_t i = 0; !strcmp(platform->name, "emr") && i < sizeof invariants / sizeof *invariants; i++) {
    const double a = side_of(&invariants[i], 0), b = side_of(&invariants[i], 1);
    assert_true(a > 0);
    if (a != b)
      fail_msg("%s: %.0f and %.0f", invariants[i].brief, a, b);
  }
}

static int print_list(void)
{
  for (size_t i = 0; i < n_rows; i++) {
    char name[160];
    name_of(&rows[i], name, sizeof name);
    printf("%.0f %s\n", amount_of(&rows[i]) + clock_row(&rows[i]), name);
  }
  return EXIT_SUCCESS;
}

/* Resolves names of the rows: UNIT EVENT.UMASK. */
static int coverage_resolve(struct scenario_inject *in)
{
  in->resolved = true;
  for (size_t i = 0; i < n_rows; i++) {
    const size_t n = strlen(rows[i].event);
    const bool umask = rows[i].umask && in->event[n] == '.' && !strcmp(in->event + n + 1, rows[i].umask);
    if (strcmp(rows[i].unit, in->place.unit) || strncmp(rows[i].event, in->event, n) || (in->event[n] && !umask))
      continue;
    in->ctl = rows[i].ctl;
    return 0;
  }
  return -1;
}

static int coverage_hear(void **state)
{
  const struct pmon_platform *p;
  (void)state;
  assert_int_equal(pmon_context_new(&context), PMON_OK);
  assert_int_equal(pmon_platform_find(context, platform->name, &p), PMON_OK);
  assert_int_equal(coverage_rows(context, p, keep, NULL), PMON_OK);
  recorder = recorder_new();
  for (int i = 0; i < n_scenarios; i++)
    recorder_run(recorder, scenarios[i], coverage_resolve);
  table_make();
  return 0;
}

static int forget(void **state)
{
  (void)state;
  recorder_free(recorder);
  pmon_context_free(context);
  return 0;
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_table), cmocka_unit_test(test_rows),
                                     cmocka_unit_test(test_invariants)};
  const char *mode = argc > 1 && argv[1][0] == '-' ? argv[1] : "";
  const int first = *mode ? 2 : 1;
  if (argc <= first || !(platform = model_find(argv[first])) || !platform->reports) {
    fprintf(stderr, "usage: %s [--table|--list] PLATFORM SCENARIO...\n", argv[0]);
    return EXIT_FAILURE;
  }
  scenarios = argv + first + 1;
  n_scenarios = argc - first - 1;
  if (*mode) {
    coverage_hear(NULL);
    int result = !strcmp(mode, "--table") ? print_table() : print_list();
    forget(NULL);
    return result;
  }
  return cmocka_run_group_tests(tests, coverage_hear, forget);
}
