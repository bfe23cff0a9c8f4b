/* SPDX-License-Identifier: MIT */
/* pmon registers, and one register in pmon show: addresses, layout, fields. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/facts/describe.h"
#include "cli/facts/near.h"

#define SHOWN_VALUES 8 /* of longer lists of value names only the list's name is printed */

/* A register, or all its selected instances and indices. */
struct wanted {
  struct pmon_register_id id;
  bool any_instance, any_index;
  struct pmon_register_info r;
  struct pmon_unit_info u; /* unset if the unit is PMON_UNIT_NONE */
};

static uint32_t instances_of(const struct wanted *w)
{
  return w->id.unit == PMON_UNIT_NONE ? 0 : w->u.instances ? w->u.instances : 1;
}

static bool register_place(const struct cli *cli, const struct wanted *w, uint32_t instance, uint32_t index,
                           struct pmon_address *ret)
{
  const struct pmon_register_id id = {w->id.unit, w->id.reg, instance, index};
  return w->id.unit != PMON_UNIT_NONE && pmon_register_address(cli->platform, &id, ret) == PMON_OK;
}

static void field_json(struct out *o, const struct pmon_field_info *f)
{
  json_open(o, NULL, '{');
  json_text(o, "name", f->name);
  json_number(o, "hi", f->hi);
  json_number(o, "lo", f->lo);
  json_text(o, "access", f->access);
  json_text(o, "attribute", f->attribute);
  json_number(o, "reset", f->reset);
  json_text(o, "alias", f->alias);
  json_text(o, "values", f->values);
  json_text(o, "overlay", f->overlay);
  json_text(o, "meaning", f->meaning);
  json_close(o, '}');
}

static void addresses_json(struct cli *cli, const struct wanted *w)
{
  struct out *o = &cli->out;
  struct pmon_address a;
  json_open(o, "addresses", '[');
  for (uint32_t k = 0; k < instances_of(w) * w->r.count; k++) {
    const uint32_t instance = k / w->r.count, index = k % w->r.count;
    if ((!w->any_instance && instance != w->id.instance) || (!w->any_index && index != w->id.index) ||
        !register_place(cli, w, instance, index, &a))
      continue;
    json_open(o, NULL, '{');
    json_number(o, "instance", instance);
    json_number(o, "index", index);
    describe_address_json(o, &a);
    json_close(o, '}');
  }
  json_close(o, ']');
}

static void register_json(struct cli *cli, const struct wanted *w)
{
  struct out *o = &cli->out;
  struct pmon_platform_info p = {.size = sizeof p};
  struct pmon_field_info f = {.size = sizeof f};
  const bool placed = w->id.unit != PMON_UNIT_NONE;
  pmon_platform_describe(cli->platform, &p);
  json_open(o, NULL, '{');
  json_text(o, "platform", p.name);
  json_text(o, "unit", placed ? w->u.name : NULL);
  json_text(o, "register", w->r.name);
  json_text(o, "role", placed ? pmon_role_name(w->r.role) : NULL);
  json_text(o, "layout", w->r.layout);
  json_number(o, "index", w->r.index);
  json_number(o, "count", w->r.count);
  json_number(o, "width_bits", w->r.width_bits);
  json_number(o, "reset", w->r.reset);
  addresses_json(cli, w);
  json_open(o, "fields", '[');
  for (uint32_t i = 0; pmon_field_describe(cli->platform, w->id.unit, w->id.reg, i, &f) == PMON_OK; i++)
    field_json(o, &f);
  json_close(o, ']');
  json_text(o, "alias", w->r.alias);
  json_text(o, "brief", w->r.brief);
  json_text(o, "note", w->r.note);
  describe_origin_json(o, w->r.source, w->r.unsure, w->r.cite);
  json_close(o, '}');
  json_end_line(o);
}

/* Writes the names of a field's values, or the name of their list if there are many. */
static void field_values(struct cli *cli, const struct pmon_field_info *f, size_t indent)
{
  struct pmon_values_info v = {.size = sizeof v};
  struct pmon_value_info row = {.size = sizeof row};
  char text[512] = "";
  size_t n = 0;
  uint32_t i = 0;
  if (!*f->values)
    return;
  while (pmon_values_describe(cli->platform, i, &v) == PMON_OK && strcmp(v.name, f->values) != 0)
    i++;
  if (v.rows > 0 && v.rows <= SHOWN_VALUES)
    for (uint32_t k = 0; pmon_value_describe(cli->platform, i, k, &row) == PMON_OK && n < sizeof text; k++)
      n += (size_t)snprintf(text + n, sizeof text - n, "%s0x%llx %s", k ? ", " : "", (unsigned long long)row.value,
                            row.name);
  else if (v.rows)
    snprintf(text, sizeof text, "names of values: `pmon show %s`", f->values);
  else
    snprintf(text, sizeof text, "%sN.M: N in bits %u:%u, M in bits %u:%u", v.form, v.form_hi[0], v.form_lo[0],
             v.form_hi[1], v.form_lo[1]);
  out_repeat(&cli->out, ' ', indent);
  out_wrapped(&cli->out, text, indent, cli_width());
}

/* Writes the fields of a unit's register, or of a layout (PMON_UNIT_NONE), one a line. */
static void describe_layout(struct cli *cli, uint32_t unit, uint32_t reg)
{
  struct out *o = &cli->out;
  struct pmon_field_info f = {.size = sizeof f};
  const char *overlay = "";
  char text[32];
  out_style(o, OUT_DIM);
  out_text(o, "    bits  attr reset field\n");
  out_style(o, OUT_PLAIN);
  for (uint32_t i = 0; pmon_field_describe(cli->platform, unit, reg, i, &f) == PMON_OK; i++) {
    if (strcmp(f.overlay, overlay) != 0) {
      overlay = f.overlay;
      out_text(o, "    read as ");
      out_text(o, overlay);
      out_text(o, " by the events that specify it:\n");
    }
    snprintf(text, sizeof text, f.hi == f.lo ? "%u" : "%u:%u", f.hi, f.lo);
    out_text(o, "    ");
    out_padded(o, text, 6);
    out_padded(o, f.attribute, 5);
    snprintf(text, sizeof text, f.reset < 10 ? "%llu" : "0x%llx", (unsigned long long)f.reset);
    out_padded(o, text, 6);
    out_text(o, strlen(text) < 6 ? "" : " ");
    out_style(o, strcmp(f.name, "-") == 0 ? OUT_DIM : OUT_NAME);
    const bool has_meaning = *f.meaning && strcmp(f.meaning, "-") != 0;
    out_padded(o, f.name, has_meaning ? 12 : 0);
    out_style(o, OUT_PLAIN);
    out_text(o, has_meaning ? " " : "");
    const size_t width = strlen(f.name) > 12 ? strlen(f.name) + 22 : 34;
    out_wrapped(o, has_meaning ? f.meaning : "", width, cli_width());
    field_values(cli, &f, 34);
  }
}

/* Whether the addresses of the instances from `first` to `last` all have the distance of the first two. */
static bool is_run(const struct cli *cli, const struct wanted *w, uint32_t first, uint32_t last)
{
  struct pmon_address a[3];
  return register_place(cli, w, first, 0, &a[0]) && register_place(cli, w, first + 1, 0, &a[1]) &&
         register_place(cli, w, last, 0, &a[2]) && a[0].space == a[2].space && a[0].device == a[1].device &&
         a[0].device == a[2].device && a[1].offset > a[0].offset &&
         a[2].offset - a[0].offset == (a[1].offset - a[0].offset) * (last - first);
}

/* Writes the addresses of one instance's registers: "msr 0x2002, 0x2003, 0x2004, 0x2005". */
static void addresses_of_instance(const struct cli *cli, const struct wanted *w, uint32_t instance, char *text,
                                  size_t size)
{
  struct pmon_address a;
  size_t n = 0;
  text[0] = 0;
  for (uint32_t k = w->any_index ? 0 : w->id.index; k < (w->any_index ? w->r.count : w->id.index + 1); k++) {
    char place[64];
    if (n + 64 > size || !register_place(cli, w, instance, k, &a))
      continue;
    pmon_address_format(&a, place, sizeof place);
    const char *last = strrchr(place, '+');
    last = last ? last : strrchr(place, ' ');
    n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", " : "", n && last ? last + 1 : place);
  }
}

/* Writes one line for each instance, or for each run of instances at equal distances. */
static void describe_addresses(struct cli *cli, const struct wanted *w)
{
  const uint32_t all = instances_of(w);
  char label[96], text[1024], address[512];
  struct pmon_address a, b, end;
  for (uint32_t i = w->any_instance ? 0 : w->id.instance, last; i < (w->any_instance ? all : w->id.instance + 1);
       i = last + 1) {
    last = i;
    while (w->any_instance && last + 1 < all && is_run(cli, w, i, last + 1))
      last++;
    last = last == i + 1 ? i : last;
    addresses_of_instance(cli, w, i, address, sizeof address);
    if (!*address)
      continue;
    snprintf(label, sizeof label, all > 1 ? "%s%u" : "%s", w->u.name, i);
    if (last > i + 1 && register_place(cli, w, i, 0, &a) && register_place(cli, w, i + 1, 0, &b) &&
        register_place(cli, w, last, 0, &end))
      snprintf(text, sizeof text, "%s: %s; +0x%llx for each instance, to 0x%llx of %s%u", label, address,
               (unsigned long long)(b.offset - a.offset), (unsigned long long)end.offset, w->u.name, last);
    else
      snprintf(text, sizeof text, "%s: %s", label, address);
    describe_line(&cli->out, "address", text);
  }
}

/* Writes "Cn_MSR_PMON_CTL{3-0}", the manuals' spelling of several registers. */
static void register_title(const struct cli *cli, const struct wanted *w, char *text, size_t size)
{
  struct pmon_register_id id = w->id;
  char first[96], last[96];
  id.index = w->any_index ? 0 : w->id.index;
  pmon_register_name(cli->platform, &id, first, sizeof first);
  const size_t n = strlen(w->r.name);
  snprintf(text, size, "%s", first);
  if (!w->any_index || w->r.count < 2 || strlen(first) <= n)
    return;
  id.index = w->r.count - 1;
  pmon_register_name(cli->platform, &id, last, sizeof last);
  snprintf(text, size, "%s{%s-%s}", w->r.name, last + n, first + n);
}

/* Writes registers of units that use the layout or its overlay: "cha.unit_ctl, iio.unit_ctl". False if none do. */
static bool layout_users(struct cli *cli, const char *layout, char *text, size_t size)
{
  struct pmon_register_info r = {.size = sizeof r};
  struct pmon_unit_info u = {.size = sizeof u};
  struct pmon_field_info f = {.size = sizeof f};
  size_t written = 0;
  for (uint32_t i = 0; pmon_unit_describe(cli->platform, i, &u) == PMON_OK; i++)
    for (uint32_t k = 0; pmon_register_describe(cli->platform, i, k, &r) == PMON_OK; k++) {
      bool uses = strcmp(r.layout, layout) == 0;
      for (uint32_t n = r.fields; !uses && pmon_field_describe(cli->platform, i, k, n, &f) == PMON_OK; n++)
        uses = strcmp(f.overlay, layout) == 0;
      if (uses && written < size)
        written += (size_t)snprintf(text + written, size - written, "%s%s.%s", written ? ", " : "", u.name,
                                    pmon_role_name(r.role));
    }
  return written != 0;
}

static void register_text(struct cli *cli, const struct wanted *w)
{
  struct out *o = &cli->out;
  char title[512], role[160];
  register_title(cli, w, title, sizeof title);
  snprintf(role, sizeof role, "%s.%s", w->u.name, pmon_role_name(w->r.role));
  describe_heading(o, title, w->id.unit == PMON_UNIT_NONE ? "a register layout" : role);
  describe_line(o, "what", w->r.brief);
  describe_line(o, "also called", w->r.alias);
  describe_format(o, "layout", "%s, %u bits, 0x%llx after a reset", w->r.layout, w->r.width_bits,
                  (unsigned long long)w->r.reset);
  if (w->id.unit != PMON_UNIT_NONE)
    describe_addresses(cli, w);
  else if (layout_users(cli, w->r.layout, title, sizeof title))
    describe_line(o, "registers", title);
  else
    describe_line(o, "address", "not fixed: found by discovery, or not published");
  describe_layout(cli, w->id.unit, w->id.reg);
  describe_notes(o, "note", w->r.note);
  describe_source(o, w->r.source);
  if (w->r.unsure)
    describe_line(o, "unsure", "no other source confirms this layout");
  describe_line(o, "see", w->r.cite);
}

static bool fill_wanted(struct cli *cli, struct wanted *w)
{
  w->r.size = sizeof w->r;
  w->u = (struct pmon_unit_info){.size = sizeof w->u, .name = ""};
  if (w->id.unit != PMON_UNIT_NONE)
    pmon_unit_describe(cli->platform, w->id.unit, &w->u);
  return pmon_register_describe(cli->platform, w->id.unit, w->id.reg, &w->r) == PMON_OK;
}

bool describe_register(struct cli *cli, const char *name)
{
  struct pmon_register_match m = {.size = sizeof m};
  if (pmon_register_resolve(cli->platform, name, &m) != PMON_OK)
    return false;
  struct wanted w = {.id = m.id, .any_instance = m.any_instance, .any_index = m.any_index};
  if (!fill_wanted(cli, &w))
    return false;
  register_text(cli, &w);
  return true;
}

bool describe_register_family(struct cli *cli, const char *name)
{
  bool any = false;
  char member[64];
  const bool word = name[0] >= 'A' && !strpbrk(name, "/.:,") && strlen(name) < sizeof member - 3; /* not an address */
  for (unsigned i = 0; word && i < 64; i++) {
    snprintf(member, sizeof member, "%s%u", name, i);
    any |= describe_register(cli, member);
  }
  return any;
}

/* What the arguments select: patterns of names, one register, or one instance. */
struct selection {
  const struct cli_options *o;
  uint32_t unit; /* UINT32_MAX: all */
  struct pmon_register_match one, instance;
  bool has_one, has_instance;
};

/* Whether a text names a unit, possibly with an instance (cha3); this selects all its registers. */
static bool select_unit(struct cli *cli, const char *text, struct selection *s)
{
  struct pmon_register_info r = {.size = sizeof r};
  uint32_t unit;
  char name[160];
  if (pmon_unit_find(cli->platform, text, &unit) != PMON_OK ||
      pmon_register_describe(cli->platform, unit, 0, &r) != PMON_OK)
    return false;
  snprintf(name, sizeof name, "%s.%s", text, pmon_role_name(r.role));
  s->instance.size = sizeof s->instance;
  s->has_instance = pmon_register_resolve(cli->platform, name, &s->instance) == PMON_OK;
  return s->has_instance;
}

static bool is_selected(const struct selection *s, const struct wanted *w)
{
  if ((s->unit != UINT32_MAX && w->id.unit != s->unit) || (s->has_instance && w->id.unit != s->instance.id.unit) ||
      (s->has_one && (w->id.unit != s->one.id.unit || w->id.reg != s->one.id.reg)))
    return false;
  for (int i = 0; !s->has_one && !s->has_instance && i < s->o->n; i++)
    if (!describe_matches(s->o->args[i], w->r.name) && !describe_matches(s->o->args[i], w->r.layout) &&
        !describe_matches(s->o->args[i], w->r.alias))
      return false;
  return true;
}

static void list_one(struct cli *cli, const struct selection *s, struct wanted *w)
{
  w->any_instance = w->any_index = true;
  if (s->has_one) {
    w->id = s->one.id;
    w->any_instance = s->one.any_instance;
    w->any_index = s->one.any_index;
  } else if (s->has_instance) {
    w->id.instance = s->instance.id.instance;
    w->any_instance = s->instance.any_instance;
  }
  if (s->o->json)
    register_json(cli, w);
  else
    register_text(cli, w);
}

static uint32_t list_selected(struct cli *cli, const struct selection *s)
{
  struct pmon_platform_info p = {.size = sizeof p};
  uint32_t found = 0;
  char users[64];
  pmon_platform_describe(cli->platform, &p);
  for (uint32_t i = 0; i <= p.units; i++)
    for (uint32_t k = 0;; k++) {
      struct wanted w = {.id = {.unit = i < p.units ? i : PMON_UNIT_NONE, .reg = k}};
      if (!fill_wanted(cli, &w))
        break;
      if (!is_selected(s, &w) || (i == p.units && !s->has_one && layout_users(cli, w.r.layout, users, sizeof users)))
        continue;
      found++;
      list_one(cli, s, &w);
    }
  return found;
}

static int run_registers(struct cli *cli, int argc, char **argv)
{
  struct cli_options o;
  struct selection s = {.o = &o, .one.size = sizeof s.one};
  uint32_t unit;
  int result;
  if (cli_read_options(cli, argc, argv, &o, &result) != 0 || (result = cli_unit(cli, &o, &s.unit)) != 0)
    return result;
  if (o.n == 1 && !select_unit(cli, o.args[0], &s) && pmon_unit_find(cli->platform, o.args[0], &unit) == PMON_OK)
    return cli_fail(cli, "%s: no such instance; `pmon units` lists the numbers of instances", o.args[0]);
  if (o.n == 1 && !s.has_instance)
    s.has_one = pmon_register_resolve(cli->platform, o.args[0], &s.one) == PMON_OK;
  if (s.has_one && s.unit != UINT32_MAX && s.one.id.unit != s.unit)
    s.has_one = false;
  return describe_found(cli, &o, NEAR_REGISTERS, list_selected(cli, &s));
}

const struct cli_command registers_command = {
    .name = "registers",
    .arguments = "[PATTERN]",
    .brief = "list registers: layouts, fields, addresses",
    .run = run_registers,
    .options = {{cli_unit_option, NULL}, {cli_json_option, NULL}, {NULL, NULL}},
    .notes = "PATTERN is part of a name, a unit (cha), an instance (cha3), a register of it\n"
             "(cha3.ctl0, C3_MSR_PMON_CTL0), or an address (0x2002, pci:30:1.1:0x318).\n",
    .value = CLI_REGISTER,
};
