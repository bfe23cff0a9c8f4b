/* SPDX-License-Identifier: MIT */
#include "cli/stat/histogram.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/common/rate.h"
#include "cli/stat/distribution.h"
#include "src/base/buffer.h"
#include "src/base/escape.h"
#include "src/base/real.h"

/* BAR: columns of the longest bar, so that lines have 80 columns. */
enum { BAR = 24 };

/* One value: its number in each interval, NAN where it has none. */
struct value_series {
  char *name, *instance_unit, unit[RATE_UNIT];
  uint32_t package, instance;
  double *numbers;
};

struct histogram {
  const char *package;
  uint32_t n_values, n, room; /* n: intervals */
  struct value_series *values;
  double *seconds; /* of each interval */
};

/* Takes a row's texts. Amounts are shown as rates. */
static bool value_init(struct value_series *v, const struct pmon_report_row *row)
{
  v->name = strdup(row->name);
  v->instance_unit = strdup(row->instance_unit ? row->instance_unit : "");
  v->package = row->package;
  v->instance = row->instance;
  rate_unit(row, v->unit);
  return v->name && v->instance_unit;
}

int histogram_new(const struct pmon_report *first, const char *package, struct histogram **ret_histogram)
{
  struct pmon_report_row row = {.size = sizeof row};
  struct histogram *h = calloc(1, sizeof *h);
  uint32_t n = 0;
  while (!pmon_report_get(first, n, &row))
    n++;
  bool ok = h && (h->values = calloc(n + 1, sizeof *h->values));
  if (h) {
    h->package = package;
    h->n_values = ok ? n : 0;
  }
  for (uint32_t i = 0; ok && i < n && !pmon_report_get(first, i, &row); i++)
    ok = value_init(&h->values[i], &row);
  if (!ok) {
    histogram_free(h);
    return PMON_E_MEMORY;
  }
  *ret_histogram = h;
  return PMON_OK;
}

static bool grow_one(double **numbers, uint32_t room)
{
  double *more = realloc(*numbers, room * sizeof *more);
  *numbers = more ? more : *numbers;
  return more != NULL;
}

static bool histogram_grow(struct histogram *h)
{
  const uint32_t room = h->room ? 2 * h->room : 64;
  bool ok = room > h->room && grow_one(&h->seconds, room);
  for (uint32_t i = 0; ok && i < h->n_values; i++)
    ok = grow_one(&h->values[i].numbers, room);
  h->room = ok ? room : h->room;
  return ok;
}

int histogram_add(struct histogram *h, const struct pmon_report *report, double seconds)
{
  struct pmon_report_row row = {.size = sizeof row};
  if (h->n == h->room && !histogram_grow(h))
    return PMON_E_MEMORY;
  for (uint32_t i = 0; i < h->n_values; i++) {
    if (pmon_report_get(report, i, &row))
      return PMON_E_INVALID;
    h->values[i].numbers[h->n] = !row.value.valid ? NAN : row.value.number * rate_factor(&row, seconds);
  }
  h->seconds[h->n++] = seconds;
  return PMON_OK;
}

static void number_text(const struct value_series *v, double number, char text[PMON_REPORT_TEXT])
{
  char after[PMON_REPORT_TEXT];
  const struct pmon_report_row row = {.size = sizeof row,
                                      .name = v->name,
                                      .unit = v->unit,
                                      .package = PMON_ALL,
                                      .instance = PMON_ALL,
                                      .value = {.valid = true, .number = number, .low = number, .high = number}};
  pmon_report_row_text(&row, text, after);
}

static double share_of(double part, double whole)
{
  return whole > 0 ? part / whole : 0;
}

static void write_scope(FILE *to, const struct histogram *h, const struct value_series *v)
{
  if (v->package != PMON_ALL)
    fprintf(to, ", %s %u", h->package, v->package);
  if (v->instance != PMON_ALL)
    fprintf(to, " %s %u", *v->instance_unit ? v->instance_unit : "instance", v->instance);
}

static void write_value_text(FILE *to, const struct histogram *h, const struct value_series *v,
                             const struct distribution *d)
{
  static const char *const names[] = {"least", "median", "95 % of the time at most", "99 % at most", "greatest"};
  char texts[2][PMON_REPORT_TEXT];
  double most = 0;
  fprintf(to, "%s", v->name);
  write_scope(to, h, v);
  fprintf(to, ": %u interval%s\n", h->n, h->n == 1 ? "" : "s");
  for (unsigned q = 0; d->intervals && q < QUANTILE_N; q++) {
    number_text(v, d->quantiles[q], texts[0]);
    fprintf(to, "%s%s %s", q == QUANTILE_MOST_95 ? "\n  " : q ? ", " : "  ", names[q], texts[0]);
  }
  if (d->intervals)
    fprintf(to, "\n%16s%16s%11s%10s\n", "from", "to", "intervals", "time");
  for (uint32_t i = 0; i < d->n_bins; i++)
    most = fmax(most, d->bins[i].seconds);
  for (uint32_t i = 0; i < d->n_bins; i++) {
    const struct distribution_bin *b = &d->bins[i];
    const double share = share_of(b->seconds, d->seconds + d->missing_seconds);
    number_text(v, b->from, texts[0]);
    number_text(v, b->to, texts[1]);
    fprintf(to, "%16s%16s%11u", texts[0], b->to > b->from ? texts[1] : "", b->intervals);
    real_print(texts[0], sizeof texts[0], "%8.2f %%", share * 100);
    fputs(texts[0], to);
    for (int n = (int)ceil(share_of(b->seconds, most) * BAR); n > 0; n--)
      fprintf(to, "%s#", n == (int)ceil(share_of(b->seconds, most) * BAR) ? "  " : "");
    fputc('\n', to);
  }
  if (d->intervals < h->n) {
    real_print(texts[0], sizeof texts[0], "%8.2f %%",
               share_of(d->missing_seconds, d->seconds + d->missing_seconds) * 100);
    fprintf(to, "%32s%11u%s\n", "no data", h->n - d->intervals, texts[0]);
  }
  fputc('\n', to);
}

static void csv_cell(struct buffer *b, const char *text)
{
  buffer_add_csv(b, text);
  buffer_add_bytes(b, ",", 1);
}

static void csv_index(struct buffer *b, uint32_t index)
{
  if (index != PMON_ALL)
    buffer_add_decimal(b, index);
  buffer_add_bytes(b, ",", 1);
}

static void csv_number(struct buffer *b, double number)
{
  buffer_add_real(b, number);
  buffer_add_bytes(b, ",", 1);
}

static bool write_value_csv(FILE *to, const struct value_series *v, const struct distribution *d)
{
  struct buffer b = {0};
  for (uint32_t i = 0; i < d->n_bins; i++) {
    csv_cell(&b, v->name);
    csv_index(&b, v->package);
    csv_cell(&b, v->instance_unit);
    csv_index(&b, v->instance);
    csv_cell(&b, v->unit);
    csv_number(&b, d->bins[i].from);
    csv_number(&b, d->bins[i].to);
    csv_number(&b, d->bins[i].intervals);
    csv_number(&b, d->bins[i].seconds);
    buffer_add_real(&b, share_of(d->bins[i].seconds, d->seconds + d->missing_seconds));
    buffer_add_bytes(&b, "\r\n", 2);
  }
  const bool written = !b.failed && fwrite(b.data, 1, b.n, to) == b.n;
  free(b.data);
  return written;
}

static json_t *json_index(uint32_t index)
{
  return index == PMON_ALL ? json_null() : json_integer(index);
}

static bool write_value_json(FILE *to, const struct histogram *h, const struct value_series *v,
                             const struct distribution *d)
{
  static const char *const names[] = {"least", "median", "p95", "p99", "greatest"};
  json_t *bins = json_array();
  json_t *o = json_pack("{s:s, s:o, s:s, s:o, s:s, s:i, s:i, s:f}", "name", v->name, "package", json_index(v->package),
                        "unit_name", v->instance_unit, "instance", json_index(v->instance), "unit", v->unit,
                        "intervals", (int)d->intervals, "missing", (int)(h->n - d->intervals), "seconds", d->seconds);
  for (unsigned q = 0; q < QUANTILE_N; q++)
    json_object_set_new(o, names[q], d->intervals ? json_real(d->quantiles[q]) : json_null());
  for (uint32_t i = 0; i < d->n_bins; i++) {
    const struct distribution_bin *b = &d->bins[i];
    json_array_append_new(bins, json_pack("{s:f, s:f, s:i, s:f}", "from", b->from, "to", b->to, "intervals",
                                          (int)b->intervals, "seconds", b->seconds));
  }
  const bool ok = o && !json_object_set_new(o, "bins", bins) && !json_dumpf(o, to, JSON_COMPACT);
  fputc('\n', to);
  json_decref(o);
  return ok;
}

struct piece_sink {
  pmon_sink sink;
  void *user;
  int status;
};

static void write_piece(void *user, const char *s, size_t n)
{
  struct piece_sink *to = user;
  to->status = to->status ? to->status : to->sink(to->user, s, n);
}

static int write_values(const struct histogram *h, enum pmon_format format, FILE *to)
{
  struct distribution d;
  int status = PMON_OK;
  for (uint32_t i = 0;
       i < h->n_values && !status && !(status = distribution_make(h->values[i].numbers, h->seconds, h->n, &d)); i++) {
    bool written = true;
    if (format == PMON_FORMAT_TEXT)
      write_value_text(to, h, &h->values[i], &d);
    else if (format == PMON_FORMAT_CSV)
      written = !d.n_bins || write_value_csv(to, &h->values[i], &d);
    else
      written = write_value_json(to, h, &h->values[i], &d);
    status = written ? PMON_OK : PMON_E_MEMORY;
  }
  return status;
}

int histogram_write(const struct histogram *h, enum pmon_format format, const char *begin, pmon_sink sink, void *user)
{
  char *text = NULL;
  size_t size = 0;
  FILE *to = open_memstream(&text, &size);
  struct piece_sink pieces = {sink, user, 0};
  if (!to)
    return PMON_E_MEMORY;
  if (format == PMON_FORMAT_TEXT)
    fputs(begin, to);
  if (format == PMON_FORMAT_CSV)
    fputs("name,package,unit_name,instance,unit,from,to,intervals,seconds,share\r\n", to);
  int status = write_values(h, format, to);
  if (fclose(to))
    status = PMON_E_MEMORY;
  else if (!status && format == PMON_FORMAT_CSV) /* its line ends are those of the other CSV */
    status = sink(user, text, size);
  else if (!status)
    escape_write(text, size, LINES_PLAIN, write_piece, &pieces);
  free(text);
  return status ? status : pieces.status;
}

void histogram_free(struct histogram *h)
{
  for (uint32_t i = 0; h && i < h->n_values; i++) {
    free(h->values[i].name);
    free(h->values[i].instance_unit);
    free(h->values[i].numbers);
  }
  if (h) {
    free(h->values);
    free(h->seconds);
  }
  free(h);
}
