/* SPDX-License-Identifier: MIT */
/* `pmon report`: values from a recording. */
#include <getopt.h>
#include <string.h>
#include <pmon/record.h>
#include "cli/stat/stat.h"

enum { CODE_CSV = 256, CODE_JSON, CODE_COLOR, CODE_PER_UNIT, CODE_PER_SOCKET, CODE_SORT, CODE_TOP };

struct report_options {
  const char *events, *metrics;
  bool intervals, help;
};

static int take_option(struct stat_run *s, struct report_options *o, int code, const char *value)
{
  switch (code) {
  case 'h': o->help = true; return CLI_DONE;
  case 'p': s->cli->platform_name = value; return CLI_DONE;
  case 'e': o->events = value; return CLI_DONE;
  case 'm': o->metrics = value; return CLI_DONE;
  case 'I': o->intervals = true; return CLI_DONE;
  case CODE_CSV:
  case CODE_JSON: s->format = code == CODE_CSV ? PMON_FORMAT_CSV : PMON_FORMAT_JSON; return CLI_DONE;
  case CODE_COLOR: return cli_take_color(s->cli, value);
  case CODE_PER_UNIT:
  case CODE_PER_SOCKET: s->breakdown |= code == CODE_PER_UNIT ? PMON_BY_INSTANCE : PMON_BY_PACKAGE; return CLI_DONE;
  case CODE_SORT: return stat_take_order(s, value);
  case CODE_TOP: return stat_read_count(s, value, UINT32_MAX, &s->top);
  default: return CLI_USAGE;
  }
}

static int read_options(struct stat_run *s, int argc, char **argv, struct report_options *o)
{
  static const struct option options[] = {{"platform", 1, NULL, 'p'},
                                          {"help", 0, NULL, 'h'},
                                          {"event", 1, NULL, 'e'},
                                          {"metric", 1, NULL, 'm'},
                                          {"intervals", 0, NULL, 'I'},
                                          {"csv", 0, NULL, CODE_CSV},
                                          {"json", 0, NULL, CODE_JSON},
                                          {"color", 1, NULL, CODE_COLOR},
                                          {"per-unit", 0, NULL, CODE_PER_UNIT},
                                          {"per-socket", 0, NULL, CODE_PER_SOCKET},
                                          {"sort", 1, NULL, CODE_SORT},
                                          {"top", 1, NULL, CODE_TOP},
                                          {NULL, 0, NULL, 0}};
  int c, result = CLI_DONE;
  optind = 0;
  while (result == CLI_DONE && !o->help && (c = cli_getopt(s->cli, argc, argv, ":p:he:m:I", options)) != -1)
    result = take_option(s, o, c, optarg);
  if (result == CLI_DONE && !o->help && optind != argc - 1)
    result = cli_fail(s->cli, "expected one recording");
  return result;
}

/* Tells the intervals one by one, or all of it. */
static int tell(struct stat_run *s, struct pmon_recording *r, const struct report_options *o)
{
  struct pmon_recording_info info = {.size = sizeof info};
  struct pmon_session *session = NULL;
  int result = CLI_DONE;
  pmon_recording_describe(r, &info);
  snprintf(s->backend, sizeof s->backend, "%s", info.backend);
  snprintf(s->command_text, sizeof s->command_text, "%s", info.command);
  s->interval_ns = o->intervals;
  if (pmon_recording_plan(r, s->cli->platform, o->events, o->metrics, &s->plan) ||
      pmon_recording_session(r, s->plan, &session))
    return cli_fail_context(s->cli, NULL);
  uint32_t n = o->intervals ? info.intervals : 1;
  for (uint32_t i = 0; result == CLI_DONE && i < n; i++) {
    if (pmon_recording_load(r, session, o->intervals ? i : UINT32_MAX)) {
      result = cli_fail_context(s->cli, NULL);
      break;
    }
    if (!i)
      stat_begin_at(s, pmon_session_now_ns(session) - (uint64_t)(pmon_session_seconds(session) * 1e9 + 0.5));
    result = stat_tell(s, session, info.packages);
  }
  pmon_session_close(session);
  return result;
}

/* Whether -p is of a machine whose recording this is; one of a platform of the user's own may be of any. */
static bool is_of_platform(struct cli *cli, const char *recorded)
{
  struct pmon_platform_info meant = {.size = sizeof meant}, own = {.size = sizeof own};
  const struct pmon_platform *platform;
  if (pmon_platform_find(cli->context, recorded, &platform))
    return true;
  pmon_platform_describe(platform, &own);
  pmon_platform_describe(cli->platform, &meant);
  return !strcmp(own.base, meant.base);
}

int cli_report(struct cli *cli, int argc, char **argv)
{
  struct stat_run s = {.cli = cli, .out_fd = -1};
  struct report_options o = {0};
  struct pmon_recording *r = NULL;
  struct pmon_recording_info info = {.size = sizeof info};
  int result = read_options(&s, argc, argv, &o);
  if (o.help)
    cli_help(cli);
  if (result != CLI_DONE || o.help)
    return result;
  if (!s.breakdown)
    s.breakdown = PMON_BY_PACKAGE | PMON_IN_TOTAL;
  if (pmon_recording_open(cli->context, argv[optind], &r))
    return cli_fail_context(cli, NULL);
  pmon_recording_describe(r, &info);
  if (!cli->platform_name)
    cli->platform_name = info.platform;
  if (!cli_platform(cli))
    result = CLI_USAGE;
  else if (!is_of_platform(cli, info.platform))
    result = cli_fail(cli, "%s is a recording of platform %s: leave out -p, or say -p %s", argv[optind], info.platform,
                      info.platform);
  else
    result = tell(&s, r, &o);
  pmon_plan_free(s.plan);
  pmon_recording_close(r);
  return result;
}
