/* SPDX-License-Identifier: MIT */
/* pmon machine: parameters of the emulated machine, its account of a run, recording of traces. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "cli/machine/account.h"
#include "cli/machine/core.h"
#include "cli/machine/coverage.h"
#include "cli/machine/describe.h"
#include "cli/common/findings.h"
#include "cli/machine/interrupt.h"
#include "cli/machine/log.h"
#include "cli/machine/mount.h"
#include "cli/machine/record.h"
#include "cli/target/privileges.h"
#include "cli/target/script.h"
#include "cli/target/stream.h"
#include "cli/machine/state.h"
#include "cli/target/target.h"
#include "machine/common/traffic.h"
#include "machine/trace/live.h"

#define HELPED (-1)                              /* the help was printed: stop */
#define PROGRESS_STEP_FS UINT64_C(2000000000000) /* simulated time between checks of the clock: 2 ms */

enum { CODE_CHECK = CLI_OPTION_OWN, CODE_SAVE, CODE_LOAD, CODE_TOTALS, CODE_PLAIN, CODE_LENIENT };

struct machine_options {
  struct target_options target;
  const char *output, *save, *load; /* save, load: values of --save-state, --load-state */
  const char *unit;
  bool json, plain, check, totals, lenient;
};

/* Returns CLI_DONE, HELPED, or an exit code after an error message. */
static int machine_read_options(struct cli *cli, int argc, char **argv, struct machine_options *o)
{
  int c, result = target_platform(cli, &o->target, cli->platform_name);
  optind = 0;
  while (result == CLI_DONE && (c = cli_getopt(cli, argc, argv)) != -1)
    switch (c) {
    case 'h': cli_help(cli); return HELPED;
    case 'p': result = target_platform(cli, &o->target, cli->platform_name = optarg); break;
    case 'o': o->output = optarg; break;
    case 'u': o->unit = optarg; break;
    case CLI_OPTION_JSON: o->json = true; break;
    case CODE_PLAIN: o->plain = true; break;
    case CODE_CHECK: o->check = true; break;
    case CODE_SAVE: o->save = optarg; break;
    case CODE_LOAD:
      o->load = optarg;
      o->target.may_be_empty = true; /* `--bundles /dev/null` then examines the state */
      break;
    case CODE_TOTALS: o->totals = true; break;
    case CODE_LENIENT: o->lenient = true; break;
    default: result = target_take(cli, &o->target, c, optarg); break;
    }
  o->target.argv = optind < argc ? argv + optind : NULL;
  return result;
}

/* ---- run ---- */

/* Prints the simulated time, at most twice a second. */
static void show_progress(const struct target *t, struct timespec *last)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  if ((now.tv_sec - last->tv_sec) * 1000 + (now.tv_nsec - last->tv_nsec) / 1000000 < 500)
    return;
  *last = now;
  fprintf(stderr, "\rsimulated %.3f ms ", (double)machine_now_fs(t->machine) * 1e-12);
  fflush(stderr);
}

/* Runs until the workload ends or a signal arrives; the account then covers the time before. Shows the progress if
 * standard error is a terminal. */
static int run_to_end(struct cli *cli, const struct target *t)
{
  bool ended = false, terminal = cli_takes_escapes(STDERR_FILENO);
  struct timespec last;
  char error[TRACE_ERROR_SIZE];
  int status = 0;

  clock_gettime(CLOCK_MONOTONIC, &last);
  while (status == 0 && !ended && !interrupt_stop.number) {
    status = machine_run(t->machine, machine_now_fs(t->machine) + PROGRESS_STEP_FS, &ended, error, sizeof error);
    if (terminal)
      show_progress(t, &last);
  }
  if (terminal)
    fputs("\r\033[K", stderr);
  if (status < 0)
    cli_fail(cli, "%s", error);
  if (interrupt_stop.number && !ended) { /* the handlers remain: a second signal kills the command */
    cli_note(cli, "signal %d: stopped; the account covers the time before the signal", (int)interrupt_stop.number);
    return status < 0 ? cli_exit_code(status) : CLI_SIGNALLED + (int)interrupt_stop.number;
  }
  interrupt_end();
  return cli_exit_code(status);
}

/* Runs a scenario that expects counts: a session measures the whole run. */
static int run_measured(struct cli *cli, const struct scenario *script, struct pmon_plan *plan, struct target *t)
{
  struct pmon_session *session;
  int result = CLI_DONE;
  bool ended = false;

  if (pmon_session_new(plan, t->backend, NULL, &session))
    return cli_fail_context(cli, NULL);
  if (pmon_session_start(session))
    result = cli_fail_context(cli, NULL);
  if (result == CLI_DONE)
    result = script_run(cli, script, t->backend);
  if ((result == CLI_DONE || result == CLI_FAILED) && pmon_session_run(session, UINT64_MAX, &ended))
    result = cli_fail_context(cli, NULL);
  if (result == CLI_DONE || result == CLI_FAILED) {
    int compared = script_compare(cli, script, plan, session);
    result = result == CLI_DONE ? compared : result;
  }
  if (pmon_session_close(session))
    result = cli_fail_context(cli, NULL);
  return result;
}

/* Performs the scenario's register accesses, then runs the rest of the workload. */
static int run_script(struct cli *cli, const struct scenario *script, struct target *t)
{
  struct pmon_plan *plan;
  int result = script_plan(cli, script, &plan), rest;

  if (result != CLI_DONE)
    return result;
  if (plan) {
    result = run_measured(cli, script, plan, t);
    pmon_plan_free(plan);
    return result;
  }
  result = script_run(cli, script, t->backend);
  rest = result == CLI_DONE || result == CLI_FAILED ? run_to_end(cli, t) : CLI_DONE;
  return result == CLI_DONE ? rest : result;
}

static int machine_on_tick(struct cli *cli, struct target *t, struct checker **ret_checker)
{
  struct pmon_backend *checked;

  if (!cli_platform(cli))
    return CLI_USAGE;
  if (check_new(cli->platform, ret_checker) || check_backend_new(t->backend, *ret_checker, &checked))
    return cli_fail_memory(cli);
  t->backend = checked;
  return CLI_DONE;
}

/* Runs the opened target, and handles the other options. */
static int run_opened(struct cli *cli, struct machine_options *o, const struct scenario *script, struct target *t)
{
  struct checker *checker = NULL;
  int result = o->load ? state_load_file(cli, o->load, t) : CLI_DONE, later = CLI_DONE;

  if (result == CLI_DONE && o->check)
    result = machine_on_tick(cli, t, &checker);
  if (result == CLI_DONE) {
    result = run_script(cli, script, t);
    if (script_compare_interrupts(cli, script, t->machine) != CLI_DONE && result == CLI_DONE)
      result = CLI_FAILED;
    if (result == CLI_DONE && (o->target.argv || o->target.trace || o->target.scenario))
      later = target_result(cli, t, o->target.argv ? o->target.argv[0] : o->target.trace, NULL);
    account_write(&cli->out, t, &o->target.config, o->json, result != CLI_DONE);
    const int saved = o->save ? state_save_file(cli, o->save, t) : CLI_DONE;
    later = saved != CLI_DONE ? saved : later;
    if (checker && findings_print(cli, checker) != CLI_DONE)
      later = CLI_FAILED;
  }
  check_free(checker);
  return result != CLI_DONE ? result : later;
}

static int run(struct cli *cli, struct machine_options *o)
{
  struct scenario *scene = &o->target.scene, script = {.action = scene->action,
                                                       .n_actions = scene->n_actions,
                                                       .expectation = scene->expectation,
                                                       .n_expectations = scene->n_expectations};
  struct target target;
  int result = target_check(cli, &o->target);

  o->target.stop = &interrupt_stop;
  if (o->target.argv)
    privileges_warn_of_program(cli, *o->target.argv);
  scene->action = NULL, scene->expectation = NULL;
  scene->n_actions = scene->n_expectations = 0;
  if (result == CLI_DONE && stream_is_wanted(&o->target, target_model(cli))) {
    scenario_fini(&script);
    return core_run(cli, &o->target,
                    &(struct core_run){.json = o->json, .check = o->check, .load = o->load, .save = o->save});
  }
  if (result == CLI_DONE) {
    cli->out.signals = &interrupt_stop.count;
    interrupt_begin(NULL); /* before a command starts */
    result = target_open(cli, &o->target, &target);
  }
  if (result == CLI_DONE) {
    result = run_opened(cli, o, &script, &target);
    target_close(&target);
  }
  scenario_fini(&script);
  return result;
}

static int record(struct cli *cli, struct machine_options *o)
{
  return cli_machine_record(cli, &(struct record_options){o->output, o->target.argv, o->plain});
}

static int coverage(struct cli *cli, struct machine_options *o)
{
  if (o->target.argv)
    return cli_fail_unexpected(cli, o->target.argv[0]);
  return cli_coverage(cli, &(struct coverage_options){.unit = o->unit, .json = o->json, .totals = o->totals});
}

static int describe(struct cli *cli, struct machine_options *o)
{
  return cli_machine_describe(cli, &o->target, o->json);
}

static int mount(struct cli *cli, struct machine_options *o)
{
  return cli_machine_mount(cli, &o->target, o->lenient);
}

static const struct cli_option machine_run_options[] = {
    CLI_FLAG("check", CODE_CHECK, "check the register accesses of a scenario or stream against the programming rules"),
    {"save-state", CODE_SAVE, "FILE", "write all registers as text at the end", CLI_NEW_FILE, NULL},
    {"load-state", CODE_LOAD, "FILE", "set the registers from such a file at the start", CLI_FILE, NULL},
    CLI_OPTION_END,
};
static const struct cli_option machine_record_options[] = {
    {"output", 'o', "FILE", "the trace file", CLI_NEW_FILE, NULL},
    CLI_FLAG("plain", CODE_PLAIN,
             "do not compress the trace: 0.1 to 0.9 bytes per load or store in longer runs, instead of 0.03 to 0.5"),
    CLI_OPTION_END,
};
static const struct cli_option machine_coverage_options[] = {
    CLI_FLAG("totals", CODE_TOTALS, "only percentages by unit"),
    CLI_OPTION_END,
};
static const struct cli_option machine_mount_options[] = {
    CLI_FLAG("lenient", CODE_LENIENT, "ignore reserved bits of MSRs; without it such a write is an I/O error"),
    CLI_OPTION_END,
};
static const struct cli_action machine_actions[] = {
    {"describe", "", "print the machine's parameters and their values", false},
    {"run", "[-- COMMAND]", "run a workload and print the machine's own account of it", true},
    {"record", "-o FILE -- COMMAND", "write the memory accesses of COMMAND to FILE", true},
    {"check", "LOG", "check a log (pmon stat --log) against the programming rules", false},
    {"rules", "", "list the programming rules with their places in the guides", false},
    {"replay", "LOG", "repeat the accesses of a log and report the answers that differ", false},
    {"diff", "LOG LOG", "report where two logs differ", false},
    {"coverage", "", "print the cause of each event in the machine, and percentages by unit", false},
    {"mount", "DIR [COMMAND]",
     "provide the machine's MSRs (as /dev/cpu does) and PCI configuration space (DIR/sys) as files, for rdmsr, setpci "
     "and pmon --root DIR",
     true},
    {NULL, NULL, NULL, false},
};

static int run_machine(struct cli *cli, int argc, char **argv)
{
  static const struct {
    const char *name;
    int (*run)(struct cli *cli, struct machine_options *o);
  } actions[] = {{"describe", describe}, {"run", run}, {"record", record}, {"coverage", coverage}, {"mount", mount}};
  struct machine_options o = {0};
  int result;

  if (argc > 2 && (!strcmp(argv[1], "-p") || !strcmp(argv[1], "--platform"))) { /* also before the action */
    cli->platform_name = argv[2];
    argv += 2;
    argc -= 2;
  }
  if (argc < 2)
    return cli_fail_missing(cli, "ACTION");
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
    cli_help(cli);
    return CLI_DONE;
  }
  for (const struct cli_action *a = machine_actions; a->name; a++)
    if (!strcmp(argv[1], a->name))
      cli->action = a->name;
  result = cli_machine_log(cli, argc - 1, argv + 1);
  if (result >= 0)
    return result;
  for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
    if (!strcmp(argv[1], actions[i].name)) {
      target_options_init(&o.target);
      result = machine_read_options(cli, argc - 1, argv + 1, &o);
      if (result == CLI_DONE)
        result = actions[i].run(cli, &o);
      target_options_fini(&o.target);
      return result == HELPED ? CLI_DONE : result;
    }
  return cli_fail(cli, "%s: no such action; `pmon machine --help` lists the actions", argv[1]);
}

const struct cli_command machine_command = {
    .name = "machine",
    .arguments = "ACTION [OPTIONS] ...",
    .brief = "use the emulated machine: parameters, account, traces, logs",
    .run = run_machine,
    .options = {{machine_run_options, "run"},
                {machine_record_options, "record"},
                {cli_unit_option, "coverage"},
                {machine_coverage_options, "coverage"},
                {machine_mount_options, "mount"},
                {cli_json_option, "describe run coverage check rules diff replay"},
                {target_input_options, "describe run mount replay"},
                {target_stream_options, "describe run replay"},
                {target_shape_options, "describe run mount replay"},
                {NULL, NULL}},
    .notes = "Example: pmon machine run --set cores=8 -- sort /etc/passwd\n",
    .actions = machine_actions,
    .first = true,
};
