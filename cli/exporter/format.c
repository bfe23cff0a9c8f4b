/* SPDX-License-Identifier: MIT */
/* The exporter's texts: Prometheus' format 0.0.4, OpenMetrics 1.0 and JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/exporter/exporter.h"
#include "src/base/buffer.h"
#include "src/base/escape.h"
#include "src/base/real.h"

#define MOST_WHOLE 1e15

struct text {
  enum exporter_format format;
  struct buffer buffer;
};

static void text_add_bytes(struct text *x, const char *s, size_t n)
{
  buffer_add_bytes(&x->buffer, s, n);
}

static void text_add(struct text *x, const char *s)
{
  text_add_bytes(x, s, strlen(s));
}

/* Returns the text, with a zero byte after it; the caller frees it; NULL: no memory. */
static char *take_text(struct text *x, size_t *ret_size)
{
  text_add_bytes(x, "", 0); /* so that an empty text is one, too */
  *ret_size = x->buffer.n;
  if (!x->buffer.failed)
    return x->buffer.data;
  free(x->buffer.data);
  return NULL;
}

/* Writes whole numbers as such, others with 17 digits, so that nothing is lost. JSON has no number that is not
 * finite. */
static void write_number(struct text *x, double v)
{
  char number[40];
  if (v >= 0 && v < MOST_WHOLE && v == floor(v) && !signbit(v)) {
    buffer_add_decimal(&x->buffer, (uint64_t)v);
    return;
  }
  if (!isfinite(v)) {
    text_add(x, x->format == EXPORTER_JSON ? "null" : isnan(v) ? "NaN" : v > 0 ? "+Inf" : "-Inf");
    return;
  }
  real_print(number, sizeof number, v == floor(v) && fabs(v) < MOST_WHOLE ? "%.0f" : "%.17g", v);
  text_add(x, number);
}

/* Escapes quotes and backslashes; the other bytes are shown as they are. */
static void write_escaped(struct text *x, const char *s, size_t n)
{
  for (size_t plain = 0; n; s += plain, n -= plain) {
    if (*s == '"' || *s == '\\')
      text_add(x, "\\");
    for (plain = 1; plain < n && s[plain] != '"' && s[plain] != '\\'; plain++)
      continue;
    text_add_bytes(x, s, plain);
  }
}

/* Writes a label's value, or a string of JSON. Quotes, backslashes and line ends are escaped; other control characters,
 * and bytes that are not UTF-8, are written as their number. */
static void write_quoted(struct text *x, const char *s)
{
  text_add(x, "\"");
  for (size_t n = strlen(s); n;) {
    char number[ESCAPE_TEXT];
    size_t used = escape_plain(s, n, LINES_ESCAPED);
    if (used) {
      write_escaped(x, s, used);
    } else if (*s == '\n') {
      text_add(x, "\\n");
      used = 1;
    } else {
      used = escape_format(s, n, number);
      write_escaped(x, number, strlen(number));
    }
    s += used;
    n -= used;
  }
  text_add(x, "\"");
}

static void write_line(struct text *x, const char *begin, const char *name, size_t n, const char *rest)
{
  text_add(x, begin);
  text_add_bytes(x, name, n);
  text_add(x, " ");
  text_add(x, rest);
  text_add(x, "\n");
}

/* Writes the lines before a family. OpenMetrics names a counter's family without _total. */
static void write_family(struct text *x, const char *name, const char *type, const char *help)
{
  size_t n = strlen(name);
  static const char *const units[] = {"bytes", "seconds", "joules", "hertz", "ratio"};
  if (x->format == EXPORTER_OPENMETRICS && n > 6 && !strcmp(name + n - 6, "_total"))
    n -= 6;
  write_line(x, "# HELP ", name, n, help);
  write_line(x, "# TYPE ", name, n, type);
  for (size_t i = 0; x->format == EXPORTER_OPENMETRICS && i < sizeof units / sizeof *units; i++) {
    const size_t m = strlen(units[i]);
    if (n > m && !strncmp(name + n - m, units[i], m) && name[n - m - 1] == '_')
      write_line(x, "# UNIT ", name, n, units[i]);
  }
}

static void write_instance(struct text *x, uint32_t number)
{
  text_add(x, "\"");
  buffer_add_decimal(&x->buffer, number);
  text_add(x, "\"");
}

static void write_port(struct text *x, const struct exporter_sample *s)
{
  text_add(x, ",port=");
  write_instance(x, s->port);
  if (s->device) {
    text_add(x, ",device=");
    write_quoted(x, s->device);
  }
  if (s->bdf) {
    text_add(x, ",bdf=");
    write_quoted(x, s->bdf);
  }
}

static void write_labels(struct text *x, const struct exporter_totals *t, const struct exporter_sample *s)
{
  text_add(x, t->package);
  text_add(x, "=");
  write_instance(x, s->package);
  if (s->series) {
    if (s->instance != PMON_ALL) {
      text_add(x, ",");
      text_add(x, s->series->label);
      text_add(x, "=");
      write_instance(x, s->instance);
    }
    if (s->port != PMON_ALL)
      write_port(x, s);
    if (*s->series->fixed) {
      text_add(x, ",");
      text_add(x, s->series->fixed);
    }
    return;
  }
  text_add(x, s->kind == EXPORTER_COUNT ? ",event=" : ",metric=");
  write_quoted(x, s->name);
  if (s->kind != EXPORTER_COUNT && *s->unit) {
    text_add(x, ",unit=");
    write_quoted(x, s->unit);
  }
  if (s->instance != PMON_ALL) {
    text_add(x, ",instance_unit=\"");
    text_add(x, s->of);
    text_add(x, "\",unit_instance=");
    write_instance(x, s->instance);
  }
}

/* Writes an object of the JSON text up to its value. */
static void write_json_head(struct text *x, const struct exporter_sample *s)
{
  static const char *const kinds[] = {[EXPORTER_RATE] = "rate", [EXPORTER_COUNT] = "count", [EXPORTER_GAUGE] = "gauge"};
  text_add(x, "{\"name\":\"");
  text_add(x, exporter_family(s));
  text_add(x, "\",\"source\":");
  write_quoted(x, s->name);
  text_add(x, ",\"package\":");
  buffer_add_decimal(&x->buffer, s->package);
  text_add(x, ",\"instance\":");
  if (s->instance == PMON_ALL)
    text_add(x, "null");
  else
    buffer_add_decimal(&x->buffer, s->instance);
  if (s->port != PMON_ALL) {
    text_add(x, ",\"port\":");
    buffer_add_decimal(&x->buffer, s->port);
  }
  if (s->bdf) {
    text_add(x, ",\"bdf\":");
    write_quoted(x, s->bdf);
  }
  if (s->device) {
    text_add(x, ",\"device\":");
    write_quoted(x, s->device);
  }
  text_add(x, ",\"kind\":\"");
  text_add(x, kinds[s->kind]);
  text_add(x, "\",\"unit\":");
  write_quoted(x, s->unit);
  text_add(x, ",\"instance_unit\":");
  if (s->instance == PMON_ALL)
    text_add(x, "null");
  else
    write_quoted(x, s->of);
  text_add(x, ",\"value\":");
}

static void add_piece(struct text *x, const struct exporter_piece *p)
{
  text_add_bytes(x, p->text, p->n);
}

/* Moves the text so far into the piece, in no more memory than it needs. False: no memory. */
static bool take_piece(struct text *x, struct exporter_piece *ret)
{
  ret->text = take_text(x, &ret->n);
  x->buffer = (struct buffer){0};
  char *fitting = ret->text ? realloc(ret->text, ret->n + 1) : NULL;
  ret->text = fitting ? fitting : ret->text;
  return ret->text;
}

/* Makes the constant parts of a sample's texts. */
static bool make_pieces(const struct exporter_totals *t, struct exporter_sample *s)
{
  struct text x = {.format = EXPORTER_PROMETHEUS};
  text_add(&x, exporter_family(s));
  text_add(&x, "{");
  write_labels(&x, t, s);
  text_add(&x, "} ");
  bool good = take_piece(&x, &s->line);
  text_add(&x, "{series=\"");
  text_add(&x, exporter_family(s));
  text_add(&x, "\",");
  write_labels(&x, t, s);
  good = take_piece(&x, &s->about) && good;
  x.format = EXPORTER_JSON;
  write_json_head(&x, s);
  return take_piece(&x, &s->json) && good;
}

bool exporter_prepare(struct exporter_totals *t)
{
  const uint32_t last = t->n - 1;
  struct exporter_sample *const s = &t->samples[last];
  for (s->family = 0; strcmp(exporter_family(&t->samples[s->family]), exporter_family(s));)
    s->family++;
  if (s->family != last) {
    uint32_t before = last - 1; /* usually of the same family */
    while (t->samples[before].family != s->family)
      before--;
    t->samples[before].next = last;
  }
  return make_pieces(t, s);
}

static void write_sample(struct text *x, const struct exporter_sample *s)
{
  add_piece(x, &s->line);
  write_number(x, s->value);
  text_add(x, "\n");
}

/* Writes the series of each family together, in the order of each family's first series. */
static void write_families(struct text *x, const struct exporter_totals *t)
{
  for (uint32_t i = 0; i < t->n; i++) {
    const struct exporter_sample *s = &t->samples[i];
    if (s->family != i)
      continue;
    write_family(x, exporter_family(s), s->kind == EXPORTER_GAUGE ? "gauge" : "counter",
                 s->series                   ? s->series->help
                 : s->kind == EXPORTER_COUNT ? "Counts of an event, or the sum of an amount."
                 : s->kind == EXPORTER_RATE  ? "A rate multiplied by the time for which it was measured."
                                             : "A value of the last interval.");
    for (; s; s = s->next ? &t->samples[s->next] : NULL)
      if ((s->kind == EXPORTER_GAUGE ? s->valid : s->measured) && exporter_is_shown(s))
        write_sample(x, s);
  }
}

/* Writes whether each series has a value in the last interval, and the standard errors of estimates. */
static void write_quality(struct text *x, const struct exporter_totals *t)
{
  write_family(x, "pmon_metric_valid", "gauge",
               "1 if the last interval has a value, 0 with the reason if not. A counter taken by another program is "
               "detected within eight intervals.");
  for (uint32_t i = 0; i < t->n; i++) {
    const struct exporter_sample *s = &t->samples[i];
    if (!exporter_is_shown(s))
      continue;
    text_add(x, "pmon_metric_valid");
    add_piece(x, &s->about);
    text_add(x, s->valid ? ",reason=\"\"} 1\n" : ",reason=");
    if (s->valid)
      continue;
    write_quoted(x, s->reason);
    text_add(x, "} 0\n");
  }
  write_family(x, "pmon_standard_error", "gauge",
               "Standard error of a multiplexed value or total; absent for exact counts.");
  for (uint32_t i = 0; i < t->n; i++) {
    const struct exporter_sample *s = &t->samples[i];
    if (s->variance <= 0)
      continue;
    text_add(x, "pmon_standard_error");
    add_piece(x, &s->about);
    text_add(x, "} ");
    write_number(x, sqrt(s->variance));
    text_add(x, "\n");
  }
}

static void write_single(struct text *x, const char *name, const char *type, const char *help, double value)
{
  write_family(x, name, type, help);
  text_add(x, name);
  text_add(x, " ");
  write_number(x, value);
  text_add(x, "\n");
}

static void write_own(struct text *x, const struct exporter_totals *t)
{
  write_family(x, "pmon_info", "gauge", "What is measured, and by what.");
  text_add(x, "pmon_info{version=");
  write_quoted(x, pmon_version());
  text_add(x, ",platform=");
  write_quoted(x, t->platform);
  text_add(x, ",backend=");
  write_quoted(x, t->backend);
  text_add(x, *t->machine ? ",emulated=\"true\"} 1\n" : ",emulated=\"false\"} 1\n");
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
  text_add(x, "{\"platform\":");
  write_quoted(x, t->platform);
  text_add(x, ",\"backend\":");
  write_quoted(x, t->backend);
  text_add(x, *t->machine ? ",\"emulated\":true,\"intervals\":" : ",\"emulated\":false,\"intervals\":");
  buffer_add_decimal(&x->buffer, t->intervals);
  text_add(x, ",\"seconds\":");
  write_number(x, t->seconds);
  text_add(x, ",\"series\":[");
  for (uint32_t i = 0; i < t->n; i++) {
    const struct exporter_sample *s = &t->samples[i];
    text_add(x, i ? "," : "");
    add_piece(x, &s->json);
    write_number(x, s->value);
    text_add(x, ",\"standard_error\":");
    write_number(x, sqrt(s->variance));
    text_add(x, s->valid ? ",\"valid\":true,\"reason\":\"\"}" : ",\"valid\":false,\"reason\":");
    if (s->valid)
      continue;
    write_quoted(x, s->reason);
    text_add(x, "}");
  }
  text_add(x, "]}\n");
}

char *exporter_format(struct exporter_totals *t, enum exporter_format format, size_t *ret_size)
{
  if (format == EXPORTER_OTLP)
    return otlp_format(t, ret_size);
  struct text x = {.format = format};
  buffer_grow(&x.buffer, t->text_size[format] + 1);
  if (format == EXPORTER_JSON)
    write_json(&x, t);
  else {
    write_own(&x, t);
    write_families(&x, t);
    write_quality(&x, t);
  }
  t->text_size[format] = x.buffer.n;
  return take_text(&x, ret_size);
}
