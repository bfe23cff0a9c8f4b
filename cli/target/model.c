/* SPDX-License-Identifier: MIT */
/* The processor model of the emulated machine that a platform has. */
#include <string.h>
#include "cli/target/target.h"
#include "cli/target/stream.h"
#include "machine/model.h"

const struct processor_model *target_model(struct cli *cli)
{
  struct pmon_platform_info info = {.size = sizeof info};
  if (!cli->platform_name)
    return NULL;
  if (!cli_platform_is_user_supplied(cli))
    return model_find(cli->platform_name);
  if (!cli_platform(cli))
    return NULL;
  pmon_platform_describe(cli->platform, &info);
  return model_find(info.base);
}

bool target_models_time(struct cli *cli)
{
  struct pmon_platform_info info = {.size = sizeof info};
  if (!cli->platform || pmon_platform_describe(cli->platform, &info))
    return false;
  const struct processor_model *model = model_find(info.name);
  return model && model->uncore;
}

int target_platform(struct cli *cli, struct target_options *o, const char *name)
{
  struct pmon_platform_info info = {.size = sizeof info};
  const struct pmon_platform *known;
  if (!name)
    name = cli_default_platform(cli);
  if (strpbrk(name, "./,")) { /* user-supplied files: the machine is that of their base */
    if (!cli_platform(cli))
      return CLI_USAGE;
    pmon_platform_describe(cli->platform, &info);
    name = info.base;
  } else if (pmon_platform_find(cli->context, name, &known)) { /* it may be an imported one */
    if (name == cli->platform_name)
      return cli_platform(cli) ? CLI_DONE : CLI_USAGE;
    return cli_fail_context(cli, NULL);
  }
  const struct processor_model *model = model_find(name), *is = model_of(&o->config);
  if (!model || !model->uncore || model == is)
    return CLI_DONE;
  if (machine_config_has_platform(&o->config))
    return cli_fail(cli, "-p %s: --preset, --set or the scenario chose platform %s; give one of them", name, is->name);
  machine_config_change(&o->config, name);
  return CLI_DONE;
}

bool stream_is_wanted(const struct target_options *o, const struct processor_model *model)
{
  return o->bundles || o->generate || (o->argv && model && model->inputs & MODEL_CODE);
}

int target_check_model(struct cli *cli, const struct target_options *o)
{
  const struct processor_model *model = target_model(cli);
  const unsigned inputs = (o->argv || o->trace ? MODEL_PROGRAMS : 0) | (o->scenario ? MODEL_SCENARIOS : 0);
  char names[80];
  if (!cli->platform_name || (o->argv && stream_is_wanted(o, model)))
    return CLI_DONE;
  model_names(MODELS_CONFIGURED, names, sizeof names);
  if (!model && cli_platform_is_perf_only(cli))
    return cli_fail(cli,
                    "-p %s: its events are counted through Linux perf on such a processor, which this host does not "
                    "have; emulated machines: -p %s",
                    cli->platform_name, names);
  if (!model)
    return cli_fail(cli, "-p %s: the platform has no emulated machine; use -p %s", cli->platform_name, names);
  if (inputs & ~model->inputs)
    return cli_fail(
        cli,
        "-p %s: its machine cannot run traces and scenarios, only programs for that processor and instruction streams: "
        "pmon -p %s stat -- ./PROGRAM, --generate mixed, or --bundles FILE; traces and scenarios run with -p %s",
        cli->platform_name, cli->platform_name, names);
  if (!model->uncore)
    return cli_fail(cli, "-p %s: its machine has no uncore; use -p %s", cli->platform_name, names);
  return CLI_DONE;
}
