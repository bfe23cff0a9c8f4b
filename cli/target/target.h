/* SPDX-License-Identifier: MIT */
/* What is measured: the emulated machine with a command, a recorded trace or a scenario on it. */
#ifndef CLI_TARGET_TARGET_H
#define CLI_TARGET_TARGET_H

#include "cli/common/cli.h"
#include "cli/target/hardware.h"
#include "machine/trace/live.h"
#include "machine/config.h"
#include "machine/machine.h"
#include "machine/model.h"
#include "machine/capture.h"
#include "machine/trace/scenario.h"

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
  TARGET_CAPTURE
};
extern const struct cli_option target_preset_options[]; /* --preset, --set */
extern const struct cli_option target_shape_options[];  /* these and --capture */
extern const struct cli_option target_input_options[];  /* --trace, --scenario, --place */
extern const struct cli_option target_stream_options[]; /* --bundles, --generate */

/* What the command line says; filled by target_options_init(), emptied by target_options_fini(). */
struct target_options {
  char **argv;                  /* the command, NULL at the end; NULL: none */
  const char *trace;            /* a recorded trace instead; NULL: none */
  const char *scenario;         /* a scenario instead; NULL: none */
  const char *bundles;          /* a stream of bundles for Montecito instead; NULL: none */
  const char *generate;         /* one made up instead; NULL: none */
  const struct live_stop *stop; /* asks to end early; NULL: nothing does */
  const char *place;            /* machine/trace/placement.h */
  struct machine_config config;
  struct pmon_capture *capture; /* the machine is made like it; NULL: like none */
  bool configured;              /* parameters were given: a platform named later would undo them */
  bool scene_used;              /* it ran already */
  struct scenario scene;        /* what the scenario's file says */
};

void target_options_init(struct target_options *o);
void target_options_fini(struct target_options *o);

/* Makes the machine the one that `name` (of -p; NULL: the default) has the facts of, if there is one. CLI_DONE, or an
 * exit code after telling the error. To be called for each -p, and for cli->platform_name at first. */
int target_platform(struct cli *cli, struct target_options *o, const char *name);

/* The model of the processor that -p names, of its base platform for files of the user; NULL: no -p, or none. */
const struct processor_model *target_model(struct cli *cli);

/* Takes over one of these options. Parameters hold in the order in which they are given, those of a scenario's file
 * and of a preset too. CLI_DONE, or an exit code after telling the error. */
int target_take(struct cli *cli, struct target_options *o, int code, const char *value);

/* Whether there is one thing to measure, and one only. CLI_DONE, or an exit code after telling the error. */
int target_check(struct cli *cli, const struct target_options *o);

struct target {
  struct machine *machine;
  struct montecito_machine *core; /* Montecito's cores instead; NULL: none */
  struct pmon_backend *backend;
  struct pmon_backend *script;      /* part of it: makes a scenario's register accesses; NULL: there are none */
  struct machine_workload *threads; /* of a command or trace, the machine's own; NULL: none */
  struct trace_source *source;      /* of the machine's workload; NULL: a scenario */
  bool live;                        /* a command, not a trace */
  struct pmon_clock clocks[4];
  uint32_t n_clocks;
};

/* Where a thread of a command or trace on the machine passed the begin or end of a region (pmon/region.h). */
enum target_mark_kind { TARGET_MARK_BEGIN, TARGET_MARK_END, TARGET_MARK_THREAD_ENDS /* inside regions */ };
struct target_mark {
  enum target_mark_kind kind;
  unsigned thread;
  const char *name; /* NULL: the thread ends, or a damaged trace does not have it */
};

/* The machine stops at marks from now on; and the mark at which it stopped, once: machine/trace/workload.h. */
void target_stop_at_marks(struct machine_workload *threads);
bool target_take_mark(struct machine_workload *threads, struct target_mark *ret_mark);

/* Whether the platform that -p names has a machine with parameters, and the machine takes the input that the options
 * give. CLI_DONE, or CLI_USAGE after an error message. */
int target_check_model(struct cli *cli, const struct target_options *o);

/* Builds the machine and starts what is measured in it. CLI_DONE; else the exit code, after telling the error, and
 * nothing is to be closed. */
int target_open(struct cli *cli, struct target_options *options, struct target *t);

/* The same machine with nothing on it. */
int target_open_idle(struct cli *cli, struct target_options *options, struct target *t);

/* After the end: tells what the machine could not see of the command, and how it failed when it did. CLI_DONE, or
 * CLI_FAILED. */
int target_result(struct cli *cli, struct target *t, const char *command);

/* Ends a command that still runs. */
void target_close(struct target *t);

#endif
