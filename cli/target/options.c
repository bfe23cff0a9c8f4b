/* SPDX-License-Identifier: MIT */
/* The options of the commands that run the machine: their tables, and their effects. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/target/settings.h"
#include "cli/target/stream.h"
#include "cli/target/target.h"
#include "machine/trace/workers.h"

enum { ERROR_SIZE = 512 };

const struct cli_option target_set_options[] = {
    {"set", TARGET_SET, "NAME=VALUE", "a parameter of the emulated machine (`pmon machine describe` lists them)",
     CLI_SETTING, NULL},
    CLI_OPTION_END,
};
const struct cli_option target_preset_options[] = {
    {"preset", TARGET_PRESET, "NAME", PRESET_HELP, CLI_WORDS, PRESET_WORDS},
    {"set", TARGET_SET, "NAME=VALUE", "a parameter of the emulated machine (`pmon machine describe` lists them)",
     CLI_SETTING, NULL},
    CLI_OPTION_END,
};
const struct cli_option target_shape_options[] = {
    {"preset", TARGET_PRESET, "NAME", PRESET_HELP, CLI_WORDS, PRESET_WORDS},
    {"set", TARGET_SET, "NAME=VALUE", "a parameter of the emulated machine (`pmon machine describe` lists them)",
     CLI_SETTING, NULL},
    {"capture", TARGET_CAPTURE, "FILE", "a machine like the one captured in FILE by pmon capture", CLI_FILE, NULL},
    CLI_OPTION_END,
};
const struct cli_option target_input_options[] = {
    {"trace", TARGET_TRACE, "FILE",
     "a recorded trace instead of the accesses of a command (pmon machine record, or the text of Valgrind's lackey)",
     CLI_FILE, NULL},
    {"scenario", TARGET_SCENARIO, "FILE",
     "threads and devices from FILE instead of the accesses of a command (docs/scenarios.md)", CLI_FILE, NULL},
    {"place", TARGET_PLACE, "POLICY", "assignment of threads to cores: compact, spread, or a list such as 0,64,1-3",
     CLI_WORDS, "compact spread"},
    {"host-threads", TARGET_HOST_THREADS, "N",
     "host threads that simulate a command or trace, 1 to 64 (default 2; 1 if the host has one processor, or two of "
     "which a command's emulator needs one); more are faster for twelve threads or more, on a host with as many "
     "processors; results are the same",
     CLI_TEXT, NULL},
    {"fault", TARGET_FAULT, "FAULT",
     "a fault of the machine's monitoring hardware, such as 'stuck cha3 at 2us' (docs/scenarios.md)", CLI_TEXT, NULL},
    CLI_OPTION_END,
};
const struct cli_option target_stream_options[] = {
    {"bundles", TARGET_BUNDLES, "FILE", "Montecito: retired bundles (docs/bundles.md)", CLI_FILE, NULL},
    {"generate", TARGET_GENERATE, "NAME[:BUNDLES[:SEED]]",
     "Montecito: a generated program: loops, calls, chase, stream, branches, mixed, predicates, speculation, frames or "
     "threads",
     CLI_WORDS, "loops calls chase stream branches mixed predicates speculation frames threads"},
    CLI_OPTION_END,
};

void target_options_init(struct target_options *o)
{
  *o = (struct target_options){0};
  machine_config_init(&o->config);
  montecito_config_init(&o->cores);
}

void target_options_fini(struct target_options *o)
{
  scenario_fini(&o->scene);
  scenario_fini(&o->faults);
  pmon_capture_free(o->capture);
}

/* Parses a fault as a scenario's line after its keyword. */
static int target_add_fault(struct cli *cli, struct target_options *o, const char *text)
{
  char error[ERROR_SIZE], line[256];
  struct scenario one;
  const int n = snprintf(line, sizeof line, "fault %s", text);
  if (n >= (int)sizeof line || strchr(text, '\n'))
    return cli_fail(cli, "--fault %.40s: too long, or more than one line", text);
  if (scenario_parse("--fault", line, (size_t)n, error, sizeof error, &one))
    return cli_fail(cli, "%s", error);
  /* A line that begins with "fault" has one fault, or is refused. */
  struct machine_fault *list = realloc(o->faults.fault, (o->faults.n_faults + 1) * sizeof *list);
  if (list) {
    o->faults.fault = list;
    list[o->faults.n_faults++] = one.fault[0];
  }
  scenario_fini(&one);
  return list ? CLI_DONE : cli_fail_memory(cli);
}

static int target_load_scenario(struct cli *cli, struct target_options *o, const char *path)
{
  char error[ERROR_SIZE] = "";
  if (o->scenario)
    return cli_fail(cli, "--scenario %s: a second scenario; give only one", path);
  int status = scenario_load(path, error, sizeof error, &o->scene);
  for (size_t i = 0; i < o->scene.n_settings && !status; i++) {
    const size_t n = (size_t)snprintf(error, sizeof error, "%.200s: set ", path);
    status = machine_config_parse(&o->config, o->scene.setting[i], error + n, sizeof error - n);
  }
  o->scenario = path;
  if (!status)
    return o->scene.n_settings ? settings_follow_platform(cli, o) : CLI_DONE;
  cli_fail(cli, "%s", error);
  return cli_exit_code(status);
}

static int load_capture(struct cli *cli, struct target_options *o, const char *path)
{
  char error[ERROR_SIZE] = "";
  if (o->capture)
    return cli_fail(cli, "--capture %s: a second capture; give only one", path);
  if (pmon_capture_load(cli->context, path, &o->capture))
    return cli_fail_file(cli);
  if (!machine_capture_configure(o->capture, &o->config, error, sizeof error))
    return settings_follow_platform(cli, o);
  return cli_fail(cli, "%s: %s", path, error);
}

static int target_take_host_threads(struct cli *cli, struct target_options *o, const char *value)
{
  char *end;
  const unsigned long n = strtoul(value, &end, 10);
  if (*value < '1' || *value > '9' || *end || n > WORKERS_MOST)
    return cli_fail_value(cli, "--host-threads", value, "a number of threads from 1 to 64");
  o->host_threads = (unsigned)n;
  return CLI_DONE;
}

/* Without -p, the platform is the one whose machine runs bundles. */
static int target_take_stream(struct cli *cli, const char **option, const char *value)
{
  *option = value;
  if (!cli->platform_name && !cli->platform)
    cli->platform_name = model_for_input(MODEL_BUNDLES)->name;
  return CLI_DONE;
}

int target_take(struct cli *cli, struct target_options *o, int code, const char *value)
{
  switch (code) {
  case TARGET_TRACE: o->trace = value; return CLI_DONE;
  case TARGET_FAULT: return target_add_fault(cli, o, value);
  case TARGET_SCENARIO: return target_load_scenario(cli, o, value);
  case TARGET_SET: return settings_set(cli, o, value);
  case TARGET_PRESET: return settings_load_preset(cli, o, value);
  case TARGET_CAPTURE: return load_capture(cli, o, value);
  case TARGET_PLACE:
    o->place = value;
    o->placed = true;
    return CLI_DONE;
  case TARGET_HOST_THREADS: return target_take_host_threads(cli, o, value);
  case TARGET_BUNDLES: return target_take_stream(cli, &o->bundles, value);
  case TARGET_GENERATE: return target_take_stream(cli, &o->generate, value);
  default: return CLI_USAGE;
  }
}

static int inputs_given(const struct target_options *o)
{
  return (o->argv != NULL) + (o->trace != NULL) + (o->scenario != NULL) + (o->bundles != NULL) + (o->generate != NULL);
}

bool target_is_configured(const struct target_options *o)
{
  return o->configured || o->placed || o->host_threads || o->faults.n_faults;
}

bool target_needs_no_input(struct cli *cli, const struct target_options *o)
{
  return !inputs_given(o) && target_models_time(cli);
}

int target_check(struct cli *cli, const struct target_options *o)
{
  const int given = inputs_given(o);
  if (given == 1 && stream_is_wanted(o, target_model(cli)) && (o->configured || o->placed))
    return cli_fail(cli,
                    "%s: presets, captures, --place and the parameters of other machines do not apply to the machine "
                    "that runs bundles; omit them",
                    o->bundles    ? "--bundles"
                    : o->generate ? "--generate"
                                  : o->argv[0]);
  if (given == 1)
    return CLI_DONE;
  const struct processor_model *model = target_model(cli);
  if (!given && !model && cli->platform_name) /* an input would not help */
    return target_check_model(cli, o);
  return cli_fail(
      cli, given ? "more than one input; give only one of a command, --trace, --scenario, --bundles and --generate"
           : model && !model->uncore ? "no input; add -- PROGRAM, --generate NAME or --bundles FILE"
                                     : "no input; add -- COMMAND, --trace FILE or --scenario FILE");
}
