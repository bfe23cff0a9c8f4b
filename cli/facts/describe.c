/* SPDX-License-Identifier: MIT */
#include "cli/facts/describe.h"
#include "cli/common/event_name.h"
#include "cli/facts/near.h"
#include "cli/facts/perf_spelling.h"
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LABEL 12

void describe_event_name(struct out *o, const struct pmon_event_info *e)
{
  out_text(o, e->unit);
  out_char(o, '/');
  out_text(o, e->event);
  if (e->umask) {
    out_char(o, '.');
    out_text(o, e->umask);
  }
  out_char(o, '/');
}

size_t describe_event_name_length(const struct pmon_event_info *e)
{
  return strlen(e->unit) + strlen(e->event) + (e->umask ? strlen(e->umask) + 1 : 0) + 2;
}

static void describe_filters_json(struct out *o, const char *list)
{
  json_open(o, "filters", '[');
  while (*list) {
    char one[128];
    size_t n = strcspn(list, ",");
    snprintf(one, sizeof one, "%.*s", (int)n, list);
    json_text(o, NULL, one);
    list += n + (list[n] == ',');
  }
  json_close(o, ']');
}

/* Returns umask_ext, or for a unit without that field the ninth bit of its event select. */
static uint64_t describe_extension(const struct pmon_event_info *e)
{
  for (uint32_t i = 0; !e->ext && i < e->n_fields; i++)
    if (!strcmp(e->fields[i].name, "ev_sel_ext"))
      return e->fields[i].value;
  return e->ext;
}

void describe_origin_json(struct out *o, const char *source, bool unsure, const char *cite)
{
  json_text(o, "source", source);
  json_bool(o, "unsure", unsure);
  json_text(o, "cite", cite);
}

void describe_event_json(struct out *o, const struct pmon_event_info *e)
{
  char name[512];
  event_name_format(e->unit, e, name, sizeof name);
  json_open(o, NULL, '{');
  json_text(o, "platform", e->platform);
  json_text(o, "unit", e->unit);
  json_text(o, "event", e->event);
  json_text(o, "umask", e->umask);
  json_text(o, "name", name);
  json_number(o, "code", e->code);
  json_number(o, "umask_value", e->umask_value);
  json_number(o, "ext", describe_extension(e));
  json_open(o, "fields", '{');
  for (uint32_t i = 0; i < e->n_fields; i++)
    json_number(o, e->fields[i].name, e->fields[i].value);
  json_close(o, '}');
  json_open(o, "counters", '[');
  for (unsigned i = 0; e->kind == PMON_EVENT_PROGRAMMED && i < 32; i++)
    if (e->counters >> i & 1)
      json_number(o, NULL, i);
  json_close(o, ']');
  json_number(o, "max_inc", e->max_inc);
  json_bool(o, "states", e->states);
  json_text(o, "category", e->category);
  describe_filters_json(o, e->filters);
  if (e->n_attrs) {
    json_open(o, "attrs", '{');
    for (uint32_t i = 0; i < e->n_attrs; i++)
      json_text(o, e->attrs[i].key, e->attrs[i].value);
    json_close(o, '}');
  }
  json_text(o, "brief", e->brief);
  describe_origin_json(o, e->source, e->unsure, e->cite);
  json_close(o, '}');
}

void describe_line(struct out *o, const char *label, const char *text)
{
  if (!text || !*text)
    return;
  unsigned width = cli_width();
  out_text(o, "  ");
  out_style(o, OUT_DIM);
  out_padded(o, label, LABEL);
  out_style(o, OUT_PLAIN);
  out_wrapped(o, text, LABEL + 2, width ? width : 100);
}

void describe_format(struct out *o, const char *label, const char *format, ...)
{
  char text[1024];
  va_list ap;
  va_start(ap, format);
  vsnprintf(text, sizeof text, format, ap);
  va_end(ap);
  describe_line(o, label, text);
}

void describe_heading(struct out *o, const char *text, const char *what)
{
  out_style(o, OUT_BOLD);
  out_text(o, text);
  out_style(o, OUT_PLAIN);
  if (*what) {
    out_text(o, "  ");
    out_wrapped_from(o, what, out_length(text) + 2, LABEL + 2, cli_width());
  } else {
    out_char(o, '\n');
  }
}

void describe_notes(struct out *o, const char *label, const char *text)
{
  while (*text) {
    size_t n = strcspn(text, "\n");
    describe_format(o, label, "%.*s", (int)n, text);
    text += n + (text[n] != 0);
  }
}

void describe_event_notes(struct out *o, const struct pmon_event_info *e)
{
  describe_notes(o, "note", e->event_note);
  if (strcmp(e->note, e->event_note))
    describe_notes(o, "note", e->note);
}

void describe_selection(struct out *o, const struct pmon_event_info *e)
{
  char text[512];
  int n = snprintf(text, sizeof text, "event 0x%02x, umask 0x%02x", e->code, (unsigned)e->umask_value);
  if (e->ext)
    n += snprintf(text + n, sizeof text - (size_t)n, ", umask_ext 0x%llx", (unsigned long long)e->ext);
  for (uint32_t i = 0; i < e->n_fields && n < 400; i++)
    n += snprintf(text + n, sizeof text - (size_t)n, ", %s 0x%llx", e->fields[i].name,
                  (unsigned long long)e->fields[i].value);
  describe_line(o, "selected by", text);
}

void describe_other_names(struct out *o, const struct pmon_unit_info *u, const struct pmon_event_info *e,
                          const char *name)
{
  char perf[512];
  /* A row of a guide may be absent from the event files; only a row that was taken from them is certain. */
  const bool listed = !strncmp(e->source, "PM ", 3) || strstr(e->cite, ".json");
  if (e->event && *u->prefix)
    describe_format(o, listed ? "event files" : "Intel style", "%s%s%s%s", u->prefix, e->event, e->umask ? "." : "",
                    e->umask ? e->umask : "");
  if (e->event && *u->perf && e->kind == PMON_EVENT_PROGRAMMED && (!e->n_fields || u->perf_only) &&
      perf_spelling(u, e, name, perf, sizeof perf))
    describe_line(o, "perf", perf);
}

void describe_source(struct out *o, const char *source)
{
  static const char key[] = "MOD ", own[] = "MOD own"; /* data/sources.md */
  if (!strcmp(source, own))
    describe_line(o, "source", "pmon's own");
  else if (!strncmp(source, key, sizeof key - 1))
    describe_format(o, "source", "pmon's own: %s", source + sizeof key - 1);
  else
    describe_line(o, "source", source);
}

void describe_scale(const struct pmon_event_info *e, char *text, size_t size)
{
  snprintf(text, size,
           e->level == PMON_LEVEL_MEAN ? "%g %s for one microsecond; reports print the mean level" : "%g %s", e->scale,
           e->result);
}

void describe_mask(uint64_t mask, char *text, size_t size)
{
  size_t n = 0;
  text[0] = 0;
  for (unsigned i = 0; i < 64 && n + 8 < size; i++)
    if (mask >> i & 1)
      n += (size_t)snprintf(text + n, size - n, "%s%u", n ? ", " : "", i);
}

void describe_address_json(struct out *o, const struct pmon_address *a)
{
  char device[24] = "";
  if (a->space == PMON_SPACE_PCI)
    snprintf(device, sizeof device, "%u:%u.%u", a->device >> 8, a->device >> 3 & 31, a->device & 7);
  else if (a->space == PMON_SPACE_MMIO)
    snprintf(device, sizeof device, "MEM%u", a->device);
  json_text(o, "space", pmon_space_name(a->space));
  if (*device)
    json_text(o, "device", device);
  json_number(o, "address", a->offset);
}

#define FIELDS 96

void describe_register_json(struct cli *cli, const struct describe_register *r)
{
  struct out *o = &cli->out;
  struct pmon_field_value fields[FIELDS];
  size_t n = pmon_value_fields(cli->platform, &r->id, r->value, r->overlay, fields, FIELDS);
  char name[96];
  pmon_register_name(cli->platform, &r->id, name, sizeof name);
  json_open(o, NULL, '{');
  json_text(o, "register", name);
  describe_address_json(o, &r->address);
  json_number(o, "value", r->value);
  json_open(o, "fields", '{');
  for (size_t i = 0; i < n && i < FIELDS; i++)
    json_number(o, fields[i].name, fields[i].value);
  json_close(o, '}');
  json_close(o, '}');
}

void describe_fields(struct cli *cli, const struct describe_register *r, size_t indent)
{
  struct out *o = &cli->out;
  struct pmon_field_value fields[FIELDS];
  size_t n = pmon_value_fields(cli->platform, &r->id, r->value, r->overlay, fields, FIELDS);
  const unsigned width = cli_width();
  for (size_t i = 0; i < n && i < FIELDS; i++) {
    const struct pmon_field_value *f = &fields[i];
    char bits[16], value[64], text[1024];
    if (!f->value)
      continue;
    const size_t at = indent + (*f->overlay ? 2 + 6 : 8);
    snprintf(bits, sizeof bits, f->hi == f->lo ? "%u" : "%u:%u", f->hi, f->lo);
    out_repeat(o, ' ', indent + (*f->overlay ? 2 : 0));
    out_padded(o, bits, *f->overlay ? 6 : 8);
    out_style(o, OUT_NAME);
    out_text(o, f->name);
    out_style(o, OUT_PLAIN);
    const bool named = pmon_value_name(cli->platform, &r->id, f, value, sizeof value);
    snprintf(text, sizeof text, "=0x%llx%s%s%s%s%s", (unsigned long long)f->value, named ? " (" : "",
             named ? value : "", named ? ")" : "", *f->meaning ? "  " : "", f->meaning);
    out_wrapped_from(o, text, at + out_length(f->name), at + 2, width);
  }
}

bool describe_matches(const char *pattern, const char *text)
{
  if (strpbrk(pattern, "*?"))
    return fnmatch(pattern, text, FNM_CASEFOLD) == 0;
  return strcasestr(text, pattern) != NULL;
}

bool describe_name_wanted(const struct cli_options *o, const char *a, const char *b)
{
  for (int i = 0; i < o->n; i++)
    if (!describe_matches(o->args[i], a) && !describe_matches(o->args[i], b))
      return false;
  return true;
}

int describe_found(const struct cli *cli, const struct cli_options *o, unsigned kinds, uint32_t found)
{
  char names[512];
  if (found || !o->n)
    return CLI_DONE;
  near_format(cli, kinds, o->args[0], names, sizeof names);
  if (*names)
    return cli_fail(cli, "%s: no match%s", o->args[0], names);
  return cli_fail(cli, "%s: no match; `pmon %s` lists all", o->args[0], cli->command->name);
}

uint32_t describe_lowest_bit(uint64_t mask)
{
  uint32_t i = 0;
  while (i < 63 && !(mask >> i & 1))
    i++;
  return i;
}

uint32_t describe_first_counter(const struct pmon_event *event)
{
  return pmon_event_leader(event, describe_lowest_bit(pmon_event_counters(event)));
}

void describe_violations(struct cli *cli, const struct pmon_image *image, const struct pmon_image_register *r)
{
  struct pmon_decoded d = {.size = sizeof d, .beside = image};
  char text[256];
  if (pmon_decode_value(cli->platform, &r->id, r->value, &d) != PMON_OK)
    return;
  for (uint32_t i = 0; i < d.n_violations; i++) {
    snprintf(text, sizeof text, "%s (%s)", d.violations[i].text, d.violations[i].cite);
    describe_line(&cli->out, "violation", text);
  }
}
