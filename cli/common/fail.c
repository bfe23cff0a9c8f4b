/* SPDX-License-Identifier: MIT */
/* Errors that several commands report, and the exit codes for them. */
#include "cli/common/cli.h"
#include "src/base/words.h"

int cli_fail_value(const struct cli *cli, const char *option, const char *value, const char *expected)
{
  return cli_fail(cli, "invalid value \"%s\" for %s; expected %s", value, option, expected);
}

int cli_fail_word(const struct cli *cli, const char *option, const char *value, const char *words)
{
  char list[256];
  return cli_fail_value(cli, option, value, words_format_line(words, list, sizeof list));
}

const char *cli_format_words(const char *const *words, size_t n, char *text, size_t size)
{
  return words_format(words, n, text, size);
}

static int fail_usage(const struct cli *cli, const char *argument, const char *problem)
{
  const char *name = cli->command ? cli->command->name : "";
  return cli_fail(cli, "%s: %s; `pmon%s%s%s%s --help` prints the usage", argument, problem, *name ? " " : "", name,
                  cli->action ? " " : "", cli->action ? cli->action : "");
}

int cli_fail_missing(const struct cli *cli, const char *argument)
{
  return fail_usage(cli, argument, "missing argument");
}

int cli_fail_unexpected(const struct cli *cli, const char *argument)
{
  return fail_usage(cli, argument, "unexpected argument");
}

int cli_fail_memory(const struct cli *cli)
{
  cli_fail(cli, "no memory");
  return CLI_FAILED;
}

const char *cli_status_text(int status)
{
  return status == PMON_E_MEMORY ? "no memory" : pmon_status_name(status);
}

int cli_exit_code(int status)
{
  switch (status) {
  case PMON_OK: return CLI_DONE;
  case PMON_E_NO_DEVICE: return CLI_NO_HARDWARE;
  case PMON_E_MEMORY: return CLI_FAILED;
  default: return CLI_USAGE;
  }
}

int cli_fail_context(const struct cli *cli, const char *text)
{
  int status = pmon_context_error_status(cli->context);
  uint32_t column = pmon_context_error_column(cli->context);
  if (status == PMON_OK) /* the context had no memory to record the error */
    return cli_fail_memory(cli);
  cli_fail(cli, "%s", pmon_context_error(cli->context));
  if (text && column)
    cli_print_error("  %s\n  %*s\n", text, (int)column, "^");
  if (status == PMON_E_PERMISSION || status == PMON_E_NO_DEVICE)
    return CLI_NO_HARDWARE;
  return status == PMON_E_MEMORY || status == PMON_E_IO ? CLI_FAILED : CLI_USAGE;
}

int cli_fail_registers(const struct cli *cli)
{
  const bool taken = pmon_context_error_status(cli->context) == PMON_E_STATE;
  const int result = cli_fail_context(cli, NULL);
  return taken ? CLI_NO_HARDWARE : result;
}

int cli_fail_file(const struct cli *cli)
{
  const bool unopened = pmon_context_error_status(cli->context) == PMON_E_IO;
  const int result = cli_fail_context(cli, NULL);
  return unopened ? CLI_USAGE : result;
}

int cli_fail_no_file(const struct cli *cli)
{
  cli_fail(cli, "the name of the file is empty");
  return CLI_USAGE;
}
