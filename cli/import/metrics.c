/* SPDX-License-Identifier: MIT */
/* Reads metric files: Intel's own (aliases, constants and a formula) and Linux perf's (MetricExpr). */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "cli/import/metrics.h"

enum { MOST_METRIC_NAME = 127 };

static bool is_metric_name(const char *name)
{
  const size_t n = strlen(name);
  if (!n || n > MOST_METRIC_NAME)
    return false;
  for (const char *c = name; *c; c++)
    if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.')
      return false;
  return true;
}

static void leave_out_metric(const struct import *im, const struct metric_entry *e, const char *reason)
{
  char why[FORMULA_REASON + 200];
  snprintf(why, sizeof why, "metric %.128s: %s", *e->m.name ? e->m.name : "unnamed", reason);
  if (!im->omitted)
    return;
  fprintf(im->omitted, "%s: ", e->source);
  import_write_line(im->omitted, why);
}

static struct metric_entry *find_entry(const struct import_metrics *m, const char *name)
{
  for (size_t i = 0; i < m->n; i++)
    if (!strcasecmp(m->entries[i].m.name, name))
      return &m->entries[i];
  return NULL;
}

/* Adds the file's metrics; of a metric in several files the first is used, with the unit of MB/s that another one has
 * if the first has none. */
static int add_entries(struct import *im, const struct metric_file *file)
{
  struct import_metrics *m = im->metrics;
  struct metric_entry *entries = realloc(m->entries, (m->n + file->file.n + 1) * sizeof *entries);
  if (!entries)
    return cli_fail_memory(im->cli);
  m->entries = entries;
  const char *slash = strrchr(file->path, '/');
  for (size_t i = 0; i < file->file.n; i++) {
    struct metric_entry e = {.source = slash ? slash + 1 : file->path};
    if (!intel_metric(&file->file, i, &e.m))
      continue;
    struct metric_entry *const other = find_entry(m, e.m.name);
    if (!other)
      m->entries[m->n++] = e;
    else if (!*other->m.unit && !strcmp(e.m.unit, "1MB/s"))
      other->m.unit = e.m.unit;
  }
  return CLI_DONE;
}

int import_metrics_add(struct import *im, const char *path)
{
  char error[512];
  struct import_metrics *m = im->metrics ? im->metrics : calloc(1, sizeof *m);
  if (!m)
    return cli_fail_memory(im->cli);
  im->metrics = m;
  struct metric_file *files = realloc(m->files, (m->n_files + 1) * sizeof *files);
  if (!files)
    return cli_fail_memory(im->cli);
  m->files = files;
  struct metric_file *file = &files[m->n_files];
  *file = (struct metric_file){.path = strdup(path)};
  if (!file->path)
    return cli_fail_memory(im->cli);
  if (intel_open_metrics(path, &file->file, error, sizeof error) != PMON_OK) {
    free(file->path);
    return cli_fail(im->cli, "%s", error);
  }
  m->n_files++;
  return add_entries(im, file);
}

/* The unit of the result, and the conversion of the equation to that unit. pmon itself divides rates by the time. */
static const struct metric_unit {
  const char *text, *result, *before, *after;
} metric_units[] = {
    {"MB/sec", "bytes/s", "(", ") * 1000000 * SAMPLE_INTERVAL"},
    {"1MB/s", "bytes/s", "(", ") * 1000000 * SAMPLE_INTERVAL"},
    {"percent", "ratio", "(", ") / 100"},
    {"100%", "ratio", "", ""},
    {"ns", "ns", "", ""},
    {"1ns", "ns", "", ""},
    {"GHz", "GHz", "", ""},
    {"1GHz", "GHz", "", ""},
    {"per instruction", "per instruction", "", ""},
    {"1per_instr", "per instruction", "", ""},
    {"per second", "events/s", "(", ") * SAMPLE_INTERVAL"},
};

/* Formulas of Intel's files that disagree with the metric's description, until `word` is in their equation: two are
 * right for an interval of one second only, and the utilization of the CPUs is not divided by their number on all
 * processors. */
static const struct metric_correction {
  const char *name, *word, *after;
} metric_corrections[] = {
    {"Info_System_MEM_DRAM_Read_Latency", "SAMPLE_INTERVAL", ") * SAMPLE_INTERVAL"},
    {"Info_System_UPI_Data_Transmit_BW", "SAMPLE_INTERVAL", ") / SAMPLE_INTERVAL"},
    {"Info_System_CPU_Utilization", "INSTANCES", ") / INSTANCES(core)"},
};

/* Takes ownership of an equation, and returns it between two texts; NULL: no memory. */
static char *surround(const char *before, char *equation, const char *after)
{
  const size_t size = strlen(before) + strlen(equation) + strlen(after) + 1;
  char *text = malloc(size);
  if (text)
    snprintf(text, size, "%s%s%s", before, equation, after);
  free(equation);
  return text;
}

static char *correct_equation(const struct metric_entry *e, char *equation)
{
  for (size_t i = 0; equation && i < sizeof metric_corrections / sizeof *metric_corrections; i++) {
    const struct metric_correction *c = &metric_corrections[i];
    if (!strcasecmp(e->m.name, c->name) && !strstr(equation, c->word))
      return surround("(", equation, c->after);
  }
  return equation;
}

/* `base`: the equation is of the metric's base formula, whose percentages are shares. */
static char *convert_unit(struct metric_entry *e, char *equation, bool base)
{
  e->result = "";
  for (size_t i = 0; equation && i < sizeof metric_units / sizeof *metric_units; i++)
    if (!strcmp(e->m.unit, metric_units[i].text)) {
      e->result = metric_units[i].result;
      return base ? equation : surround(metric_units[i].before, equation, metric_units[i].after);
    }
  return equation;
}

/* Translates a formula of a metric; `reason` is why that is not possible. Returns whether the metric may be translated
 * from its base formula, or once more when other metrics are. */
static bool translate_metric(struct import *im, struct metric_entry *e, bool base, char reason[FORMULA_REASON])
{
  struct translation t = {im, e};
  struct formula f = {.text = base ? e->m.base : e->m.formula, .name = import_metric_word, .user = &t};
  e->latencies = false;
  *reason = 0;
  if (!is_metric_name(e->m.name))
    snprintf(reason, FORMULA_REASON, "\"MetricName\" is not a valid name");
  else if (import_metric_event(im->metrics, e->m.name))
    snprintf(reason, FORMULA_REASON, "an event has the same name");
  if (*reason)
    return false;
  e->equation = convert_unit(e, correct_equation(e, formula_translate(&f)), base);
  snprintf(reason, FORMULA_REASON, "%s", f.reason);
  return f.large && *e->m.base && (!*e->m.unit || !strcmp(e->m.unit, "percent"));
}

/* Translates the metrics whose formulas are too large from their base formulas, which name other metrics instead of
 * repeating them, until no more of them can be translated. */
static void translate_large(struct import *im)
{
  struct import_metrics *m = im->metrics;
  char reason[FORMULA_REASON];
  bool more;
  do {
    more = false;
    for (size_t i = 0; i < m->n; i++)
      if (m->entries[i].large) {
        translate_metric(im, &m->entries[i], true, reason);
        m->entries[i].large = !m->entries[i].equation;
        more |= !m->entries[i].large;
      }
  } while (more);
  for (size_t i = 0; i < m->n; i++)
    if (m->entries[i].large) {
      translate_metric(im, &m->entries[i], true, reason);
      leave_out_metric(im, &m->entries[i], reason);
    }
}

static int row_by_name(const void *a, const void *b)
{
  const struct import_row *x = *(const struct import_row *const *)a, *y = *(const struct import_row *const *)b;
  const int order = strcasecmp(x->e.name, y->e.name);
  return order ? order : y->used - x->used; /* usable rows come first */
}

int import_metrics_translate(struct import *im)
{
  struct import_metrics *m = im->metrics;
  m->rows = calloc(im->n_rows + 1, sizeof *m->rows);
  if (!m->rows)
    return PMON_E_MEMORY;
  for (size_t i = 0; i < im->n_rows; i++)
    m->rows[m->n_rows++] = &im->rows[i];
  qsort(m->rows, m->n_rows, sizeof *m->rows, row_by_name);
  for (size_t i = 0; i < m->n; i++) {
    char reason[FORMULA_REASON];
    struct metric_entry *e = &m->entries[i];
    e->large = translate_metric(im, e, false, reason);
    if (!e->equation && !e->large)
      leave_out_metric(im, e, reason);
  }
  translate_large(im);
  return PMON_OK;
}

size_t import_metrics_count(const struct import_metrics *m, size_t *ret_usable)
{
  *ret_usable = 0;
  for (size_t i = 0; m && i < m->n; i++)
    *ret_usable += m->entries[i].equation != NULL;
  return m ? m->n : 0;
}

void import_write_metrics(FILE *f, const struct import *im)
{
  const struct import_metrics *m = im->metrics;
  fputs("# Metrics, written by pmon import.\n", f);
  for (size_t i = 0; m && i < m->n; i++) {
    const struct metric_entry *e = &m->entries[i];
    if (!e->equation)
      continue;
    fprintf(f, "\nmetric %s\n  brief ", e->m.name);
    import_write_text(f, e->m.brief, e->m.name);
    if (e->latencies)
      fputs("  note latencies of retirement are Intel's means of many programs: no counter has them\n", f);
    fprintf(f, "  cite %s\n", e->source);
    if (*e->result)
      fprintf(f, "  result %s\n", e->result);
    fprintf(f, "  equation %s\n", e->equation);
  }
  if (m)
    import_write_groups(f, m);
  if (import_has_other_pmus(im))
    import_write_other_pmus(f, IMPORT_METRICS);
}

void import_metrics_free(struct import_metrics *m)
{
  for (size_t i = 0; m && i < m->n; i++)
    free(m->entries[i].equation);
  for (size_t i = 0; m && i < m->n_files; i++) {
    intel_close(&m->files[i].file);
    free(m->files[i].path);
  }
  if (m) {
    import_latencies_free(m);
    free(m->files);
    free(m->entries);
    free(m->rows);
  }
  free(m);
}
