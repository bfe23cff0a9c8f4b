/* SPDX-License-Identifier: MIT */
/* Pushes metrics to an OpenTelemetry collector: OTLP 1.0 over HTTP in its JSON encoding. A name loses the suffixes that
 * Prometheus appends (pmon_memory_read_bytes_total is pmon.memory.read in unit By), so that the collector's Prometheus
 * exporter makes the same name of it again. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <pmon/hardware.h>
#include "cli/common/http.h"
#include "cli/exporter/exporter.h"
#include "src/base/escape.h"

enum { TIMEOUT_MS = 10000, CUMULATIVE = 2, NO_RECORDED_VALUE = 1 };

/* A value with its escapes, since JSON takes UTF-8 only. It is cut if it does not fit. */
struct attribute_text {
  char text[512];
  size_t n;
};

static void attribute_write(void *user, const char *s, size_t n)
{
  struct attribute_text *t = user;
  if (n > sizeof t->text - t->n)
    for (n = sizeof t->text - t->n; n && (s[n] & 0xc0) == 0x80; n--)
      continue; /* does not split a character */
  memcpy(t->text + t->n, s, n);
  t->n += n;
}

/* Adds {"key": ..., "value": {"stringValue": ...}}. */
static void add_attribute(json_t *to, const char *key, const char *value)
{
  struct attribute_text text = {.n = 0};
  escape_write(value, strlen(value), LINES_ESCAPED, attribute_write, &text);
  json_array_append_new(to, json_pack("{s:s, s:{s:s%}}", "key", key, "value", "stringValue", text.text, text.n));
}

static void add_number(json_t *to, const char *key, uint32_t value)
{
  char text[16];
  snprintf(text, sizeof text, "%" PRIu32, value);
  add_attribute(to, key, text);
}

/* Makes the attributes of a series, the same as its labels in Prometheus. */
static json_t *make_attributes(const struct exporter_totals *t, const struct exporter_sample *s)
{
  json_t *to = json_array();
  char key[40], value[40];
  add_number(to, t->package, s->package);
  if (s->series && s->instance != PMON_ALL)
    add_number(to, s->series->label, s->instance);
  if (s->port != PMON_ALL)
    add_number(to, "port", s->port);
  if (s->device)
    add_attribute(to, "device", s->device);
  if (s->bdf)
    add_attribute(to, "bdf", s->bdf);
  if (s->series && sscanf(s->series->fixed, "%39[a-z]=\"%39[a-z]\"", key, value) == 2)
    add_attribute(to, key, value);
  if (s->series)
    return to;
  add_attribute(to, s->kind == EXPORTER_COUNT ? "event" : "metric", s->name);
  if (s->kind != EXPORTER_COUNT && *s->unit)
    add_attribute(to, "unit", s->unit);
  if (s->instance != PMON_ALL) {
    add_attribute(to, "instance_unit", s->of);
    add_number(to, "unit_instance", s->instance);
  }
  return to;
}

/* Makes a data point. value NULL: a point with the data model's flag "no recorded value". */
static json_t *make_point(json_t *attributes, const char *now, const double *value)
{
  if (value)
    return json_pack("{s:o, s:s, s:f}", "attributes", attributes, "timeUnixNano", now, "asDouble", *value);
  return json_pack("{s:o, s:s, s:i}", "attributes", attributes, "timeUnixNano", now, "flags", NO_RECORDED_VALUE);
}

static json_t *make_value(const struct exporter_totals *t, const struct exporter_sample *s, const char *now)
{
  const bool gauge = s->kind == EXPORTER_GAUGE;
  const bool known = gauge ? s->valid : s->measured;
  json_t *point = make_point(make_attributes(t, s), now, known ? &s->value : NULL);
  if (point && !gauge)
    json_object_set_new(point, "startTimeUnixNano", json_string(t->start_ns));
  return point;
}

/* Writes the name of a family, and returns its unit. */
static const char *otlp_name(const char *family, char *name, size_t size)
{
  static const struct {
    const char *suffix, *unit;
  } suffixes[] = {{"_total", "{count}"}, {"_bytes", "By"}, {"_seconds", "s"},
                  {"_joules", "J"},      {"_hertz", "Hz"}, {"_ratio", "1"}};
  const char *unit = "";
  size_t n = (size_t)snprintf(name, size, "%s", family);
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    const size_t m = strlen(suffixes[i].suffix);
    if (n > m && !strcmp(name + n - m, suffixes[i].suffix)) {
      name[n -= m] = 0;
      unit = suffixes[i].unit;
    }
  }
  for (char *c = name; *c; c++)
    *c = *c == '_' ? '.' : *c;
  return unit;
}

/* Makes one family with its points; NULL: it has none. */
static json_t *make_metric(const struct exporter_totals *t, uint32_t first, const char *now)
{
  const struct exporter_sample *const head = &t->samples[first];
  json_t *points = json_array();
  char name[128];
  for (uint32_t k = first; k < t->n; k++)
    if (t->samples[k].family == first && isfinite(t->samples[k].value) && exporter_is_shown(&t->samples[k]))
      json_array_append_new(points, make_value(t, &t->samples[k], now));
  if (!json_array_size(points)) {
    json_decref(points);
    return NULL;
  }
  const char *unit = otlp_name(exporter_family(head), name, sizeof name);
  if (head->kind == EXPORTER_GAUGE)
    return json_pack("{s:s, s:s, s:{s:o}}", "name", name, "unit", unit, "gauge", "dataPoints", points);
  return json_pack("{s:s, s:s, s:{s:o, s:i, s:b}}", "name", name, "unit", unit, "sum", "dataPoints", points,
                   "aggregationTemporality", CUMULATIVE, "isMonotonic", 1);
}

/* Makes the attributes of a point about a series: those of the series, the name of its metric, and the reason. */
static json_t *make_attributes_about(const struct exporter_totals *t, const struct exporter_sample *s,
                                     const char *reason)
{
  json_t *to = make_attributes(t, s);
  char name[128];
  otlp_name(exporter_family(s), name, sizeof name);
  add_attribute(to, "series", name);
  if (*reason)
    add_attribute(to, "reason", reason);
  return to;
}

static void add_gauge(json_t *metrics, const char *name, json_t *points)
{
  if (json_array_size(points))
    json_array_append_new(metrics,
                          json_pack("{s:s, s:s, s:{s:O}}", "name", name, "unit", "", "gauge", "dataPoints", points));
  json_decref(points);
}

/* Adds two metrics, as in Prometheus: the validity of each series in the last interval, and the standard errors of
 * estimates. OTLP has no error of a point. Each value of an attribute makes another stream, so a new reason ends the
 * stream of the previous one. */
static void add_quality(json_t *metrics, const struct exporter_totals *t, const char *now)
{
  json_t *valid = json_array(), *errors = json_array();
  for (uint32_t k = 0; k < t->n; k++) {
    const struct exporter_sample *const s = &t->samples[k];
    const double is_valid = s->valid, error = sqrt(s->variance);
    if (exporter_is_shown(s))
      json_array_append_new(valid, make_point(make_attributes_about(t, s, s->reason), now, &is_valid));
    if (exporter_is_shown(s) && s->has_before)
      json_array_append_new(valid, make_point(make_attributes_about(t, s, s->before), now, NULL));
    if (error > 0 && isfinite(error))
      json_array_append_new(errors, make_point(make_attributes_about(t, s, ""), now, &error));
  }
  add_gauge(metrics, "pmon.metric.valid", valid);
  add_gauge(metrics, "pmon.standard.error", errors);
}

/* Adds OpenTelemetry's attributes of this host's processor, which is not the emulated one. */
static void add_processor(json_t *to)
{
  struct pmon_cpu cpu;
  if (!pmon_cpu_read(&cpu))
    return;
  add_attribute(to, "host.cpu.vendor.id", cpu.vendor);
  add_number(to, "host.cpu.family", cpu.signature[0]);
  add_number(to, "host.cpu.model.id", cpu.signature[1]);
  add_number(to, "host.cpu.stepping", cpu.signature[2]);
}

/* Describes what is measured, and where: OpenTelemetry's attributes of hosts and services, and the platform. */
static json_t *make_resource(const struct exporter_totals *t)
{
  json_t *to = json_array();
  struct utsname host;
  add_processor(to);
  if (!uname(&host)) {
    add_attribute(to, "host.name", host.nodename);
    add_attribute(to, "host.arch", !strcmp(host.machine, "x86_64") ? "amd64" : host.machine);
    add_attribute(to, "service.instance.id", host.nodename);
  }
  add_attribute(to, "service.name", "pmon-exporter");
  add_attribute(to, "service.version", pmon_version());
  add_attribute(to, "pmon.platform", t->platform);
  add_attribute(to, "pmon.backend", t->backend);
  add_attribute(to, "pmon.emulated", *t->machine ? "true" : "false");
  return to;
}

void otlp_time(char text[OTLP_TIME])
{
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(text, OTLP_TIME, "%lld%09ld", (long long)now.tv_sec, now.tv_nsec);
}

char *otlp_format(const struct exporter_totals *t, size_t *ret_size)
{
  char now[OTLP_TIME];
  json_t *metrics = json_array();
  otlp_time(now);
  for (uint32_t i = 0; i < t->n; i++) {
    json_t *metric = t->samples[i].family == i ? make_metric(t, i, now) : NULL;
    if (metric)
      json_array_append_new(metrics, metric);
  }
  add_quality(metrics, t, now);
  json_t *root = json_pack("{s:[{s:{s:o}, s:[{s:{s:s, s:s}, s:o}]}]}", "resourceMetrics", "resource", "attributes",
                           make_resource(t), "scopeMetrics", "scope", "name", "pmon", "version", pmon_version(),
                           "metrics", metrics);
  char *text = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  json_decref(root);
  *ret_size = text ? strlen(text) : 0;
  return text;
}

struct otlp_pusher {
  struct cli *cli;
  const struct http_library *http;
  const struct exporter_network_options *o;
  struct exporter_texts *texts;
  CURL *curl;
};

static size_t drop_answer(char *data, size_t size, size_t n, void *user)
{
  (void)data;
  (void)user;
  return size * n;
}

/* Pushes the current text. Returns NULL, or the problem. */
static const char *otlp_push(struct otlp_pusher *p, char *problem, size_t size)
{
  long code = 0;
  pthread_mutex_lock(&p->texts->lock);
  const size_t n = p->texts->size[EXPORTER_OTLP];
  char *text = p->texts->text[EXPORTER_OTLP] ? malloc(n + 1) : NULL;
  if (text)
    memcpy(text, p->texts->text[EXPORTER_OTLP], n);
  pthread_mutex_unlock(&p->texts->lock);
  if (!text)
    return NULL; /* nothing is measured yet */
  p->http->setopt(p->curl, CURLOPT_POSTFIELDS, text);
  p->http->setopt(p->curl, CURLOPT_POSTFIELDSIZE, (long)n);
  const CURLcode result = p->http->perform(p->curl);
  free(text);
  if (!result)
    p->http->getinfo(p->curl, CURLINFO_RESPONSE_CODE, &code);
  if (!result && code >= 200 && code < 300)
    return NULL;
  if (result)
    snprintf(problem, size, "%s", p->http->error(result));
  else
    snprintf(problem, size, "HTTP status %ld", code);
  return problem;
}

/* Pushes at the interval. A collector that does not answer causes one message, and another one when it answers
 * again. */
static void *otlp_run(void *user)
{
  struct otlp_pusher *p = user;
  const struct timespec pause = {(time_t)(p->o->otlp_interval_ns / 1000000000),
                                 (long)(p->o->otlp_interval_ns % 1000000000)};
  bool away = false;
  for (;;) {
    char text[256];
    const char *problem = otlp_push(p, text, sizeof text);
    if (problem && !away)
      cli_note(p->cli, "--otlp %s: %s; trying again", p->o->otlp, problem);
    else if (!problem && away)
      cli_note(p->cli, "--otlp %s: the collector responds again", p->o->otlp);
    away = problem != NULL;
    nanosleep(&pause, NULL);
  }
  return NULL;
}

bool otlp_start(struct cli *cli, const struct exporter_network_options *o, struct exporter_texts *texts)
{
  struct curl_slist *headers = NULL;
  struct otlp_pusher *p = calloc(1, sizeof *p);
  pthread_t thread;
  if (!p || !(p->http = http_load(cli, "--otlp")) || !(p->curl = p->http->init())) {
    free(p);
    return false;
  }
  p->cli = cli;
  p->o = o;
  p->texts = texts;
  headers = p->http->append(headers, "Content-Type: application/json");
  headers = p->http->append(headers, "Expect:");
  p->http->setopt(p->curl, CURLOPT_URL, o->otlp);
  p->http->setopt(p->curl, CURLOPT_HTTPHEADER, headers);
  p->http->setopt(p->curl, CURLOPT_PROTOCOLS_STR, "http,https");
  p->http->setopt(p->curl, CURLOPT_TIMEOUT_MS, (long)TIMEOUT_MS);
  p->http->setopt(p->curl, CURLOPT_NOSIGNAL, 1L);
  p->http->setopt(p->curl, CURLOPT_WRITEFUNCTION, drop_answer);
  if (pthread_create(&thread, NULL, otlp_run, p))
    return cli_fail_memory(cli), false;
  return true;
}
