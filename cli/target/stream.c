/* SPDX-License-Identifier: MIT */
#include "cli/target/target.h"
#include "cli/target/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/montecito/stream.h"

enum { ERROR_SIZE = 512 };
static const uint64_t DEFAULT_BUNDLES = 1000000;

/* NAME[:BUNDLES[:SEED]] */
static int stream_generate(struct cli *cli, const char *text, struct montecito_source **ret_source)
{
  char name[32];
  const size_t n = strcspn(text, ":");
  uint64_t bundles = DEFAULT_BUNDLES, seed = 1;
  char *end = NULL;
  int workload;

  snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), text);
  workload = montecito_workload_find(name);
  if (workload < 0)
    return cli_fail(cli, "--generate %s: there are loops, calls, chase, stream, branches and mixed", text);
  if (text[n] == ':') {
    bundles = strtoull(text + n + 1, &end, 10);
    if (*end == ':')
      seed = strtoull(end + 1, &end, 10);
    if (*end || !bundles)
      return cli_fail(cli, "--generate %s: expected NAME:BUNDLES:SEED", text);
  }
  return montecito_generator_new((unsigned)workload, bundles, seed, ret_source) ? cli_fail(cli, "no memory") : CLI_DONE;
}

int stream_open(struct cli *cli, const char *bundles, const char *generate, struct montecito_machine **ret_machine)
{
  char error[ERROR_SIZE] = "";
  struct montecito_source *source = NULL;
  struct montecito_machine *m = NULL;
  int result = CLI_DONE, status = 0;

  const struct processor_model *model = target_model(cli);
  if (cli->platform_name && !(model && model->inputs & MODEL_BUNDLES))
    return cli_fail(cli, "-p %s: its machine runs no bundles; that of -p %s does", cli->platform_name,
                    model_for_input(MODEL_BUNDLES)->name);
  if (generate)
    result = stream_generate(cli, generate, &source);
  else if (bundles)
    status = montecito_stream_open(bundles, error, sizeof error, &source);
  if (!status && result == CLI_DONE)
    status = montecito_machine_new(&m);
  if (status) {
    cli_fail(cli, "%s", *error ? error : pmon_status_name(status));
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
