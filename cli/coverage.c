/* SPDX-License-Identifier: MIT */
#include "cli/coverage.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "cli/coverage_rows.h"

enum { UNITS = 32 };

static const char *const hows[MACHINE_HOWS] = { "modelled", "stream", "constant", "not modelled" };

struct tally { const char *unit; uint64_t of[MACHINE_HOWS], all; };
struct telling { struct cli *cli; const char *platform; bool json; struct tally units[UNITS]; unsigned n; };

static void count(struct telling *t, const struct machine_coverage *c)
{
  if (t->n < UNITS && (!t->n || strcmp(t->units[t->n - 1].unit, c->unit)))
    t->units[t->n++] = (struct tally){ .unit = c->unit };
  struct tally *u = &t->units[t->n - 1];
  u->all++;
  for (size_t h = 0; h < MACHINE_HOWS; h++)
    u->of[h] += !strcmp(hows[h], c->how);
}

static void tell_row(struct telling *t, const struct machine_coverage *c, const char *umask)
{
  struct out *o = &t->cli->out;
  count(t, c);
  if (t->json) {
    json_open(o, NULL, '{');
    json_string(o, "unit", c->unit);
    json_string(o, "event", c->event);
    json_string(o, "umask", umask);
    json_string(o, "how", c->how);
    json_string(o, "part", c->part);
    json_close(o, '}');
    json_end_line(o);
    return;
  }
  char name[256];
  snprintf(name, sizeof name, "%s%s%s", c->event, umask ? "." : "", umask ? umask : "");
  out_padded(o, c->unit, 9);
  out_padded(o, name, strlen(name) < 44 ? 44 : strlen(name) + 1);
  out_padded(o, c->how, 14);
  out_text(o, c->part);
  out_char(o, '\n');
}

static void tell_tally(struct out *o, const struct tally *t)
{
  char text[200];
  size_t n = (size_t)snprintf(text, sizeof text, "%-9s%6llu rows", t->unit, (unsigned long long)t->all);
  for (size_t h = 0; h < MACHINE_HOWS && n < sizeof text; h++)
    if (t->of[h])
      n += (size_t)snprintf(text + n, sizeof text - n, ", %5.1f %% %s", 100.0 * (double)t->of[h] / (double)t->all,
                            hows[h]);
  out_text(o, text);
  out_char(o, '\n');
}

static int each(void *data, const struct coverage_row *row)
{
  struct telling *t = data;
  struct machine_coverage c;
  if (!coverage_of_row(t->platform, row, &c))
    return PMON_E_UNKNOWN;
  tell_row(t, &c, row->umask);
  return PMON_OK;
}

int cli_coverage(struct cli *cli, bool json)
{
  if (!cli_platform(cli))
    return CLI_USAGE;
  struct pmon_platform_info info = { .size = sizeof info };
  pmon_platform_describe(cli->platform, &info);
  struct telling t = { .cli = cli, .platform = info.name, .json = json };
  struct tally all = { .unit = "all" };
  struct machine_coverage c;
  if (!strcasecmp(info.name, "montecito")) {
    for (size_t i = 0; core_coverage(i, &c); i++)
      tell_row(&t, &c, NULL);
  } else {
    int status = coverage_rows(cli->context, cli->platform, each, &t);
    if (status == PMON_E_UNKNOWN && !t.n)
      return cli_fail(cli, "the machine keeps no account of how it drives the events of %s", info.name);
    if (status)
      return cli_fail_context(cli, NULL);
  }
  for (unsigned i = 0; !json && i < t.n; i++) {
    tell_tally(&cli->out, &t.units[i]);
    all.all += t.units[i].all;
    for (size_t h = 0; h < MACHINE_HOWS; h++)
      all.of[h] += t.units[i].of[h];
  }
  if (!json && t.n > 1)
    tell_tally(&cli->out, &all);
  return CLI_DONE;
}
