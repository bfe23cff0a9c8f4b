/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "cli/feed.h"
#include "machine/trace/live.h"
#include "machine/trace/workload.h"

/* Simulated time between looks at the clock for progress: 2 ms. */
#define PROGRESS_STEP_FS UINT64_C(2000000000000)
#define LINE_BYTES 64u

int feed_exit(int status)
{
  switch (status) {
  case 0:
    return CLI_DONE;
  case PMON_E_NO_DEVICE:
    return CLI_NO_HARDWARE;
  case PMON_E_MEMORY:
    return CLI_FAILED;
  default:
    return CLI_USAGE;
  }
}

bool feed_option(struct feed *f, int option, const char *value)
{
  switch (option) {
  case FEED_TRACE:
    f->trace = value;
    return true;
  case FEED_SCENARIO:
    f->scenario = value;
    return true;
  case FEED_PRESET:
    f->preset = value;
    return true;
  case FEED_PLACE:
    f->place = value;
    return true;
  case FEED_SET:
    if (f->n_set < FEED_SETTINGS)
      f->set[f->n_set] = value;
    f->n_set++;
    return true;
  default:
    return false;
  }
}

static int tell(const struct cli *cli, int status, const char *error)
{
  cli_fail(cli, "%s", error);
  return feed_exit(status);
}

int feed_configure(struct cli *cli, struct feed *f)
{
  char error[TRACE_ERROR_SIZE];
  int status = 0;

  machine_config_init(&f->config);
  if (f->n_set > FEED_SETTINGS)
    return cli_fail(cli, "more than %u --set", FEED_SETTINGS);
  if (f->preset && machine_config_preset(&f->config, f->preset) < 0)
    return cli_fail(cli, "no preset \"%s\"; there are emr and cachegrind", f->preset);
  if (f->scenario)
    status = scenario_load(f->scenario, error, sizeof error, &f->scene);
  for (size_t i = 0; i < f->scene.n_settings && status == 0; i++)
    status = machine_config_parse(&f->config, f->scene.setting[i], error, sizeof error);
  for (unsigned i = 0; i < f->n_set && status == 0; i++)
    status = strchr(f->set[i], '=') ? machine_config_parse(&f->config, f->set[i], error, sizeof error)
                                    : (snprintf(error, sizeof error, "--set %s: expected NAME=VALUE", f->set[i]),
                                       PMON_E_SYNTAX);
  if (status == 0)
    status = machine_config_check(&f->config, error, sizeof error);
  return status < 0 ? tell(cli, status, error) : 0;
}

/* Source and placement for a program or a trace. */
static int open_threads(struct feed *f, char *error, size_t error_size, struct machine_workload **ret_workload)
{
  struct live_options live = { .argv = f->command,
                               .line_bytes = f->preset && !strcmp(f->preset, "cachegrind") ? LINE_BYTES : 0 };
  struct placement *placement;
  struct trace_source *source;
  int status = placement_new(f->place, (unsigned)f->config.value[CONFIG_SOCKETS],
                             (unsigned)f->config.value[CONFIG_CORES], error, error_size, &placement);

  if (status < 0)
    return status;
  status = f->command ? live_open(&live, error, error_size, &source) : trace_open(f->trace, error, error_size, &source);
  if (status < 0) {
    placement_free(placement);
    return status;
  }
  snprintf(error, error_size, "out of memory");
  f->live = f->command ? source : NULL;
  return trace_workload_new(source, placement, ret_workload);
}

int feed_open(struct cli *cli, struct feed *f)
{
  const unsigned shape[2] = { (unsigned)f->config.value[CONFIG_SOCKETS], (unsigned)f->config.value[CONFIG_CORES] };
  struct machine_workload *workload = NULL;
  char error[TRACE_ERROR_SIZE];
  int status;

  if (!f->command + !f->trace + !f->scenario != 2)
    return cli_fail(cli, "expected one of --trace FILE, --scenario FILE, or -- COMMAND");
  status = machine_new(&f->config, error, sizeof error, &f->machine);
  if (status == 0)
    status = f->scenario ? scenario_workload_new(&f->scene, f->place, shape, error, sizeof error, &workload)
                         : open_threads(f, error, sizeof error, &workload);
  if (status < 0)
    return tell(cli, status, error);
  machine_attach(f->machine, workload);
  return 0;
}

/* At most twice a second; nothing where standard error is no terminal. */
static void show_progress(const struct feed *f, struct timespec *last)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  if ((now.tv_sec - last->tv_sec) * 1000 + (now.tv_nsec - last->tv_nsec) / 1000000 < 500)
    return;
  *last = now;
  fprintf(stderr, "\rsimulated %.3f ms ", (double)machine_now_fs(f->machine) * 1e-12);
  fflush(stderr);
}

int feed_run(struct cli *cli, struct feed *f)
{
  bool ended = false, terminal = isatty(STDERR_FILENO);
  struct timespec last;
  char error[TRACE_ERROR_SIZE];
  int status = 0;

  clock_gettime(CLOCK_MONOTONIC, &last);
  while (status == 0 && !ended) {
    uint64_t until = terminal ? machine_now_fs(f->machine) + PROGRESS_STEP_FS : UINT64_MAX;

    status = machine_run(f->machine, until, &ended, error, sizeof error);
    if (terminal)
      show_progress(f, &last);
  }
  if (terminal)
    fputs("\r\033[K", stderr);
  return status < 0 ? tell(cli, status, error) : 0;
}

int feed_result(struct cli *cli, struct feed *f)
{
  struct live_result result;
  char notes[512];
  int status;

  if (!f->live)
    return CLI_DONE;
  status = live_result(f->live, &result);
  if (status < 0)
    return tell(cli, status, f->live->error);
  live_notes(&result, notes, sizeof notes);
  for (char *line = strtok(notes, "\n"); line; line = strtok(NULL, "\n"))
    fprintf(stderr, "pmon: %s\n", line);
  if (result.signal)
    fprintf(stderr, "pmon: %s was ended by signal %d (%s)\n", f->command[0], result.signal, strsignal(result.signal));
  else if (result.exit_code)
    fprintf(stderr, "pmon: %s ended with exit code %d\n", f->command[0], result.exit_code);
  return result.exit_code ? CLI_FAILED : CLI_DONE;
}

void feed_close(struct feed *f)
{
  machine_free(f->machine);
  scenario_fini(&f->scene);
  f->machine = NULL;
  f->live = NULL;
}
