/* SPDX-License-Identifier: MIT */
/* The exporter's texts: Prometheus' format 0.0.4, OpenMetrics 1.0 and JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "cli/exporter/exporter.h"
#include "src/base/escape.h"
#include "src/base/real.h"

struct text {
  FILE *to;
  enum exporter_format format;
};

/* Whole numbers as such, others with 17 digits: nothing is lost. JSON has no number that is not finite. */
static void write_number(struct text *x, double v)
{
  char number[40];
  if (!isfinite(v)) {
    fputs(x->format == EXPORTER_JSON ? "null" : isnan(v) ? "NaN" : v > 0 ? "+Inf" : "-Inf", x->to);
    return;
  }
  real_print(number, sizeof number, v == floor(v) && fabs(v) < 1e15 ? "%.0f" : "%.17g", v);
  fputs(number, x->to);
}

/* Of bytes that are shown as they are. */
static void write_escaped(struct text *x, const char *s, size_t n)
{
  for (; n; n--, s++) {
    if (*s == '"' || *s == '\\')
      fputc('\\', x->to);
    fputc(*s, x->to);
  }
}

/* A label's value, or a string of JSON: quotes, backslashes and line ends are escaped; other control characters, and
 * bytes that are not UTF-8, are written as their number. */
static void write_quoted(struct text *x, const char *s)
{
  fputc('"', x->to);
  for (size_t n = strlen(s); n;) {
    char number[ESCAPE_TEXT];
    size_t used = escape_plain(s, n, false);
    if (used) {
      write_escaped(x, s, used);
    } else if (*s == '\n') {
      fputs("\\n", x->to);
      used = 1;
    } else {
      used = escape_format(s, n, number);
      write_escaped(x, number, strlen(number));
    }
    s += used;
    n -= used;
  }
  fputc('"', x->to);
}

/* The lines before a family. OpenMetrics names a counter's family without _total. */
static void write_family(struct text *x, const char *name, const char *type, const char *help)
{
  size_t n = strlen(name);
  static const char *const units[] = {"bytes", "seconds", "joules", "hertz", "ratio"};
  if (x->format == EXPORTER_OPENMETRICS && n > 6 && !strcmp(name + n - 6, "_total"))
    n -= 6;
  fprintf(x->to, "# HELP %.*s %s\n# TYPE %.*s %s\n", (int)n, name, help, (int)n, name, type);
  for (size_t i = 0; x->format == EXPORTER_OPENMETRICS && i < sizeof units / sizeof *units; i++) {
    const size_t m = strlen(units[i]);
    if (n > m && !strncmp(name + n - m, units[i], m) && name[n - m - 1] == '_')
      fprintf(x->to, "# UNIT %.*s %s\n", (int)n, name, units[i]);
  }
}

const char *exporter_family(const struct exporter_sample *s)
{
  if (s->series)
    return s->series->name;
  return s->kind == EXPORTER_COUNT ? "pmon_events_total" : s->kind == EXPORTER_RATE ? "pmon_rate_total" : "pmon_metric";
}

bool exporter_is_first(const struct exporter_totals *t, uint32_t i)
{
  const char *name = exporter_family(&t->samples[i]);
  for (uint32_t k = 0; k < i; k++)
    if (!strcmp(exporter_family(&t->samples[k]), name))
      return false;
  return true;
}

/* The labels of a series, inside of the braces. */
static void write_port(struct text *x, const struct exporter_sample *s)
{
  fprintf(x->to, ",port=\"%" PRIu32 "\"", s->port);
  if (s->device) {
    fputs(",device=", x->to);
    write_quoted(x, s->device);
  }
  if (s->bdf) {
    fputs(",bdf=", x->to);
    write_quoted(x, s->bdf);
  }
}

static void write_labels(struct text *x, const struct exporter_totals *t, const struct exporter_sample *s)
{
  fprintf(x->to, "%s=\"%" PRIu32 "\"", t->package, s->package);
  if (s->series) {
    if (s->instance != PMON_ALL)
      fprintf(x->to, ",%s=\"%" PRIu32 "\"", s->series->label, s->instance);
    if (s->port != PMON_ALL)
      write_port(x, s);
    if (*s->series->fixed)
      fprintf(x->to, ",%s", s->series->fixed);
    return;
  }
  fputs(s->kind == EXPORTER_COUNT ? ",event=" : ",metric=", x->to);
  write_quoted(x, s->name);
  if (s->kind != EXPORTER_COUNT && *s->unit) {
    fputs(",unit=", x->to);
    write_quoted(x, s->unit);
  }
  if (s->instance != PMON_ALL)
    fprintf(x->to, ",instance_unit=\"%s\",unit_instance=\"%" PRIu32 "\"", s->of, s->instance);
}

static void write_sample(struct text *x, const struct exporter_totals *t, const struct exporter_sample *s)
{
  fprintf(x->to, "%s{", exporter_family(s));
  write_labels(x, t, s);
  fputs("} ", x->to);
  write_number(x, s->value);
  fputc('\n', x->to);
}

/* Series of a family stand together: their order is that of the first series of each family. */
static void write_families(struct text *x, const struct exporter_totals *t)
{
  for (uint32_t i = 0; i < t->n; i++) {
    const char *name = exporter_family(&t->samples[i]);
    if (!exporter_is_first(t, i))
      continue;
    const struct exporter_sample *s = &t->samples[i];
    write_family(x, name, s->kind == EXPORTER_GAUGE ? "gauge" : "counter",
                 s->series                   ? s->series->help
                 : s->kind == EXPORTER_COUNT ? "Counts of an event."
                 : s->kind == EXPORTER_RATE  ? "A rate times the time for which it was measured."
                                             : "A value of the last interval.");
    for (uint32_t k = i; k < t->n; k++)
      if (!strcmp(exporter_family(&t->samples[k]), name) &&
          (t->samples[k].kind != EXPORTER_GAUGE || t->samples[k].valid) && exporter_is_shown(&t->samples[k]))
        write_sample(x, t, &t->samples[k]);
  }
}

/* Whether each series has a value in the last interval, and the standard errors of those that are estimates. */
static void write_quality(struct text *x, const struct exporter_totals *t)
{
  write_family(x, "pmon_metric_valid", "gauge",
               "1 if the last interval has a value, 0 with the reason if not. A counter that another program took is "
               "found within eight intervals.");
  for (uint32_t i = 0; i < t->n; i++) {
    const struct exporter_sample *s = &t->samples[i];
    if (!exporter_is_shown(s))
      continue;
    fprintf(x->to, "pmon_metric_valid{series=\"%s\",", exporter_family(s));
    write_labels(x, t, s);
    fputs(",reason=", x->to);
    write_quoted(x, s->valid ? "" : s->reason);
    fprintf(x->to, "} %d\n", s->valid);
  }
  write_family(x, "pmon_standard_error", "gauge",
               "Standard error of a multiplexed value or total; absent for exact counts.");
  for (uint32_t i = 0; i < t->n; i++) {
    const struct exporter_sample *s = &t->samples[i];
    if (s->variance <= 0)
      continue;
    fprintf(x->to, "pmon_standard_error{series=\"%s\",", exporter_family(s));
    write_labels(x, t, s);
    fputs("} ", x->to);
    write_number(x, sqrt(s->variance));
    fputc('\n', x->to);
  }
}

static void write_single(struct text *x, const char *name, const char *type, const char *help, double value)
{
  write_family(x, name, type, help);
  fprintf(x->to, "%s ", name);
  write_number(x, value);
  fputc('\n', x->to);
}

static void write_own(struct text *x, const struct exporter_totals *t)
{
  write_family(x, "pmon_info", "gauge", "What is measured, and by what.");
  fputs("pmon_info{version=", x->to);
  write_quoted(x, pmon_version());
  fputs(",platform=", x->to);
  write_quoted(x, t->platform);
  fputs(",backend=", x->to);
  write_quoted(x, t->backend);
  fprintf(x->to, ",emulated=\"%s\"} 1\n", *t->machine ? "true" : "false");
  write_single(x, "pmon_measuring", "gauge", "1 while counters are read, 0 after the end of an emulated run.",
               !t->ended);
  write_single(x, "pmon_intervals_total", "counter", "Intervals measured.", (double)t->intervals);
  if (t->accesses)
    write_single(x, "pmon_register_accesses_total", "counter", "Accesses to registers for measuring.",
                 (double)t->accesses);
  write_single(x, "pmon_measured_seconds_total", "counter", "Measured time.", t->seconds);
  write_single(x, "pmon_process_cpu_seconds_total", "counter", "Processor time of the exporter.", t->read_seconds);
}

static void write_json(struct text *x, const struct exporter_totals *t)
{
  static const char *const kinds[] = {[EXPORTER_RATE] = "rate", [EXPORTER_COUNT] = "count", [EXPORTER_GAUGE] = "gauge"};
  fputs("{\"platform\":", x->to);
  write_quoted(x, t->platform);
  fputs(",\"backend\":", x->to);
  write_quoted(x, t->backend);
  fprintf(x->to, ",\"emulated\":%s,\"intervals\":%" PRIu64 ",\"seconds\":", *t->machine ? "true" : "false",
          t->intervals);
  write_number(x, t->seconds);
  fputs(",\"series\":[", x->to);
  for (uint32_t i = 0; i < t->n; i++) {
    const struct exporter_sample *s = &t->samples[i];
    fprintf(x->to, "%s{\"name\":\"%s\",\"source\":", i ? "," : "", exporter_family(s));
    write_quoted(x, s->name);
    fprintf(x->to, ",\"package\":%" PRIu32 ",\"instance\":", s->package);
    if (s->instance == PMON_ALL)
      fputs("null", x->to);
    else
      fprintf(x->to, "%" PRIu32, s->instance);
    if (s->port != PMON_ALL)
      fprintf(x->to, ",\"port\":%" PRIu32, s->port);
    if (s->bdf) {
      fputs(",\"bdf\":", x->to);
      write_quoted(x, s->bdf);
    }
    if (s->device) {
      fputs(",\"device\":", x->to);
      write_quoted(x, s->device);
    }
    fprintf(x->to, ",\"kind\":\"%s\",\"unit\":", kinds[s->kind]);
    write_quoted(x, s->unit);
    fputs(",\"instance_unit\":", x->to);
    if (s->instance == PMON_ALL)
      fputs("null", x->to);
    else
      write_quoted(x, s->of);
    fputs(",\"value\":", x->to);
    write_number(x, s->value);
    fputs(",\"standard_error\":", x->to);
    write_number(x, sqrt(s->variance));
    fprintf(x->to, ",\"valid\":%s,\"reason\":", s->valid ? "true" : "false");
    write_quoted(x, s->valid ? "" : s->reason);
    fputc('}', x->to);
  }
  fputs("]}\n", x->to);
}

char *exporter_format(struct exporter_totals *t, enum exporter_format format, size_t *ret_size)
{
  char *data = NULL;
  if (format == EXPORTER_OTLP)
    return otlp_format(t, ret_size);
  struct text x = {open_memstream(&data, ret_size), format};
  if (!x.to)
    return NULL;
  if (format == EXPORTER_JSON)
    write_json(&x, t);
  else {
    write_own(&x, t);
    write_families(&x, t);
    write_quality(&x, t);
  }
  const bool failed = ferror(x.to) != 0;
  if (!fclose(x.to) && !failed)
    return data;
  free(data);
  return NULL;
}
