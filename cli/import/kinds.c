/* SPDX-License-Identifier: MIT */
#include "cli/import/kinds.h"

#include <string.h>
#include <strings.h>

enum { MOST_REGISTERS = 7 };

static const struct import_kind kinds[] = {
#define KIND(unit, pmu, control, filters) {unit, pmu, LAYOUT_##control, FILTERS_##filters},
#include "cli/import/kinds.inc"
#undef KIND
};

static const struct import_kind unknown = {"", "", LAYOUT_STANDARD, FILTERS_NONE},
                                unknown_ports = {"", "", LAYOUT_PORTS, FILTERS_NONE};

static const struct kind_field {
  enum import_layout layout;
  const char *name, *alias;
  unsigned bits;
  const char *meaning;
} fields[] = {
#define FIELD(layout, name, alias, bits, meaning) {LAYOUT_##layout, name, alias, bits, meaning},
#include "cli/import/layouts.inc"
#undef FIELD
};
enum { FIELDS = sizeof fields / sizeof *fields };

/* Names of layouts and filter registers; no other platform has names that begin like these. */
static const char *const layout_names[LAYOUTS] = {
    [LAYOUT_STANDARD] = "PERF_CTL",           [LAYOUT_PORTS] = "PERF_CTL_PORTS",    [LAYOUT_POWER] = "PERF_CTL_POWER",
    [LAYOUT_CORE] = "PERF_CTL_CORE",          [LAYOUT_COUNTER] = "PERF_CTR",        [LAYOUT_WORD] = "PERF_FILTER_WORD",
    [LAYOUT_CHA] = "PERF_FILTER_CHA",         [LAYOUT_CBOX] = "PERF_FILTER",        [LAYOUT_CBOX2] = "PERF_FILTER2",
    [LAYOUT_BANDS] = "PERF_FILTER_BANDS",     [LAYOUT_UBOX] = "PERF_FILTER_UBOX",   [LAYOUT_QPI] = "PERF_MATCH",
    [LAYOUT_QPI2] = "PERF_MATCH_WORDS",       [LAYOUT_QPI3] = "PERF_MASK",          [LAYOUT_QPI4] = "PERF_MASK_WORDS",
    [LAYOUT_LATENCY] = "PERF_FILTER_LATENCY", [LAYOUT_WORD2] = "PERF_FILTER_WORD2",
};

/* The filter registers of each kind, terminated by LAYOUTS. */
static const enum import_layout filter_registers[FILTERS_N][MOST_REGISTERS] = {
    [FILTERS_NONE] = {LAYOUTS},
    [FILTERS_CHA] = {LAYOUT_CHA, LAYOUT_WORD, LAYOUTS},
    [FILTERS_SKX] = {LAYOUT_CBOX, LAYOUT_CBOX2, LAYOUT_WORD, LAYOUTS},
    [FILTERS_CBOX] = {LAYOUT_CBOX, LAYOUT_WORD, LAYOUTS},
    [FILTERS_BANDS] = {LAYOUT_BANDS, LAYOUT_WORD, LAYOUTS},
    [FILTERS_UBOX] = {LAYOUT_UBOX, LAYOUT_WORD, LAYOUTS},
    [FILTERS_QPI] = {LAYOUT_QPI, LAYOUT_QPI2, LAYOUT_QPI3, LAYOUT_QPI4, LAYOUT_WORD, LAYOUT_WORD2, LAYOUTS},
    [FILTERS_CORE] = {LAYOUT_WORD, LAYOUT_LATENCY, LAYOUTS},
};

const struct import_kind *kinds_find(const char *unit, bool words)
{
  unit = words && !strcasecmp(unit, "CHA") ? "CHA filtered" : unit;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (!strcasecmp(unit, kinds[i].unit))
      return &kinds[i];
  return NULL;
}

const struct import_kind *kinds_unknown(bool ports)
{
  return ports ? &unknown_ports : &unknown;
}

bool kinds_list_has(const char *list, const char *name)
{
  const size_t n = strlen(name);
  for (; *list; list += strcspn(list, ","), list += *list == ',')
    if (strcspn(list, ",") == n && !strncasecmp(name, list, n))
      return true;
  return false;
}

static const struct kind_field *field_of_layout(enum import_layout layout, const char *name)
{
  for (size_t i = 0; i < FIELDS; i++)
    if (fields[i].layout == layout && (!strcasecmp(name, fields[i].name) || kinds_list_has(fields[i].alias, name)))
      return &fields[i];
  return NULL;
}

unsigned kinds_control_field(const struct import_kind *kind, const char *name, char *setting, size_t size)
{
  const struct kind_field *f = field_of_layout(kind->control, name);
  snprintf(setting, size, "%s", f ? f->name : "");
  return f ? f->bits : 0;
}

unsigned kinds_filter_field(const struct import_kind *kind, const char *name, char *setting, size_t size)
{
  const struct kind_field *f;
  for (const enum import_layout *r = filter_registers[kind->filters]; *r != LAYOUTS; r++)
    if ((f = field_of_layout(*r, name))) {
      snprintf(setting, size, "%s.%s", layout_names[*r], f->name);
      return f->bits;
    }
  *setting = 0;
  return 0;
}

static void write_layout(FILE *f, enum import_layout layout)
{
  unsigned bits = 0;
  for (size_t i = 0; i < FIELDS; i++)
    bits += fields[i].layout == layout ? fields[i].bits : 0;
  fprintf(f, "register %s width 64\n  brief Terms of Linux perf; only the kernel knows the positions of the bits.\n",
          layout_names[layout]);
  if (bits < 64)
    fprintf(f, "  63:%u - rsvd 0 -\n", bits);
  for (size_t i = FIELDS; i-- > 0;) {
    const struct kind_field *field = &fields[i];
    if (field->layout != layout)
      continue;
    bits -= field->bits;
    fprintf(f, "  %u:%u %s rw 0 %s%s%s%s\n", bits + field->bits - 1, bits, field->name, *field->alias ? "alias=" : "",
            field->alias, *field->alias ? " " : "", field->meaning);
  }
}

void kinds_write_layouts(FILE *f)
{
  for (enum import_layout i = 0; i < LAYOUTS; i++)
    write_layout(f, i);
}

void kinds_write_registers(FILE *f, const struct import_kind *kind, uint32_t counters)
{
  fprintf(f, "  register ctl CTL %s 0x0 count %u\n  register ctr CTR %s 0x100 count %u\n", layout_names[kind->control],
          counters, layout_names[LAYOUT_COUNTER], counters);
  const enum import_layout *r = filter_registers[kind->filters];
  for (unsigned i = 0; *r != LAYOUTS; r++, i++)
    fprintf(f, "  register filter %s %s 0x%x index %u\n", layout_names[*r], layout_names[*r], 0x200 + 8 * i, i);
}

static const struct needed_filter {
  const char *text, *field;
} needed_filters[] = {
    {"CBoFilter[31:23]", "filter_opc"},    {"CBoFilter1[28:20]", "filter_opc"},   {"CBoFilter[22:18]", "filter_state"},
    {"CBoFilter0[23:17]", "filter_state"}, {"CBoFilter0[22:18]", "filter_state"}, {"CBoFilter[17:10]", "filter_nid"},
    {"CBoFilter1[15:0]", "filter_nid"},    {"CBoFilter1[17:10]", "filter_nid"},   {"PCUFilter[7:0]", "filter_band0"},
    {"PCUFilter[15:8]", "filter_band1"},   {"PCUFilter[23:16]", "filter_band2"},  {"PCUFilter[31:24]", "filter_band3"},
    {"QPIMatch0[17:0]", "match_mc"},       {"QPIMask0[17:0]", "mask_mc"},
};
enum { NEEDED = sizeof needed_filters / sizeof *needed_filters };

static bool is_needed(const char *field, const char *text)
{
  for (size_t i = 0; i < NEEDED; i++)
    if (!strcmp(needed_filters[i].field, field) && strstr(text, needed_filters[i].text))
      return true;
  return false;
}

void kinds_write_filters(FILE *f, const struct import_kind *kind, const char *text)
{
  const char *comma = "";
  for (const enum import_layout *r = filter_registers[kind->filters]; *r != LAYOUTS; r++)
    for (size_t i = 0; i < FIELDS; i++)
      if (fields[i].layout == *r) {
        fprintf(f, "%s%s.%s%s", comma, layout_names[*r], fields[i].name, is_needed(fields[i].name, text) ? "!" : "");
        comma = ",";
      }
}

bool kinds_needed_filter(const char *text, bool *ret_missing)
{
  *ret_missing = strstr(text, "HA_AddrMatch") || strstr(text, "HA_OpcodeMatch");
  for (size_t i = 0; i < NEEDED; i++)
    if (strstr(text, needed_filters[i].text))
      return true;
  return false;
}
