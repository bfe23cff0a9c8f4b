/* SPDX-License-Identifier: MIT */
/* pmon show: prints everything that the facts contain about one name. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "cli/common/event_name.h"
#include "cli/common/one_value.h"
#include "cli/facts/describe.h"
#include "cli/facts/near.h"
#include "cli/facts/noted.h"
#include "cli/facts/show_rows.h"

static void show_attrs(struct out *o, const struct pmon_event_info *e)
{
  char text[256] = "";
  size_t n = 0;
  for (uint32_t i = 0; i < e->n_attrs && n < sizeof text; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, "%s%s=%s", i ? " " : "", e->attrs[i].key, e->attrs[i].value);
  describe_line(o, "properties", text);
}

/* Prints an event, or a row that becomes an event only with a value for its filter. */
static void show_event(struct cli *cli, const char *name, uint32_t unit, const struct pmon_event_info *info)
{
  struct out *o = &cli->out;
  const struct pmon_event_info e = *info;
  struct pmon_unit_info u = {.size = sizeof u};
  char text[256];
  pmon_unit_describe(cli->platform, unit, &u);
  describe_heading(o, name, e.event ? u.title : "a raw code: not in the tables of events");
  describe_line(o, "counts", e.brief);
  describe_line(o, "category", e.category);
  if (e.kind == PMON_EVENT_PROGRAMMED) {
    if (e.event) /* the name of a raw code already contains it */
      describe_selection(o, &e);
    describe_mask(e.counters, text, sizeof text);
    describe_format(o, "counters", "%s of %u, %u bit", text, u.counters, u.width_bits);
    if (!u.instances)
      show_rows_elsewhere(cli, &e);
  } else {
    describe_line(o, "counter",
                  e.kind == PMON_EVENT_FIXED ? "the unit's fixed counter" : "free-running: cannot be stopped");
  }
  if (e.max_inc)
    describe_format(o, "increment", "at most %u per cycle of %s", e.max_inc, u.clock);
  if (e.scale != 0) {
    describe_scale(&e, text, sizeof text);
    describe_line(o, "one count", text);
  }
  describe_line(o, "filters", e.filters);
  show_attrs(o, &e);
  describe_line(o, "attributes", e.overlay);
  if (e.exclusive)
    describe_line(o, "umasks", "must not be combined");
  describe_line(o, "also called", e.alias);
  describe_other_names(o, &u, &e, name);
  describe_event_notes(o, &e);
  describe_source(o, e.source);
  if (e.unsure)
    describe_line(o, "unsure", "this row is not confirmed");
  describe_line(o, "see", strcmp(e.cite, e.source) ? e.cite : "");
}

/* Formats the n bytes of a filter, `IBR0.addr|IBR1.mask|PMC32.mask!`, as "IBR0.addr, IBR1.mask or PMC32.mask", and
 * copies the first field to `first`. A field without alternatives does not need its register's name. */
static void format_filter(const char *filter, size_t n, char *text, size_t size, char first[static 32])
{
  const char *dot = memchr(filter, '|', n) ? NULL : memchr(filter, '.', n), *words[8];
  const char *begin = dot ? dot + 1 : filter;
  char fields[128], *rest;
  size_t k = 0;
  snprintf(fields, sizeof fields, "%.*s", (int)(n - (size_t)(begin - filter)), begin);
  for (char *word = strtok_r(fields, "|!", &rest); word && k < 8; word = strtok_r(NULL, "|!", &rest))
    words[k++] = word;
  snprintf(first, 32, "%s", k ? words[0] : "");
  cli_format_words(words, k, text, size);
}

/* Prints the filters marked `!`: the event does not count unless each of them has a value. */
static void show_needed_filters(struct out *o, const char *name, const char *filters)
{
  char wanted[400] = "", attributes[200] = "";
  while (*filters) {
    const size_t n = strcspn(filters, ","), at = strlen(wanted), end = strlen(attributes);
    char fields[160], first[32];
    if (n && filters[n - 1] == '!') {
      format_filter(filters, n, fields, sizeof fields, first);
      snprintf(wanted + at, sizeof wanted - at, "%s%s", at ? " and of " : "", fields);
      snprintf(attributes + end, sizeof attributes - end, ",%s=VALUE", first);
    }
    filters += n + (filters[n] == ',');
  }
  if (*wanted)
    describe_format(o, "needs", "a value of %s: %.*s%s/", wanted, (int)strlen(name) - 1, name, attributes);
}

/* Whether the first n bytes of the text name this row: as EVENT.UMASK, with or without the unit's prefix of event
 * files, or as EVENT:UMASK, libpfm4's spelling. */
static bool row_is_called(struct cli *cli, uint32_t unit, const char *row, const char *text, size_t n)
{
  struct pmon_unit_info u = {.size = sizeof u};
  if (pmon_unit_describe(cli->platform, unit, &u) == PMON_OK && strncasecmp(text, u.prefix, strlen(u.prefix)) == 0) {
    const size_t prefix = strlen(u.prefix) < n ? strlen(u.prefix) : n;
    text += prefix;
    n -= prefix;
  }
  size_t i = 0;
  while (i < n &&
         (tolower((unsigned char)row[i]) == tolower((unsigned char)text[i]) || (row[i] == '.' && text[i] == ':')))
    i++;
  return i == n && !row[i];
}

/* Prints an event that needs a umask or a filter, or that several units have. */
static bool show_event_rows(struct cli *cli, const char *name)
{
  struct pmon_event_cursor c = {0};
  struct pmon_event_info e = {.size = sizeof e};
  const char *slash = strchr(name, '/'), *pfm = strstr(name, "::");
  const char *begin = slash ? slash + 1 : pfm ? pfm + 2 : name;
  size_t n = strcspn(begin, "/");
  uint32_t unit = UINT32_MAX;
  char unit_name[64];
  if (slash) {
    snprintf(unit_name, sizeof unit_name, "%.*s", (int)(slash - name), name);
    if (pmon_unit_find(cli->platform, unit_name, &unit) != PMON_OK)
      return false;
  }
  while (pmon_event_next(cli->platform, unit, &c, &e)) {
    char row[256];
    snprintf(row, sizeof row, "%s%s%s", e.event, e.umask ? "." : "", e.umask ? e.umask : "");
    if (row_is_called(cli, c.unit, row, begin, n)) { /* `list` prints this row, but it needs a filter to count */
      event_name_format(e.unit, &e, row, sizeof row);
      show_event(cli, row, c.unit, &e);
      show_needed_filters(&cli->out, row, e.filters);
      return true;
    }
    if (strlen(e.event) != n || strncasecmp(e.event, begin, n) != 0)
      continue;
    describe_heading(&cli->out, e.event, e.unit);
    describe_line(&cli->out, "counts", e.event_brief);
    describe_line(&cli->out, "category", e.category);
    show_rows_counters(cli, &e, c.unit);
    describe_line(&cli->out, "filters", e.filters);
    show_attrs(&cli->out, &e);
    describe_line(&cli->out, "attributes", e.overlay);
    describe_notes(&cli->out, "note", e.event_note);
    describe_line(&cli->out, "see", e.cite);
    show_rows_umasks(cli, &e, c.unit);
    return true;
  }
  return false;
}

/* Prints instances whose counters differ from those in the unit's row. */
static void show_odd_instances(struct cli *cli, uint32_t unit, const struct pmon_unit_info *u)
{
  struct pmon_unit_info own = {.size = sizeof own};
  for (uint32_t i = 0; pmon_unit_describe_instance(cli->platform, unit, i, &own) == PMON_OK; i++)
    if (own.counters != u->counters || own.width_bits != u->width_bits)
      describe_format(&cli->out, "but", "%s%u: %u counter%s of %u bits", u->name, i, own.counters,
                      own.counters == 1 ? "" : "s", own.width_bits);
}

static bool show_unit(struct cli *cli, const char *name)
{
  uint32_t unit;
  struct pmon_unit_info u = {.size = sizeof u};
  struct pmon_register_info r = {.size = sizeof r};
  if (pmon_unit_find(cli->platform, name, &unit) != PMON_OK || pmon_unit_describe(cli->platform, unit, &u) != PMON_OK)
    return false;
  struct out *o = &cli->out;
  describe_heading(o, u.name, u.title);
  describe_format(o, "instances", "%u%s with %u counter%s of %u bits", u.instances, u.instances == 1 ? "" : ", each",
                  u.counters, u.counters == 1 ? "" : "s", u.width_bits);
  show_odd_instances(cli, unit, &u);
  describe_line(o, "clock", u.clock);
  describe_line(o, "also called", u.alias);
  describe_line(o, "event files", u.prefix);
  describe_line(o, "perf", u.perf);
  describe_line(o, "libpfm4", u.pfm);
  describe_line(o, u.own_witness ? "own witness" : "witness", u.witness);
  describe_notes(o, "note", u.note);
  describe_source(o, u.source);
  if (u.unsure)
    describe_line(o, "unsure", "no other source confirms this unit's registers");
  describe_line(o, "see", u.cite);
  for (uint32_t i = 0; pmon_register_describe(cli->platform, unit, i, &r) == PMON_OK; i++) {
    struct pmon_register_id id = {unit, i, 0, 0};
    struct pmon_address a;
    char place[64] = "";
    if (pmon_register_address(cli->platform, &id, &a) == PMON_OK)
      pmon_address_format(&a, place, sizeof place);
    char times[16] = "";
    if (r.count > 1)
      snprintf(times, sizeof times, " x %u", r.count);
    describe_format(o, pmon_role_name(r.role), "%s%s at %s (%s)", r.name, times, place, r.layout);
  }
  return true;
}

static bool ends_in_rate(const char *result)
{
  const size_t n = strlen(result);
  return n > 2 && !strcmp(result + n - 2, "/s");
}

static bool show_metric(struct cli *cli, const char *name)
{
  struct pmon_metric_info m = {.size = sizeof m};
  char example[128];
  bool any = false;
  for (uint32_t i = 0; pmon_metric_describe(cli->platform, i, &m) == PMON_OK; i++) {
    if (!describe_is_metric(&m, name))
      continue;
    any = true;
    describe_heading(&cli->out, m.name, m.unit);
    describe_line(&cli->out, "is", m.brief);
    describe_format(&cli->out, "in", "%s%s", *m.result ? m.result : "counts",
                    m.per_second && !ends_in_rate(m.result) ? " a second" : "");
    describe_line(&cli->out, "of", m.of);
    describe_line(&cli->out, "equation", m.equation);
    describe_line(&cli->out, "as printed", m.printed);
    if (*m.param)
      describe_format(&cli->out, "parameter", "%s: %u to %u", m.param, m.param_lo, m.param_hi);
    if (pmon_metric_takes_one_value(cli->platform, i))
      describe_format(&cli->out, "needs", "one value per session: %s", one_value_example(&m, example, sizeof example));
    describe_line(&cli->out, "also called", m.alias);
    describe_line(&cli->out, "stale", m.stale);
    describe_notes(&cli->out, "note", m.note);
    describe_source(&cli->out, m.source);
    if (m.unsure)
      describe_line(&cli->out, "unsure", "no other source confirms this equation");
    describe_line(&cli->out, "see", strcmp(m.cite, m.source) ? m.cite : "");
  }
  return any;
}

/* Prints the fields whose values are in the list: "CHA_CTL.opc". */
static void show_value_fields(struct cli *cli, const char *values)
{
  struct pmon_register_info r = {.size = sizeof r};
  struct pmon_field_info f = {.size = sizeof f};
  char text[512] = "";
  size_t n = 0;
  for (uint32_t k = 0; pmon_register_describe(cli->platform, PMON_UNIT_NONE, k, &r) == PMON_OK; k++)
    for (uint32_t i = 0; i < r.fields && pmon_field_describe(cli->platform, PMON_UNIT_NONE, k, i, &f) == PMON_OK; i++)
      if (strcmp(f.values, values) == 0 && n < sizeof text)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s.%s", n ? ", " : "", r.name, f.name);
  describe_line(&cli->out, "fields", text);
}

static bool show_values(struct cli *cli, const char *name)
{
  struct pmon_values_info v = {.size = sizeof v};
  struct pmon_value_info row = {.size = sizeof row};
  struct out *o = &cli->out;
  uint32_t i = 0;
  while (pmon_values_describe(cli->platform, i, &v) == PMON_OK && strcasecmp(v.name, name) != 0)
    i++;
  if (pmon_values_describe(cli->platform, i, &v) != PMON_OK)
    return false;
  describe_heading(o, v.name, "values");
  for (uint32_t k = 0; pmon_value_describe(cli->platform, i, k, &row) == PMON_OK; k++) {
    char value[32];
    snprintf(value, sizeof value,
             row.value < 10    ? "%llu"
             : row.value >> 32 ? "0x%llx"
                               : "%llu (0x%llx)",
             (unsigned long long)row.value, (unsigned long long)row.value);
    out_text(o, "    ");
    out_style(o, OUT_NAME);
    out_padded(o, row.name, 24);
    out_style(o, OUT_PLAIN);
    out_padded(o, value, 26);
    out_wrapped(o, row.meaning, 56, cli_width());
  }
  if (*v.form)
    describe_format(o, "form", "%sN.M: N in bits %u:%u, M in bits %u:%u", v.form, v.form_hi[0], v.form_lo[0],
                    v.form_hi[1], v.form_lo[1]);
  show_value_fields(cli, v.name);
  describe_notes(o, "note", v.note);
  describe_source(o, v.source);
  if (v.unsure)
    describe_line(o, "unsure", "not completely confirmed");
  describe_line(o, "see", v.cite);
  return true;
}

/* Prints an opcode, a packet or a state, from each list that contains the name. */
static bool show_value(struct cli *cli, const char *name)
{
  struct pmon_values_info v = {.size = sizeof v};
  struct pmon_value_info row = {.size = sizeof row};
  bool any = false;
  for (uint32_t i = 0; pmon_values_describe(cli->platform, i, &v) == PMON_OK; i++)
    for (uint32_t k = 0; pmon_value_describe(cli->platform, i, k, &row) == PMON_OK; k++) {
      if (strcasecmp(row.name, name) != 0)
        continue;
      any = true;
      describe_heading(&cli->out, row.name, "");
      describe_line(&cli->out, "means", row.meaning);
      describe_format(&cli->out, "value", "0x%llx of %s", (unsigned long long)row.value, v.name);
      show_value_fields(cli, v.name);
      describe_line(&cli->out, "see", v.cite);
    }
  return any;
}

/* Prints units whose notes explain why a name of the manual, NAME or UNIT/NAME, is not available here. Returns false if
 * there are none. */
static bool show_noted(struct cli *cli, const char *name)
{
  struct pmon_unit_info u = {.size = sizeof u};
  uint32_t unit = 0;
  bool noted = false;
  for (; noted_next(cli, name, &unit, &u); noted = true) {
    describe_heading(&cli->out, u.name, name);
    describe_notes(&cli->out, "note", u.note);
  }
  return noted;
}

/* Fails for an unknown name, with similar names of all kinds. */
static int show_fail_unknown(struct cli *cli, const char *name)
{
  char names[512];
  near_format(cli, NEAR_REGISTERS | NEAR_VALUES | NEAR_METRICS | NEAR_EVENTS, name, names, sizeof names);
  return cli_fail(cli, "%s: no event, unit, register, metric, group or value has this name%s", name,
                  *names ? names : "; `pmon search WORD...` searches descriptions");
}

static int show_one(struct cli *cli, const struct cli_options *options, char *name)
{
  struct pmon_event *event;
  (void)options;
  if (show_unit(cli, name)) { /* UPI is a unit and a group */
    describe_group(cli, name);
    return CLI_DONE;
  }
  if (show_metric(cli, name) || describe_group(cli, name) || describe_register(cli, name) || show_values(cli, name))
    return CLI_DONE;
  if (pmon_event_resolve(cli->context, cli->platform, name, &event) == PMON_OK) {
    struct pmon_event_info e = {.size = sizeof e};
    pmon_event_describe(event, &e);
    show_event(cli, pmon_event_name(event), pmon_event_unit(event), &e);
    if (e.event && e.has_umasks && !strchr(name, '.'))
      show_rows_umasks(cli, &e, pmon_event_unit(event));
    pmon_event_free(event);
    return CLI_DONE;
  }
  if (show_event_rows(cli, name) || show_value(cli, name) || describe_register_family(cli, name) ||
      show_noted(cli, name))
    return CLI_DONE;
  char own[128];
  if (describe_metric_of_other(cli, name, own, sizeof own) && show_metric(cli, own))
    return CLI_DONE;
  const int status = pmon_event_resolve(cli->context, cli->platform, name, &event); /* its error is the one reported */
  return status == PMON_E_UNKNOWN && !strpbrk(name, "/:.,") ? show_fail_unknown(cli, name)
                                                            : cli_fail_context(cli, name);
}

static int run_show(struct cli *cli, int argc, char **argv)
{
  return cli_each(cli, argc, argv, &(struct cli_each){"NAME", show_one, CLI_NO_PATTERNS});
}

const struct cli_command show_command = {
    .name = "show",
    .arguments = "NAME...",
    .brief = "explain one event, unit, register, metric or metric group",
    .run = run_show,
    .value = CLI_NAME,
    .spellings = true,
};
