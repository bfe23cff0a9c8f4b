/* SPDX-License-Identifier: MIT */
/* The series of the exporter: which values belong to them, and their totals since the start. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/exporter/exporter.h"

#define SERIES(name, source, label, fixed, help) {name, source, label, fixed, help},
static const struct exporter_series exporter_table[] = {
#include "cli/exporter/series.inc"
};
static const uint32_t exporter_table_size = sizeof exporter_table / sizeof *exporter_table;

/* Whether a metric's name matches a series' source; *port: the number in place of the source's x. */
static bool source_matches(const char *source, const char *name, uint32_t *port)
{
  *port = PMON_ALL;
  for (; *source && *source == *name; source++)
    name++;
  if (*source != 'x' || *name < '0' || *name > '9')
    return !*source && !*name;
  *port = (uint32_t)(*name - '0');
  return !strcmp(source + 1, name + 1);
}

static const struct exporter_series *find_series(const char *name, uint32_t *port)
{
  for (uint32_t i = 0; i < exporter_table_size; i++)
    if (source_matches(exporter_table[i].source, name, port))
      return &exporter_table[i];
  return NULL;
}

/* Appends a text to a list separated by commas, unless the list ends with it: functions of one device share a name.
 * False: no memory. */
static bool text_append(char **list, const char *text)
{
  const size_t n = *list ? strlen(*list) : 0, m = strlen(text);
  if (n >= m && !strcmp(*list + n - m, text) && (n == m || (*list)[n - m - 1] == ','))
    return true;
  char *grown = realloc(*list, n + m + 2);
  if (!grown)
    return false;
  *list = grown;
  if (n)
    grown[n] = ',';
  strcpy(grown + n + (n > 0), text);
  return true;
}

/* Adds the names of the devices behind a sample's port. False: no memory. */
static bool sample_add_devices(struct exporter_sample *s, const struct device_list *list)
{
  bool good = true;
  for (uint32_t i = 0; good && list && s->port != PMON_ALL && i < list->n; i++) {
    const struct pmon_device *d = &list->devices[i];
    if (d->package == s->package && d->instance == s->instance && d->port == s->port && !strcmp(d->unit, s->of))
      good = text_append(&s->bdf, d->address) && (!d->name || text_append(&s->device, d->name));
  }
  return good;
}

/* Returns the series of a row. Rows of one metric follow each other, so that it is usually that of the row before. */
static const struct exporter_series *series_of(struct exporter_totals *t, const char *name, uint32_t *ret_port)
{
  if (strcmp(t->last_name, name)) {
    const size_t size = strlen(name) + 1;
    t->last_series = find_series(name, &t->last_port);
    memcpy(t->last_name, size <= sizeof t->last_name ? name : "", size <= sizeof t->last_name ? size : 1);
  }
  *ret_port = t->last_port;
  return t->last_series;
}

/* Serves the instances of series that have a label for them, and else sockets; metrics of several units have no
 * instances, and are served by socket. */
bool exporter_wants(void *totals, const struct pmon_report_row *row)
{
  uint32_t port;
  const struct exporter_series *series = series_of(totals, row->name, &port);
  const bool by_instance = row->instance_unit && (!series || *series->label);
  return row->package != PMON_ALL && (row->instance != PMON_ALL) == by_instance;
}

static enum exporter_kind kind_of(const struct pmon_report_row *row)
{
  const size_t n = strlen(row->unit);
  if (row->amount)
    return EXPORTER_COUNT;
  return n > 2 && !strcmp(row->unit + n - 2, "/s") ? EXPORTER_RATE : EXPORTER_GAUGE;
}

static bool add_sample(struct exporter_totals *t, const struct pmon_report_row *row)
{
  uint32_t port;
  const struct exporter_series *series = series_of(t, row->name, &port);
  if (!exporter_wants(t, row))
    return true;
  struct exporter_sample *grown = realloc(t->samples, (t->n + 1) * sizeof *grown);
  if (!grown)
    return false;
  t->samples = grown;
  struct exporter_sample *s = &t->samples[t->n++];
  *s = (struct exporter_sample){.series = series,
                                .package = row->package,
                                .instance = row->instance,
                                .port = series ? port : PMON_ALL,
                                .kind = kind_of(row),
                                .name = strdup(row->name),
                                .unit = strdup(row->unit),
                                .of = strdup(row->instance_unit ? row->instance_unit : "")};
  return s->name && s->unit && s->of && sample_add_devices(s, t->devices) && exporter_prepare(t);
}

static const struct exporter_sample *find_sample(struct exporter_totals *t, const struct pmon_report_row *row,
                                                 uint32_t from)
{
  for (uint32_t k = 0; k < t->n; k++) {
    const struct exporter_sample *s = &t->samples[(from + k) % t->n];
    if (s->package == row->package && s->instance == row->instance && !strcmp(s->name, row->name))
      return s;
  }
  return NULL;
}

static void set_validity(struct exporter_sample *s, const struct pmon_value *v)
{
  const char *reason = v->valid ? "" : v->reason;
  if (s->valid == v->valid && !strcmp(s->reason, reason))
    return;
  s->has_before = s->valid || *s->reason; /* neither: this is the first interval */
  memcpy(s->before, s->reason, sizeof s->before);
  s->valid = v->valid;
  s->measured |= v->valid;
  snprintf(s->reason, sizeof s->reason, "%s", reason);
}

/* Adds an interval's value. A missing value adds nothing, because a counter never goes back; s->valid says so. */
static void add_value(struct exporter_sample *s, const struct pmon_value *v, double seconds)
{
  const double factor = s->kind == EXPORTER_RATE ? seconds : 1;
  set_validity(s, v);
  if (s->kind == EXPORTER_GAUGE) {
    s->value = v->valid ? v->number : s->value;
    s->variance = v->valid ? v->sigma * v->sigma : 0;
  }
  if (!v->valid || s->kind == EXPORTER_GAUGE)
    return;
  s->value += v->number > 0 ? v->number * factor : 0;
  s->variance += v->sigma * v->sigma * factor * factor;
}

static void samples_free(struct exporter_sample *samples, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) {
    free(samples[i].name);
    free(samples[i].unit);
    free(samples[i].of);
    free(samples[i].line.text);
    free(samples[i].about.text);
    free(samples[i].json.text);
    free(samples[i].device);
    free(samples[i].bdf);
  }
  free(samples);
}

/* Makes the series of a report. Those that existed before keep their totals, because counters do not go back. */
static bool make_samples(struct exporter_totals *t, const struct pmon_report *report)
{
  struct exporter_totals before = *t;
  struct pmon_report_row row = {.size = sizeof row};
  bool good = true;
  uint32_t next = 0;
  t->samples = NULL;
  t->n = 0;
  for (uint32_t i = 0; good && !pmon_report_get(report, i, &row); i++) {
    const uint32_t n = t->n;
    good = add_sample(t, &row);
    const struct exporter_sample *old = good && t->n > n ? find_sample(&before, &row, next) : NULL;
    if (old) {
      next = (uint32_t)(old - before.samples) + 1;
      t->samples[n].value = old->value;
      t->samples[n].variance = old->variance;
      t->samples[n].valid = old->valid;
      t->samples[n].measured = old->measured;
      memcpy(t->samples[n].reason, old->reason, sizeof old->reason);
    }
  }
  samples_free(before.samples, before.n);
  t->changed = false;
  return good;
}

bool totals_add(struct exporter_totals *t, const struct pmon_report *report, double seconds, double cpu_seconds)
{
  struct pmon_report_row row = {.size = sizeof row};
  bool good = (t->intervals && !t->changed) || make_samples(t, report);
  uint32_t next = 0;
  for (uint32_t i = 0; good && t->n && !pmon_report_get(report, i, &row); i++) {
    const struct exporter_sample *s = find_sample(t, &row, next);
    if (!s)
      continue;
    next = (uint32_t)(s - t->samples) + 1;
    add_value(&t->samples[s - t->samples], &row.value, seconds);
  }
  t->intervals++;
  t->seconds += seconds;
  t->read_seconds = cpu_seconds;
  return good;
}

void totals_fini(struct exporter_totals *t)
{
  samples_free(t->samples, t->n);
}
