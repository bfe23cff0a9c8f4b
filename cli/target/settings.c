/* SPDX-License-Identifier: MIT */
#include "cli/target/settings.h"

#include <stdio.h>
#include <string.h>
#include "src/base/nearest.h"

enum { ERROR_SIZE = 512 };

const struct processor_model *settings_model(struct cli *cli, const struct target_options *o)
{
  const struct processor_model *model = target_model(cli);
  return model || !(o->bundles || o->generate) ? model : model_for_input(MODEL_BUNDLES);
}

int settings_follow_platform(struct cli *cli, struct target_options *o)
{
  const char *is = model_of(&o->config)->name;
  o->configured = true;
  if ((!cli->platform_name && !cli->platform) || o->followed) {
    cli->platform_name = is;
    o->followed = true;
  }
  return target_platform(cli, o, cli->platform_name ? cli->platform_name : is);
}

static bool settings_has(const struct parameter_list *list, struct text name)
{
  for (unsigned i = 0; i < list->n; i++)
    if (text_is(name, list->parameter[i].name))
      return true;
  return false;
}

/* Refuses a parameter that the machine does not have: with the other model that has it, or near names. */
static int settings_refuse(struct cli *cli, const struct parameter_list *list, const char *text)
{
  const struct text name = {text, strcspn(text, "=")};
  struct nearest near = {.name = name};
  const struct processor_model *model;
  char hint[200];
  for (size_t i = 0; (model = model_get(i)) != NULL; i++) {
    const struct parameter_list *other = model->parameters ? model->parameters : &machine_config_parameters;
    if (other != list && settings_has(other, name))
      return cli->platform_name
                 ? cli_fail(cli, "--set %s: a parameter of -p %s, which -p %s does not have", text, model->name,
                            cli->platform_name)
                 : cli_fail(cli, "--set %s: a parameter of %s; put -p %s first", text, model->name, model->name);
  }
  for (unsigned i = 0; i < list->n; i++)
    nearest_add(&near, text_of(list->parameter[i].name), i, 0);
  nearest_format(&near, hint, sizeof hint);
  if (!*hint)
    snprintf(hint, sizeof hint, "; `pmon machine describe%s%s` lists them", cli->platform_name ? " -p " : "",
             cli->platform_name ? cli->platform_name : "");
  return cli_fail(cli, "--set %s: the machine has no such parameter%s", text, hint);
}

int settings_set(struct cli *cli, struct target_options *o, const char *text)
{
  const struct processor_model *model = settings_model(cli, o);
  const bool own = model && model->parameters;
  const struct parameter_list *list = own ? model->parameters : &machine_config_parameters;
  char error[ERROR_SIZE] = "";
  if (!strchr(text, '='))
    return cli_fail_value(cli, "--set", text, "NAME=VALUE");
  if (!settings_has(list, (struct text){text, strcspn(text, "=")}))
    return settings_refuse(cli, list, text);
  if (own && !montecito_config_parse(&o->cores, text, error, sizeof error))
    return CLI_DONE;
  if (!own && !machine_config_parse(&o->config, text, error, sizeof error))
    return settings_follow_platform(cli, o);
  return cli_fail(cli, "--set %s", error);
}

int settings_load_preset(struct cli *cli, struct target_options *o, const char *name)
{
  char error[ERROR_SIZE];
  if (!strchr(name, '=') && !machine_config_parse(&o->config, name, error, sizeof error))
    return settings_follow_platform(cli, o);
  return cli_fail_word(cli, "--preset", name, PRESET_WORDS);
}
