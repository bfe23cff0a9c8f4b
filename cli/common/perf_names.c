/* SPDX-License-Identifier: MIT */
#include "cli/common/perf_names.h"
#include <string.h>

#define PER_SOCKET "uncore counters belong to a socket, not to a processor: --per-socket, --per-unit"
#define NO_PROCESS "uncore counters do not follow a process; --duration measures what runs, -- COMMAND starts it"

/* `counterpart`: the option that the remedy names; a command without it has no use for the remedy. */
static const struct {
  const char *given, *counterpart, *remedy;
} perf_options[] = {
    {"-x", "csv", "perf's -x is --csv"},
    {"--field-separator", "csv", "perf's --field-separator is --csv"},
    {"-j", "json", "perf's -j is --json"},
    {"--json-output", "json", "perf's --json-output is --json"},
    {"-M", "metric", "perf's -M is -m"},
    {"-A", "per-unit", "perf's -A is --per-unit"},
    {"--no-aggr", "per-unit", "perf's --no-aggr is --per-unit"},
    {"--no-merge", "per-unit", "perf's --no-merge is --per-unit"},
    {"-C", "per-socket", PER_SOCKET},
    {"--cpu", "per-socket", PER_SOCKET},
    {"--per-core", "per-socket", PER_SOCKET},
    {"--per-die", "per-socket", PER_SOCKET},
    {"--per-node", "per-socket", PER_SOCKET},
    {"--pid", "duration", NO_PROCESS},
    {"--tid", "duration", NO_PROCESS},
    {"-t", "duration", NO_PROCESS},
    {"--timeout", "duration", "perf's --timeout is --duration"},
    {"-d", "group", "perf's -d adds events; here -g LLC,MEM measures groups of metrics"},
    {"--detailed", "group", "perf's --detailed adds events; here -g LLC,MEM measures groups of metrics"},
};

static const struct {
  const char *name, *remedy;
} perf_commands[] = {
    {"record", "counts are recorded by pmon stat --record FILE, samples by pmon sample"},
    {"annotate", "pmon sample --annotate prints the instructions with their samples"},
    {"script", "pmon report --csv prints what a recording contains"},
};

static bool option_exists(const char *name, const struct cli_option *const *rows, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (rows[i]->name && !strcmp(rows[i]->name, name))
      return true;
  return false;
}

const char *perf_names_option(const char *given, const struct cli_option *const *rows, size_t n)
{
  const size_t length = strcspn(given, "="); /* --timeout=100 */
  for (size_t i = 0; i < sizeof perf_options / sizeof *perf_options; i++)
    if (strlen(perf_options[i].given) == length && !strncmp(perf_options[i].given, given, length) &&
        option_exists(perf_options[i].counterpart, rows, n))
      return perf_options[i].remedy;
  return NULL;
}

const char *perf_names_command(const char *name)
{
  for (size_t i = 0; i < sizeof perf_commands / sizeof *perf_commands; i++)
    if (!strcmp(perf_commands[i].name, name))
      return perf_commands[i].remedy;
  return NULL;
}
