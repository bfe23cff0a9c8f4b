/* SPDX-License-Identifier: MIT */
#include "cli/target.h"

#include <stdio.h>
#include <string.h>
#include "machine/trace/live.h"
#include "machine/trace/workload.h"

enum { ERROR_SIZE = 512 };

static int exit_code(int status)
{
  switch (status) {
  case PMON_E_PERMISSION:
  case PMON_E_NO_DEVICE:
    return CLI_NO_HARDWARE;
  case PMON_E_MEMORY:
    return CLI_FAILED;
  default:
    return CLI_USAGE;
  }
}

/* Frequencies that the machine was given and that the facts say otherwise. */
static void take_clocks(const struct machine_config *config, struct target *t)
{
  const uint64_t mhz = 1000000;
  t->clocks[t->n_clocks++] = (struct pmon_clock){"uclk", config->value[CONFIG_UNCORE_GHZ] * mhz};
  t->clocks[t->n_clocks++] = (struct pmon_clock){"dclk", config->value[CONFIG_DRAM_GHZ] * mhz};
  t->clocks[t->n_clocks++] = (struct pmon_clock){"upi", config->value[CONFIG_UPI_GT] * mhz / 8};
}

static int attach_workload(const struct target_options *o, struct target *t, char *error, size_t error_size)
{
  struct placement *placement = NULL;
  struct machine_workload *workload = NULL;
  struct live_options live = {.argv = o->argv};
  int status = placement_new(o->place, (unsigned)o->config.value[CONFIG_SOCKETS], (unsigned)o->config.value[CONFIG_CORES],
                             error, error_size, &placement);
  if (!status) {
    status = o->argv ? live_open(&live, error, error_size, &t->source) : trace_open(o->trace, error, error_size, &t->source);
    if (status)
      placement_free(placement);
  }
  if (status)
    return status;
  t->live = o->argv != NULL;
  status = trace_workload_new(t->source, placement, &workload);
  if (status) {
    t->source = NULL;
    snprintf(error, error_size, "no memory to run it");
    return status;
  }
  machine_attach(t->machine, workload);
  return 0;
}

int target_open(struct cli *cli, const struct target_options *options, struct target *t)
{
  char error[ERROR_SIZE] = "";
  *t = (struct target){0};
  int status = machine_new(&options->config, error, sizeof error, &t->machine);
  if (!status) {
    take_clocks(&options->config, t);
    status = machine_backend_new(t->machine, &t->backend);
    if (status)
      snprintf(error, sizeof error, "no memory for the machine");
  }
  if (!status)
    status = attach_workload(options, t, error, sizeof error);
  if (!status)
    return CLI_DONE;
  cli_fail(cli, "%s", *error ? error : pmon_status_name(status));
  target_close(t);
  return exit_code(status);
}

int target_result(struct cli *cli, const struct target *t, const char *command)
{
  struct live_result result = {0};
  char notes[1024] = "";
  if (!t->live)
    return CLI_DONE;
  int status = live_result(t->source, &result);
  if (status) {
    cli_fail(cli, "%s", t->source->error);
    return exit_code(status);
  }
  live_notes(&result, notes, sizeof notes);
  for (char *line = notes; *line;) {
    size_t n = strcspn(line, "\n");
    cli_fail(cli, "%.*s", (int)n, line);
    line += n + (line[n] == '\n');
  }
  if (result.signal)
    cli_fail(cli, "%s was ended by signal %d (%s)", command, result.signal, strsignal(result.signal));
  else if (result.exit_code)
    cli_fail(cli, "%s ended with status %d", command, result.exit_code);
  return result.signal || result.exit_code ? CLI_FAILED : CLI_DONE;
}

void target_close(struct target *t)
{
  pmon_backend_close(t->backend);
  machine_free(t->machine);
  *t = (struct target){0};
}
