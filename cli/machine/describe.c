/* SPDX-License-Identifier: MIT */
#include "cli/machine/describe.h"

#include <stdio.h>
#include <string.h>
#include "cli/target/settings.h"

enum { ERROR_SIZE = 512 };

/* The value of a parameter, the reference machine's value, and the source of the latter (NULL if unknown). */
struct described {
  const char *value, *usual, *source;
};

static void describe_parameter(struct out *out, const struct config_parameter *p, const struct described *d)
{
  out_style(out, OUT_NAME);
  out_padded(out, p->name, 20);
  out_style(out, strcmp(d->value, d->usual) ? OUT_BOLD : OUT_PLAIN);
  out_padded(out, d->value, 12);
  out_style(out, OUT_PLAIN);
  const bool sourced = d->source && strcmp(d->source, "setup") != 0;
  out_wrapped_format(out, 32, cli_width(), "%s%s%s%s%s%s", p->meaning, *p->words ? ": " : "", p->words,
                     sourced ? " [" : "", sourced ? d->source : "", sourced ? "]" : "");
}

static void describe_json(struct out *out, const struct config_parameter *p, const struct described *d)
{
  json_open(out, NULL, '{');
  json_text(out, "name", p->name);
  json_text(out, "value", d->value);
  json_text(out, "default", d->usual);
  json_text(out, "words", *p->words ? p->words : NULL);
  json_text(out, "meaning", p->meaning);
  json_text(out, "source", d->source);
  json_close(out, '}');
  json_end_line(out);
}

/* Prints the values of the model's parameters, and those of its reference machine. CLI_DONE, or an exit code. */
static int describe_own(struct cli *cli, const struct target_options *o, const struct parameter_list *list, bool json)
{
  struct montecito_config usual;
  char error[ERROR_SIZE];
  montecito_config_init(&usual);
  if (montecito_config_check(&o->cores, error, sizeof error))
    return cli_fail(cli, "%s", error);
  for (unsigned i = 0; i < list->n; i++) {
    char value[32], default_value[32];
    parameter_format(&list->parameter[i], o->cores.value[i], value, sizeof value);
    parameter_format(&list->parameter[i], usual.value[i], default_value, sizeof default_value);
    (json ? describe_json : describe_parameter)(&cli->out, &list->parameter[i],
                                                &(struct described){value, default_value, NULL});
  }
  return CLI_DONE;
}

int cli_machine_describe(struct cli *cli, const struct target_options *o, bool json)
{
  const struct config_parameter *p;
  const struct processor_model *model = settings_model(cli, o);
  char error[ERROR_SIZE];

  if (o->argv)
    return cli_fail_unexpected(cli, o->argv[0]);
  if (model && model->parameters)
    return o->configured ? cli_fail(cli,
                                    "-p %s: presets, captures and the parameters of other machines do not "
                                    "apply to its machine; omit them",
                                    model->name)
                         : describe_own(cli, o, model->parameters, json);
  if (target_check_model(cli, o) != CLI_DONE)
    return CLI_USAGE;
  if (machine_config_check(&o->config, error, sizeof error) < 0)
    return cli_fail(cli, "%s", error);
  for (unsigned i = 0; (p = machine_config_parameter(i)); i++) {
    char value[32], usual[32];

    if (!machine_config_applies(&o->config, i))
      continue;
    machine_config_format(i, o->config.value[i], value, sizeof value);
    machine_config_format(i, machine_config_default(&o->config, i), usual, sizeof usual);
    (json ? describe_json
          : describe_parameter)(&cli->out, p, &(struct described){value, usual, machine_config_source(&o->config, i)});
  }
  return CLI_DONE;
}
