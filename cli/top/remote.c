/* SPDX-License-Identifier: MIT */
/* Reads values of an exporter. Its /json has totals since its start; values shown are their increases between two
 * answers, and rates use the time that the exporter measured between these. */
#include "cli/top/remote.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "cli/common/http.h"
#include "cli/top/screen.h"

enum {
  MOST_BYTES = 6 << 20, /* JSON needs up to 80 times its size in memory */
  MOST_SERIES = 8192,
  MOST_PACKAGES = 64,
  MOST_INSTANCES = 1024,
  TIMEOUT_MS = 10000,
  IDLE_MOST = 3
};
static const uint64_t INTERVAL_NS = 1000000000;

enum series_kind { SERIES_GAUGE, SERIES_COUNT, SERIES_RATE };
struct remote_series {
  const char *name, *unit, *of, *reason; /* strings of the answer; of: the unit of the instance */
  uint32_t package, instance;
  enum series_kind kind;
  double value;
  bool valid, later;          /* later: not the first series with this name */
  struct remote_series *next; /* with the same name; NULL: none */
};

struct answer {
  json_t *json;
  struct remote_series *series;
  uint32_t n, packages;
  double seconds; /* measured by the exporter */
};

struct remote {
  struct top *top;
  const struct http_library *http;
  CURL *curl;
  char *url;
  char *text; /* the answer */
  size_t n, capacity;
  struct answer before, now;
  bool early;    /* the exporter has not measured anything yet */
  uint32_t idle; /* answers since the last one with newer values */
};

bool remote_is_address(const char *text)
{
  return !strncmp(text, "http://", 7) || !strncmp(text, "https://", 8);
}

/* ---- answers ---- */

static void answer_free(struct answer *a)
{
  json_decref(a->json);
  free(a->series);
}

static const char *text_of(const json_t *object, const char *key)
{
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

static uint32_t index_of(const json_t *object, const char *key, uint32_t end)
{
  const json_t *number = json_object_get(object, key);
  const json_int_t i = json_integer_value(number);
  return json_is_integer(number) && i >= 0 && i < end ? (uint32_t)i : PMON_ALL;
}

static struct remote_series series_of(const json_t *object)
{
  const char *const kind = text_of(object, "kind");
  return (struct remote_series){
      .name = text_of(object, "source"),
      .unit = text_of(object, "unit"),
      .of = text_of(object, "instance_unit"),
      .reason = text_of(object, "reason"),
      .package = index_of(object, "package", MOST_PACKAGES),
      .instance = index_of(object, "instance", MOST_INSTANCES),
      .kind = !strcmp(kind, "rate")    ? SERIES_RATE
              : !strcmp(kind, "count") ? SERIES_COUNT
                                       : SERIES_GAUGE,
      .value = json_number_value(json_object_get(object, "value")),
      .valid = json_is_true(json_object_get(object, "valid")),
  };
}

static int series_compare_names(const void *a, const void *b)
{
  const struct remote_series *const x = *(struct remote_series *const *)a, *const y = *(struct remote_series *const *)b;
  const int order = strcmp(x->name, y->name);
  return order ? order : (x > y) - (x < y);
}

/* Links series of the same name, in their order. Returns false if there is no memory. */
static bool answer_link(struct answer *a)
{
  struct remote_series **const sorted = calloc(a->n + !a->n, sizeof *sorted);
  for (uint32_t i = 0; sorted && i < a->n; i++)
    sorted[i] = &a->series[i];
  if (sorted)
    qsort(sorted, a->n, sizeof *sorted, series_compare_names);
  for (uint32_t i = 1; sorted && i < a->n; i++)
    if (!strcmp(sorted[i]->name, sorted[i - 1]->name)) {
      sorted[i - 1]->next = sorted[i];
      sorted[i]->later = true;
    }
  free(sorted);
  return sorted;
}

/* Reads the series of an answer. Returns false if it is not an answer of pmon exporter, or is too large. */
static bool answer_read(struct answer *a)
{
  const json_t *series = json_object_get(a->json, "series"), *seconds = json_object_get(a->json, "seconds");
  const size_t n = json_array_size(series);
  if (!json_is_array(series) || !json_is_number(seconds) || n > MOST_SERIES)
    return false;
  a->seconds = json_number_value(seconds);
  if (!(a->series = calloc(n + !n, sizeof *a->series)))
    return false;
  for (; a->n < n; a->n++) {
    struct remote_series *s = &a->series[a->n];
    *s = series_of(json_array_get(series, a->n));
    if (s->package != PMON_ALL && s->package >= a->packages)
      a->packages = s->package + 1;
  }
  return answer_link(a);
}

/* Whether the exporter has other series, or was restarted: its totals then cannot be compared. */
static bool remote_began_again(const struct remote *r)
{
  bool same = r->before.n == r->now.n && r->before.seconds <= r->now.seconds;
  for (uint32_t i = 0; same && i < r->now.n; i++) {
    const struct remote_series *a = &r->before.series[i], *b = &r->now.series[i];
    same = !strcmp(a->name, b->name) && a->package == b->package && a->instance == b->instance && a->kind == b->kind;
  }
  return !same;
}

/* ---- requests ---- */

static size_t remote_take(char *data, size_t size, size_t n, void *user)
{
  struct remote *r = user;
  const size_t more = size * n;
  if (!more || more > MOST_BYTES - r->n) /* libcurl passes an empty body as 0 bytes, before there is a buffer */
    return 0;
  if (r->n + more > r->capacity) {
    const size_t capacity = 2 * r->capacity > r->n + more ? 2 * r->capacity : r->n + more;
    char *grown = realloc(r->text, capacity);
    if (!grown)
      return 0;
    r->text = grown;
    r->capacity = capacity;
  }
  memcpy(r->text + r->n, data, more);
  r->n += more;
  return more;
}

/* Handles keys while waiting for an answer. */
static int remote_progress(void *user, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
  struct remote *r = user;
  (void)a;
  (void)b;
  (void)c;
  (void)d;
  if (r->top->screen)
    top_take_keys(r->top, 0);
  return r->top->quit || stat_stop.number;
}

static bool remote_open(struct remote *r)
{
  const char *const path = r->top->path;
  size_t n = strlen(path);
  const bool whole = n > 5 && !strcmp(path + n - 5, "/json");
  while (n && path[n - 1] == '/')
    n--;
  if (!(r->url = malloc(n + sizeof "/json")))
    return cli_fail_memory(r->top->stat.cli), false;
  snprintf(r->url, n + sizeof "/json", "%.*s%s", (int)n, path, whole ? "" : "/json");
  if (!(r->http = http_load(r->top->stat.cli, "an exporter as the source")) || !(r->curl = r->http->init()))
    return false;
  r->http->setopt(r->curl, CURLOPT_URL, r->url);
  r->http->setopt(r->curl, CURLOPT_PROTOCOLS_STR, "http,https");
  r->http->setopt(r->curl, CURLOPT_TIMEOUT_MS, (long)TIMEOUT_MS);
  r->http->setopt(r->curl, CURLOPT_NOSIGNAL, 1L);
  r->http->setopt(r->curl, CURLOPT_WRITEFUNCTION, remote_take);
  r->http->setopt(r->curl, CURLOPT_WRITEDATA, r);
  r->http->setopt(r->curl, CURLOPT_NOPROGRESS, 0L);
  r->http->setopt(r->curl, CURLOPT_XFERINFOFUNCTION, remote_progress);
  r->http->setopt(r->curl, CURLOPT_XFERINFODATA, r);
  return true;
}

static void remote_close(struct remote *r)
{
  if (r->curl)
    r->http->cleanup(r->curl);
  answer_free(&r->before);
  answer_free(&r->now);
  free(r->text);
  free(r->url);
}

/* Requests an answer. Returns NULL with the answer in r->now and the one before in r->before; else the problem, as text
 * in `problem`. */
static const char *remote_fetch(struct remote *r, char *problem, size_t size)
{
  long code = 0;
  json_error_t error;
  r->n = 0;
  r->early = false;
  const CURLcode result = r->http->perform(r->curl);
  if (result == CURLE_WRITE_ERROR) {
    snprintf(problem, size, "the response is larger than %d MB", MOST_BYTES >> 20);
    return problem;
  }
  if (result) {
    snprintf(problem, size, "%s", r->http->error(result));
    return problem;
  }
  r->http->getinfo(r->curl, CURLINFO_RESPONSE_CODE, &code);
  r->early = code == 503;
  if (code != 200) {
    snprintf(problem, size, "HTTP status %ld%s", code,
             code == 401   ? "; use http://USER:PASSWORD@HOST..."
             : code == 503 ? ": nothing is measured yet"
                           : "");
    return problem;
  }
  struct answer answer = {.json = json_loadb(r->text ? r->text : "", r->n, 0, &error)};
  if (!answer_read(&answer)) {
    snprintf(problem, size, "not a response of pmon exporter, or one with more than %d series", MOST_SERIES);
    answer_free(&answer);
    return problem;
  }
  answer_free(&r->before);
  r->before = r->now;
  r->now = answer;
  return NULL;
}

/* ---- rows ---- */

/* Makes a row from a series: what was added between the two answers, the mean of a rate, or the level of a gauge. */
static struct pmon_report_row row_of_series(const struct remote *r, uint32_t i)
{
  const struct remote_series *now = &r->now.series[i], *before = &r->before.series[i];
  struct pmon_report_row row = {.size = sizeof row, .name = now->name, .unit = now->unit};
  row.package = now->package;
  row.instance = now->instance;
  row.instance_unit = row.instance == PMON_ALL ? NULL : now->of;
  row.amount = now->kind == SERIES_COUNT;
  row.count = row.amount && !*now->unit;
  row.value = (struct pmon_value){.number = now->value, .fraction = 1, .valid = now->valid};
  if (now->kind != SERIES_GAUGE)
    row.value.number -= before->value;
  if (now->kind == SERIES_RATE)
    row.value.number /= r->now.seconds - r->before.seconds;
  row.value.low = row.value.high = row.value.number;
  snprintf(row.value.reason, sizeof row.value.reason, "%s", now->reason);
  return row;
}

/* Adds the sum of a name's series, of one package or of all. If one of the values is missing, so is the sum; gauges
 * have no sum. */
static int add_sum(const struct remote *r, struct pmon_report *report, uint32_t first, uint32_t package)
{
  const struct remote_series *all = r->now.series;
  struct pmon_report_row sum = row_of_series(r, first);
  struct pmon_value *const value = &sum.value;
  uint32_t parts = 0;
  for (const struct remote_series *s = &all[first]; s; s = s->next) {
    if (package != PMON_ALL && s->package != package)
      continue;
    const struct pmon_report_row row = row_of_series(r, (uint32_t)(s - all));
    const double before = parts++ ? value->number : 0;
    if (parts == 1 || !row.value.valid)
      *value = row.value;
    else
      value->number = before + row.value.number;
  }
  if (all[first].kind == SERIES_GAUGE && parts > 1) {
    value->valid = false;
    snprintf(value->reason, sizeof value->reason, "the exporter has no total, only values of its parts");
  }
  value->low = value->high = value->number;
  sum.package = package;
  sum.instance = PMON_ALL;
  sum.instance_unit = NULL;
  return parts ? pmon_report_add(report, &sum) : 0;
}

/* Adds the rows of a name: in total, by package, by instance. */
static int add_name(const struct remote *r, struct pmon_report *report, uint32_t first)
{
  const struct remote_series *all = r->now.series;
  int status = add_sum(r, report, first, PMON_ALL);
  for (uint32_t p = 0; !status && p < r->now.packages; p++)
    status = add_sum(r, report, first, p);
  for (const struct remote_series *s = &all[first]; !status && s; s = s->next) {
    const struct pmon_report_row row = row_of_series(r, (uint32_t)(s - all));
    if (row.instance != PMON_ALL)
      status = pmon_report_add(report, &row);
  }
  return status;
}

/* Shows what was counted between the two answers. Returns false if there is no memory. */
static bool remote_show(struct remote *r)
{
  const struct pmon_report_head head = {.size = sizeof head};
  struct pmon_report *report = NULL;
  int status = pmon_report_new(&head, &report);
  for (uint32_t i = 0; !status && i < r->now.n; i++)
    if (!r->now.series[i].later)
      status = add_name(r, report, i);
  if (!status)
    top_show(r->top, report, r->now.seconds - r->before.seconds, r->now.seconds);
  pmon_report_free(report);
  return !status;
}

/* ---- the loop ---- */

/* Selects the platform that the first answer names. */
static void take_platform(const struct remote *r)
{
  struct top *const t = r->top;
  struct cli *const cli = t->stat.cli;
  const char *const platform = text_of(r->now.json, "platform");
  if (*t->platform)
    return;
  snprintf(t->platform, sizeof t->platform, "%s", platform);
  if (json_is_true(json_object_get(r->now.json, "emulated")))
    snprintf(t->stat.names.machine, sizeof t->stat.names.machine, "%s", platform);
  if (!cli->platform_name && !cli->platform)
    pmon_platform_find(cli->context, platform, &cli->platform);
}

/* Requests an answer, and shows it if it has newer values. Returns false if there is no memory. */
static bool remote_update(struct remote *r)
{
  struct top *const t = r->top;
  char problem[sizeof t->problem];
  const char *failed = remote_fetch(r, problem, sizeof problem);
  snprintf(t->problem, sizeof t->problem, "%s", failed ? failed : "");
  if (failed)
    return true;
  take_platform(r);
  const bool newer = r->now.seconds > r->before.seconds, again = remote_began_again(r);
  r->idle = newer || again ? 0 : r->idle + 1;
  if (r->idle >= IDLE_MOST)
    snprintf(t->problem, sizeof t->problem, "the exporter has no new values");
  if (again)
    history_clear(&t->history);
  return again || !newer || remote_show(r);
}

#define REMEDY "; start `pmon exporter --listen HOST:PORT` on that server (default: localhost:9738)"
int remote_watch(struct top *t, bool monochrome)
{
  struct cli *const cli = t->stat.cli;
  struct remote r = {.top = t};
  int result = !remote_open(&r) ? CLI_FAILED : !remote_update(&r) ? cli_fail_memory(cli) : CLI_DONE;
  if (result == CLI_DONE && *t->problem && !r.early) {
    cli_fail(cli, "%s: %s%s", t->path, t->problem, strchr(t->problem, ';') ? "" : REMEDY);
    result = CLI_FAILED;
  }
  t->remote = true;
  t->stat.times.interval_ns = t->stat.times.interval_ns ? t->stat.times.interval_ns : INTERVAL_NS;
  if (result == CLI_DONE && !(t->screen = screen_open(cli, monochrome)))
    result = CLI_USAGE;
  while (result == CLI_DONE && !t->quit && !stat_stop.number) {
    top_draw(t);
    top_wait(t, (double)t->stat.times.interval_ns * 1e-9);
    if (!t->quit && !stat_stop.number && !remote_update(&r))
      result = cli_fail_memory(cli);
  }
  remote_close(&r);
  return result;
}
