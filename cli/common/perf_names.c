/* SPDX-License-Identifier: MIT */
#include "cli/common/perf_names.h"
#include <string.h>

#define PER_SOCKET "uncore counters belong to a socket, not to a processor: --per-socket, --per-unit"
#define NO_PROCESS                                                                                                     \
  "uncore counters do not follow a process; --duration measures the running system, -- COMMAND starts a command"
#define NO_CGROUP                                                                                                      \
  "uncore counters do not follow a cgroup; --duration measures the running system, -- COMMAND starts a command"
#define BIG_NUM "numbers have thousands' separators; --csv and --json print them without"
#define DELAY "a program's start is left out with marks of its parts (docs/regions.md), or shown apart by -I"
#define UPDATES "-I sets the time between updates"
#define RECORDING "a recording's file is given without an option"
#define WRITES "--dry-run prints every register write, --log FILE records each access"

/* `counterpart`: the option that the remedy names; the remedy is not used for a command without it. */
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
    {"--per-cache", "per-socket", PER_SOCKET},
    {"--per-cluster", "per-socket", PER_SOCKET},
    {"--pid", "duration", NO_PROCESS},
    {"--tid", "duration", NO_PROCESS},
    {"-t", "duration", "likwid-perfctr's -t TIME is -I TIME; perf's -t: uncore counters do not follow a thread"},
    {"--per-thread", "duration", NO_PROCESS},
    {"-G", "duration", NO_CGROUP},
    {"--cgroup", "duration", NO_CGROUP},
    {"--for-each-cgroup", "duration", NO_CGROUP},
    {"--timeout", "duration", "perf's --timeout is --duration"},
    {"--interval-print", "interval", "perf's --interval-print is --interval"},
    {"--interval-count", "duration", "perf's --interval-count N is --duration, for N times the interval"},
    {"-D", "every", DELAY},
    {"--delay", "every", DELAY},
    {"--delay", "interval", UPDATES},
    {"--all-cpus", "all", "perf's --all-cpus is -a"},
    {"--iostat", "by", "perf's --iostat is -g IO --by device"},
    {"--append", "output", "-o replaces the file; >> appends the standard output to one"},
    {"--log-fd", "output", "perf's --log-fd N is -o /dev/fd/N"},
    {"--machine", "backend", "-p NAME is the platform, --backend machine selects the emulated machine"},
    {"--per-device", "by", "--by device reports values by device"},
    {"--by-device", "by", "--by device reports values by device"},
    {"--format", "csv", "--csv and --json select the format"},
    {"-i", "svg", RECORDING},
    {"--input", "svg", RECORDING},
    {"-i", "fail-if", RECORDING},
    {"--input", "fail-if", RECORDING},
    {"--port", "listen", "--listen takes HOST:PORT"},
    {"-v", "dry-run", WRITES},
    {"--verbose", "dry-run", WRITES},
    {"-S", "duration", "likwid-perfctr's -S is --duration"},
    {"-O", "csv", "likwid-perfctr's -O is --csv"},
    {"-B", "csv", BIG_NUM},
    {"--big-num", "csv", BIG_NUM},
    {"--no-big-num", "csv", BIG_NUM},
    {"-d", "repeat", "perf's -d adds events; here -g LLC,MEM measures groups of metrics"},
    {"--detailed", "repeat", "perf's --detailed adds events; here -g LLC,MEM measures groups of metrics"},
    {"-d", "interval", UPDATES},
    {"--topdown", "repeat", "perf's --topdown counts in cores; here -g LLC,LATENCY,MEM shows what they wait for"},
};

static const struct {
  const char *name, *remedy;
} perf_commands[] = {
    {"pcm", "use pmon top, or pmon stat -g MEM,UPI,POWER"},
    {"pcm-memory", "use pmon stat -g MEM or pmon top -g MEM"},
    {"pcm-iio", "use pmon stat -g IO_PORTS or pmon stat --by device"},
    {"pcm-pcie", "use pmon stat -g IO"},
    {"pcm-power", "use pmon stat -g POWER"},
    {"pcm-latency", "use pmon stat -g LATENCY"},
    {"pcm-numa", "use pmon stat -g NUMA"},
    {"record", "counts are recorded by pmon stat --record FILE, samples by pmon sample"},
    {"annotate", "pmon sample --annotate prints the instructions with their samples"},
    {"script", "pmon report --csv prints what a recording contains"},
    {"version", "pmon --version prints it"},
    {"plot", "pmon report --svg PLOT RECORDING draws one, pmon report --html PAGE RECORDING a page of them"},
};

static bool option_exists(const char *name, const struct cli_option *const *rows, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (rows[i]->name && !strcmp(rows[i]->name, name))
      return true;
  return false;
}

/* Whether the first n characters of `given` begin a long option of the command; then they abbreviate none of perf's. */
static bool option_begins(const char *given, size_t n, const struct cli_option *const *rows, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (rows[i]->name && !strncmp(rows[i]->name, given + 2, n - 2))
      return true;
  return false;
}

/* Returns the single remedy of all options that begin with `given`; NULL if there are several, or none. */
static const char *remedy_of_abbreviation(const char *given, size_t n, const struct cli_option *const *rows,
                                          size_t count)
{
  const char *remedy = NULL;
  if (n < 3 || strncmp(given, "--", 2) || option_begins(given, n, rows, count))
    return NULL;
  for (size_t i = 0; i < sizeof perf_options / sizeof *perf_options; i++) {
    if (strncmp(perf_options[i].given, given, n) || !option_exists(perf_options[i].counterpart, rows, count))
      continue;
    if (remedy && strcmp(remedy, perf_options[i].remedy))
      return NULL;
    remedy = perf_options[i].remedy;
  }
  return remedy;
}

const char *perf_names_option(const char *given, const struct cli_option *const *rows, size_t n)
{
  const size_t length = strcspn(given, "="); /* --timeout=100 */
  for (size_t i = 0; i < sizeof perf_options / sizeof *perf_options; i++)
    if (strlen(perf_options[i].given) == length && !strncmp(perf_options[i].given, given, length) &&
        option_exists(perf_options[i].counterpart, rows, n))
      return perf_options[i].remedy;
  return remedy_of_abbreviation(given, length, rows, n);
}

const char *perf_names_command(const char *name)
{
  for (size_t i = 0; i < sizeof perf_commands / sizeof *perf_commands; i++)
    if (!strcmp(perf_commands[i].name, name))
      return perf_commands[i].remedy;
  return NULL;
}
