/* SPDX-License-Identifier: MIT */
#include "cli/target/stream.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "machine/montecito/exec/program.h"
#include "machine/montecito/stream/stream.h"
#include "machine/trace/program.h"

enum { ERROR_SIZE = 512 };

bool target_finds_command(const char *name)
{
  char path[4096];
  return program_find_in_path(name, path, sizeof path);
}

/* Loads one program; the first becomes *program, others are added to it. */
static int program_load(char *const *argv, struct exec_program **program, char *error, size_t error_size)
{
  char path[4096];
  const bool found = program_find_in_path(argv[0], path, sizeof path);
  if (!found && !strchr(argv[0], '/')) {
    struct stat st;
    const bool here = !stat(argv[0], &st) && S_ISREG(st.st_mode);
    return program_refuse(error, error_size, PMON_E_UNKNOWN, "%s: no such command in PATH%s%s", argv[0],
                          here ? "; for the file in this folder, use ./" : "", here ? argv[0] : "");
  }
  /* A file with another processor's code need not be executable here. */
  const struct exec_options options = {.path = found ? path : argv[0], .argv = argv, .environment = environ};
  return *program ? exec_program_add(*program, &options, error, error_size)
                  : exec_program_open(&options, error, error_size, program);
}

/* Opens programs with their arguments, separated by "--": one for each hardware thread. */
static int programs_open(char *const *argv, char *error, size_t error_size, struct montecito_source **ret_source,
                         struct exec_program **ret_program)
{
  size_t n = 0, from = 0;
  int status = PMON_OK;
  while (argv[n])
    n++;
  char **copy = calloc(n + 1, sizeof *copy);
  if (!copy)
    return PMON_E_MEMORY;
  for (size_t i = 0; i <= n && !status; i++) {
    copy[i] = argv[i];
    if (i < n && strcmp(argv[i], "--"))
      continue;
    copy[i] = NULL;
    if (i > from)
      status = program_load(&copy[from], ret_program, error, error_size);
    from = i + 1;
  }
  free(copy);
  if (*ret_program)
    *ret_source = exec_program_source(*ret_program);
  return status;
}

/* Opens the source that the options describe; NULL: none. */
static int source_open(const struct target_options *o, char *error, size_t error_size,
                       struct montecito_source **ret_source, struct exec_program **ret_program)
{
  *ret_source = NULL;
  *ret_program = NULL;
  if (o->generate)
    return montecito_generator_open(o->generate, error, error_size, ret_source);
  if (o->bundles)
    return montecito_stream_open(o->bundles, o->may_be_empty, error, error_size, ret_source);
  if (!o->argv)
    return PMON_OK;
  return programs_open(o->argv, error, error_size, ret_source, ret_program);
}

int stream_open(struct cli *cli, const struct target_options *o, struct montecito_machine **ret_machine,
                struct exec_program **ret_program)
{
  char error[ERROR_SIZE] = "";
  struct montecito_source *source = NULL;
  struct montecito_machine *m = NULL;
  int result = CLI_DONE, status = 0;

  const struct processor_model *model = target_model(cli);
  if (cli->platform_name && !(model && model->inputs & MODEL_BUNDLES))
    return cli_fail(cli, "-p %s: its machine cannot run bundles; use -p %s", cli->platform_name,
                    model_for_input(MODEL_BUNDLES)->name);
  status = source_open(o, error, sizeof error, &source, ret_program);
  if (!status && result == CLI_DONE)
    status = montecito_machine_new_configured(&o->cores, error, sizeof error, &m);
  if (status) {
    const char *text = *error ? error : cli_status_text(status);
    if (o->generate && status != PMON_E_RANGE)
      cli_fail(cli, "--generate %s: %s", o->generate, text);
    else
      cli_fail(cli, "%s", text);
    result = cli_exit_code(status);
  }
  if (result == CLI_DONE) {
    if (source)
      montecito_machine_attach(m, source);
    if (*ret_program) {
      exec_program_set_machine(*ret_program, m);
      exec_program_limit(*ret_program, o->cores.value[MONTECITO_PROGRAM_BUNDLES]);
    }
    *ret_machine = m;
  } else if (source) {
    source->free(source);
  }
  return result;
}

int stream_result(struct cli *cli, const struct exec_program *program, const char *command, int *ret_child)
{
  const struct exec_result r = exec_program_result(program);
  if (r.fault) {
    for (const char *line = r.fault; *line;) {
      const size_t n = strcspn(line, "\n");
      cli_fail(cli, "%s%s%.*s", line == r.fault ? r.program : "", line == r.fault ? ": " : "", (int)n, line);
      line += n + (line[n] == '\n');
    }
    if (ret_child)
      *ret_child = 128 + SIGILL;
    return CLI_FAILED;
  }
  if (r.exited && ret_child)
    *ret_child = r.exit_code;
  if (!r.exited || !r.exit_code)
    return CLI_DONE;
  cli_fail(cli, "%s exited with status %d", r.program ? r.program : command, r.exit_code);
  return CLI_FAILED;
}
