/* SPDX-License-Identifier: MIT */
/* The target of a measurement: the emulated machine with a command, a recorded trace or a scenario. */
#ifndef CLI_TARGET_TARGET_H
#define CLI_TARGET_TARGET_H

#include "cli/common/cli.h"
#include "cli/target/hardware.h"
#include "cli/target/limits.h"
#include "machine/trace/live.h"
#include "machine/trace/sampled.h"
#include "machine/config.h"
#include "machine/machine.h"
#include "machine/model.h"
#include "machine/capture.h"
#include "machine/montecito/config.h"
#include "machine/trace/scenario.h"

struct exec_program; /* machine/montecito/exec/program.h */
struct montecito_machine;
struct trace_source;

/* Options of all commands that run the machine. */
enum target_code {
  TARGET_TRACE = 1000,
  TARGET_SCENARIO,
  TARGET_SET,
  TARGET_PRESET,
  TARGET_PLACE,
  TARGET_BUNDLES,
  TARGET_GENERATE,
  TARGET_CAPTURE,
  TARGET_FAULT,
  TARGET_HOST_THREADS
};
extern const struct cli_option target_set_options[];    /* --set */
extern const struct cli_option target_preset_options[]; /* --preset, --set */
extern const struct cli_option target_shape_options[];  /* these and --capture */
extern const struct cli_option target_input_options[];  /* --trace, --scenario, --place, --host-threads */
extern const struct cli_option target_stream_options[]; /* --bundles, --generate */

/* The target's command line options; filled by target_options_init(), emptied by target_options_fini(). */
struct target_options {
  char **argv;            /* the command, NULL at the end; NULL: none */
  const char *trace;      /* a recorded trace instead; NULL: none */
  const char *scenario;   /* a scenario instead; NULL: none */
  const char *bundles;    /* a stream of bundles for Montecito instead; NULL: none */
  const char *generate;   /* a generated stream instead; NULL: none */
  struct live_stop *stop; /* set to end early; NULL: never */
  /* Of a command; set by target_open() to those of pmon's caller. */
  const struct signal_settings *signals;
  bool (*interrupts)(void *user); /* of a command: struct live_options; NULL: none */
  void *interrupts_user;
  const char *place; /* machine/trace/placement.h */
  struct machine_config config;
  struct montecito_config cores;   /* of the machine that runs bundles */
  struct pmon_capture *capture;    /* the machine gets the capture's configuration; NULL: none */
  bool configured;                 /* parameters are given */
  bool followed;                   /* the platform's name is that of the machine; -p did not give it */
  bool placed;                     /* `place` was given */
  unsigned host_threads;           /* that run a command or trace; 0: as many as help and this host has */
  struct launch_sampling sampling; /* of the command; period 0: all of it is simulated in detail */
  bool scene_used;                 /* the target has run */
  bool may_be_empty;               /* a file of bundles without one is no error */
  struct scenario scene;           /* the parsed scenario */
  struct scenario faults;          /* what --fault gave */
};

void target_options_init(struct target_options *o);
void target_options_fini(struct target_options *o);

/* Whether a command of that name is in PATH. */
bool target_finds_command(const char *name);

/* Whether an option configures the emulated machine: such a run is not one of the host. */
bool target_is_configured(const struct target_options *o);

/* Selects the machine of platform `name` (of -p; NULL: the default), if there is one. CLI_DONE, or an exit code after
 * printing an error. Call it for each -p, and for cli->platform_name at first. */
int target_platform(struct cli *cli, struct target_options *o, const char *name);

/* The model of the processor that -p names, for user-supplied files that of their base platform; NULL: no -p, or no
 * model. */
const struct processor_model *target_model(struct cli *cli);
/* Whether the chosen platform's machine models traffic in time of its own: an uncore. */
bool target_models_time(struct cli *cli);

/* Applies one of these options. Parameters take effect in the order in which they are given, including those of
 * scenario files and presets. CLI_DONE, or an exit code after printing an error. */
int target_take(struct cli *cli, struct target_options *o, int code, const char *value);

/* Whether no input is given, and registers can be accessed nevertheless: on an idle machine (target_open_idle()). */
bool target_needs_no_input(struct cli *cli, const struct target_options *o);
/* Checks that exactly one input is given. CLI_DONE, or an exit code after printing an error. */
int target_check(struct cli *cli, const struct target_options *o);

struct target {
  struct machine *machine;
  struct montecito_machine *core; /* Montecito's cores instead; NULL: none */
  struct exec_program *program;   /* that they execute; NULL: none */
  struct pmon_backend *backend;
  struct pmon_backend *script;      /* wrapper in the backend that makes a scenario's register accesses; NULL: none */
  struct machine_workload *threads; /* workload of a command or trace; NULL: none */
  struct machine_workload *begun;   /* a workload that the machine does not own yet; NULL: none */
  bool follows;                /* its loads wait for the loads that produce their addresses, where these are known */
  struct trace_source *source; /* source of the machine's workload; NULL: a scenario */
  bool live;                   /* the source is a command, not a trace */
  struct pmon_clock clocks[4];
  uint32_t n_clocks;
  struct limit_list limits;   /* limits that the machine reports */
  struct sampled_run sampled; /* with sampling in the options */
};

/* Where a thread of a command or trace on the machine passed the begin or end of a region (pmon/region.h). */
enum target_mark_kind { TARGET_MARK_BEGIN, TARGET_MARK_END, TARGET_MARK_THREAD_ENDS /* inside regions */ };
struct target_mark {
  enum target_mark_kind kind;
  unsigned thread;
  const char *name; /* NULL: the thread ends, or a damaged trace lacks the name */
};

/* Makes the machine stop at marks from now on; and takes the mark at which it stopped, once
 * (machine/trace/workload.h). */
void target_stop_at_marks(struct machine_workload *threads);
bool target_take_mark(struct machine_workload *threads, struct target_mark *ret_mark);

/* Notes what the command has executed so far; returns whether the machine has run all of that. Other inputs execute
 * nothing before the machine runs it. */
void target_note(const struct target *t);
bool target_has_passed(const struct target *t);

/* What was sampled of a command with `sampling` in its options, once it has ended, all threads together: the part of
 * the instructions that was simulated in detail (1: it ended before anything was left out), the relative standard error
 * of the simulated time with its degrees of freedom, the instructions, the intervals. */
struct target_sampled {
  double fraction, error;
  uint64_t instructions, intervals, freedom;
};
void target_sampled(const struct target *t, struct target_sampled *ret);

/* Checks that the platform of -p has a machine with parameters that takes the given input. CLI_DONE, or CLI_USAGE after
 * printing an error. */
int target_check_model(struct cli *cli, const struct target_options *o);

/* Builds the machine and starts its workload. CLI_DONE; else the exit code, after printing an error; then there is
 * nothing to close. */
int target_open(struct cli *cli, struct target_options *options, struct target *t);

/* The same machine without a workload, for its registers. A command is looked up, with the errors of target_open(), but
 * not started. */
int target_open_idle(struct cli *cli, struct target_options *options, struct target *t);

/* After the end: reports accesses of the command that the machine could not observe, and the command's failure.
 * CLI_DONE, or CLI_FAILED. *ret_child, unless NULL: the command's exit status, 128 + N after signal N; unchanged if
 * there was no command. */
int target_result(struct cli *cli, struct target *t, const char *command, int *ret_child);

/* Ends a command that still runs. */
void target_close(struct target *t);

#endif
