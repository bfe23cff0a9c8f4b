/* SPDX-License-Identifier: MIT */
/* Metric files: Intel's own (aliases, constants and a formula) and Linux perf's (MetricExpr). */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "cli/import/formula.h"
#include "cli/import/import.h"
#include "src/base/real.h"

enum { MOST_METRIC_NAME = 127 };

struct metric_entry {
  const char *source; /* the file's name without folders */
  struct intel_metric m;
  char *equation; /* NULL: it cannot be used */
  const char *result;
};

struct import_metrics {
  struct metric_file {
    struct intel_file file;
    char *path;
  } * files;
  size_t n_files;
  struct metric_entry *entries;
  size_t n;
  const struct import_row **rows; /* by the event's name in the file */
  size_t n_rows;
};

/* The metric that is translated. */
struct translation {
  struct import *im;
  const struct metric_entry *entry;
};

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
  snprintf(why, sizeof why, "metric %.128s: %s", *e->m.name ? e->m.name : "without name", reason);
  if (!im->omitted)
    return;
  fprintf(im->omitted, "%s: ", e->source);
  import_write_line(im->omitted, why);
}

static bool metric_is_new(const struct import_metrics *m, const char *name)
{
  for (size_t i = 0; i < m->n; i++)
    if (!strcasecmp(m->entries[i].m.name, name))
      return false;
  return true;
}

/* Of a metric in several files the first is taken. */
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
    if (intel_metric(&file->file, i, &e.m) && metric_is_new(m, e.m.name))
      m->entries[m->n++] = e;
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

static int row_by_name(const void *a, const void *b)
{
  const struct import_row *x = *(const struct import_row *const *)a, *y = *(const struct import_row *const *)b;
  const int order = strcasecmp(x->e.name, y->e.name);
  return order ? order : y->used - x->used; /* one that can be used comes first */
}

static const struct import_row *metric_find_event(const struct import_metrics *m, const char *name)
{
  const struct import_row *found = NULL;
  for (size_t lo = 0, hi = m->n_rows; lo < hi;) {
    const size_t middle = lo + (hi - lo) / 2;
    const int order = strcasecmp(name, m->rows[middle]->e.name);
    if (!order)
      found = m->rows[middle];
    if (order <= 0)
      hi = middle;
    else
      lo = middle + 1;
  }
  return found;
}

static char *metric_refuse(char reason[FORMULA_REASON], const char *format, ...) __attribute__((format(printf, 2, 3)));
static char *metric_refuse(char reason[FORMULA_REASON], const char *format, ...)
{
  va_list ap;
  va_start(ap, format);
  vsnprintf(reason, FORMULA_REASON, format, ap);
  va_end(ap);
  return NULL;
}

/* One attribute of an event in a formula, in Intel's spelling (`c1`, `filter1=0x40433`) or perf's (`cmask=1`). */
static bool translate_attribute(const char *text, char *ret, size_t size)
{
  static const struct {
    const char *name, *field;
  } names[] = {{"c", "thresh"},
               {"cmask", "thresh"},
               {"thresh", "thresh"},
               {"e", "edge_det"},
               {"edge", "edge_det"},
               {"i", "invert"},
               {"inv", "invert"},
               {"u", "umask"},
               {"umask", "umask"},
               {"filter1", "config1"},
               {"config1", "config1"},
               {"ocr_msr_val", "config1"},
               {"offcore_rsp", "config1"},
               {"opc", "filter_opc"},
               {"filter_opc", "filter_opc"},
               {"tid", "filter_tid"},
               {"filter_tid", "filter_tid"},
               {"filter_nid", "filter_nid"},
               {"any", "any"}};
  const size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz_"), digits = strcspn(text, "0123456789=");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const bool named = text[n] == '=' && n == strlen(names[i].name) && !strncmp(text, names[i].name, n);
    const bool letter = digits == 1 && text[1] != '=' && !names[i].name[1] && *names[i].name == *text;
    const bool numbered = !strncmp(text, "filter1=", 8) && !strcmp(names[i].name, "filter1");
    if (!named && !letter && !numbered)
      continue;
    const char *value = letter ? text + 1 : strchr(text, '=') + 1;
    char *end;
    const unsigned long long number = strtoull(value, &end, 0);
    if (end == value || *end)
      return false;
    return snprintf(ret, size, "%s=0x%llx", names[i].field, number) < (int)size;
  }
  return false;
}

/* An event with attributes as fact files spell it. `one`: the mean of its instances. */
static char *write_metric_event(const struct import *im, const struct import_row *row, const char *attributes, bool one)
{
  const struct import_unit *u = &im->units[row->unit];
  char text[1024];
  const int n = snprintf(text, sizeof text, one ? "(%s/%s%s%s%s%s%s / INSTANCES(%s))" : "%s/%s%s%s%s%s%s", u->name,
                         row->event, row->umask ? "." : "", row->umask ? row->umask : "", *attributes ? "{" : "",
                         attributes, *attributes ? "}" : "", u->name);
  return n < (int)sizeof text ? strdup(text) : NULL;
}

/* `NAME:c1:e1` or perf's `unit@NAME\,cmask\=1@`, with separators made ':'. */
static char *translate_event(const struct translation *t, char *text, char reason[FORMULA_REASON])
{
  char attributes[512] = "", one[128], *rest = text, *name = strsep(&rest, ":"), *part;
  bool single = false;
  const struct import_row *row = metric_find_event(t->im->metrics, name);
  if (!row || !row->event)
    return metric_refuse(reason, row ? "its event %s cannot be used" : "%s in its formula is no event of the files",
                         name);
  if (!row->used)
    return metric_refuse(reason, "its event %s cannot be used", name);
  while ((part = strsep(&rest, ":"))) {
    if (!strcmp(part, "one_unit")) {
      single = true;
    } else if (!strcmp(part, "percore") || !strcmp(part, "perf_metrics") || !*part) {
      if (*part)
        return metric_refuse(reason, "its event %s has '%s', which needs a mode of perf's own", name, part);
    } else if (!translate_attribute(part, one, sizeof one)) {
      return metric_refuse(reason, "its event %s has '%s', which pmon does not know", name, part);
    } else {
      const size_t k = strlen(attributes);
      snprintf(attributes + k, sizeof attributes - k, "%s%s", k ? "," : "", one);
    }
  }
  char *written = write_metric_event(t->im, row, attributes, single);
  return written ? written : metric_refuse(reason, "its event %s has too many attributes", name);
}

static bool has_unit(const struct import *im, const char *name)
{
  for (uint32_t i = 0; i < im->n_units; i++)
    if (!strcmp(im->units[i].name, name))
      return true;
  return false;
}

/* What a formula asks of the system. */
static const char *translate_constant(const struct translation *t, const char *word)
{
  static const struct {
    const char *name, *equation;
  } constants[] = {
      {"DURATIONTIMEINMILLISECONDS", "(SAMPLE_INTERVAL * 1000)"},
      {"DURATIONTIMEINSECONDS", "SAMPLE_INTERVAL"},
      {"duration_time", "SAMPLE_INTERVAL"},
      {"SYSTEM_TSC_FREQ", "(TSC_SPEED * 1000000)"},
      {"#SYSTEM_TSC_FREQ", "(TSC_SPEED * 1000000)"},
      {"TSC", "TSC"},
      {"SOCKET_COUNT", "PACKAGES"},
      {"#num_packages", "PACKAGES"},
      {"THREADS_PER_CORE", "THREADS_PER_CORE"},
      {"HYPERTHREADING_ON", "IF(THREADS_PER_CORE > 1, 1, 0)"},
      {"#SMT_on", "IF(THREADS_PER_CORE > 1, 1, 0)"},
      {"system.sockets[0].cpus.count * system.socket_count", "INSTANCES(core)"},
      {"#num_cpus_online", "INSTANCES(core)"},
      {"CHAS_PER_SOCKET", "(INSTANCES(cha) / PACKAGES)"},
  };
  for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
    if (!strcasecmp(word, constants[i].name))
      return constants[i].equation;
  /* The last level cache has a slice for each core, and such formulas divide its clock by their number. */
  const char *slices = has_unit(t->im, "cha") ? "cha" : has_unit(t->im, "cbox") ? "cbox" : NULL;
  if (slices && !strcasecmp(word, "CORES_PER_SOCKET"))
    return strcmp(slices, "cha") ? "(INSTANCES(cbox) / PACKAGES)" : "(INSTANCES(cha) / PACKAGES)";
  if (slices && !strcasecmp(word, "#num_cores"))
    return strcmp(slices, "cha") ? "INSTANCES(cbox)" : "INSTANCES(cha)";
  return NULL;
}

static bool is_number(const char *text)
{
  char *end;
  real_parse(text, &end);
  return end != text && !*end;
}

/* `cbox@NAME\,filter_opc\=0x182@` becomes `NAME:filter_opc=0x182`. */
static void normalize_word(char *word)
{
  char *at = strchr(word, '@'), *to = word;
  for (const char *from = at ? at + 1 : word; *from && *from != '@'; from++)
    if (*from != '\\')
      *to++ = *from == ',' ? ':' : *from;
  *to = 0;
}

static const struct metric_entry *find_metric(const struct import_metrics *m, const char *name)
{
  for (size_t i = 0; i < m->n; i++)
    if (m->entries[i].equation && !strcasecmp(m->entries[i].m.name, name))
      return &m->entries[i];
  return NULL;
}

static char *translate_word(void *user, const char *word, size_t n, char reason[FORMULA_REASON])
{
  const struct translation *t = user;
  char text[512];
  bool constant = false;
  if (n >= sizeof text)
    return metric_refuse(reason, "a name in the formula is longer than %zu characters", sizeof text);
  const bool one = n > 3 && !strncmp(word + n - 3, "[0]", 3);
  snprintf(text, sizeof text, "%.*s", (int)(one ? n - 3 : n), word);
  const char *name = intel_metric_alias(&t->entry->m, text, &constant);
  if (name && strlen(name) >= sizeof text)
    return metric_refuse(reason, "a name in the formula is longer than %zu characters", sizeof text);
  if (name)
    snprintf(text, sizeof text, "%.480s%s", name, one ? ":one_unit" : "");
  const char *equation = translate_constant(t, text);
  if (equation || is_number(text))
    return strdup(equation ? equation : text);
  if (constant)
    return metric_refuse(reason, "pmon does not know the constant %.80s", text);
  normalize_word(text);
  const struct metric_entry *other = find_metric(t->im->metrics, text);
  if (other && !metric_find_event(t->im->metrics, text))
    return strdup(other->m.name);
  return translate_event(t, text, reason);
}

/* The unit of the result, and how the equation becomes one in that unit. pmon divides rates by the time itself. */
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

static char *convert_unit(struct metric_entry *e, char *equation)
{
  e->result = "";
  for (size_t i = 0; equation && i < sizeof metric_units / sizeof *metric_units; i++)
    if (!strcmp(e->m.unit, metric_units[i].text)) {
      const size_t size = strlen(equation) + strlen(metric_units[i].before) + strlen(metric_units[i].after) + 1;
      char *text = malloc(size);
      if (text)
        snprintf(text, size, "%s%s%s", metric_units[i].before, equation, metric_units[i].after);
      free(equation);
      e->result = metric_units[i].result;
      return text;
    }
  return equation;
}

static void translate_metric(struct import *im, struct metric_entry *e)
{
  struct translation t = {im, e};
  struct formula f = {.text = e->m.formula, .name = translate_word, .user = &t};
  if (!is_metric_name(e->m.name)) {
    leave_out_metric(im, e, "\"MetricName\" is no name");
    return;
  }
  if (metric_find_event(im->metrics, e->m.name)) {
    leave_out_metric(im, e, "an event has that name");
    return;
  }
  char *equation = formula_translate(&f);
  if (!equation)
    leave_out_metric(im, e, f.reason);
  e->equation = convert_unit(e, equation);
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
  for (size_t i = 0; i < m->n; i++)
    translate_metric(im, &m->entries[i]);
  return PMON_OK;
}

size_t import_metrics_count(const struct import_metrics *m, size_t *ret_usable)
{
  *ret_usable = 0;
  for (size_t i = 0; m && i < m->n; i++)
    *ret_usable += m->entries[i].equation != NULL;
  return m ? m->n : 0;
}

bool import_metric_name(const struct import_metrics *m, size_t i, const char **ret_name)
{
  if (i < m->n)
    *ret_name = m->entries[i].equation ? m->entries[i].m.name : NULL;
  return i < m->n;
}

void import_write_metrics(FILE *f, const struct import *im)
{
  fputs("# Metrics, written by pmon import.\n", f);
  for (size_t i = 0; i < im->metrics->n; i++) {
    const struct metric_entry *e = &im->metrics->entries[i];
    if (!e->equation)
      continue;
    fprintf(f, "\nmetric %s\n  brief ", e->m.name);
    import_write_text(f, e->m.brief, e->m.name);
    fprintf(f, "  cite %s\n", e->source);
    if (*e->result)
      fprintf(f, "  result %s\n", e->result);
    fprintf(f, "  equation %s\n", e->equation);
  }
  import_write_groups(f, im->metrics);
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
    free(m->files);
    free(m->entries);
    free(m->rows);
  }
  free(m);
}
