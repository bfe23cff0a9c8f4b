/* SPDX-License-Identifier: MIT */
#include "fuzz/walk.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/check/check.h"

/* Limits: only so much of a long list is used. */
enum { EVENTS = 200, PLANNED = 24, METRICS = 40 };

/* Looks up one register of an instance by address, name and value. */
static void try_register(struct pmon_context *c, const struct pmon_platform *p, const struct pmon_register_id *id,
                         uint32_t width)
{
  const uint64_t values[] = {0, width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX};
  struct pmon_address a;
  struct pmon_register_id found;
  struct pmon_decoded decoded = {.size = sizeof decoded};
  struct pmon_field_value fields[32];
  char text[256], name[200];
  if (pmon_register_address(p, id, &a) || pmon_register_find(p, &a, &found)) {
    if (id->index) /* single instances may have fewer counters than their unit */
      return;
    abort();
  }
  pmon_address_format(&a, text, sizeof text);
  pmon_register_name(p, id, name, sizeof name);
  for (int i = 0; i < 2; i++) {
    if (pmon_decode_value(p, id, values[i], &decoded))
      abort();
    pmon_value_fields(p, id, values[i], NULL, fields, 32);
    snprintf(text, sizeof text, "%s=%#llx", name, (unsigned long long)values[i]);
    if (pmon_decode(c, p, text, &decoded) && !*pmon_context_error(c))
      abort();
  }
}

static void try_registers(struct pmon_context *c, const struct pmon_platform *p, uint32_t unit,
                          const struct pmon_unit_info *u)
{
  struct pmon_register_info r = {.size = sizeof r};
  struct pmon_field_info field = {.size = sizeof field};
  for (uint32_t reg = 0; !pmon_register_describe(p, unit, reg, &r); reg++) {
    for (uint32_t i = 0; !pmon_field_describe(p, unit, reg, i, &field); i++)
      if (field.hi < field.lo || field.hi >= 64)
        abort();
    struct pmon_address a;
    const struct pmon_register_id first = {unit, reg, 0, 0};
    if (u->perf_only && pmon_register_address(p, &first, &a) != PMON_E_UNSUPPORTED)
      abort();
    if (u->perf_only || !u->instances || !*r.layout)
      continue;
    try_register(c, p, &first, r.width_bits);
    try_register(c, p, &(struct pmon_register_id){unit, reg, u->instances - 1, r.count - 1}, r.width_bits);
  }
}

void walk_units(struct pmon_context *c, const struct pmon_platform *p)
{
  struct pmon_platform_info info = {.size = sizeof info};
  struct pmon_unit_info u = {.size = sizeof u};
  uint32_t found;
  pmon_platform_describe(p, &info);
  for (uint32_t unit = 0; unit < info.units; unit++) {
    if (pmon_unit_describe(p, unit, &u) || pmon_unit_find(p, u.name, &found) || found != unit)
      abort();
    try_registers(c, p, unit, &u);
  }
}

/* Resolves an event, and decodes the register images that it gives. */
static void try_event(struct pmon_context *c, const struct pmon_platform *p, const char *text)
{
  struct pmon_event *e, *again;
  struct pmon_image image;
  struct pmon_decoded decoded = {.size = sizeof decoded};
  struct pmon_event_info info = {.size = sizeof info};
  if (pmon_event_resolve(c, p, text, &e)) {
    if (!*pmon_context_error(c))
      abort();
    return;
  }
  pmon_event_describe(e, &info);
  for (uint32_t i = 0; i < 32; i++)
    if (pmon_event_counters(e) >> i & 1 && !pmon_event_encode(e, 0, 0, i, &image))
      for (uint32_t k = 0; k < image.n; k++)
        if (pmon_decode_value(p, &image.registers[k].id, image.registers[k].value, &decoded) || decoded.reserved)
          abort();
  if (pmon_event_resolve(c, p, pmon_event_name(e), &again) || strcmp(pmon_event_name(e), pmon_event_name(again)))
    abort();
  pmon_event_free(again);
  pmon_event_free(e);
}

void walk_events(struct pmon_context *c, const struct pmon_platform *p)
{
  struct pmon_event_cursor at = {0};
  struct pmon_event_info info = {.size = sizeof info};
  struct pmon_event_match matches[4];
  char text[512], near[3 * 64];
  for (uint32_t n = 0; n < EVENTS && pmon_event_next(p, PMON_ALL, &at, &info); n++) {
    snprintf(text, sizeof text, "%s/%s%s%s/", info.unit, info.event, info.umask ? "." : "",
             info.umask ? info.umask : "");
    try_event(c, p, text);
    snprintf(text, sizeof text, "%s/%s,%s=1/", info.unit, info.event, info.n_fields ? info.fields->name : "thresh");
    try_event(c, p, text);
    if (n < 4) {
      pmon_event_search(p, info.event, matches, 4);
      pmon_event_suggest(p, info.event, near, 64, 3);
    }
  }
}

void walk_equations(struct pmon_context *c, const struct pmon_platform *p)
{
  struct pmon_metric_info metric = {.size = sizeof metric};
  struct pmon_invariant_info invariant = {.size = sizeof invariant};
  struct pmon_rule_info rule = {.size = sizeof rule};
  struct pmon_values_info values = {.size = sizeof values};
  struct pmon_value_info value = {.size = sizeof value};
  struct pmon_plan *plan;
  char text[512];
  for (uint32_t i = 0; i < METRICS && !pmon_metric_describe(p, i, &metric); i++) {
    if (pmon_plan_new(c, p, &plan))
      abort();
    snprintf(text, sizeof text, "%s%s%s", metric.unit, *metric.unit ? "/" : "", metric.name);
    if ((pmon_plan_add_metrics(plan, text) || pmon_plan_schedule(plan)) && !*pmon_context_error(c))
      abort();
    pmon_plan_free(plan);
    pmon_metric_score(&metric, "data");
  }
  for (uint32_t i = 0; !pmon_invariant_describe(p, i, &invariant); i++)
    if (!*invariant.name)
      abort();
  for (uint32_t i = 0; !pmon_rule_describe(p, i, &rule); i++)
    if (!*rule.name)
      abort();
  for (uint32_t i = 0; !pmon_values_describe(p, i, &values); i++)
    for (uint32_t k = 0; k < values.rows; k++)
      if (pmon_value_describe(p, i, k, &value))
        abort();
}

void walk_rules(const struct pmon_platform *p)
{
  struct checker *checker;
  struct check_access a = {.time_ns = 1};
  struct pmon_register_info r = {.size = sizeof r};
  struct pmon_platform_info info = {.size = sizeof info};
  const struct check_finding *found;
  if (check_new(p, &checker))
    abort();
  pmon_platform_describe(p, &info);
  for (int pass = 0; pass < 3; pass++) {
    for (uint32_t unit = 0; unit < info.units; unit++)
      for (uint32_t reg = 0; !pmon_register_describe(p, unit, reg, &r); reg++) {
        if (pmon_register_address(p, &(struct pmon_register_id){unit, reg, 0, 0}, &a.address))
          continue;
        a.write = pass != 2;
        a.value = pass ? UINT64_C(0x0101010101410135) : UINT64_MAX;
        check_access(checker, &a);
      }
    check_wait(checker, a.time_ns += 1000);
  }
  check_end(checker);
  check_findings(checker, &found);
  check_free(checker);
}

/* Makes a plan of the platform's events and metrics, as far as they can be added; invariants come last, as in `pmon
 * stat --check`. */
static struct pmon_plan *plan_all(struct pmon_context *c, const struct pmon_platform *p)
{
  struct pmon_event_cursor at = {0};
  struct pmon_event_info event = {.size = sizeof event};
  struct pmon_metric_info metric = {.size = sizeof metric};
  struct pmon_plan *plan;
  char text[512];
  if (pmon_plan_new(c, p, &plan))
    abort();
  for (uint32_t n = 0; n < PLANNED && pmon_event_next(p, PMON_ALL, &at, &event); n++) {
    snprintf(text, sizeof text, "%s/%s%s%s/", event.unit, event.event, event.umask ? "." : "",
             event.umask ? event.umask : "");
    pmon_plan_add_events(plan, text);
  }
  for (uint32_t i = 0; i < METRICS && !pmon_metric_describe(p, i, &metric); i++) {
    snprintf(text, sizeof text, "%s%s%s", metric.unit, *metric.unit ? "/" : "", metric.name);
    pmon_plan_add_metrics(plan, text);
  }
  pmon_plan_add_default_metrics(plan);
  if (pmon_plan_add_invariants(plan, true) && !*pmon_context_error(c))
    abort();
  return plan;
}

static int drop(void *user, const char *bytes, size_t n)
{
  (void)user;
  return memchr(bytes, 0, n) ? PMON_E_INVALID : 0;
}

void walk_report(const struct pmon_plan *plan, const struct pmon_session *session)
{
  struct pmon_report *report;
  if (pmon_report_new(&(struct pmon_report_head){.size = sizeof(struct pmon_report_head),
                                                 .platform = "any",
                                                 .backend = "fuzz",
                                                 .seconds = 1,
                                                 .rounds = 1,
                                                 .packages = 1},
                      &report) ||
      pmon_report_add_session(report, session, plan, PMON_BY_PACKAGE | PMON_BY_INSTANCE | PMON_IN_TOTAL) ||
      pmon_report_add_invariants(report, session))
    abort();
  for (int format = PMON_FORMAT_TEXT; format <= PMON_FORMAT_JSON; format++)
    if (pmon_report_format(report, (enum pmon_format)format, drop, NULL))
      abort();
  pmon_report_free(report);
}

void walk_plan(struct pmon_context *c, struct pmon_plan *plan, struct pmon_backend *backend)
{
  struct pmon_session *s = NULL;
  bool ended;
  if (!pmon_plan_schedule(plan) && !pmon_session_new(plan, backend, NULL, &s)) {
    if (!pmon_session_start(s))
      for (uint64_t step = 1; step <= 3; step++)
        pmon_session_run(s, pmon_session_now_ns(s) + step * 1000, &ended);
    walk_report(plan, s);
  } else if (!*pmon_context_error(c)) {
    abort();
  }
  if (pmon_session_close(s) && !*pmon_context_error(c))
    abort();
  pmon_backend_close(backend);
  pmon_plan_free(plan);
}

void walk_session(struct pmon_context *c, const struct pmon_platform *p, struct pmon_backend *backend)
{
  walk_plan(c, plan_all(c, p), backend);
}
