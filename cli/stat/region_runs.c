/* SPDX-License-Identifier: MIT */
/* Regions of repeated runs (-r): each result is the mean of the runs that had the region and the thread. */
#include <stdlib.h>
#include <string.h>
#include <pmon/regions.h>
#include "cli/stat/run.h"
#include "cli/stat/write.h"

struct region_run {
  char *name;
  uint64_t thread;
  struct pmon_report *report;
  struct region_run *next;
};

int stat_region_runs_add(const struct cli *cli, struct stat_repeats *repeats, const struct pmon_region_info *info,
                         struct pmon_report *report)
{
  struct region_run *r = calloc(1, sizeof *r), **last = &repeats->region_runs;
  if (r)
    *r = (struct region_run){.name = strdup(info->name), .thread = info->thread, .report = report};
  if (!r || !r->name) {
    free(r);
    pmon_report_free(report);
    return cli_fail_memory(cli);
  }
  while (*last)
    last = &(*last)->next;
  *last = r;
  return CLI_DONE;
}

static void region_run_free(struct region_run *r)
{
  pmon_report_free(r->report);
  free(r->name);
  free(r);
}

/* Takes the reports of the first region and thread off the list. Returns their number. */
static uint32_t region_runs_take(struct region_run **at, struct region_run **ret_runs)
{
  const struct region_run *const first = *at;
  struct region_run **end = ret_runs;
  uint32_t n = 0;
  while (*at) {
    struct region_run *r = *at;
    if (r->thread != first->thread || strcmp(r->name, first->name) != 0) {
      at = &r->next;
      continue;
    }
    *at = r->next;
    r->next = NULL;
    *end = r;
    end = &r->next;
    n++;
  }
  return n;
}

static int region_runs_print_mean(struct stat_run *s, struct region_run *runs, uint32_t n)
{
  const struct pmon_report **reports = calloc(n, sizeof *reports);
  struct pmon_report *mean = NULL;
  int status = reports ? 0 : PMON_E_MEMORY;
  for (uint32_t i = 0; !status && i < n; i++, runs = runs->next)
    reports[i] = runs->report;
  if (!status)
    status = pmon_report_new_mean(reports, n, &mean);
  if (!status)
    status = stat_write_region(s, mean);
  pmon_report_free(mean);
  free(reports);
  return status;
}

int stat_region_runs_print(struct stat_run *s)
{
  int status = 0;
  while (s->repeats.region_runs) {
    struct region_run *runs = NULL;
    const uint32_t n = region_runs_take(&s->repeats.region_runs, &runs);
    if (!status)
      status = region_runs_print_mean(s, runs, n);
    for (struct region_run *r = runs, *next; r; r = next) {
      next = r->next;
      region_run_free(r);
    }
  }
  return status;
}
