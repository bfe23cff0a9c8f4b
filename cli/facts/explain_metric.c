/* SPDX-License-Identifier: MIT */
#include "cli/facts/explain_metric.h"
#include <string.h>
#include <strings.h>
#include "cli/common/recording.h"
#include "cli/facts/describe.h"
#include "cli/target/target.h"

enum { RELATED = 6, SMALL_DIVISOR = 1000 };

/* A metric as the user named it, a plan that counts it alone, and the session of a recording with the recording's plan;
 * these are NULL if there is no recording. */
struct explained {
  struct cli *cli;
  const struct pmon_metric_info *info;
  const char *name; /* without its unit; with the value of its parameter if the user wrote one */
  struct pmon_plan *plan, *recorded;
  const struct pmon_session *session;
};

/* Finds the count of an event in the recording. Returns false if there is no recording, or if it lacks the event. */
static bool find_count(const struct explained *x, const struct pmon_event *event, struct pmon_value *ret_value)
{
  const struct pmon_scope all = {PMON_ALL, PMON_ALL};
  const struct pmon_event *other;
  for (uint32_t i = 0; x->session && (other = pmon_plan_event(x->recorded, i)); i++)
    if (!strcmp(pmon_event_name(other), pmon_event_name(event)))
      return !pmon_session_event(x->session, i, &all, ret_value);
  return false;
}

static void write_value(struct out *o, const char *heading, const char *unit, bool count, const struct pmon_value *v)
{
  char text[PMON_REPORT_TEXT], after[PMON_REPORT_TEXT];
  const struct pmon_report_row row = {.size = sizeof row, .unit = unit, .value = *v, .count = count};
  pmon_report_row_text(&row, text, after);
  if (v->valid)
    describe_format(o, heading, "%s%s%s", text, *after ? " " : "", after);
  else
    describe_format(o, heading, "%s: %s", text, v->reason);
}

/* Writes the events of the equation, their descriptions and their counts. */
static void write_events(const struct explained *x)
{
  struct out *o = &x->cli->out;
  const struct pmon_event *event;
  const struct pmon_scope all = {PMON_ALL, PMON_ALL};
  struct pmon_value v;
  describe_heading(o, "counts", "");
  for (uint32_t i = 0; (event = pmon_plan_event(x->plan, i)); i++) {
    struct pmon_event_info info = {.size = sizeof info};
    pmon_event_describe(event, &info);
    describe_format(o, "event", "%s: %s", pmon_event_name(event), info.brief ? info.brief : "");
    if (find_count(x, event, &v))
      write_value(o, "counted", "", true, &v);
  }
  if (x->session && !pmon_session_metric(x->session, 0, &all, &v))
    write_value(o, "value", x->info->result, false, &v);
}

/* Whether a value is a rate, latency, energy or temperature, or a count or share of cycles or of entries per cycle. */
static bool rests_on_time(const struct pmon_metric_info *info)
{
  static const char *const results[] = {"ns", "Hz", "W", "J", "degC", "cycles", "core-cycles", "instr/cycle"};
  static const char *const counts[] = {"CLOCK", "DCLK",   "CYC",         "OCCUPANCY", "MPERF",
                                       "TSC",   "BUBBLE", "OUTSTANDING", "_LIVE_",    "_OUT_"};
  bool rests = info->per_second;
  for (size_t i = 0; i < sizeof results / sizeof *results; i++)
    rests |= !strcmp(info->result, results[i]);
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    rests |= info->equation && strstr(info->equation, counts[i]);
  return rests;
}

/* Writes what the times of the emulated machine are based on, if the value depends on time. */
static void write_time(const struct explained *x)
{
  if (!rests_on_time(x->info))
    return;
  if (target_models_time(x->cli))
    describe_line(&x->cli->out, "time",
                  "on the emulated machine, time is the result of a model: instructions take core.width, the latencies "
                  "of their chains and core.mispredict, or core.cpi where a trace does not describe them; loads wait "
                  "by core.dependences, all for core.window, core.loads, core.stores and core.mlp; the rest follows "
                  "from latencies and clocks (pmon machine describe); docs/design/006-traffic.md, 015-dependences.md "
                  "and 016-core-time.md describe what the model omits");
  else if (target_model(x->cli))
    describe_line(&x->cli->out, "time",
                  "on the emulated machine, time is the result of a model: bundles are dispersed by the guide's Tables "
                  "2-4 to 2-7, and wait for their operands by Tables 2-8 and 2-9; translations, branches, switches of "
                  "threads and the bus take the cycles of pmon machine describe; docs/montecito.md describes the "
                  "model's own assumptions, and what takes no time");
}

/* Whether an equation divides by counts: those can be few. Numbers, times and clocks are never small by chance. */
static bool divides_by_counts(const char *equation)
{
  static const char *const constant[] = {"SAMPLE_INTERVAL", "TSC_SPEED", "CLOCK_HZ", "GB_CONVERSION"};
  for (const char *at = equation; (at = strchr(at, '/'));) {
    at++;
    at += strspn(at, " (");
    bool counts = (*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z');
    for (size_t i = 0; i < sizeof constant / sizeof *constant; i++)
      counts &= strncmp(at, constant[i], strlen(constant[i])) != 0;
    if (counts)
      return true;
  }
  return false;
}

/* Writes what makes the number misleading, from its equation, its unit and its events. */
static void write_cautions(const struct explained *x)
{
  struct out *o = &x->cli->out;
  struct pmon_plan_info plan = {.size = sizeof plan};
  struct pmon_value v;
  const bool rate = x->info->per_second || strstr(x->info->equation, "/ SAMPLE_INTERVAL");
  describe_heading(o, "misleading", "");
  pmon_plan_describe(x->plan, &plan);
  if (divides_by_counts(x->info->equation) && !x->info->per_second) {
    describe_line(o, "ratio",
                  "a ratio does not show how often this happens: check its counts, too; if they are small, the ratio "
                  "is mostly chance");
    const struct pmon_event *event;
    for (uint32_t i = 0; (event = pmon_plan_event(x->plan, i)); i++)
      if (find_count(x, event, &v) && v.valid && v.number < SMALL_DIVISOR)
        describe_format(o, "few", "%s counted %.0f here", pmon_event_name(event), v.number);
  }
  if (rate)
    describe_line(o, "rate", "a mean over the interval: bursts are hidden; measure shorter intervals (pmon stat -I)");
  write_time(x);
  if (plan.rounds > 1)
    describe_format(o, "shared", "its events need %u rounds on the counters: the value is an estimate", plan.rounds);
  for (uint32_t i = 0; i < plan.witnesses; i++)
    describe_format(o, "witness", "%s is counted in every round, to show what the rounds of the events missed",
                    pmon_event_name(pmon_plan_witness(x->plan, i)));
  if (x->info->unsure)
    describe_line(o, "unsure", "no second source confirms the equation");
  describe_notes(o, "note", x->info->note);
}

/* Returns the length of the first word of a name, including its underscore. */
static size_t first_word(const char *name)
{
  const char *end = strchr(name, '_');
  return end ? (size_t)(end - name) + 1 : strlen(name);
}

/* Writes metrics of the same unit; those of the same family come first. */
static void write_next(const struct explained *x)
{
  struct out *o = &x->cli->out;
  struct pmon_metric_info other = {.size = sizeof other};
  uint32_t n = 0, unit;
  describe_heading(o, "next", "");
  for (int family = 1; family >= 0; family--)
    for (uint32_t i = 0; n < RELATED && !pmon_metric_describe(x->cli->platform, i, &other); i++) {
      const bool same = !strncmp(other.name, x->info->name, first_word(x->info->name));
      if (same != family || strcmp(other.unit, x->info->unit) || !strcmp(other.name, x->info->name))
        continue;
      describe_format(o, "metric", "%s: %s", other.name, other.brief ? other.brief : "");
      n++;
    }
  if (pmon_plan_metric_unit(x->plan, 0, &unit) == PMON_OK)
    describe_format(o, "instances", "pmon stat -m %s --per-unit", x->name);
}

static int write_all(const struct explained *x)
{
  struct out *o = &x->cli->out;
  const struct pmon_metric_info *m = x->info;
  describe_heading(o, "metric", x->name);
  if (*m->unit || *m->result)
    describe_format(o, "unit", "%s%s%s%s", m->unit, *m->unit && *m->result ? ", " : "", *m->result ? "in " : "",
                    m->result);
  describe_line(o, "meaning", m->brief);
  describe_line(o, "equation", m->equation);
  describe_source(o, m->source);
  describe_line(o, "see", strcmp(m->cite, m->source) ? m->cite : "");
  write_events(x);
  write_cautions(x);
  write_next(x);
  return CLI_DONE;
}

/* Makes the plan. The name is first tried with its unit, because several units may have the metric. */
static int make_plan(struct explained *x)
{
  char text[256];
  snprintf(text, sizeof text, "%s/%s", x->info->unit, x->name);
  int status = pmon_plan_new(x->cli->context, x->cli->platform, &x->plan);
  if (!status && (status = pmon_plan_add_metrics(x->plan, text)))
    status = pmon_plan_add_metrics(x->plan, x->name);
  return status ? status : pmon_plan_schedule(x->plan);
}

static int explain_planned(struct explained *x)
{
  const int status = make_plan(x);
  const int result = status ? cli_fail_context(x->cli, NULL) : write_all(x);
  pmon_plan_free(x->plan);
  return result;
}

static int explain_recorded(struct explained *x, const char *path)
{
  struct pmon_recording *r = NULL;
  struct pmon_session *session = NULL;
  int result = recording_open(x->cli, path, &r);
  if (result != CLI_DONE)
    return result;
  if (make_plan(x) || pmon_recording_plan(r, x->cli->platform, NULL, x->name, &x->recorded) ||
      pmon_recording_session(r, x->recorded, &session) || pmon_recording_load(r, session, UINT32_MAX))
    result = cli_fail_context(x->cli, NULL);
  x->session = session;
  if (result == CLI_DONE)
    result = write_all(x);
  pmon_session_close(session);
  pmon_plan_free(x->recorded);
  pmon_plan_free(x->plan);
  pmon_recording_close(r);
  return result;
}

bool explain_metric(struct cli *cli, const struct cli_options *options, const char *name, int *ret_exit)
{
  struct pmon_metric_info info = {.size = sizeof info};
  bool found = false;
  *ret_exit = CLI_DONE;
  for (uint32_t i = 0; !pmon_metric_describe(cli->platform, i, &info); i++) {
    const char *slash = strchr(name, '/');
    struct explained x = {.cli = cli, .info = &info, .name = slash ? slash + 1 : name};
    if (!describe_is_metric(&info, name))
      continue;
    if (!strcasecmp(x.name, info.name))
      x.name = info.name;
    found = true;
    const int result = options->recording ? explain_recorded(&x, options->recording) : explain_planned(&x);
    *ret_exit = *ret_exit ? *ret_exit : result;
  }
  char own[128];
  return found || (describe_metric_of_other(cli, name, own, sizeof own) && explain_metric(cli, options, own, ret_exit));
}
