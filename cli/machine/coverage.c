/* SPDX-License-Identifier: MIT */
/* pmon machine coverage: what makes each row of the event tables count. */
#include "machine/model.h"
#include "cli/machine/coverage.h"

#include <stdio.h>
#include <string.h>
#include "cli/target/coverage_rows.h"

enum { UNITS = 32, UNIT_WIDTH = 9, NAME_WIDTH = 44, HOW_WIDTH = 14, COVERAGE_NARROW = 120 };

static const char *const hows[MACHINE_HOWS] = {"modelled", "stream", "constant", "not modelled"};

struct tally {
  const char *unit;
  uint64_t of[MACHINE_HOWS], all;
};
struct coverage_run {
  struct cli *cli;
  const struct coverage_options *options;
  const char *platform;
  const char *unit; /* only this unit; NULL selects all */
  struct tally units[UNITS];
  unsigned n;
  bool known; /* the machine knows at least one row of the platform */
};

static void coverage_count(struct coverage_run *t, const struct machine_coverage *c)
{
  if (t->n < UNITS && (!t->n || strcmp(t->units[t->n - 1].unit, c->unit)))
    t->units[t->n++] = (struct tally){.unit = c->unit};
  struct tally *u = &t->units[t->n - 1];
  u->all++;
  for (size_t h = 0; h < MACHINE_HOWS; h++)
    u->of[h] += !strcmp(hows[h], c->how);
}

static void coverage_print_row(struct coverage_run *t, const struct machine_coverage *c, const char *umask)
{
  struct out *o = &t->cli->out;
  if (t->unit && strcmp(t->unit, c->unit))
    return;
  coverage_count(t, c);
  if (t->options->totals)
    return;
  if (t->options->json) {
    json_open(o, NULL, '{');
    json_text(o, "unit", c->unit);
    json_text(o, "event", c->event);
    json_text(o, "umask", umask);
    json_text(o, "how", c->how);
    json_text(o, "part", c->part);
    json_close(o, '}');
    json_end_line(o);
    return;
  }
  char name[256];
  snprintf(name, sizeof name, "%s%s%s", c->event, umask ? "." : "", umask ? umask : "");
  const unsigned width = cli_width();
  const size_t name_width = strlen(name) < NAME_WIDTH ? NAME_WIDTH : strlen(name) + 1;
  out_padded(o, c->unit, UNIT_WIDTH);
  out_padded(o, name, name_width);
  if (width && width < COVERAGE_NARROW) { /* on its own line, as in lists of events */
    out_text(o, c->how);
    out_text(o, "\n    ");
    out_wrapped(o, c->part, 4, width);
    return;
  }
  out_padded(o, c->how, HOW_WIDTH);
  out_wrapped(o, c->part, UNIT_WIDTH + name_width + HOW_WIDTH, width);
}

static void coverage_print_tally_json(struct out *o, const struct tally *t)
{
  json_open(o, NULL, '{');
  json_text(o, "unit", t->unit);
  json_number(o, "rows", t->all);
  for (size_t h = 0; h < MACHINE_HOWS; h++)
    json_number(o, h == MACHINE_NOT_MODELLED ? "not_modelled" : hows[h], t->of[h]);
  json_close(o, '}');
  json_end_line(o);
}

static void coverage_print_tally(struct coverage_run *coverage_run, const struct tally *t)
{
  struct out *o = &coverage_run->cli->out;
  const unsigned width = cli_width();
  char text[64];
  size_t at = (size_t)snprintf(text, sizeof text, "%-*s%6llu rows", UNIT_WIDTH, t->unit, (unsigned long long)t->all);
  const size_t indent = at;
  if (coverage_run->options->json) {
    coverage_print_tally_json(o, t);
    return;
  }
  out_text(o, text);
  for (size_t h = 0; h < MACHINE_HOWS; h++) {
    if (!t->of[h])
      continue;
    const int n = snprintf(text, sizeof text, " %5.1f %% %s", 100.0 * (double)t->of[h] / (double)t->all, hows[h]);
    out_char(o, ',');
    at += (size_t)n + 1;
    if (width && at > width) {
      out_char(o, '\n');
      out_repeat(o, ' ', indent + 1);
      at = indent + 1 + (size_t)n;
    }
    out_text(o, text);
  }
  out_char(o, '\n');
}

/* Prints the sums by unit, and the total; as JSON only with `totals`, because otherwise each line is a row. */
static void coverage_print_tallies(struct coverage_run *t)
{
  struct tally all = {.unit = "all"};
  if (t->options->json && !t->options->totals)
    return;
  for (unsigned i = 0; i < t->n; i++) {
    coverage_print_tally(t, &t->units[i]);
    all.all += t->units[i].all;
    for (size_t h = 0; h < MACHINE_HOWS; h++)
      all.of[h] += t->units[i].of[h];
  }
  if (t->n > 1)
    coverage_print_tally(t, &all);
}

static int coverage_on_row(void *data, const struct coverage_row *row)
{
  struct coverage_run *t = data;
  struct machine_coverage c;
  if (coverage_of_row(t->platform, row, &c))
    t->known = true;
  else if (!t->known)
    return PMON_E_UNKNOWN;
  else { /* a unit that only some processors have, and not the machine */
    c.how = hows[MACHINE_NOT_MODELLED];
    c.part = "the machine has no such unit";
  }
  coverage_print_row(t, &c, row->umask);
  return PMON_OK;
}

/* Prints the rows of a platform with units and blocks. */
static int coverage_print_blocks(struct coverage_run *t)
{
  int status = coverage_rows(t->cli->context, t->cli->platform, coverage_on_row, t);
  if (status == PMON_E_UNKNOWN)
    return cli_fail(t->cli, "-p %s: its events have no coverage data; add -p %s", t->platform, model_default()->name);
  return status ? cli_fail_context(t->cli, NULL) : CLI_DONE;
}

int cli_coverage(struct cli *cli, const struct coverage_options *options)
{
  struct pmon_platform_info info = {.size = sizeof info};
  struct pmon_unit_info unit = {.size = sizeof unit};
  struct coverage_run t = {.cli = cli, .options = options};
  struct machine_coverage c;
  int result = CLI_DONE;
  uint32_t index;
  if (!cli_platform(cli))
    return CLI_USAGE;
  pmon_platform_describe(cli->platform, &info);
  t.platform = info.name;
  if (options->unit) {
    if (pmon_unit_find(cli->platform, options->unit, &index) != PMON_OK)
      return cli_fail_context(cli, options->unit);
    pmon_unit_describe(cli->platform, index, &unit);
    t.unit = unit.name;
  }
  const struct processor_model *model = model_find(info.name);
  if (model && model->coverage)
    for (size_t i = 0; model->coverage(i, &c); i++)
      coverage_print_row(&t, &c, c.umask);
  else
    result = coverage_print_blocks(&t);
  if (result == CLI_DONE && t.unit && !t.n)
    return cli_fail(cli, "-u %s: the unit has no counters; the units that count its events list them", t.unit);
  if (result == CLI_DONE)
    coverage_print_tallies(&t);
  return result;
}
