/* SPDX-License-Identifier: MIT */
/* pmon units. */
#include <stdio.h>
#include <string.h>
#include "cli/facts/describe.h"
#include "cli/facts/near.h"

/* Finds the address of an instance's first register, which identifies the unit. */
static bool base_address(const struct cli *cli, uint32_t unit, uint32_t instance, struct pmon_address *ret)
{
  struct pmon_register_id id = {.unit = unit, .reg = 0, .instance = instance, .index = 0};
  return pmon_register_address(cli->platform, &id, ret) == PMON_OK;
}

static void unit_json(struct cli *cli, uint32_t unit, const struct pmon_unit_info *u)
{
  struct out *o = &cli->out;
  struct pmon_platform_info p = {.size = sizeof p};
  pmon_platform_describe(cli->platform, &p);
  json_open(o, NULL, '{');
  json_text(o, "platform", p.name);
  json_text(o, "unit", u->name);
  json_text(o, "title", u->title);
  json_number(o, "instances", u->instances);
  json_number(o, "counters", u->counters);
  json_number(o, "width_bits", u->width_bits);
  json_text(o, "prefix", u->prefix);
  json_text(o, "perf", u->perf);
  json_text(o, "pfm", u->pfm);
  json_text(o, "alias", u->alias);
  json_text(o, "clock", u->clock);
  json_text(o, u->own_witness ? "own_witness" : "witness", u->witness);
  if (u->discovery != UINT32_MAX)
    json_number(o, "discovery", u->discovery);
  else
    json_text(o, "discovery", NULL);
  json_open(o, "at", '[');
  struct pmon_address a;
  for (uint32_t i = 0; i < u->instances && base_address(cli, unit, i, &a); i++) {
    json_open(o, NULL, '{');
    json_number(o, "instance", i);
    describe_address_json(o, &a);
    json_close(o, '}');
  }
  json_close(o, ']');
  json_text(o, "note", u->note);
  describe_origin_json(o, u->source, u->unsure, u->cite);
  json_close(o, '}');
  json_end_line(o);
}

/* The width of the names' column: imported platforms have names of Linux (iio_free_running). */
static size_t name_column(const struct cli *cli)
{
  struct pmon_unit_info u = {.size = sizeof u};
  size_t width = 9;
  for (uint32_t i = 0; pmon_unit_describe(cli->platform, i, &u) == PMON_OK; i++)
    if (strlen(u.name) >= width)
      width = strlen(u.name) + 1;
  return width;
}

static void unit_text(struct cli *cli, uint32_t unit, const struct pmon_unit_info *u, size_t width)
{
  struct out *o = &cli->out;
  char counters[64], place[64] = "";
  struct pmon_address a;
  out_style(o, OUT_NAME);
  out_padded(o, u->name, width);
  out_style(o, OUT_PLAIN);
  snprintf(counters, sizeof counters, "%3u x %u x %u bit", u->instances, u->counters, u->width_bits);
  out_padded(o, counters, 19);
  if (base_address(cli, unit, 0, &a))
    pmon_address_format(&a, place, sizeof place);
  out_padded(o, place, 20);
  out_char(o, ' ');
  out_wrapped(o, u->title, width + 40, cli_width());
}

static int run_units(struct cli *cli, int argc, char **argv)
{
  struct cli_options o;
  int result;
  if (cli_read_options(cli, argc, argv, &o, &result) != 0)
    return result;
  struct pmon_unit_info u = {.size = sizeof u};
  const size_t width = name_column(cli);
  uint32_t found = 0;
  for (uint32_t i = 0; pmon_unit_describe(cli->platform, i, &u) == PMON_OK; i++)
    if (describe_name_wanted(&o, u.name, u.alias)) {
      if (!found++ && !o.json) {
        out_style(&cli->out, OUT_DIM);
        out_padded(&cli->out, "unit", width);
        out_text(&cli->out, "instances x counters  first address       description\n");
        out_style(&cli->out, OUT_PLAIN);
      }
      if (o.json)
        unit_json(cli, i, &u);
      else
        unit_text(cli, i, &u, width);
    }
  return describe_found(cli, &o, NEAR_UNITS, found);
}

const struct cli_command units_command = {
    .name = "units",
    .arguments = "[PATTERN]",
    .brief = "list units, their instances and their names in other tools",
    .run = run_units,
    .options = {{cli_json_option, NULL}, {NULL, NULL}},
    .value = CLI_UNIT,
};
