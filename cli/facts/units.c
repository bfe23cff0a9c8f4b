/* SPDX-License-Identifier: MIT */
/* pmon units, registers, metrics: the other facts of a platform. */
#include <stdio.h>
#include <string.h>
#include "cli/facts/describe.h"

/* Whether all arguments match one of two texts. */
static bool name_is_wanted(const struct cli_options *o, const char *a, const char *b)
{
  for (int i = 0; i < o->n; i++)
    if (!describe_matches(o->args[i], a) && !describe_matches(o->args[i], b))
      return false;
  return true;
}

/* Reports that no row matches the arguments. */
static int report_matches(const struct cli *cli, const struct cli_options *o, uint32_t found)
{
  if (!found && o->n)
    cli_fail(cli, "%s: no match; `pmon %s` lists all", o->args[0], cli->command->name);
  return CLI_DONE;
}

/* The address of an instance's first register, which identifies the unit. */
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
  json_string(o, "platform", p.name);
  json_string(o, "unit", u->name);
  json_string(o, "title", u->title);
  json_number(o, "instances", u->instances);
  json_number(o, "counters", u->counters);
  json_number(o, "width_bits", u->width_bits);
  json_string(o, "prefix", u->prefix);
  json_string(o, "perf", u->perf);
  json_string(o, "pfm", u->pfm);
  json_string(o, "alias", u->alias);
  json_string(o, "clock", u->clock);
  if (u->discovery != UINT32_MAX)
    json_number(o, "discovery", u->discovery);
  else
    json_string(o, "discovery", NULL);
  json_open(o, "at", '[');
  struct pmon_address a;
  for (uint32_t i = 0; i < u->instances && base_address(cli, unit, i, &a); i++) {
    json_open(o, NULL, '{');
    json_number(o, "instance", i);
    describe_address_json(o, &a);
    json_close(o, '}');
  }
  json_close(o, ']');
  json_string(o, "note", u->note);
  json_string(o, "cite", u->cite);
  json_close(o, '}');
  json_end_line(o);
}

static void unit_text(struct cli *cli, uint32_t unit, const struct pmon_unit_info *u)
{
  struct out *o = &cli->out;
  char counters[64], place[64] = "";
  struct pmon_address a;
  out_style(o, OUT_NAME);
  out_padded(o, u->name, 9);
  out_style(o, OUT_PLAIN);
  snprintf(counters, sizeof counters, "%3u x %u x %u bit", u->instances, u->counters, u->width_bits);
  out_padded(o, counters, 19);
  if (base_address(cli, unit, 0, &a))
    pmon_address_format(&a, place, sizeof place);
  out_padded(o, place, 20);
  out_char(o, ' ');
  out_wrapped(o, u->title, 49, cli_width());
}

static int run_units(struct cli *cli, int argc, char **argv)
{
  struct cli_options o;
  int result;
  if (cli_read_options(cli, argc, argv, &o, &result) != 0)
    return result;
  struct pmon_unit_info u = {.size = sizeof u};
  uint32_t found = 0;
  for (uint32_t i = 0; pmon_unit_describe(cli->platform, i, &u) == PMON_OK; i++)
    if (name_is_wanted(&o, u.name, u.alias)) {
      if (!found++ && !o.json) {
        out_style(&cli->out, OUT_DIM);
        out_text(&cli->out, "unit     instances x counters  first at            what\n");
        out_style(&cli->out, OUT_PLAIN);
      }
      if (o.json)
        unit_json(cli, i, &u);
      else
        unit_text(cli, i, &u);
    }
  return report_matches(cli, &o, found);
}

const struct cli_command units_command = {
    .name = "units",
    .arguments = "[PATTERN]",
    .brief = "list units, their instances and their names in other tools",
    .run = run_units,
    .options = {{cli_json_option, NULL}, {NULL, NULL}},
    .value = CLI_UNIT,
};

static void field_json(struct out *o, const struct pmon_field_info *f)
{
  json_open(o, NULL, '{');
  json_string(o, "name", f->name);
  json_number(o, "hi", f->hi);
  json_number(o, "lo", f->lo);
  json_string(o, "access", f->access);
  json_number(o, "reset", f->reset);
  json_string(o, "alias", f->alias);
  json_string(o, "values", f->values);
  json_string(o, "overlay", f->overlay);
  json_string(o, "meaning", f->meaning);
  json_close(o, '}');
}

struct named_register {
  uint32_t unit, reg;
  const char *unit_name;
  uint32_t instances;
};

static void register_json(struct cli *cli, const struct named_register *n, const struct pmon_register_info *r)
{
  struct out *o = &cli->out;
  struct pmon_platform_info p = {.size = sizeof p};
  struct pmon_field_info f = {.size = sizeof f};
  struct pmon_address a;
  pmon_platform_describe(cli->platform, &p);
  json_open(o, NULL, '{');
  json_string(o, "platform", p.name);
  json_string(o, "unit", n->unit_name);
  json_string(o, "register", r->name);
  json_string(o, "role", pmon_role_name(r->role));
  json_string(o, "layout", r->layout);
  json_number(o, "index", r->index);
  json_number(o, "count", r->count);
  json_number(o, "width_bits", r->width_bits);
  json_open(o, "addresses", '[');
  for (uint32_t k = 0; k < n->instances * r->count; k++) {
    struct pmon_register_id id = {n->unit, n->reg, k / r->count, k % r->count};
    if (pmon_register_address(cli->platform, &id, &a) != PMON_OK)
      continue;
    json_open(o, NULL, '{');
    json_number(o, "instance", id.instance);
    json_number(o, "index", id.index);
    describe_address_json(o, &a);
    json_close(o, '}');
  }
  json_close(o, ']');
  json_open(o, "fields", '[');
  for (uint32_t i = 0; pmon_field_describe(cli->platform, n->unit, n->reg, i, &f) == PMON_OK; i++)
    field_json(o, &f);
  json_close(o, ']');
  json_string(o, "brief", r->brief);
  json_string(o, "note", r->note);
  json_string(o, "cite", r->cite);
  json_close(o, '}');
  json_end_line(o);
}

void describe_layout(struct cli *cli, uint32_t unit, uint32_t reg)
{
  struct out *o = &cli->out;
  struct pmon_field_info f = {.size = sizeof f};
  const char *overlay = "";
  char bits[16], names[128];
  for (uint32_t i = 0; pmon_field_describe(cli->platform, unit, reg, i, &f) == PMON_OK; i++) {
    if (strcmp(f.overlay, overlay) != 0) {
      overlay = f.overlay;
      out_text(o, "    read as ");
      out_text(o, overlay);
      out_text(o, " by the events that say so:\n");
    }
    snprintf(bits, sizeof bits, f.hi == f.lo ? "%u" : "%u:%u", f.hi, f.lo);
    snprintf(names, sizeof names, "%s%s%s", f.name, *f.alias ? " = " : "", f.alias);
    out_text(o, "    ");
    out_padded(o, bits, 6);
    out_padded(o, f.access, 5);
    out_style(o, strcmp(f.name, "-") == 0 ? OUT_DIM : OUT_NAME);
    out_padded(o, f.name, 12);
    out_style(o, OUT_PLAIN);
    out_char(o, ' ');
    size_t width = strlen(f.name) > 12 ? strlen(f.name) + 16 : 28;
    out_wrapped(o, strcmp(f.meaning, "-") == 0 ? "" : f.meaning, width, cli_width());
  }
}

static void register_text(struct cli *cli, const struct named_register *n, const struct pmon_register_info *r)
{
  struct out *o = &cli->out;
  struct pmon_register_id id = {n->unit, n->reg, 0, 0};
  struct pmon_address a;
  char place[64] = "", text[96];
  if (pmon_register_address(cli->platform, &id, &a) == PMON_OK)
    pmon_address_format(&a, place, sizeof place);
  out_style(o, OUT_BOLD);
  out_text(o, n->unit_name);
  out_char(o, '.');
  out_text(o, pmon_role_name(r->role));
  out_style(o, OUT_PLAIN);
  snprintf(text, sizeof text, "  %s%s  %s, %u bit", r->name, r->count > 1 ? "n" : "", r->layout, r->width_bits);
  out_text(o, text);
  snprintf(text, sizeof text, "  first at %s, %u x %u\n", place, n->instances, r->count);
  out_text(o, text);
}

struct arguments {
  struct cli_options *options;
  uint32_t *unit;
  int *exit;
};

/* Parses the options and the unit of -u. False: *exit is the result. */
static bool read_arguments(struct cli *cli, int argc, char **argv, struct arguments a)
{
  return cli_read_options(cli, argc, argv, a.options, a.exit) == 0 && (*a.exit = cli_unit(cli, a.options, a.unit)) == 0;
}

static int list_registers(struct cli *cli, const struct cli_options *o, uint32_t only)
{
  struct pmon_unit_info u = {.size = sizeof u};
  struct pmon_register_info r = {.size = sizeof r};
  uint32_t found = 0;
  for (uint32_t i = 0; pmon_unit_describe(cli->platform, i, &u) == PMON_OK; i++) {
    if (only != UINT32_MAX && i != only)
      continue;
    for (uint32_t k = 0; pmon_register_describe(cli->platform, i, k, &r) == PMON_OK; k++) {
      struct named_register n = {i, k, u.name, u.instances ? u.instances : 1};
      if (!name_is_wanted(o, r.name, r.layout))
        continue;
      found++;
      if (o->json) {
        register_json(cli, &n, &r);
      } else {
        register_text(cli, &n, &r);
        describe_layout(cli, i, k);
      }
    }
  }
  return report_matches(cli, o, found);
}

static int run_registers(struct cli *cli, int argc, char **argv)
{
  struct cli_options o;
  uint32_t unit;
  int result;
  if (!read_arguments(cli, argc, argv, (struct arguments){&o, &unit, &result}))
    return result;
  return list_registers(cli, &o, unit);
}

const struct cli_command registers_command = {
    .name = "registers",
    .arguments = "[PATTERN]",
    .brief = "list registers: layouts, fields, addresses",
    .run = run_registers,
    .options = {{cli_unit_option, NULL}, {cli_json_option, NULL}, {NULL, NULL}},
    .value = CLI_REGISTER,
};

void describe_metric_json(struct out *o, const char *platform, const struct pmon_metric_info *m)
{
  json_open(o, NULL, '{');
  json_string(o, "platform", platform);
  json_string(o, "unit", m->unit);
  json_string(o, "name", m->name);
  json_string(o, "equation", *m->equation ? m->equation : NULL);
  json_string(o, "result", m->result);
  json_bool(o, "per_second", m->per_second);
  json_string(o, "param", *m->param ? m->param : NULL);
  json_string(o, "printed", *m->printed ? m->printed : NULL);
  json_string(o, "stale", *m->stale ? m->stale : NULL);
  json_string(o, "brief", m->brief);
  json_string(o, "note", m->note);
  json_string(o, "cite", m->cite);
  json_close(o, '}');
}

static int run_metrics(struct cli *cli, int argc, char **argv)
{
  struct cli_options o;
  uint32_t unit;
  int result;
  if (!read_arguments(cli, argc, argv, (struct arguments){&o, &unit, &result}))
    return result;
  struct pmon_metric_info m = {.size = sizeof m};
  struct pmon_platform_info p = {.size = sizeof p};
  struct pmon_unit_info u = {.size = sizeof u, .name = ""};
  pmon_platform_describe(cli->platform, &p);
  if (unit != UINT32_MAX)
    pmon_unit_describe(cli->platform, unit, &u);
  struct out *out = &cli->out;
  uint32_t found = 0;
  for (uint32_t i = 0; pmon_metric_describe(cli->platform, i, &m) == PMON_OK; i++) {
    if ((unit != UINT32_MAX && strcmp(u.name, m.unit) != 0) || !name_is_wanted(&o, m.name, m.brief))
      continue;
    found++;
    if (o.json) {
      describe_metric_json(out, p.name, &m);
      json_end_line(out);
      continue;
    }
    out_style(out, OUT_NAME);
    out_padded(out, m.name, 40);
    out_style(out, OUT_PLAIN);
    out_char(out, ' ');
    out_padded(out, m.unit, 7);
    out_wrapped(out, m.brief, strlen(m.name) > 40 ? strlen(m.name) + 8 : 48, cli_width());
  }
  return report_matches(cli, &o, found);
}

const struct cli_command metrics_command = {
    .name = "metrics",
    .arguments = "[PATTERN]",
    .brief = "list derived metrics and their equations",
    .run = run_metrics,
    .options = {{cli_unit_option, NULL}, {cli_json_option, NULL}, {NULL, NULL}},
    .value = CLI_METRIC,
};
