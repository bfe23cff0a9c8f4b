/* SPDX-License-Identifier: MIT */
/* The emulated machine as a library: builds a machine with its input from options (pmon/machine.h). */
#include <pmon/machine.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/config.h"
#include "machine/machine.h"
#include "machine/model.h"
#include "machine/library/feed.h"
#include "machine/montecito/config.h"
#include "machine/montecito/machine.h"
#include "machine/montecito/stream/stream.h"
#include "machine/trace/live.h"
#include "machine/trace/placement.h"
#include "machine/trace/scenario.h"
#include "machine/trace/workload.h"
#include "src/base/sized.h"

enum { CLOCKS = 4, SETTINGS_SIZE = 1024 };

struct pmon_machine {
  struct machine *machine;
  struct montecito_machine *montecito; /* instead, for a model without uncore */
  struct trace_source *source;         /* of a command; owned by the machine's workload */
  struct pmon_clock clocks[CLOCKS];
  uint32_t n_clocks;
};

/* The state of one pmon_machine_new(); reason: its error text. */
struct builder {
  struct pmon_machine_options options;
  struct pmon_reason *reason;
  struct machine_config config;
  struct montecito_config cores; /* instead, for a model without uncore */
  struct scenario scene;
};

/* Sets the reason to "WHAT: TEXT". Most texts from readers of files and settings already begin with that name. */
static int machine_refuse(struct builder *b, int status, const char *what, const char *text)
{
  const size_t n = strlen(what);
  const bool named = !strncmp(text, what, n) && text[n] == ':';
  snprintf(b->reason->text, sizeof b->reason->text, "%s%s%s", named ? "" : what, named ? "" : ": ", text);
  return status;
}

static unsigned count_inputs(const struct pmon_machine_options *o)
{
  return (unsigned)((o->scenario != NULL) + (o->trace != NULL) + (o->command != NULL) + (o->bundles != NULL) +
                    (o->generate != NULL) + (o->feed != NULL));
}

static enum model_input input_kind(const struct pmon_machine_options *o)
{
  if (o->bundles || o->generate)
    return MODEL_BUNDLES;
  return o->scenario ? MODEL_SCENARIOS : MODEL_PROGRAMS;
}

/* `settings` is a list separated by blanks. */
static int apply_settings(struct builder *b, bool cores)
{
  char text[SETTINGS_SIZE], error[256] = "", *next = text;
  if (!b->options.settings)
    return 0;
  if (strlen(b->options.settings) >= sizeof text)
    return machine_refuse(b, PMON_E_RANGE, "settings", "longer than 1023 characters");
  strcpy(text, b->options.settings);
  for (char *setting; (setting = strtok_r(next, " ", &next)) != NULL;) {
    if (!strchr(setting, '='))
      return machine_refuse(b, PMON_E_SYNTAX, setting, "expected NAME=VALUE");
    int status = cores ? montecito_config_parse(&b->cores, setting, error, sizeof error)
                       : machine_config_parse(&b->config, setting, error, sizeof error);
    if (status)
      return machine_refuse(b, status, setting, error);
  }
  return 0;
}

static int load_scenario(struct builder *b)
{
  char error[TRACE_ERROR_SIZE] = "";
  int status = b->options.scenario ? scenario_load(b->options.scenario, error, sizeof error, &b->scene) : 0;
  for (size_t i = 0; !status && i < b->scene.n_settings; i++)
    status = machine_config_parse(&b->config, b->scene.setting[i], error, sizeof error);
  if (status)
    return machine_refuse(b, status, "scenario", error);
  if (b->scene.n_actions)
    return machine_refuse(b, PMON_E_UNSUPPORTED, b->options.scenario,
                          "the scenario accesses registers itself; `pmon machine run --scenario` executes it");
  return 0;
}

/* Opens the threads of a trace, a command or a callback. */
static int open_source(struct builder *b, struct pmon_machine *m, struct trace_source **ret_source)
{
  const struct pmon_machine_options *o = &b->options;
  const struct live_options live = {
      .argv = o->command, .plugin = o->plugin, .line_bytes = b->config.value[CONFIG_L2_SIZE] ? 0 : 64};
  char error[TRACE_ERROR_SIZE] = "";
  const uint32_t threads = o->feed_threads ? o->feed_threads : 1;
  int status;
  if (o->feed)
    return threads > PMON_MACHINE_THREADS ? machine_refuse(b, PMON_E_RANGE, "feed_threads", "more than 256")
                                          : feed_source_new(o->feed, o->feed_user, threads, ret_source);
  status = o->command ? live_open(&live, error, sizeof error, ret_source)
                      : trace_open(o->trace, error, sizeof error, ret_source);
  if (status)
    return machine_refuse(b, status, o->command ? o->command[0] : o->trace, error);
  if (o->command)
    m->source = *ret_source;
  return 0;
}

static int new_workload(struct builder *b, struct pmon_machine *m, struct machine_workload **ret_workload)
{
  const unsigned shape[2] = {(unsigned)b->config.value[CONFIG_SOCKETS], (unsigned)b->config.value[CONFIG_CORES]};
  struct placement *placement = NULL;
  struct trace_source *source = NULL;
  char error[TRACE_ERROR_SIZE] = "";
  int status;
  if (b->options.scenario) {
    status = scenario_workload_new(&b->scene, b->options.place, shape, error, sizeof error, ret_workload);
    return status ? machine_refuse(b, status, b->options.scenario, error) : 0;
  }
  status = placement_new(b->options.place, shape[0], shape[1], error, sizeof error, &placement);
  if (status)
    return machine_refuse(b, status, "place", error);
  status = open_source(b, m, &source);
  if (status) {
    placement_free(placement);
    return status;
  }
  status = trace_workload_new(source, placement, ret_workload);
  if (status)
    m->source = NULL;
  return status;
}

static void collect_clocks(const struct machine_config *config, struct pmon_machine *m)
{
  for (const struct platform_clock *c = model_of(config)->pmon->clocks; c->name; c++)
    if (c->divide && m->n_clocks < CLOCKS)
      m->clocks[m->n_clocks++] = (struct pmon_clock){c->name, machine_clock_hz(c, config)};
}

/* A command's emulator starts before the machine is made, so that both happen at the same time. */
static int build_uncore(struct builder *b, struct pmon_machine *m)
{
  struct machine_workload *workload = NULL;
  char error[TRACE_ERROR_SIZE] = "";
  int status = load_scenario(b);
  if (!status && count_inputs(&b->options))
    status = new_workload(b, m, &workload);
  if (status)
    return status;
  status = machine_new(&b->config, error, sizeof error, &m->machine);
  if (status) {
    m->source = NULL;
    if (workload)
      workload->free(workload);
    return machine_refuse(b, status, "machine", error);
  }
  collect_clocks(&b->config, m);
  if (workload)
    machine_attach(m->machine, workload);
  return PMON_OK;
}

static int build_montecito(struct builder *b, struct pmon_machine *m)
{
  const struct pmon_machine_options *o = &b->options;
  struct montecito_source *source = NULL;
  char error[TRACE_ERROR_SIZE] = "";
  montecito_config_init(&b->cores);
  int status = apply_settings(b, true);
  if (status)
    return status;
  if (o->bundles)
    status = montecito_stream_open(o->bundles, false, error, sizeof error, &source);
  else if (o->generate)
    status = montecito_generator_open(o->generate, error, sizeof error, &source);
  if (status)
    return machine_refuse(b, status, o->bundles ? o->bundles : o->generate, error);
  status = montecito_machine_new_configured(&b->cores, error, sizeof error, &m->montecito);
  if (status == PMON_E_RANGE)
    machine_refuse(b, status, "settings", error);
  if (source && status)
    source->free(source);
  else if (source)
    montecito_machine_attach(m->montecito, source);
  return status;
}

static int build(struct builder *b, struct pmon_machine *m)
{
  const struct pmon_machine_options *o = &b->options;
  const struct processor_model *model = o->platform ? model_find(o->platform) : model_default();
  if (count_inputs(o) > 1)
    return machine_refuse(b, PMON_E_INVALID, "options",
                          "at most one of scenario, trace, command, bundles, generate and feed is allowed");
  if (o->command && !o->command[0])
    return machine_refuse(b, PMON_E_INVALID, "command", "the list is empty; expected a program");
  if (!model) {
    char names[80];
    model_names(MODELS_ALL, names, sizeof names);
    snprintf(b->reason->text, sizeof b->reason->text, "%s: no such platform; expected %s", o->platform, names);
    return PMON_E_UNKNOWN;
  }
  if (count_inputs(o) && !(model->inputs & (unsigned)input_kind(o)))
    return machine_refuse(b, PMON_E_INVALID, model->name,
                          "this platform's machine does not support this kind of input");
  if (!model->uncore)
    return build_montecito(b, m);
  machine_config_init(&b->config);
  int status = machine_config_preset(&b->config, model->name);
  if (!status)
    status = apply_settings(b, false);
  return status ? status : build_uncore(b, m);
}

int pmon_machine_new(const struct pmon_machine_options *options, struct pmon_reason *reason,
                     struct pmon_machine **ret_machine)
{
  struct pmon_reason unused;
  struct builder b = {.reason = reason ? reason : &unused};
  struct pmon_machine *m = calloc(1, sizeof *m);
  int status = m ? 0 : PMON_E_MEMORY;
  *b.reason = (struct pmon_reason){""};
  if (!status)
    status = sized_take(&b.options, sizeof b.options, options);
  if (status == PMON_E_INVALID)
    machine_refuse(&b, status, "options", "size is not set");
  else if (status == PMON_E_UNSUPPORTED)
    machine_refuse(&b, status, "options", "a member is set that this version of the library does not support");
  if (!status)
    status = build(&b, m);
  scenario_fini(&b.scene);
  if (status) {
    if (!*b.reason->text)
      machine_refuse(&b, status, "machine", pmon_status_name(status));
    pmon_machine_free(m);
    return status;
  }
  *ret_machine = m;
  return 0;
}

void pmon_machine_free(struct pmon_machine *m)
{
  if (!m)
    return;
  machine_free(m->machine);
  montecito_machine_free(m->montecito);
  free(m);
}

int pmon_machine_backend(struct pmon_machine *m, struct pmon_backend **ret_backend)
{
  return m->montecito ? montecito_backend_new(m->montecito, ret_backend) : machine_backend_new(m->machine, ret_backend);
}

uint32_t pmon_machine_clocks(const struct pmon_machine *m, struct pmon_clock *clocks, uint32_t n)
{
  for (uint32_t i = 0; i < n && i < m->n_clocks; i++)
    clocks[i] = m->clocks[i];
  return m->n_clocks;
}

int pmon_machine_result(struct pmon_machine *m, struct pmon_machine_end *ret_end)
{
  struct live_result result = {0};
  if (!m->source)
    return PMON_E_STATE;
  int status = live_result(m->source, &result);
  const struct pmon_machine_end end = {.exit_code = result.exit_code,
                                       .signal = result.signal,
                                       .threads = result.threads,
                                       .children = result.children,
                                       .unseen = result.unseen};
  return status ? status : sized_fill(ret_end, &end, sizeof end);
}

static const char *parameter_unit(enum config_kind kind)
{
  switch (kind) {
  case KIND_SIZE: return "bytes";
  case KIND_GHZ: return "MHz";
  case KIND_NS: return "ps";
  case KIND_MILLI: return "1/1000";
  default: return "";
  }
}

int pmon_machine_parameter(const char *platform, uint32_t i, struct pmon_machine_parameter_info *info)
{
  const struct processor_model *model = platform ? model_find(platform) : model_default();
  struct machine_config config;
  if (!model)
    return PMON_E_UNKNOWN;
  const struct parameter_list *const list = model->uncore ? &machine_config_parameters : &montecito_parameters;
  if (i >= list->n)
    return PMON_E_RANGE;
  const struct config_parameter *const p = &list->parameter[i];
  const int status = model->uncore ? machine_config_preset(&config, model->name) : 0;
  if (status)
    return status;
  const struct pmon_machine_parameter_info full = {.name = p->name,
                                                   .meaning = p->meaning,
                                                   .words = p->words && *p->words ? p->words : NULL,
                                                   .least = p->least,
                                                   .most = p->most,
                                                   .default_value = model->uncore ? config.value[i] : p->default_value,
                                                   .unit = parameter_unit(p->kind)};
  return sized_fill(info, &full, sizeof full);
}
