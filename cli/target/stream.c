/* SPDX-License-Identifier: MIT */
#include "cli/target/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/montecito/stream.h"

enum { ERROR_SIZE = 512 };

int stream_open(struct cli *cli, const struct target_options *o, struct montecito_machine **ret_machine)
{
  const char *bundles = o->bundles, *generate = o->generate;
  char error[ERROR_SIZE] = "";
  struct montecito_source *source = NULL;
  struct montecito_machine *m = NULL;
  int result = CLI_DONE, status = 0;

  const struct processor_model *model = target_model(cli);
  if (cli->platform_name && !(model && model->inputs & MODEL_BUNDLES))
    return cli_fail(cli, "-p %s: its machine runs no bundles; use -p %s", cli->platform_name,
                    model_for_input(MODEL_BUNDLES)->name);
  if (generate)
    status = montecito_generator_open(generate, error, sizeof error, &source);
  else if (bundles)
    status = montecito_stream_open(bundles, error, sizeof error, &source);
  if (!status && result == CLI_DONE)
    status = montecito_machine_new_configured(&o->cores, error, sizeof error, &m);
  if (status) {
    const char *text = *error ? error : cli_status_text(status);
    generate &&status != PMON_E_RANGE ? cli_fail(cli, "--generate %s: %s", generate, text) : cli_fail(cli, "%s", text);
    result = cli_exit_code(status);
  }
  if (result == CLI_DONE) {
    if (source)
      montecito_machine_attach(m, source);
    *ret_machine = m;
  } else if (source) {
    source->free(source);
  }
  return result;
}
