/* SPDX-License-Identifier: MIT */
/* Metric groups of an imported platform, from Intel's names: these state the subject of a metric. */
#include <fnmatch.h>
#include <string.h>
#include <strings.h>
#include "cli/import/import.h"

/* Metrics that `pmon stat` measures if none are named, as far as the files contain them. */
static const char *const defaults[] = {"memory_bandwidth_read",
                                       "memory_bandwidth_write",
                                       "llc_demand_data_read_miss_latency",
                                       "numa_reads_addressed_to_local_dram",
                                       "io_bandwidth_read",
                                       "io_bandwidth_write",
                                       "cpi"};

/* Patterns of names; the first match determines the group. Shares of a core's time that are called after latencies or
 * memory are none of these. */
static const struct {
  const char *pattern, *group;
  bool no_share;
} rules[] = {{"bottleneck_*", "", false},
             {"*latency", "LATENCY", true},
             {"*latency_for_*", "LATENCY", true},
             {"numa_*", "NUMA", false},
             {"llc_miss_*_memory_bandwidth_*", "NUMA", false},
             {"*cxl*", "CXL", false},
             {"io_*", "IO", false},
             {"iio_*", "IO", false},
             {"*_system_io_*", "IO", false},
             {"*upi_data_*", "UPI", false},
             {"*qpi_data_*", "QPI", false},
             {"llc_*", "LLC", false},
             {"memory_*", "MEM", true},
             {"*_dram_bw_*", "MEM", false},
             {"uncore_frequency", "FREQ", false},
             {"cpu_operating_frequency", "FREQ", false},
             {"*_uncore_frequency", "FREQ", false},
             {"cpu_cstate_*", "IDLE", false},
             {"*_system_power", "POWER", false},
             {"package_power", "POWER", false},
             {"dram_power", "POWER", false},
             {"cpi", "IPC", false},
             {"*_thread_ipc", "IPC", false},
             {"*_thread_cpi", "IPC", false}};

static const char *group_of(const char *name, bool share)
{
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (!fnmatch(rules[i].pattern, name, FNM_CASEFOLD))
      return share && rules[i].no_share ? "" : rules[i].group;
  return "";
}

static void write_member(FILE *f, const char *group, const char *name, bool *begun)
{
  if (!*begun)
    fprintf(f, "\ngroup %s\n", group);
  *begun = true;
  fprintf(f, "  metrics %s\n", name);
}

static void write_group(FILE *f, const struct import_metrics *m, const char *group)
{
  const char *name;
  bool begun = false, share;
  for (size_t i = 0; import_metric_name(m, i, &name, &share); i++)
    if (name && !strcmp(group_of(name, share), group))
      write_member(f, group, name, &begun);
}

static bool is_written_before(size_t rule)
{
  for (size_t i = 0; i < rule; i++)
    if (!strcmp(rules[i].group, rules[rule].group))
      return true;
  return false;
}

void import_write_groups(FILE *f, const struct import_metrics *m)
{
  const char *name;
  bool begun = false, share;
  for (size_t k = 0; k < sizeof defaults / sizeof *defaults; k++)
    for (size_t i = 0; import_metric_name(m, i, &name, &share); i++)
      if (name && !strcasecmp(name, defaults[k]))
        write_member(f, "DEFAULT", name, &begun);
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (*rules[i].group && !is_written_before(i))
      write_group(f, m, rules[i].group);
}
