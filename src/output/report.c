/* SPDX-License-Identifier: MIT */
#include "src/output/report.h"

#include <stdlib.h>
#include <string.h>
#include "src/base/array.h"
#include "src/base/sized.h"
#include "src/base/writer.h"
#include "src/plan/metric.h"
#include "src/plan/plan.h"
#include "src/plan/ports.h"
#include "src/platform/platform.h"
#include "src/session/values.h"

static char *report_copy_text(const char *s, bool *failed)
{
  char *c = s ? strdup(s) : NULL;
  *failed |= s && !c;
  return c;
}

int pmon_report_new(const struct pmon_report_head *head, struct pmon_report **ret_report)
{
  struct pmon_report_head full = {0};
  int status = sized_take(&full, sizeof full, head);
  if (!status && full.freeze > PMON_FREEZE_BOUNDARIES)
    status = PMON_E_INVALID;
  if (status)
    return status;
  struct pmon_report *r = calloc(1, sizeof *r);
  bool failed = !r;
  if (r) {
    r->platform = report_copy_text(full.platform, &failed);
    r->backend = report_copy_text(full.backend, &failed);
    r->command = report_copy_text(full.command, &failed);
    r->package = report_copy_text(full.package ? full.package : "socket", &failed);
    r->seconds = full.seconds;
    r->end_seconds = full.end_seconds;
    r->paused_seconds = full.paused_seconds;
    r->rounds = full.rounds;
    r->packages = full.packages;
    r->interval = full.interval;
    r->columns = full.columns;
    r->runs = full.runs > 1 ? full.runs : 1;
    r->freeze = full.freeze;
    r->freeze_seconds = full.freeze_seconds;
    r->skew_seconds = full.skew_seconds;
    r->region = report_copy_text(full.region, &failed);
    r->thread = full.thread;
    r->calls = full.calls;
    r->missing_ends = full.missing_ends;
    r->missing_begins = full.missing_begins;
    r->color = full.color;
    r->machine = report_copy_text(full.machine && *full.machine ? full.machine : NULL, &failed);
    r->host = report_copy_text(full.host && *full.host ? full.host : NULL, &failed);
    r->time = full.time;
  }
  if (failed) {
    pmon_report_free(r);
    return PMON_E_MEMORY;
  }
  *ret_report = r;
  return 0;
}

void pmon_report_free(struct pmon_report *report)
{
  if (!report)
    return;
  for (uint32_t i = 0; i < report->n_rows; i++)
    report_free_row(&report->rows[i]);
  report_free_invariants(report);
  report_free_devices(report);
  free(report->rows);
  free(report->region);
  free(report->platform);
  free(report->backend);
  free(report->machine);
  free(report->host);
  free(report->command);
  free(report->package);
  free(report);
}

enum { PLACE_TEXT = 96 };

/* Appends a name and, unless it is PMON_ALL, a number to a place. It uses no printf formats: services make hundreds of
 * rows each second. */
static size_t place_add(char place[PLACE_TEXT], size_t n, const char *name, uint32_t number)
{
  enum { NUMBER = 12 }; /* a blank, ten digits, the end */
  struct writer w = {.at = place, .size = PLACE_TEXT, .n = n};
  const size_t room = PLACE_TEXT - NUMBER - n, length = strlen(name);
  write_bytes(&w, name, length < room ? length : room);
  if (number != PMON_ALL) {
    write_char(&w, ' ');
    write_decimal(&w, number);
  }
  return write_end(&w);
}

/* Copies a row's texts into one block of memory: services add hundreds of rows each second. False: no memory. */
static bool row_copy_texts(struct report_row *r, const struct pmon_report_row *full, const char *where)
{
  const char *const from[] = {full->name ? full->name : "", full->unit ? full->unit : "", where,
                              full->of && *full->of ? full->of : NULL, full->instance_unit};
  const char **const to[] = {&r->name, &r->unit, &r->where, &r->of, &r->instance_unit};
  size_t sizes[sizeof from / sizeof *from], size = 0;
  for (size_t i = 0; i < sizeof from / sizeof *from; i++)
    size += sizes[i] = from[i] ? strlen(from[i]) + 1 : 0;
  char *at = r->texts = malloc(size);
  for (size_t i = 0; at && i < sizeof from / sizeof *from; at += sizes[i++])
    if (from[i])
      *to[i] = memcpy(at, from[i], sizes[i]);
  if (r->device)
    r->where = r->device;
  return r->texts;
}

int pmon_report_add(struct pmon_report *report, const struct pmon_report_row *row)
{
  struct pmon_report_row full = {0};
  char where[PLACE_TEXT];
  bool failed = array_grow(&report->rows, report->n_rows, &report->cap_rows, sizeof *report->rows);
  if (failed)
    return PMON_E_MEMORY;
  int status = sized_take(&full, sizeof full, row);
  if (status)
    return status;
  if (full.value.flags & ~(uint32_t)PMON_VALUE_FLAGS)
    return PMON_E_INVALID;
  size_t n = place_add(where, 0, full.package == PMON_ALL ? "total" : report->package, full.package);
  if (full.instance != PMON_ALL && n < PLACE_TEXT / 2) {
    where[n++] = ' ';
    place_add(where, n, full.instance_unit ? full.instance_unit : "instance", full.instance);
  }
  struct report_row *r = &report->rows[report->n_rows];
  *r = (struct report_row){.package = full.package,
                           .instance = full.instance,
                           .value = full.value,
                           .deviation = full.deviation,
                           .base = full.base,
                           .share = full.share,
                           .count = full.count,
                           .amount = full.amount,
                           .ports = full.ports};
  r->device = report_copy_text(full.device, &failed);
  if (failed || !row_copy_texts(r, &full, where)) {
    report_free_row(r);
    return PMON_E_MEMORY;
  }
  report->n_rows++;
  return 0;
}

struct pmon_report_row report_row_public(const struct report_row *row)
{
  return (struct pmon_report_row){.size = sizeof(struct pmon_report_row),
                                  .name = row->name,
                                  .unit = row->unit,
                                  .package = row->package,
                                  .instance = row->instance,
                                  .instance_unit = row->instance_unit,
                                  .value = row->value,
                                  .deviation = row->deviation,
                                  .share = row->share,
                                  .count = row->count,
                                  .amount = row->amount,
                                  .of = row->of,
                                  .base = row->base,
                                  .ports = row->ports,
                                  .device = row->device};
}

int pmon_report_get(const struct pmon_report *report, uint32_t i, struct pmon_report_row *row)
{
  if (i >= report->n_rows)
    return PMON_E_RANGE;
  const struct pmon_report_row full = report_row_public(&report->rows[i]);
  return sized_fill(row, &full, sizeof full);
}

/* The event or metric that is being added. */
struct subject {
  struct session_values *values;
  int (*value)(struct session_values *, uint32_t, const struct pmon_scope *, struct pmon_value *);
  int (*base)(struct session_values *, uint32_t, const struct pmon_scope *, double *); /* NULL: an event */
  uint32_t index, instances;
  double scale;
  const struct pmon_report_filter *wanted; /* NULL: all rows */
  struct pmon_report_row row;
};

static int find_value(const struct subject *s, struct pmon_report_row *row)
{
  const struct pmon_scope scope = {row->package, row->instance};
  int status = s->value(s->values, s->index, &scope, &row->value);
  if (!status && s->base)
    status = s->base(s->values, s->index, &scope, &row->base);
  if (!status && !s->base && row->value.valid && row->value.flags & PMON_VALUE_WITNESS) {
    struct pmon_scaling scaling = {.share = 0};
    status = session_event_scaling(s->values, s->index, &scope, &scaling);
    row->share = scaling.share;
  }
  row->value.number *= s->scale;
  row->value.sigma *= s->scale;
  row->value.low *= s->scale;
  row->value.high *= s->scale;
  return status;
}

static int add_scope(struct pmon_report *report, struct subject *s, uint32_t package, uint32_t instance)
{
  s->row.package = package;
  s->row.instance = instance;
  if (s->wanted && !s->wanted->wants(s->wanted->user, &s->row))
    return 0;
  int status = find_value(s, &s->row);
  if (!status)
    status = pmon_report_add(report, &s->row);
  s->row.value = (struct pmon_value){.valid = false};
  s->row.base = s->row.share = 0;
  return status == PMON_E_RANGE ? 0 : status;
}

static int add_scopes(struct pmon_report *report, struct subject *s, uint32_t breakdown)
{
  uint64_t packages = pmon_session_packages(s->values->session);
  bool single = !(packages & (packages - 1));
  int status = 0;
  for (uint32_t package = 0; !status && package < 64; package++) {
    if (!(packages >> package & 1))
      continue;
    if (breakdown & PMON_BY_PACKAGE)
      status = add_scope(report, s, package, PMON_ALL);
    for (uint32_t i = 0; !status && breakdown & PMON_BY_INSTANCE && i < s->instances; i++)
      status = add_scope(report, s, package, i);
  }
  if (!status && breakdown & PMON_IN_TOTAL && !(single && breakdown & PMON_BY_PACKAGE))
    status = add_scope(report, s, PMON_ALL, PMON_ALL);
  return status;
}

static uint32_t describe_unit(const struct pmon_platform *platform, uint32_t unit, const char **ret_name)
{
  struct pmon_unit_info info = {.size = sizeof info};
  if (!platform_get_unit(platform, unit, &info))
    return 0;
  *ret_name = info.name;
  return info.instances ? info.instances : 1;
}

static int add_metrics(struct pmon_report *report, struct session_values *values, const struct pmon_plan *plan,
                       uint32_t breakdown, const struct pmon_report_filter *wanted)
{
  const struct metric *m;
  int status = 0;
  for (uint32_t i = 0; !status && (m = metric_selected(plan, i)); i++) {
    struct subject s = {.values = values,
                        .value = session_metric_value,
                        .index = i,
                        .scale = 1,
                        .wanted = wanted,
                        .row.size = sizeof s.row};
    s.base = session_metric_base;
    s.row.of = m->of;
    s.row.name = m->name;
    s.row.unit = m->result;
    s.row.brief = m->brief;
    s.row.ports = ports_of_metric(plan, m);
    s.row.amount = m->amount;
    if (m->unit_number != PMON_ALL)
      s.instances = describe_unit(plan->platform, m->unit_number, &s.row.instance_unit);
    status = add_scopes(report, &s, breakdown);
  }
  return status;
}

/* Sets the scale of an event's values and its unit: the caller's (pmon_plan_set_scale()), else the facts'. The count of
 * a level is its sum over microseconds. */
static void set_event_scale(struct subject *s, const struct plan_event *event)
{
  struct pmon_event_info info = {.size = sizeof info};
  const double seconds = pmon_session_seconds(s->values->session);
  const bool described = !pmon_event_describe(event->event, &info), given = event->scale > 0;
  if (given || (described && info.scale > 0)) {
    s->scale = given ? event->scale : info.scale;
    s->row.unit = given ? event->unit : info.result;
    s->row.count = false;
  }
  s->row.amount = info.level != PMON_LEVEL_MEAN;
  if (!s->row.amount && seconds > 0)
    s->scale /= seconds * 1e6;
}

static int add_events(struct pmon_report *report, struct session_values *values, const struct pmon_plan *plan,
                      uint32_t breakdown, const struct pmon_report_filter *wanted)
{
  const struct pmon_event *event;
  int status = 0;
  for (uint32_t i = 0; !status && (event = pmon_plan_event(plan, i)); i++) {
    struct subject s = {.values = values,
                        .value = session_event_value,
                        .index = i,
                        .scale = 1,
                        .wanted = wanted,
                        .row.size = sizeof s.row};
    if (!pmon_plan_event_selected(plan, i))
      continue;
    s.row.name = pmon_event_name(event);
    s.row.unit = "";
    s.row.count = true;
    s.row.ports = ports_of_event(event);
    set_event_scale(&s, &plan->events[i]);
    s.instances = describe_unit(plan->platform, pmon_event_unit(event), &s.row.instance_unit);
    status = add_scopes(report, &s, breakdown);
  }
  return status;
}

int pmon_report_add_session_rows(struct pmon_report *report, const struct pmon_session *session,
                                 const struct pmon_plan *plan, uint32_t breakdown,
                                 const struct pmon_report_filter *wanted)
{
  struct pmon_report_filter filter = {0};
  struct session_values values;
  if (breakdown & ~(uint32_t)(PMON_BY_PACKAGE | PMON_BY_INSTANCE | PMON_IN_TOTAL))
    return PMON_E_INVALID;
  int status = wanted ? sized_take(&filter, sizeof filter, wanted) : 0;
  if (!status && wanted && !filter.wants)
    status = PMON_E_INVALID;
  if (status)
    return status;
  wanted = wanted ? &filter : NULL;
  session_values_init(&values, session);
  status = add_metrics(report, &values, plan, breakdown, wanted);
  return status ? status : add_events(report, &values, plan, breakdown, wanted);
}

int pmon_report_add_session(struct pmon_report *report, const struct pmon_session *session,
                            const struct pmon_plan *plan, uint32_t breakdown)
{
  return pmon_report_add_session_rows(report, session, plan, breakdown, NULL);
}

int pmon_report_format(const struct pmon_report *report, enum pmon_format format, pmon_sink sink, void *user)
{
  struct buffer b = {0};
  switch (format) {
  case PMON_FORMAT_TEXT: report_format_text(report, &b); break;
  case PMON_FORMAT_CSV: report_format_csv(report, &b); break;
  case PMON_FORMAT_CSV_HEADER: report_format_csv_header(&b); break;
  case PMON_FORMAT_CSV_WIDE: report_format_wide(report, &b); break;
  case PMON_FORMAT_CSV_WIDE_HEADER: report_format_wide_header(report, &b); break;
  case PMON_FORMAT_JSON: report_format_json(report, &b); break;
  default: return PMON_E_INVALID;
  }
  int status = b.failed ? PMON_E_MEMORY : b.n ? sink(user, b.data, b.n) : 0;
  free(b.data);
  return status;
}
