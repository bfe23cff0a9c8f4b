/* SPDX-License-Identifier: MIT */
/* Prints messages on standard error, in the form `pmon COMMAND: object: problem; remedy`, and determines exit codes. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "cli/common/cli.h"
#include "src/base/words.h"

enum { MESSAGE_SIZE = 4096, NARROWEST = 20 };

/* The marked part of a message: bytes `first` to `end`. */
struct fail_mark {
  size_t first, end;
};

/* Writes n bytes of the message from offset `at`, and colour codes where its marked part begins and ends. */
static void fail_write_part(const char *text, size_t at, size_t n, const struct fail_mark *mark)
{
  const size_t borders[] = {mark->first, mark->end};
  static const char *const codes[] = {"\033[33m", "\033[0m"};
  for (size_t i = 0; i < 2 && mark->end; i++)
    if (borders[i] >= at + i && borders[i] < at + n + i) {
      const size_t before = borders[i] - at;
      cli_write_error(text + at, before);
      fputs(codes[i], stderr);
      at += before;
      n -= before;
    }
  cli_write_error(text + at, n);
}

size_t cli_error_width(void)
{
  struct winsize size;
  if (!isatty(STDERR_FILENO))
    return 0;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= NARROWEST ? size.ws_col : 80;
}

/* Prints the message. On a terminal it is wrapped at blanks; continuation lines are indented. */
static void fail_print(const char *text, const struct fail_mark *mark)
{
  const size_t width = cli_error_width();
  size_t column = 0, at = 0;
  while (text[at]) {
    const size_t blanks = strspn(text + at, " "), n = blanks + strcspn(text + at + blanks, " \n");
    if (width && column && column + n > width) {
      fputs("\n  ", stderr);
      fail_write_part(text, at + blanks, n - blanks, mark);
      column = 2 + n - blanks;
    } else {
      fail_write_part(text, at, n, mark);
      column += n;
    }
    at += n;
    if (text[at] == '\n') {
      fputc('\n', stderr);
      at++;
      column = 0;
    }
  }
  fputc('\n', stderr);
}

static void fail_print_list(const struct cli *cli, size_t marked, const char *format, va_list ap)
{
  char text[MESSAGE_SIZE];
  const int n =
      snprintf(text, sizeof text, "pmon%s%s%s%s: ", cli->command ? " " : "", cli->command ? cli->command->name : "",
               cli->action ? " " : "", cli->action ? cli->action : "");
  const struct fail_mark mark = {(size_t)n, marked && cli->error_color ? (size_t)n + marked : 0};
  vsnprintf(text + n, sizeof text - (size_t)n, format, ap);
  fail_print(text, &mark);
}

int cli_fail(const struct cli *cli, const char *format, ...)
{
  va_list ap;
  va_start(ap, format);
  fail_print_list(cli, 0, format, ap);
  va_end(ap);
  return CLI_USAGE;
}

int cli_fail_marked(const struct cli *cli, size_t n, const char *format, ...)
{
  va_list ap;
  va_start(ap, format);
  fail_print_list(cli, n, format, ap);
  va_end(ap);
  return CLI_USAGE;
}

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
