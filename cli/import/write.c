/* SPDX-License-Identifier: MIT */
/* Writes the contents of an event file as fact files (docs/formats.md). */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "cli/import/import.h"
#include "cli/import/states.h"

/* Writes free text without control characters. */
static void import_write_words(FILE *f, const char *text, size_t n)
{
  for (size_t i = 0; i < n; i++)
    fputc((unsigned char)text[i] < ' ' || text[i] == 127 ? ' ' : text[i], f);
}

void import_write_line(FILE *f, const char *why)
{
  import_write_words(f, why, strlen(why));
  fputs("; omitted\n", f);
}

/* Writes free text as one line. */
void import_write_text(FILE *f, const char *text, const char *instead)
{
  text += strspn(text, " \t\r\n");
  if (!*text)
    text = instead;
  import_write_words(f, text, strlen(text));
  fputc('\n', f);
}

/* Writes a row's description as one line that ends in one period: by docs/formats.md it must be complete in itself. */
static void import_write_sentence(FILE *f, const char *text)
{
  size_t n = strlen(text);
  while (n && (isspace((unsigned char)text[n - 1]) || text[n - 1] == '.'))
    n--;
  import_write_words(f, text, n);
  fputs(".\n", f);
}

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
      fprintf(f, " %s=0x%llx", import_field_find(im, row->unit, intel_fields[i].field, false).setting,
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

static void import_write_event(FILE *f, const struct import *im, const struct import_row *rows, size_t n)
{
  const struct import_row *first = rows;
  bool bare = !first->umask && !(first->e.umask & 0xff) && (n == 1 || !has_settings(first));
  uint32_t counters = bare && first->e.counters ? first->e.counters : 0;
  const char *overlay = "";
  bool known = true;
  const bool states = all_count_states(rows, n);
  for (size_t i = 0; i < n; i++) {
    counters |= bare ? 0 : rows[i].e.counters;
    known = known && rows[i].e.counters;
    overlay = *overlay ? overlay : rows[i].overlay;
  }
  fprintf(f, "event %s ", first->event);
  if (first->e.kind == PMON_EVENT_FIXED)
    fputs("fixed fixed_ctr counters -", f);
  else if (first->e.kind == PMON_EVENT_FREERUNNING)
    fprintf(f, "fixed free:%u counters -", first->e.index);
  else
    fprintf(f, "0x%02llx", (unsigned long long)first->e.code);
  fputs(states ? " states" : "", f);
  if (first->e.kind == PMON_EVENT_PROGRAMMED && counters && (known || bare)) {
    fputs(" counters ", f);
    write_mask(f, counters);
  }
  if (*overlay)
    fprintf(f, " overlay %s", overlay);
  if (first->kernel_event)
    fprintf(f, " attr perf=%s", first->kernel_event);
  if (first->e.fields[INTEL_EXT_SEL] && first->e.kind == PMON_EVENT_PROGRAMMED)
    fprintf(f, " ev_sel_ext=0x%llx", (unsigned long long)first->e.fields[INTEL_EXT_SEL]);
  if (bare && n > 1)
    fputs(" bare", f);
  if (bare && n == 1 && first->e.kind == PMON_EVENT_PROGRAMMED)
    write_settings(f, im, first);
  if (bare && *first->filters)
    fprintf(f, " filters %s", first->filters);
  const struct import_kind *kind = im->units[first->unit].kind;
  if (kind && kind->filters != FILTERS_NONE) {
    fputs(" filters ", f);
    kinds_write_filters(f, kind, bare && !*first->settings ? first->e.filter : "");
  }
  fputs("\n  brief ", f);
  import_write_text(f, first->e.brief, first->e.name);
  if (strcmp(first->source, im->source)) {
    fputs("  cite ", f);
    import_write_text(f, first->source, "-");
  }
  if (first->apart) {
    const char *prefix = im->units[first->unit].prefix, *name = first->e.name;
    fprintf(f, "  alias %s\n", strncasecmp(name, prefix, strlen(prefix)) ? name : name + strlen(prefix));
  }
  if (bare && row_has_note(first)) {
    fputs("  note the file's filter: ", f);
    import_write_text(f, first->e.filter, "-");
  }
  for (size_t i = bare || first->e.kind != PMON_EVENT_PROGRAMMED ? 1 : 0; i < n; i++)
    write_umask(f, im, &rows[i], rows[i].umask ? rows[i].umask : free_name(rows, n),
                !states && row_counts_states(&rows[i]));
}

static void import_write_events(FILE *f, const struct import *im)
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

static bool has_metrics(const struct import *im)
{
  return im->metrics || import_has_other_pmus(im);
}

static void import_write_platform(FILE *f, const struct import *im)
{
  struct pmon_platform_info info = {.size = sizeof info};
  fprintf(f, "# Written by pmon import; pmon -p FILE loads it.\nplatform %s\ntitle ", im->name);
  import_write_text(f, im->title ? im->title : im->source, "-");
  fputs("cite ", f);
  import_write_text(f, im->source, "-");
  fputs(im->cpus, f);
  if (im->base_path) {
    import_copy_clocks(f, im);
  } else if (im->base) {
    pmon_platform_describe(im->base, &info);
    fprintf(f, "import %s registers\n", info.name);
  }
  if (import_has_kernel_units(im) || im->base_path)
    fprintf(f, "file %s.reg\nfile %s.unit\n", im->name, im->name);
  fprintf(f, "file %s.evt\n", im->name);
  if (has_metrics(im))
    fprintf(f, "file %s.met\n", im->name);
}

static int import_write_file(const struct import *im, const char *folder, const char *suffix,
                             void (*write)(FILE *f, const struct import *im))
{
  char path[4096];
  if ((size_t)snprintf(path, sizeof path, "%s%s%s", folder, im->name, suffix) >= sizeof path)
    return cli_fail(im->cli, "%s: the name is too long", folder);
  FILE *f = fopen(path, "we");
  if (!f) {
    cli_fail(im->cli, "%s: %s", path, strerror(errno));
    return CLI_FAILED;
  }
  write(f, im);
  bool good = !ferror(f);
  if (fclose(f) != 0 || !good) {
    cli_fail(im->cli, "%s: %s", path, strerror(errno));
    remove(path);
    return CLI_FAILED;
  }
  return CLI_DONE;
}

int import_write(struct import *im, const char *folder)
{
  int result = import_write_file(im, folder, ".evt", import_write_events);
  if (!result && (import_has_kernel_units(im) || im->base_path)) {
    result = import_write_file(im, folder, ".reg", import_write_registers);
    result = result ? result : import_write_file(im, folder, ".unit", import_write_units);
  }
  if (!result && has_metrics(im))
    result = import_write_file(im, folder, ".met", import_write_metrics);
  return result ? result : import_write_file(im, folder, ".platform", import_write_platform);
}
