/* SPDX-License-Identifier: MIT */
/* Data of a page: each recording's values as a whole and over time, and the comparisons. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/compare.h>
#include <pmon/regions.h>
#include "cli/page/data.h"
#include "cli/common/groups.h"
#include "cli/common/rate.h"
#include "cli/common/recording.h"

/* Limits of points in time, of numbers and of rows, so that a page is small enough to be sent, and fast. */
enum { MOST_POINTS = 500, MOST_NUMBERS = 400000, LEAST_POINTS = 20, MOST_ROWS = 50000, MOST_REGION_ROWS = 200000 };

/* One recording while it is being read. */
struct source {
  struct cli *cli;
  const char *path, *name; /* the name that the page shows; NULL if there is none */
  struct pmon_recording *recording;
  struct pmon_plan *plan;
  struct pmon_session *session;
  struct pmon_recording_info info;
  struct pmon_report *whole, **points; /* of the whole recording, and of each point in time */
  uint32_t n_points;
};

/* Rounds to six digits: more are not visible in a chart, and would double the page's size. */
static json_t *rounded(bool known, double v)
{
  if (!known || !isfinite(v))
    return json_null();
  if (v == floor(v) && fabs(v) < 1e15)
    return json_integer((json_int_t)v);
  const double place = v != 0 ? pow(10, 5 - floor(log10(fabs(v)))) : 1;
  return json_real(round(v * place) / place);
}

static json_t *text_or_null(const char *s)
{
  json_t *text = s && *s ? json_string(s) : NULL;
  return text ? text : json_null(); /* a text that is not UTF-8 is not shown */
}

static json_t *value_of(const struct pmon_value *v)
{
  json_t *o = json_object();
  json_object_set_new(o, "v", rounded(v->valid, v->number));
  if (v->valid && (v->low != v->number || v->high != v->number)) {
    json_object_set_new(o, "low", rounded(true, v->low));
    json_object_set_new(o, "high", rounded(true, v->high));
  }
  if (!v->valid)
    json_object_set_new(o, "reason", text_or_null(v->reason));
  return o;
}

static json_t *number_or_null(uint32_t n)
{
  return n == PMON_ALL ? json_null() : json_integer(n);
}

/* Makes a report of what is loaded, in all scopes. Returns NULL after an error message. */
static struct pmon_report *make_report(const struct source *s)
{
  struct pmon_platform_info platform = {.size = sizeof platform};
  struct pmon_report *r = NULL;
  pmon_platform_describe(s->cli->platform, &platform);
  const struct pmon_report_head head = {.size = sizeof head,
                                        .platform = s->info.platform,
                                        .seconds = pmon_session_seconds(s->session),
                                        .packages = s->info.packages,
                                        .package = platform.package};
  int status = pmon_report_new(&head, &r);
  if (!status)
    status = pmon_report_add_session(r, s->session, s->plan, PMON_BY_PACKAGE | PMON_BY_INSTANCE | PMON_IN_TOTAL);
  if (!status)
    return r;
  pmon_report_free(r);
  cli_fail(s->cli, "%s: cannot make a page: %s", s->path, cli_status_text(status));
  return NULL;
}

/* Makes the rows of a report, without values over time, which append_point() adds. */
static json_t *rows_of(const struct pmon_report *r)
{
  json_t *rows = json_array();
  struct pmon_report_row row = {.size = sizeof row};
  char unit[RATE_UNIT];
  for (uint32_t i = 0; !pmon_report_get(r, i, &row); i++) {
    json_t *o = value_of(&row.value);
    rate_unit(&row, unit);
    json_object_set_new(o, "name", text_or_null(row.name));
    json_object_set_new(o, "unit", json_string(row.unit));
    if (row.amount) /* shown over time as a rate, in this unit */
      json_object_set_new(o, "rate", json_string(unit));
    json_object_set_new(o, "package", number_or_null(row.package));
    json_object_set_new(o, "instance", number_or_null(row.instance));
    json_object_set_new(o, "of", text_or_null(row.instance_unit));
    json_array_append_new(rows, o);
  }
  return rows;
}

/* Makes the meanings of the names: a sentence, and its source. */
static json_t *meanings_of(const struct source *s)
{
  json_t *meanings = json_object();
  struct pmon_plan_metric_info metric = {.size = sizeof metric};
  const struct pmon_event *event;
  for (uint32_t i = 0; !pmon_plan_metric(s->plan, i, &metric); i++)
    json_object_set_new(
        meanings, metric.name,
        json_pack("{s:o, s:o}", "brief", text_or_null(metric.brief), "cite", text_or_null(metric.cite)));
  for (uint32_t i = 0; (event = pmon_plan_event(s->plan, i)); i++) {
    struct pmon_event_info info = {.size = sizeof info};
    if (pmon_plan_event_selected(s->plan, i) && !pmon_event_describe(event, &info))
      json_object_set_new(meanings, pmon_event_name(event),
                          json_pack("{s:o, s:o}", "brief", text_or_null(info.brief), "cite", text_or_null(info.cite)));
  }
  return meanings;
}

static bool is_estimate(const struct pmon_value *v)
{
  return v->valid && (v->low != v->number || v->high != v->number);
}

/* Appends a report's values to the lists of the rows: a number, or [low, number, high] for an estimate. */
static void append_point(json_t *rows, const struct pmon_report *r)
{
  struct pmon_report_row row = {.size = sizeof row};
  for (uint32_t i = 0; i < json_array_size(rows) && !pmon_report_get(r, i, &row); i++) {
    json_t *o = json_array_get(rows, i), *over = json_object_get(o, "over");
    const struct pmon_value *v = &row.value;
    if (!over)
      json_object_set_new(o, "over", over = json_array());
    json_array_append_new(
        over, is_estimate(v) && row.instance == PMON_ALL
                  ? json_pack("[o, o, o]", rounded(true, v->low), rounded(true, v->number), rounded(true, v->high))
                  : rounded(v->valid, v->number));
  }
}

/* Returns the number of intervals that one point represents. */
static uint32_t intervals_a_point(uint32_t intervals, size_t rows)
{
  size_t points = rows ? MOST_NUMBERS / rows : MOST_POINTS;
  points = points > MOST_POINTS ? MOST_POINTS : points < LEAST_POINTS ? LEAST_POINTS : points;
  return (uint32_t)((intervals + points - 1) / points);
}

/* Adds the values over time; adjacent intervals are combined if there are too many. Ends are on the clock of the
 * measurement: a delay (-D) and disabled counters (--control) leave gaps. Returns false after an error message. */
static bool add_points(struct source *s, json_t *run, json_t *rows)
{
  const uint32_t step = intervals_a_point(s->info.intervals, json_array_size(rows));
  json_t *ends = json_array(), *lengths = json_array();
  double origin = 0;
  json_object_set_new(run, "ends", ends);
  json_object_set_new(run, "lengths", lengths);
  json_object_set_new(run, "step", json_integer(step));
  if (!(s->points = calloc(s->info.intervals / step + 1, sizeof *s->points))) {
    cli_fail_memory(s->cli);
    return false;
  }
  for (uint32_t i = 0; s->info.intervals > 1 && i < s->info.intervals; i += step) {
    const uint32_t n = i + step > s->info.intervals ? s->info.intervals - i : step;
    struct pmon_report *r;
    if (pmon_recording_load_span(s->recording, s->session, i, n)) {
      cli_fail_context(s->cli, NULL);
      return false;
    }
    if (!(r = make_report(s)))
      return false;
    const double end = (double)pmon_session_now_ns(s->session) * 1e-9, length = pmon_session_seconds(s->session);
    if (!i)
      origin = recording_origin(&s->info, s->session);
    json_array_append_new(ends, json_real(end - origin));
    json_array_append_new(lengths, json_real(length));
    append_point(rows, r);
    s->points[s->n_points++] = r;
  }
  return true;
}

/* Adds the regions of the program, in total and for each thread. Returns false after an error message. */
static bool add_regions(struct source *s, json_t *run)
{
  json_t *regions = json_array();
  struct pmon_region_info info = {.size = sizeof info};
  json_object_set_new(run, "regions", regions);
  for (uint32_t i = 0; i < s->info.regions; i++) {
    if (pmon_recording_region_describe(s->recording, i, &info) ||
        pmon_recording_load_region(s->recording, s->session, i)) {
      cli_fail_context(s->cli, NULL);
      return false;
    }
    struct pmon_report *r = NULL;
    json_t *o = json_pack("{s:o, s:o, s:I, s:f}", "name", text_or_null(info.name), "thread",
                          info.thread == PMON_REGION_ALL_THREADS ? json_null() : json_integer((json_int_t)info.thread),
                          "calls", (json_int_t)info.calls, "seconds", pmon_session_seconds(s->session));
    json_array_append_new(regions, o);
    if (!(r = make_report(s)))
      return false;
    json_object_set_new(o, "rows", rows_of(r));
    pmon_report_free(r);
  }
  return true;
}

/* Checks that a browser can show so many rows. Returns false after an error message. */
static bool rows_fit(const struct source *s, size_t rows)
{
  const size_t regions = s->info.regions * rows;
  if (rows <= MOST_ROWS && regions <= MOST_REGION_ROWS)
    return true;
  cli_fail(s->cli,
           "%s: a page of %zu values and %zu of regions is larger than the limits of %d and %d; choose fewer with -m, "
           "-g or -e",
           s->path, rows, regions, MOST_ROWS, MOST_REGION_ROWS);
  return false;
}

static json_t *describe_run(const struct source *s)
{
  struct pmon_platform_info platform = {.size = sizeof platform};
  pmon_platform_describe(s->cli->platform, &platform);
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:i, s:i, s:i, s:b, s:f}", "file", text_or_null(s->name),
                   "platform", text_or_null(s->info.platform), "backend", text_or_null(s->info.backend), "machine",
                   text_or_null(s->info.machine), "command", text_or_null(s->info.command), "host",
                   text_or_null(s->info.host), "package", text_or_null(platform.package), "time", s->info.time,
                   "packages", (int)s->info.packages, "intervals", (int)s->info.intervals, "rounds",
                   (int)s->info.rounds, "complete", (int)s->info.complete, "seconds", s->info.seconds);
}

/* Makes the data of a run. Returns NULL after an error message. */
static json_t *run_of(struct source *s)
{
  json_t *run = describe_run(s);
  if (!run) {
    cli_fail_memory(s->cli);
    return NULL;
  }
  json_object_set_new(run, "meanings", meanings_of(s));
  if (pmon_recording_load(s->recording, s->session, UINT32_MAX)) {
    cli_fail_context(s->cli, NULL);
    json_decref(run);
    return NULL;
  }
  if (!(s->whole = make_report(s))) {
    json_decref(run);
    return NULL;
  }
  json_t *rows = rows_of(s->whole);
  json_object_set_new(run, "rows", rows);
  if (rows_fit(s, json_array_size(rows)) && add_points(s, run, rows) && add_regions(s, run))
    return run;
  json_decref(run);
  return NULL;
}

/* Loads the run of a recording; the source keeps its reports. Returns NULL after an error message, whose exit code is
 * *ret_exit. */
static json_t *load_run(struct source *s, const struct page_request *request, int *ret_exit)
{
  json_t *run = NULL;
  char *metrics = NULL;
  *ret_exit = recording_open(s->cli, s->path, &s->recording);
  if (*ret_exit == CLI_DONE)
    *ret_exit = groups_recorded(s->cli, s->recording, request->groups, request->metrics, &metrics);
  if (*ret_exit != CLI_DONE)
    return NULL;
  s->info.size = sizeof s->info;
  pmon_recording_describe(s->recording, &s->info);
  if (pmon_recording_plan(s->recording, s->cli->platform, request->events, metrics, &s->plan) ||
      pmon_recording_session(s->recording, s->plan, &s->session))
    *ret_exit = cli_fail_context(s->cli, NULL);
  else if (!(run = run_of(s)))
    *ret_exit = CLI_FAILED;
  free(metrics);
  return run;
}

static void source_fini(struct source *s)
{
  for (uint32_t i = 0; i < s->n_points; i++)
    pmon_report_free(s->points[i]);
  free(s->points);
  pmon_report_free(s->whole);
  pmon_session_close(s->session);
  pmon_plan_free(s->plan);
  pmon_recording_close(s->recording);
}

static struct pmon_side side_of_source(const struct source *s)
{
  return (struct pmon_side){.size = sizeof(struct pmon_side),
                            .name = s->name ? s->name : "",
                            .whole = s->whole,
                            .parts = (const struct pmon_report *const *)s->points,
                            .n_parts = s->n_points};
}

static int take_json(void *user, const char *bytes, size_t n)
{
  json_t **ret = user;
  *ret = json_loadb(bytes, n, 0, NULL);
  return *ret ? 0 : PMON_E_SYNTAX;
}

/* Compares two recordings. Returns NULL if there is no memory. */
static json_t *comparison_of(const struct source *first, const struct source *other)
{
  const struct pmon_side a = side_of_source(first), b = side_of_source(other);
  struct pmon_comparison *c = NULL;
  json_t *json = NULL;
  if (!pmon_comparison_new(&a, &b, NULL, &c))
    pmon_comparison_format(c, PMON_FORMAT_JSON, take_json, &json);
  pmon_comparison_free(c);
  return json;
}

json_t *page_data(struct cli *cli, const struct page_request *request, int *ret_exit)
{
  struct source *sources = calloc(request->n_paths, sizeof *sources);
  json_t *data = json_object(), *runs = json_array(), *comparisons = json_array();
  bool good = sources != NULL;
  *ret_exit = good ? CLI_DONE : cli_fail_memory(cli);
  json_object_set_new(data, "pmon", json_string(pmon_version()));
  json_object_set_new(data, "runs", runs);
  json_object_set_new(data, "comparisons", comparisons);
  for (uint32_t i = 0; good && i < request->n_paths; i++) {
    sources[i] =
        (struct source){.cli = cli, .path = request->paths[i], .name = request->unnamed ? NULL : request->paths[i]};
    json_t *run = load_run(&sources[i], request, ret_exit);
    good = run && !json_array_append_new(runs, run);
  }
  for (uint32_t i = 1; good && i < request->n_paths; i++) {
    json_t *comparison = comparison_of(&sources[0], &sources[i]);
    good = comparison && !json_array_append_new(comparisons, comparison);
    *ret_exit = good ? CLI_DONE : cli_fail_memory(cli);
  }
  for (uint32_t i = 0; sources && i < request->n_paths; i++)
    source_fini(&sources[i]);
  free(sources);
  if (good)
    return data;
  json_decref(data);
  return NULL;
}
