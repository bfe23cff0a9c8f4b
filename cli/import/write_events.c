/* SPDX-License-Identifier: MIT */
/* Writes the rows of an event file as the events of a fact file. */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "cli/import/import.h"
#include "cli/import/states.h"

static void write_mask(FILE *f, uint32_t mask)
{
  const char *comma = "";
  for (unsigned i = 0; i < 32; i++)
    if (mask >> i & 1) {
      fprintf(f, "%s%u", comma, i);
      comma = ",";
    }
}

/* Writes a row's fields other than code and umask. */
static void write_settings(FILE *f, const struct import *im, const struct import_row *row)
{
  if (row->e.umask >> 8)
    fprintf(f, " %s=0x%llx", import_find_extension(im, row->unit).setting, (unsigned long long)(row->e.umask >> 8));
  for (size_t i = 0; i < INTEL_FIELDS; i++)
    if (i != INTEL_EXT_SEL && row->e.fields[i])
      fprintf(f, " %s=0x%llx", import_control_field(im, row->unit, intel_fields[i].field).setting,
              (unsigned long long)row->e.fields[i]);
  fputs(row->settings, f);
}

static bool has_settings(const struct import_row *row)
{
  bool some = row->e.umask >> 8 || *row->settings;
  for (size_t i = 0; i < INTEL_FIELDS; i++)
    some = some || (i != INTEL_EXT_SEL && row->e.fields[i]);
  return some;
}

/* Writes filters that the user has to set for the event to be meaningful. */
static void write_needed_filters(FILE *f, const struct import *im, const struct import_row *row)
{
  const struct import_kind *kind = im->units[row->unit].kind;
  bool missing;
  if (kind && !*row->settings && kinds_needed_filter(row->e.filter, &missing)) {
    fputs(" filters ", f);
    kinds_write_filters(f, kind, row->e.filter);
  }
}

static bool row_has_note(const struct import_row *row)
{
  return *row->e.filter && !strchr(row->e.filter, '=') && !row->e.word;
}

static bool row_counts_states(const struct import_row *row)
{
  return states_are_counted(row->e.brief, row->event, row->umask ? row->umask : "");
}

/* Whether the event counts states with each of its umasks. */
static bool all_count_states(const struct import_row *rows, size_t n)
{
  bool all = true;
  for (size_t i = 0; i < n; i++)
    all = all && row_counts_states(&rows[i]);
  return all;
}

static void write_umask(FILE *f, const struct import *im, const struct import_row *row, const char *name, bool states)
{
  fprintf(f, "  umask %s 0x%02llx%s%s", name, (unsigned long long)(row->e.umask & 0xff), row->umask ? "" : " default",
          states ? " states" : "");
  write_settings(f, im, row);
  if (row->e.counters) {
    fputs(" counters ", f);
    write_mask(f, row->e.counters);
  }
  if (*row->filters)
    fprintf(f, " filters %s", row->filters);
  write_needed_filters(f, im, row);
  fputs(" | ", f);
  import_write_sentence(f, *row->e.brief ? row->e.brief : row->e.name);
  if (row_has_note(row)) {
    fputs("    note the file's filter: ", f);
    import_write_text(f, row->e.filter, "-");
  }
}

/* Returns a name for the umask of an event without one that differs from the other umasks' names. */
static const char *free_name(const struct import_row *rows, size_t n)
{
  static const char *const names[] = {"ALL", "BARE", "ITSELF"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    size_t k = 1;
    while (k < n && strcasecmp(rows[k].umask, names[i]) != 0)
      k++;
    if (k == n)
      return names[i];
  }
  return "AS-IN-THE-FILE";
}

/* The rows of one event: the first one, and what all of them determine. */
struct import_event {
  const struct import_row *rows;
  size_t n;
  bool bare;         /* the first row is the event without a umask */
  bool states;       /* each row counts states */
  uint32_t counters; /* of the bare event, or of any row; 0: none is named */
  bool known;        /* each row names its counters */
  const char *overlay;
};

static struct import_event event_of(const struct import_row *rows, size_t n)
{
  struct import_event v = {.rows = rows, .n = n, .known = true, .overlay = ""};
  v.bare = !rows->umask && !(rows->e.umask & 0xff) && (n == 1 || !has_settings(rows));
  v.states = all_count_states(rows, n);
  v.counters = v.bare ? rows->e.counters : 0;
  for (size_t i = 0; i < n; i++) {
    v.counters |= v.bare ? 0 : rows[i].e.counters;
    v.known = v.known && rows[i].e.counters;
    v.overlay = *v.overlay ? v.overlay : rows[i].overlay;
  }
  return v;
}

static void write_event_filters(FILE *f, const struct import *im, const struct import_event *v)
{
  const struct import_row *first = v->rows;
  const struct import_kind *kind = im->units[first->unit].kind;
  if (v->bare && *first->filters)
    fprintf(f, " filters %s", first->filters);
  if (kind && kind->filters != FILTERS_NONE) {
    fputs(" filters ", f);
    kinds_write_filters(f, kind, v->bare && !*first->settings ? first->e.filter : "");
  }
}

/* Writes the line `event`. */
static void write_event_head(FILE *f, const struct import *im, const struct import_event *v)
{
  const struct import_row *first = v->rows;
  const bool programmed = first->e.kind == PMON_EVENT_PROGRAMMED;
  fprintf(f, "event %s ", first->event);
  if (first->e.kind == PMON_EVENT_FIXED)
    fputs("fixed fixed_ctr counters -", f);
  else if (first->e.kind == PMON_EVENT_FREERUNNING)
    fprintf(f, "fixed free:%u counters -", first->e.index);
  else
    fprintf(f, "0x%02llx", (unsigned long long)first->e.code);
  fputs(v->states ? " states" : "", f);
  if (programmed && v->counters && (v->known || v->bare)) {
    fputs(" counters ", f);
    write_mask(f, v->counters);
  }
  if (*v->overlay)
    fprintf(f, " overlay %s", v->overlay);
  if (first->kernel_event)
    fprintf(f, " attr perf=%s", first->kernel_event);
  if (first->e.fields[INTEL_EXT_SEL] && programmed)
    fprintf(f, " ev_sel_ext=0x%llx", (unsigned long long)first->e.fields[INTEL_EXT_SEL]);
  if (v->bare && v->n > 1)
    fputs(" bare", f);
  if (v->bare && v->n == 1 && programmed)
    write_settings(f, im, first);
  write_event_filters(f, im, v);
  fputc('\n', f);
}

/* Writes the lines about the event that follow: what it counts, and where the files differ from the facts' form. */
static void write_event_notes(FILE *f, const struct import *im, const struct import_event *v)
{
  const struct import_row *first = v->rows;
  fputs("  brief ", f);
  import_write_text(f, first->e.brief, first->e.name);
  if (strcmp(first->source, im->source)) {
    fputs("  cite ", f);
    import_write_text(f, first->source, "-");
  }
  if (first->apart) {
    const char *prefix = im->units[first->unit].prefix, *name = first->e.name;
    fprintf(f, "  alias %s\n", strncasecmp(name, prefix, strlen(prefix)) ? name : name + strlen(prefix));
  }
  if (v->bare && row_has_note(first)) {
    fputs("  note the file's filter: ", f);
    import_write_text(f, first->e.filter, "-");
  }
}

static void import_write_event(FILE *f, const struct import *im, const struct import_row *rows, size_t n)
{
  const struct import_event v = event_of(rows, n);
  write_event_head(f, im, &v);
  write_event_notes(f, im, &v);
  for (size_t i = v.bare || rows->e.kind != PMON_EVENT_PROGRAMMED ? 1 : 0; i < n; i++)
    write_umask(f, im, &rows[i], rows[i].umask ? rows[i].umask : free_name(rows, n),
                !v.states && row_counts_states(&rows[i]));
}

void import_write_events(FILE *f, const struct import *im)
{
  fprintf(f, "# Events of %s, written by pmon import.\ncite ", im->source);
  import_write_text(f, im->source, "-");
  uint32_t unit = UINT32_MAX;
  for (size_t i = 0, n; i < im->n_rows && im->rows[i].used; i += n) {
    const struct import_row *rows = &im->rows[i];
    for (n = 1; i + n < im->n_rows && rows[n].used && import_same_event(rows, &rows[n]);)
      n++;
    if (rows->unit != unit)
      fprintf(f, "\nevents %s\n", im->units[rows->unit].name);
    unit = rows->unit;
    import_write_event(f, im, rows, n);
  }
  if (import_has_other_pmus(im))
    import_write_other_pmus(f, IMPORT_EVENTS);
}
