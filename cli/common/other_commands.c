/* SPDX-License-Identifier: MIT */
/* Commands of other tools and the words of `perf list`, a table for each tool. */
#include <string.h>
#include "cli/common/other_tools.h"

struct other_word {
  const char *word, *remedy;
};

static const struct other_word perf_commands[] = {
    {"record", "counts are recorded by pmon stat --record FILE, samples by pmon sample"},
    {"annotate", "pmon sample --annotate prints the instructions with their samples"},
    {"script", "pmon report --csv prints what a recording contains"},
    {"version", "pmon --version prints it"},
    {"iostat", "perf iostat is pmon stat -g IO_PORTS --by device"},
    {"evlist", "pmon report RECORDING prints the events of a recording"},
    {"mem", "pmon sample prints loads with addresses and latencies where the processor records them (Montecito)"},
    {"c2c", "pmon stat -g NUMA counts lines that another socket has modified"},
    {"config", "options are given on the command line"},
};

static const struct other_word pcm_programs[] = {
    {"pcm", "use pmon top, or pmon stat -g MEM,UPI,POWER"},
    {"pcm-memory", "use pmon stat -g MEM or pmon top -g MEM"},
    {"pcm-iio", "use pmon stat -g IO_PORTS or pmon stat --by device"},
    {"pcm-pcie", "use pmon stat -g IO"},
    {"pcm-power", "use pmon stat -g POWER"},
    {"pcm-latency", "use pmon stat -g LATENCY"},
    {"pcm-numa", "use pmon stat -g NUMA"},
};

static const struct other_word pmu_tools_programs[] = {
    {"toplev", "levels of the top-down method are of cores; pmon stat -g LLC,LATENCY,MEM shows what they wait for"},
    {"ucevent", "derived events are metrics: pmon metrics lists them, pmon stat -m NAME measures them"},
    {"ocperf", "Intel's names are accepted: pmon stat -e UNC_M_CAS_COUNT.RD"},
};

/* pfmon is built on it. */
static const struct other_word libpfm4_programs[] = {
    {"pfmon", "pfmon -e EVENT is pmon -p montecito stat -e EVENT; sampling is pmon -p montecito sample"},
    {"showevtinfo", "pmon show EVENT describes an event, pmon list all of them"},
    {"check_events", "pmon encode EVENT prints the register values of an event"},
    {"evt2raw", "pmon encode EVENT prints the register values of an event"},
};

/* Of no tool, but expected. */
static const struct other_word expected_commands[] = {
    {"plot", "pmon report --svg PLOT RECORDING draws one, pmon report --html PAGE RECORDING a page of them"},
};

#define METRICS "pmon metrics lists the metrics"
#define GROUPS "pmon metrics --groups lists the groups of metrics"
#define CORE_EVENTS "perf list has the events of the kernel, and its generic events of cores"

static const struct other_word perf_lists[] = {
    {"metric", METRICS},
    {"metrics", METRICS},
    {"metricgroup", GROUPS},
    {"metricgroups", GROUPS},
    {"pmu", "pmon units lists the units, pmon show UNIT has the PMU of one, pmon list -u UNIT its events"},
    {"hw", CORE_EVENTS},
    {"hardware", CORE_EVENTS},
    {"hwcache", CORE_EVENTS},
    {"sw", CORE_EVENTS},
    {"software", CORE_EVENTS},
    {"tracepoint", CORE_EVENTS},
    {"sdt", CORE_EVENTS},
};

static const char *remedy_of_word(const struct other_word *rows, size_t n, const char *word)
{
  for (size_t i = 0; i < n; i++)
    if (!strcmp(rows[i].word, word))
      return rows[i].remedy;
  return NULL;
}

const char *other_tools_command(const char *name)
{
#define TABLE(rows)                                                                                                    \
  {                                                                                                                    \
    rows, sizeof(rows) / sizeof *(rows)                                                                                \
  }
  static const struct {
    const struct other_word *rows;
    size_t n;
  } tables[] = {TABLE(perf_commands), TABLE(pcm_programs), TABLE(pmu_tools_programs), TABLE(libpfm4_programs),
                TABLE(expected_commands)};
#undef TABLE
  const char *remedy = NULL;
  for (size_t t = 0; !remedy && t < sizeof tables / sizeof *tables; t++)
    remedy = remedy_of_word(tables[t].rows, tables[t].n, name);
  return remedy;
}

const char *other_tools_list(const char *word)
{
  return remedy_of_word(perf_lists, sizeof perf_lists / sizeof *perf_lists, word);
}
