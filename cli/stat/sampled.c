/* SPDX-License-Identifier: MIT */
#include "cli/stat/sampled.h"

#include <string.h>
#include "cli/stat/run.h"
#include "cli/target/stream.h"
#include "src/base/real.h"

/* WHOLE: instructions at the beginning that are all simulated in detail, because there a program differs most from its
 * later behaviour. PERIOD: instructions with one interval each. SETTLE_PART: the part of an interval for warm-up. */
enum { WHOLE = 1000000, PERIOD = 1000000 };
#define SETTLE_PART 0.7
#define SHARE_DEFAULT 0.02
/* An allowance for errors that the intervals do not show; not a maximum: docs/design/020. */
#define MODEL_ERROR 0.08
#define PERCENT_MIN 0.1
#define PERCENT_MAX 50.0

int sampled_take_option(const struct cli *cli, struct stat_sampled *s, const char *value)
{
  char *end = NULL;
  const double percent = value ? real_parse(value, &end) : SHARE_DEFAULT * 100;
  if (value && (end == value || (*end && strcmp(end, "%") != 0) || !(percent >= PERCENT_MIN && percent <= PERCENT_MAX)))
    return cli_fail_value(cli, "--sample-intervals", value, "a share in percent from 0.1 to 50");
  s->share = percent / 100;
  return CLI_DONE;
}

static const char *sampled_other_option(const struct stat_run *s)
{
  const struct {
    bool given;
    const char *option;
  } others[] = {
      {s->times.interval_ns, "-I"},         {s->times.every_count, "--every"}, {s->times.duration_ns, "--duration"},
      {s->files.record_path, "--record"},   {s->files.page_path, "--html"},    {s->files.log_path, "--log"},
      {s->source.replay, "--replay"},       {s->source.dry, "--dry-run"},      {s->checks.given, "--check"},
      {s->output.by_device, "--by device"}, {s->times.delay_ns, "-D"},         {s->control.where, "--control"}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (others[i].given)
      return others[i].option;
  return NULL;
}

int sampled_check(const struct stat_run *s)
{
  const struct target_options *t = &s->target;
  const char *const other = sampled_other_option(s);
  if (!(s->sampled.share > 0))
    return CLI_DONE;
  if (other)
    return cli_fail(s->cli, "--sample-intervals cannot be combined with %s: its values are estimates of a whole run",
                    other);
  if (!t->argv || t->trace || t->scenario || t->bundles || t->generate)
    return cli_fail(s->cli,
                    "--sample-intervals needs a command; traces, scenarios and instruction streams cannot be sampled");
  return CLI_DONE;
}

int sampled_plan(struct stat_run *s)
{
  struct pmon_plan_info plan = {.size = sizeof plan};
  const uint64_t detail = (uint64_t)(PERIOD * s->sampled.share);
  if (!(s->sampled.share > 0))
    return CLI_DONE;
  if (stream_is_wanted(&s->target, target_model(s->cli)))
    return cli_fail(s->cli, "--sample-intervals works only on the emulated Xeons; use -p emr or -p snbep");
  if (s->source.host)
    return cli_fail(s->cli, "--sample-intervals works only on the emulated Xeons; use --backend machine");
  if (!pmon_plan_describe(s->wanted.plan, &plan) && plan.rounds > 1)
    return cli_fail(s->cli,
                    "--sample-intervals: these events share counters in %u rounds, each of which would see only some "
                    "of the intervals; select fewer events",
                    plan.rounds);
  s->target.sampling = (struct launch_sampling){
      .whole = WHOLE, .period = PERIOD, .detail = detail, .settle = (uint64_t)((double)detail * SETTLE_PART)};
  return CLI_DONE;
}

void sampled_begin(struct stat_run *s, const struct target *t)
{
  s->sampled.target = t;
  s->target.sampling.seed = s->repeats.n;
}

struct pmon_estimate sampled_estimate(const struct stat_sampled *s)
{
  struct pmon_estimate e = {.size = sizeof e};
  struct target_sampled run;
  if (!(s->share > 0))
    return e;
  target_sampled(s->target, &run);
  e.fraction = run.fraction;
  e.instructions = run.instructions;
  e.intervals = run.intervals;
  e.error = run.error;
  e.bound = MODEL_ERROR;
  e.freedom = run.freedom;
  return e;
}
