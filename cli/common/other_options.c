/* SPDX-License-Identifier: MIT */
/* Options of other tools, a table for each of them. */
#include <string.h>
#include "cli/common/other_tools.h"

#define PER_SOCKET "uncore counters belong to a socket, not to a processor: --per-socket, --per-unit"
#define NO_PROCESS                                                                                                     \
  "uncore counters do not follow a process; --duration measures the running system, -- COMMAND starts a command"
#define NO_CGROUP                                                                                                      \
  "uncore counters do not follow a cgroup; --duration measures the running system, -- COMMAND starts a command"
#define BIG_NUM "numbers have thousands' separators; --csv and --json print them without"
#define UPDATES "-I sets the time between updates"
#define RECORDING "a recording's file is given without an option"
#define NO_SCALE                                                                                                       \
  "counts of multiplexed events are scaled; value times fraction of --csv or --json is the measured count"
#define LEVELS "uncore counters count for all privilege levels; leave it out"
#define CORES "perf has it for events of cores; leave it out"
#define IN_GROUPS "the events of a metric are counted together if they fit on the counters; leave it out"
#define COMMANDS "pmon stat has it: its counters are enabled and disabled by commands"
#define RUNS "--csv and --json have mean, deviation and interval of the runs; pmon diff -r N compares commands"
#define NO_DESC "a line has name, codes, counters and description; --json prints the name alone as a member"
#define DETAILS "pmon show EVENT describes one in full, pmon encode EVENT prints its register values"
#define REGIONS "parts of a program are marked without an option (docs/regions.md)"
#define FREQUENCY "a sample is taken each time the event has counted N: -c N"
#define CALLS "samples have no callers; --annotate prints functions and instructions with their samples"
#define PROGRAM "pmon samples the programs that it runs, with all their threads"
#define TAKEN "--source branches records branches with their targets"
#define LATENCIES "--source dcache and addresses record data addresses, dcache their latencies"
#define RECORDS "--csv and --json print all that a sample has"
#define TOTALS "pcm's -nc, -ns and -nsys select what is printed: totals, --per-socket, --per-unit"
#define LEVEL "pfmon's levels are an attribute of the event: plm=8 for users, plm=1 for the kernel (docs/montecito.md)"
#define RANGES "pfmon's ranges and opcodes are attributes of the event (docs/montecito.md)"
#define CHILDREN "processes and threads that the command starts are always measured"
#define WRITES "--dry-run prints every register write, --log FILE records each access"

/* `counterpart`: the option that the remedy names; the remedy is not used for a command without it. A row that answers
 * for two tools is in the table of the one that it names first. */
struct other_option {
  const char *given, *counterpart, *remedy;
};

static const struct other_option perf_options[] = {
    {"-x", "csv", "perf's -x is --csv"},
    {"--field-separator", "csv", "perf's --field-separator is --csv"},
    {"-j", "json", "perf's -j is --json"},
    {"--json-output", "json", "perf's --json-output is --json"},
    {"-M", "duration", "perf's -M is -m; likwid-perfctr's -M MODE is --backend NAME"},
    {"-M", "metric", "perf's -M is -m"},
    {"--metrics", "metric", "perf's --metrics is --metric"},
    {"--metric-only", "metric", "-m and -g print metrics only, -e events only"},
    {"--metric-no-group", "metric", IN_GROUPS},
    {"--metric-no-merge", "metric", IN_GROUPS},
    {"--metric-no-threshold", "metric", IN_GROUPS},
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
    {"--per-thread", "duration", NO_PROCESS},
    {"-G", "duration", NO_CGROUP},
    {"--cgroup", "duration", NO_CGROUP},
    {"--for-each-cgroup", "duration", NO_CGROUP},
    {"--no-inherit", "duration", NO_PROCESS},
    {"-b", "duration", NO_PROCESS},
    {"--bpf-prog", "duration", NO_PROCESS},
    {"--bpf-counters", "duration", NO_PROCESS},
    {"--bpf-attr-map", "duration", NO_PROCESS},
    {"--all-user", "duration", LEVELS},
    {"--all-kernel", "duration", LEVELS},
    {"--cputype", "duration", CORES},
    {"--hybrid-merge", "duration", CORES},
    {"--percore-show-thread", "duration", CORES},
    {"--transaction", "duration", CORES},
    {"--smi-cost", "duration", CORES},
    {"--no-affinity", "duration", CORES},
    {"-g", "repeat", "perf's -g is a group in braces, -e '{a,b}'; pmon's -g NAME is a group of metrics"},
    {"--group", "repeat", "perf's --group is a group in braces, -e '{a,b}'; pmon's is a group of metrics"},
    {"--filter", "duration", "perf's --filter is for tracepoints; filters of units are attributes of an event"},
    {"--control", "interval", COMMANDS},
    {"--control", "annotate", COMMANDS},
    {"--table", "repeat", RUNS},
    {"--no-scale", "csv", NO_SCALE},
    {"--scale", "csv", NO_SCALE},
    {"--no-csv-summary", "summary", "rows of the summary have an empty column interval"},
    {"-n", "duration", "time COMMAND takes the time of a command without counters"},
    {"--null", "duration", "time COMMAND takes the time of a command without counters"},
    {"--quiet", "record", "-o /dev/null, and --record FILE, keep the report off the terminal"},
    {"--sync", "pre", "perf's --sync is --pre sync"},
    {"--interval-clear", "interval", "pmon top refreshes a screen"},
    {"--timeout", "duration", "perf's --timeout is --duration"},
    {"--interval-print", "interval", "perf's --interval-print is --interval"},
    {"--interval-count", "duration", "perf's --interval-count N is --duration, for N times the interval"},
    {"--delay", "interval", UPDATES},
    {"--all-cpus", "all", "perf's --all-cpus is -a"},
    {"--iostat", "by", "perf's --iostat is -g IO --by device"},
    {"--append", "output", "-o replaces the file; >> appends the standard output to one"},
    {"--log-fd", "output", "perf's --log-fd N is -o /dev/fd/N"},
    {"-i", "svg", RECORDING},
    {"--input", "svg", RECORDING},
    {"-i", "fail-if", RECORDING},
    {"--input", "fail-if", RECORDING},
    {"-v", "dry-run", WRITES},
    {"--verbose", "dry-run", WRITES},
    {"-B", "csv", BIG_NUM},
    {"--big-num", "csv", BIG_NUM},
    {"--no-big-num", "csv", BIG_NUM},
    {"-d", "repeat", "perf's -d adds events; here -g LLC,MEM measures groups of metrics"},
    {"--detailed", "repeat", "perf's --detailed adds events; here -g LLC,MEM measures groups of metrics"},
    {"-d", "interval", UPDATES},
    {"-l", "code", "pmon list PATTERN lists the events that match, pmon show EVENT describes one"},
    {"--topdown", "repeat", "perf's --topdown counts in cores; here -g LLC,LATENCY,MEM shows what they wait for"},
    {"--td-level", "repeat", "perf's --topdown counts in cores; here -g LLC,LATENCY,MEM shows what they wait for"},
    {"--details", "code", DETAILS},
    {"--long-desc", "code", DETAILS},
    {"-v", "code", DETAILS},
    {"-d", "code", "descriptions are always printed; " DETAILS},
    {"--debug", "code", "pmon explain EVENT prints each step from the name to the registers"},
    {"--cputype", "code", "the events of all units are listed; -u UNIT selects one"},
    {"--desc", "code", "descriptions are always printed; " DETAILS},
    {"--no-desc", "code", NO_DESC},
    {"--raw-dump", "code", NO_DESC},
    {"--deprecated", "code", "pmon list prints all events of a platform"},
    {"-o", "code", "a shell writes the list to a file: > FILE"},
    {"-F", "annotate", FREQUENCY},
    {"--freq", "annotate", FREQUENCY},
    {"-g", "annotate", CALLS},
    {"--call-graph", "annotate", CALLS},
    {"-a", "annotate", PROGRAM},
    {"--all-cpus", "annotate", PROGRAM},
    {"-C", "annotate", PROGRAM},
    {"--cpu", "annotate", PROGRAM},
    {"--pid", "annotate", PROGRAM},
    {"-t", "annotate", PROGRAM},
    {"--tid", "annotate", PROGRAM},
    {"-u", "annotate", PROGRAM},
    {"--uid", "annotate", PROGRAM},
    {"-G", "annotate", PROGRAM},
    {"--cgroup", "annotate", PROGRAM},
    {"--per-thread", "annotate", PROGRAM},
    {"-i", "annotate", CHILDREN},
    {"--no-inherit", "annotate", CHILDREN},
    {"-b", "annotate", TAKEN},
    {"--branch-any", "annotate", TAKEN},
    {"-j", "annotate", TAKEN},
    {"--branch-filter", "annotate", TAKEN},
    {"-d", "annotate", LATENCIES},
    {"--data", "annotate", LATENCIES},
    {"-W", "annotate", LATENCIES},
    {"--weight", "annotate", LATENCIES},
    {"--phys-data", "annotate", LATENCIES},
    {"-T", "annotate", RECORDS},
    {"--timestamp", "annotate", RECORDS},
    {"-P", "annotate", RECORDS},
    {"--period", "annotate", RECORDS},
    {"-R", "annotate", RECORDS},
    {"--raw-samples", "annotate", RECORDS},
    {"-D", "annotate", "pmon stat has -D; samples are taken from the first instruction on"},
    {"--delay", "annotate", "pmon stat has -D; samples are taken from the first instruction on"},
    {"-q", "annotate", "-o FILE writes the result to a file"},
    {"--quiet", "annotate", "-o FILE writes the result to a file"},
    {"-v", "annotate", "--log FILE records each access to registers"},
    {"--verbose", "annotate", "--log FILE records each access to registers"},
    {"--all-user", "annotate", LEVEL},
    {"--all-kernel", "annotate", LEVEL},
};

static const struct other_option likwid_options[] = {
    {"-t", "duration", "likwid-perfctr's -t TIME is -I TIME; perf's -t: uncore counters do not follow a thread"},
    {"-T", "duration", "likwid-perfctr's -T TIME is --slice TIME; perf's -T is for events of cores"},
    {"-m", "repeat", REGIONS},
    {"--marker", "repeat", REGIONS},
    {"-c", "duration", PER_SOCKET},
    {"-s", "duration", "pmon finds the units that a processor has; leave it out"},
    {"-f", "force", "likwid-perfctr's -f is --force; with pcm's -f leave it out"},
    {"-H", "duration", "pmon show GROUP describes a group of metrics"},
    {"-E", "duration", "pmon list STRING lists events"},
    {"-V", "dry-run", WRITES},
    {"--stats", "per-unit",
     "--per-unit has the values of instances, -r N the mean of runs, --histogram the spread over time"},
    {"-S", "duration", "likwid-perfctr's -S is --duration; perf's -S is --pre sync"},
    {"-O", "csv", "likwid-perfctr's -O is --csv"},
};

static const struct other_option pcm_options[] = {
    {"-i", "duration", "pcm's -i=N is --duration; perf's -i: uncore counters do not follow a process"},
    {"-u", "every", "pcm's -u is pmon top; pfmon's -u is an attribute of the event: plm=8 (docs/montecito.md)"},
};

static const struct other_option pfmon_options[] = {
    {"--user-level", "every", LEVEL},
    {"-k", "every", LEVEL},
    {"--kernel-level", "every", LEVEL},
    {"--irange", "every", RANGES},
    {"--drange", "every", RANGES},
    {"--checkpoint-func", "every", RANGES},
    {"--opc-match8", "every", RANGES},
    {"--opc-match9", "every", RANGES},
    {"--us-counter-format", "csv", BIG_NUM},
    {"--eu-counter-format", "csv", BIG_NUM},
    {"--hex-counter-format", "csv", BIG_NUM},
    {"--system-wide", "all", "pfmon's --system-wide is -a"},
    {"--session-timeout", "duration", "pfmon's --session-timeout is --duration"},
    {"--print-interval", "interval", "pfmon's --print-interval is --interval"},
    {"--events", "every", "pfmon's --events is --event"},
    {"--outfile", "output", "pfmon's --outfile is --output"},
    {"--with-header", "csv", "the report has the machine and the time, --csv and --json the host, too"},
    {"--switch-timeout", "slice", "pfmon's --switch-timeout is --slice"},
    {"--follow-all", "every", CHILDREN},
    {"--follow-fork", "every", CHILDREN},
    {"--follow-pthread", "every", CHILDREN},
    {"--follow-exec", "every", CHILDREN},
    {"--trigger-code-start", "every", "parts of a program are marked as regions (docs/regions.md)"},
    {"--trigger-start-delay", "every", "pfmon's --trigger-start-delay is --delay"},
    {"--long-smpl-periods", "annotate", "pfmon's --long-smpl-periods=N is -c N"},
    {"--short-smpl-periods", "annotate", "pfmon's --short-smpl-periods=N is -c N"},
    {"--smpl-module", "annotate", "pfmon's --smpl-module=NAME is --source KIND"},
    {"--smpl-outfile", "annotate", "pfmon's --smpl-outfile is --output"},
};

/* Of no tool, but expected. */
static const struct other_option expected_options[] = {
    {"--machine", "backend", "-p NAME is the platform, --backend machine selects the emulated machine"},
    {"--per-device", "by", "--by device reports values by device"},
    {"--by-device", "by", "--by device reports values by device"},
    {"--format", "csv", "--csv and --json select the format"},
    {"--port", "listen", "--listen takes HOST:PORT"},
};

/* Options of PCM that have several letters after one hyphen. */
static const struct {
  const char *given, *remedy;
} pcm_words[] = {
    {"-csv", "pcm's -csv is --csv=wide, and its -csv=FILE is --csv=wide -o FILE"},
    {"-csv-delimiter", "pcm-iio's -csv-delimiter=C is -x C"},
    {"-nc", TOTALS},
    {"-ns", TOTALS},
    {"-nsys", TOTALS},
    {"-pid", NO_PROCESS},
    {"-silent", "only results go to standard output; leave it out"},
    {"-yc", PER_SOCKET},
    {"-ync", PER_SOCKET},
    {"-rank", "the guides list no reads and writes by rank"},
    {"-partial", "pcm-memory's -partial is -e m2m/IMC_WRITES.PARTIAL/ or (E5-2600) ha/IMC_WRITES.PARTIAL/"},
    {"-mixed", "Emerald Rapids supports no persistent memory; leave it out"},
    {"-columns", "columns fit the terminal; leave it out"},
    {"-all", "idle channels are printed; leave it out"},
    {"-tr", "pcm-raw's -tr is --csv=long"},
    {"-json", "pcm-raw's -json is --json"},
    {"-out", "pcm-raw's -out FILE is -o FILE"},
    {"-el", "a file has metrics and a group: -p emr,FILE.met -g GROUP (docs/formats.md)"},
    {"-ep", "pcm-raw's -ep PATH is pmon import PATH, once"},
    {"-list", "pmon discover lists units and their buses, pmon list events"},
    {"-root-port", "pcm-iio's -root-port is -g IO_PORTS --per-unit"},
    {"-human-readable", "tables have units with a prefix; leave it out"},
};

#define TABLE(rows)                                                                                                    \
  {                                                                                                                    \
    rows, sizeof(rows) / sizeof *(rows)                                                                                \
  }
static const struct {
  const struct other_option *rows;
  size_t n;
} tables[] = {TABLE(perf_options), TABLE(likwid_options), TABLE(pcm_options), TABLE(pfmon_options),
              TABLE(expected_options)};
#undef TABLE

enum { TABLES = sizeof tables / sizeof *tables };

static bool option_exists(const char *name, const struct cli_option *const *rows, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (rows[i]->name && !strcmp(rows[i]->name, name))
      return true;
  return false;
}

/* Whether the first n characters of `given` begin a long option of the command; then they abbreviate no other tool's.
 */
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
  for (size_t t = 0; t < TABLES; t++)
    for (size_t i = 0; i < tables[t].n; i++) {
      const struct other_option *o = &tables[t].rows[i];
      if (strncmp(o->given, given, n) || !option_exists(o->counterpart, rows, count))
        continue;
      if (remedy && strcmp(remedy, o->remedy))
        return NULL;
      remedy = o->remedy;
    }
  return remedy;
}

const char *other_tools_option(const char *given, const struct cli_option *const *rows, size_t n)
{
  const size_t length = strcspn(given, "="); /* --timeout=100 */
  for (size_t t = 0; t < TABLES; t++)
    for (size_t i = 0; i < tables[t].n; i++) {
      const struct other_option *o = &tables[t].rows[i];
      if (strlen(o->given) == length && !strncmp(o->given, given, length) && option_exists(o->counterpart, rows, n))
        return o->remedy;
    }
  return remedy_of_abbreviation(given, length, rows, n);
}

const char *other_tools_word(const char *word, const struct cli_option *const *rows, size_t n)
{
  const size_t length = strcspn(word, "=");
  if (!option_exists("pre", rows, n))
    return NULL;
  for (size_t i = 0; i < sizeof pcm_words / sizeof *pcm_words; i++)
    if (strlen(pcm_words[i].given) == length && !strncmp(pcm_words[i].given, word, length))
      return pcm_words[i].remedy;
  return NULL;
}
