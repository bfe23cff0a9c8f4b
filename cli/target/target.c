/* SPDX-License-Identifier: MIT */
#include "cli/target/target.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/target/links.h"
#include "cli/target/settings.h"
#include "cli/target/stream.h"
#include "cli/target/script.h"
#include "machine/trace/live.h"
#include "machine/trace/workers.h"
#include "machine/trace/workload.h"

enum { ERROR_SIZE = 512, UNLIKE_PRINTED = 3 };

struct unlike {
  struct cli *cli;
  unsigned found;
};

static void target_report_unlike(void *user, const char *text)
{
  struct unlike *u = user;
  if (u->found++ < UNLIKE_PRINTED)
    cli_note(u->cli, "differs from the capture: %s", text);
}

/* Loads the captured registers. Returns a status. */
static int load_registers(struct cli *cli, const struct target_options *options, struct machine *m)
{
  struct unlike u = {cli, 0};
  int status = options->capture ? machine_capture_load(m, options->capture, target_report_unlike, &u) : 0;
  if (u.found > UNLIKE_PRINTED)
    cli_note(cli, "differs from the capture: %u more register%s", u.found - UNLIKE_PRINTED,
             u.found == UNLIKE_PRINTED + 1 ? "" : "s");
  return status < 0 ? status : 0;
}

/* Applies frequencies that differ between the machine's parameters and the facts. */
static void target_read_clocks(const struct machine_config *config, struct target *t)
{
  for (const struct platform_clock *c = model_of(config)->pmon->clocks; c->name; c++)
    if (c->divide && t->n_clocks < sizeof t->clocks / sizeof *t->clocks)
      t->clocks[t->n_clocks++] = (struct pmon_clock){c->name, machine_clock_hz(c, config)};
}

/* The limits of a captured machine come first: its memory is not that of the emulated one. */
static void target_read_limits(struct cli *cli, const struct target_options *o, struct target *t)
{
  struct pmon_limit limit;
  for (uint32_t i = 0; o->capture && !pmon_capture_machine_limit(o->capture, i, &limit); i++)
    if (limits_name(limit.name))
      limits_add(&t->limits, limits_name(limit.name), limit.package, limit.number);
  if (cli_platform(cli))
    limits_read_machine(&o->config, cli->platform, t->backend, &t->limits);
}

/* A machine without L2 is compared with simulators that fetch instruction by instruction: blocks then end at a line's
 * end. */
static struct live_options live_options(const struct target_options *o)
{
  return (struct live_options){.argv = o->argv,
                               .stop = o->stop,
                               .signals = o->signals,
                               .line_bytes = o->config.value[CONFIG_L2_SIZE] ? 0 : 64,
                               .sampling = o->sampling,
                               .interrupts = o->interrupts,
                               .user = o->interrupts_user};
}

/* Two, if this host has a processor for each. A command's emulator needs one, too. */
static unsigned target_host_threads(const struct target_options *o)
{
  if (o->host_threads)
    return o->host_threads;
  return workers_host_threads() > (o->argv ? 2 : 1) ? 2 : 1;
}

/* Makes the workload of a command or a trace. */
static int threads_new(const struct target_options *o, struct target *t, char *error, size_t error_size)
{
  struct placement *placement = NULL;
  struct live_options live = live_options(o);
  int status = placement_new(o->place, (unsigned)o->config.value[CONFIG_SOCKETS],
                             (unsigned)o->config.value[CONFIG_CORES], error, error_size, &placement);
  if (!status) {
    status =
        o->argv ? live_open(&live, error, error_size, &t->source) : trace_open(o->trace, error, error_size, &t->source);
    if (status)
      placement_free(placement);
  }
  if (status)
    return status;
  t->live = o->argv != NULL;
  trace_source_ahead(t->source, target_host_threads(o));
  status = trace_workload_new(t->source, placement, &t->begun);
  if (status) {
    t->source = NULL;
    snprintf(error, error_size, "no memory to run it");
  }
  t->threads = t->begun;
  if (!status && o->sampling.period)
    trace_workload_sample(t->threads, &t->sampled);
  t->follows = o->config.value[CONFIG_CORE_DEPENDENCES];
  return status;
}

/* Finds the errors of threads_new() that a command has without being started. */
static int check_command(const struct target_options *o, char *error, size_t error_size)
{
  struct placement *placement = NULL;
  const struct live_options live = live_options(o);
  const int status = placement_new(o->place, (unsigned)o->config.value[CONFIG_SOCKETS],
                                   (unsigned)o->config.value[CONFIG_CORES], error, error_size, &placement);
  placement_free(placement);
  return status ? status : live_check(&live, error, error_size);
}

/* Attaches the workload to the machine, which owns it from then on: that of the command, or of a scenario or a trace.
 * Without one, time passes nevertheless. */
static int attach_workload(struct target_options *o, struct target *t, char *error, size_t error_size)
{
  const unsigned shape[2] = {(unsigned)o->config.value[CONFIG_SOCKETS], (unsigned)o->config.value[CONFIG_CORES]};
  int status = PMON_OK;
  if (o->scenario)
    status = scenario_workload_new(&o->scene, o->place, shape, error, error_size, &t->begun);
  else if (o->trace)
    status = threads_new(o, t, error, error_size);
  if (!status && t->begun)
    machine_attach(t->machine, t->begun);
  t->begun = NULL;
  return status;
}

static int fail_status(struct cli *cli, int status, const char *error)
{
  cli_fail(cli, "%s", *error ? error : cli_status_text(status));
  return cli_exit_code(status);
}

void target_note(const struct target *t)
{
  if (t->live)
    live_note(t->source);
}

bool target_has_passed(const struct target *t)
{
  return !t->live || live_has_passed(t->source);
}

void target_sampled(const struct target *t, struct target_sampled *ret)
{
  const struct sampled_run *run = &t->sampled;
  *ret = (struct target_sampled){.fraction = run->instructions ? (double)run->detailed / (double)run->instructions : 1,
                                 .error = sampled_time_error(run),
                                 .instructions = run->instructions,
                                 .intervals = run->intervals,
                                 .freedom = run->freedom};
}

/* Adds the faults of --fault, then those of the scenario, to the machine. */
static int target_add_faults(const struct target_options *o, bool idle, struct machine *m, char *error,
                             size_t error_size)
{
  int status = PMON_OK;
  for (size_t i = 0; !status && i < o->faults.n_faults; i++)
    status = machine_fault_add(m, &o->faults.fault[i], error, error_size);
  for (size_t i = 0; !status && !idle && i < o->scene.n_faults; i++) {
    const int n = snprintf(error, error_size, "line %u of the scenario: ", o->scene.fault[i].line);
    status = machine_fault_add(m, &o->scene.fault[i], error + n, error_size - (size_t)n);
    error[0] = status ? error[0] : 0;
  }
  return status;
}

/* Makes the machine, with the contents of its registers, and its backend. An enum pmon_status; the text is in error. */
static int target_make_machine(struct cli *cli, struct target_options *options, struct target *t, char *error,
                               size_t error_size)
{
  int status = machine_new(&options->config, error, error_size, &t->machine);
  if (status)
    return status;
  target_read_clocks(&options->config, t);
  status = load_registers(cli, options, t->machine);
  if (!status)
    status = machine_backend_new(t->machine, &t->backend);
  if (status)
    snprintf(error, error_size, "no memory for the machine");
  else
    target_read_limits(cli, options, t);
  return status;
}

/* Resolves the names of the scenario, and puts the backend that performs its accesses around the machine's. */
static int target_open_script(struct cli *cli, struct target_options *options, struct target *t)
{
  int result = script_resolve(cli, &options->scene);
  if (result != CLI_DONE || !options->scene.n_actions)
    return result;
  result = script_backend_new(cli, &options->scene, &t->backend);
  t->script = result == CLI_DONE ? t->backend : NULL;
  return result;
}

/* Makes the machine with its registers, faults and accesses, and attaches the workload. Returns an exit code. */
static int target_fill(struct cli *cli, struct target_options *options, bool idle, struct target *t)
{
  char error[ERROR_SIZE] = "";
  int status = target_make_machine(cli, options, t, error, sizeof error);
  /* The machine now owns the scenario. */
  if (!status && !idle && options->scenario && options->scene_used)
    status = scenario_load(options->scenario, error, sizeof error, &options->scene);
  options->scene_used |= !idle;
  const int result = status || idle ? CLI_DONE : target_open_script(cli, options, t);
  if (result != CLI_DONE)
    return result;
  if (!status)
    status = target_add_faults(options, idle, t->machine, error, sizeof error);
  if (!status && !idle)
    status = attach_workload(options, t, error, sizeof error);
  return status ? fail_status(cli, status, error) : CLI_DONE;
}

/* A command's emulator starts first, so that it starts while the machine is made. The command itself executes nothing
 * before the machine runs. */
static int target_open_machine(struct cli *cli, struct target_options *options, bool idle, struct target *t)
{
  char error[ERROR_SIZE] = "";
  *t = (struct target){0};
  options->signals = cli->signals;
  if (target_check_model(cli, options) != CLI_DONE)
    return CLI_USAGE;
  const int status = !options->argv ? PMON_OK
                     : idle         ? check_command(options, error, sizeof error)
                                    : threads_new(options, t, error, sizeof error);
  const int result = status ? fail_status(cli, status, error) : target_fill(cli, options, idle, t);
  if (result != CLI_DONE)
    target_close(t);
  return result;
}

/* Opens Montecito's cores with their registers. */
static int open_cores(struct cli *cli, const struct target_options *options, struct target *t)
{
  *t = (struct target){0};
  int result = stream_open(cli, options, &t->core, &t->program);
  if (result == CLI_DONE && montecito_backend_new(t->core, &t->backend))
    result = cli_fail_memory(cli);
  if (result != CLI_DONE)
    target_close(t);
  return result;
}

int target_open(struct cli *cli, struct target_options *options, struct target *t)
{
  const bool other = options->argv || options->trace || options->scenario;
  const struct processor_model *model = target_model(cli);
  if (stream_is_wanted(options, model) || (!other && model && !model->uncore))
    return open_cores(cli, options, t);
  return target_open_machine(cli, options, false, t);
}

int target_open_idle(struct cli *cli, struct target_options *options, struct target *t)
{
  if (stream_is_wanted(options, target_model(cli))) /* opening it starts no process */
    return open_cores(cli, options, t);
  return target_open_machine(cli, options, true, t);
}

int target_result(struct cli *cli, struct target *t, const char *command, int *ret_child)
{
  struct live_result result = {0};
  char notes[1024] = "";
  if (t->script && script_backend_result(t->script) != CLI_DONE)
    return CLI_FAILED;
  if (t->machine)
    links_report(cli, t->machine);
  if (t->program)
    return stream_result(cli, t->program, command, ret_child);
  if (t->threads && t->follows && !trace_workload_has_dependences(t->threads))
    cli_note(cli, "the %s: loads do not wait for other loads, and simulated time is a lower bound",
             t->live ? "program's dependences are not known" : "trace has no dependences");
  if (!t->live)
    return CLI_DONE;
  int status = live_result(t->source, &result);
  if (status) {
    cli_fail(cli, "%s", t->source->error);
    return cli_exit_code(status);
  }
  live_notes(&result, notes, sizeof notes);
  for (char *line = notes; *line;) {
    size_t n = strcspn(line, "\n");
    cli_note(cli, "%.*s", (int)n, line);
    line += n + (line[n] == '\n');
  }
  if (result.signal)
    cli_fail(cli, "%s was terminated by signal %d (%s)%s", command, result.signal, strsignal(result.signal),
             result.signal == SIGILL ? "; QEMU does not emulate some instructions, such as AVX-512 and AMX: build the "
                                       "program without them (-march=x86-64-v3)"
                                     : "");
  else if (result.exit_code)
    cli_fail(cli, "%s exited with status %d", command, result.exit_code);
  if (ret_child)
    *ret_child = result.exit_code;
  return result.signal || result.exit_code ? CLI_FAILED : CLI_DONE;
}

void target_close(struct target *t)
{
  hardware_close(t->backend);
  machine_free(t->machine);
  if (t->begun)
    t->begun->free(t->begun);
  montecito_machine_free(t->core);
  *t = (struct target){0};
}
