/* SPDX-License-Identifier: MIT */
/* Translates words of a metric's formula: constants, aliases, other metrics, and events with attributes. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "cli/import/metrics.h"
#include "src/base/real.h"

/* An event's attribute for the index `[0]` of its alias. */
#define FIRST_INSTANCE "first"

const struct import_row *import_metric_event(const struct import_metrics *m, const char *name)
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

/* Translates privilege levels, in the spelling of Intel's files or of perf's modifiers; returns NULL for other
 * attributes. */
static const char *translate_level(const char *text)
{
  static const char *const levels[][2] = {{"sup", "exclude_user=0x1"},
                                          {"k", "exclude_user=0x1"},
                                          {"user", "exclude_kernel=0x1"},
                                          {"u", "exclude_kernel=0x1"}};
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
    if (!strcasecmp(text, levels[i][0]))
      return levels[i][1];
  return NULL;
}

/* Translates one attribute of an event in a formula, in Intel's spelling (`c1`, `filter1=0x40433`) or perf's
 * (`cmask=1`). */
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
  const size_t n = strcspn(text, "=");
  const bool letter = text[0] && text[1] >= '0' && text[1] <= '9'; /* one letter, and its number without '=' */
  const char *level = translate_level(text);
  if (level)
    return snprintf(ret, size, "%s", level) < (int)size;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const size_t length = letter ? 1 : n;
    if (strlen(names[i].name) != length || strncmp(text, names[i].name, length) || (!letter && !text[n]))
      continue;
    const char *value = letter ? text + 1 : text + n + 1;
    char *end;
    const unsigned long long number = strtoull(value, &end, 0);
    if (end == value || *end)
      return false;
    return snprintf(ret, size, "%s=0x%llx", names[i].field, number) < (int)size;
  }
  return false;
}

/* Which instances of its unit an event of a formula counts on. */
enum metric_part {
  PART_ALL,
  PART_ONE,  /* the mean of all: `:one_unit` */
  PART_FIRST /* the first of each package, as the mean of all: `[0]` */
};

/* Returns an event with attributes in the spelling of fact files. */
static char *write_metric_event(const struct import *im, const struct import_row *row, const char *attributes,
                                enum metric_part part)
{
  const struct import_unit *u = &im->units[row->unit];
  char text[1024], instances[100] = "";
  if (part != PART_ALL)
    snprintf(instances, sizeof instances, " / INSTANCES(%.60s)%s)", u->name, part == PART_FIRST ? " * PACKAGES" : "");
  const int n = snprintf(text, sizeof text, "%s%s/%s%s%s%s%s%s%s", part == PART_ALL ? "" : "(", u->name, row->event,
                         row->umask ? "." : "", row->umask ? row->umask : "", *attributes ? "{" : "", attributes,
                         *attributes ? "}" : "", instances);
  return n < (int)sizeof text ? strdup(text) : NULL;
}

/* Translates `NAME:retire_latency`. */
static char *translate_latency(const struct translation *t, const char *name, char reason[FORMULA_REASON])
{
  char text[32];
  double cycles;
  if (!import_latency(t->im->metrics, name, &cycles))
    return metric_refuse(reason, "the files have no mean latency of retirement of %s", name);
  t->entry->latencies = true;
  real_print(text, sizeof text, "%.9g", cycles);
  return strdup(text);
}

/* Translates `NAME:c1:e1`, or perf's `unit@NAME\,cmask\=1@` with its separators replaced by ':'. */
static char *translate_event(const struct translation *t, char *text, char reason[FORMULA_REASON])
{
  char attributes[512] = "", one[128], *rest = text, *name = strsep(&rest, ":"), *part;
  enum metric_part instances = PART_ALL;
  const struct import_row *row = import_metric_event(t->im->metrics, name);
  if (!row || !row->event)
    return metric_refuse(reason, row ? "event %s cannot be used" : "%s in the formula is not an event of the files",
                         name);
  if (!row->used)
    return metric_refuse(reason, "event %s cannot be used", name);
  if (rest && !strcmp(rest, "retire_latency"))
    return translate_latency(t, row->e.name, reason);
  while ((part = strsep(&rest, ":"))) {
    if (!strcmp(part, "one_unit") || !strcmp(part, FIRST_INSTANCE)) {
      instances = strcmp(part, FIRST_INSTANCE) ? PART_ONE : PART_FIRST;
    } else if (!strcmp(part, "perf_metrics") && !strcasecmp(name, import_topdown_slots)) {
      continue; /* the fractions of PERF_METRICS belong to these slots: the kernel counts them together */
    } else if (!strcmp(part, "percore") || !strcmp(part, "perf_metrics") || !*part) {
      if (*part)
        return metric_refuse(reason, "event %s has perf's modifier '%s', which pmon does not support", name, part);
    } else if (!translate_attribute(part, one, sizeof one)) {
      return metric_refuse(reason, "event %s has the modifier '%s', which pmon does not know", name, part);
    } else {
      const size_t k = strlen(attributes);
      snprintf(attributes + k, sizeof attributes - k, "%s%s", k ? "," : "", one);
    }
  }
  char *written = write_metric_event(t->im, row, attributes, instances);
  return written ? written : metric_refuse(reason, "event %s has too many attributes", name);
}

static bool has_unit(const struct import *im, const char *name)
{
  for (uint32_t i = 0; i < im->n_units; i++)
    if (!strcmp(im->units[i].name, name))
      return true;
  return false;
}

/* Translates a constant, which describes the system. */
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
      {"tsc", "TSC"},
      {"SOCKET_COUNT", "PACKAGES"},
      {"#num_packages", "PACKAGES"},
      {"THREADS_PER_CORE", "THREADS_PER_CORE"},
      {"HYPERTHREADING_ON", "IF(THREADS_PER_CORE > 1, 1, 0)"},
      {"#SMT_on", "IF(THREADS_PER_CORE > 1, 1, 0)"},
      {"system.sockets[0].cpus.count * system.socket_count", "INSTANCES(core)"},
      {"#num_cpus_online", "INSTANCES(core)"},
      {"CHAS_PER_SOCKET", "(INSTANCES(cha) / PACKAGES)"},
  };
  /* Registers of energy: their metrics multiply them by the microjoules of a count, which these equations divide by.
   * Linux' counts are of 2^-32 J. */
  static const struct {
    const char *name, *equation;
  } energies[] = {
      {"FREERUN_PKG_ENERGY_STATUS", "(rapl/PKG_ENERGY / 4294967296 * 1000000 / 61)"},
      {"FREERUN_DRAM_ENERGY_STATUS", "(rapl/DRAM_ENERGY / 4294967296 * 1000000 / 15.6)"},
  };
  /* As an event, it counts on each CPU: an activity of all CPUs is divided by it. */
  if (!strcmp(word, "TSC"))
    return "(TSC * INSTANCES(core))";
  /* The formulas that Intel derives from base formulas name the frequency where these name the ticks, `tsc`, of one CPU
   * in the interval. */
  if (*t->entry->m.base && !strcasecmp(word, "SYSTEM_TSC_FREQ"))
    return "TSC";
  for (size_t i = 0; import_has_other_pmus(t->im) && i < sizeof energies / sizeof *energies; i++)
    if (!strcasecmp(word, energies[i].name))
      return energies[i].equation;
  for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
    if (!strcasecmp(word, constants[i].name))
      return constants[i].equation;
  /* The last level cache has a slice for each core; formulas with these constants divide its clock by their number. */
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

/* Changes `cbox@NAME\,filter_opc\=0x182@` to `NAME:filter_opc=0x182`. */
static void normalize_word(char *word)
{
  char *at = strchr(word, '@'), *to = word;
  for (const char *from = at ? at + 1 : word; *from && *from != '@'; from++)
    if (*from != '\\')
      *to++ = *from == ',' ? ':' : *from;
  *to = 0;
}

/* Finds a translated metric. Formulas name metrics of the top-down method with perf's prefix, which Intel's own names
 * do not have. */
static const struct metric_entry *find_metric(const struct import_metrics *m, const char *name)
{
  const char *own = strncmp(name, "tma_", 4) ? name : name + 4;
  for (size_t i = 0; i < m->n; i++)
    if (m->entries[i].equation && (!strcasecmp(m->entries[i].m.name, name) || !strcasecmp(m->entries[i].m.name, own)))
      return &m->entries[i];
  return NULL;
}

/* Returns a metric as an operand: its name, or its equation, since equations have no names that begin with a digit
 * (4K_Aliasing). */
static char *name_metric(const struct metric_entry *e)
{
  if (!isdigit((unsigned char)*e->m.name))
    return strdup(e->m.name);
  const size_t size = strlen(e->equation) + sizeof "()";
  char *text = malloc(size);
  if (text)
    snprintf(text, size, "(%s)", e->equation);
  return text;
}

char *import_metric_word(void *user, const char *word, size_t n, char reason[FORMULA_REASON])
{
  const struct translation *t = user;
  char text[512];
  bool constant = false;
  if (n >= sizeof text)
    return metric_refuse(reason, "a name in the formula is longer than %zu characters", sizeof text);
  const bool first = n > 3 && !strncmp(word + n - 3, "[0]", 3);
  snprintf(text, sizeof text, "%.*s", (int)(first ? n - 3 : n), word);
  const char *name = intel_metric_alias(&t->entry->m, text, &constant);
  if (name && strlen(name) >= sizeof text)
    return metric_refuse(reason, "a name in the formula is longer than %zu characters", sizeof text);
  if (name)
    snprintf(text, sizeof text, "%.480s%s", name, first ? ":" FIRST_INSTANCE : "");
  const char *equation = translate_constant(t, text);
  if (equation || is_number(text))
    return strdup(equation ? equation : text);
  if (constant)
    return metric_refuse(reason, "pmon does not know the constant %.80s", text);
  normalize_word(text);
  const char *fraction = import_topdown_name(text);
  if (fraction)
    snprintf(text, sizeof text, "%s", fraction);
  const struct metric_entry *other = find_metric(t->im->metrics, text);
  if (other && !import_metric_event(t->im->metrics, text))
    return name_metric(other);
  return translate_event(t, text, reason);
}

bool import_metric_name(const struct import_metrics *m, size_t i, const char **ret_name, bool *ret_share)
{
  if (i >= m->n)
    return false;
  *ret_name = m->entries[i].equation ? m->entries[i].m.name : NULL;
  *ret_share = *ret_name && !strcmp(m->entries[i].result, "ratio");
  return true;
}
