/* SPDX-License-Identifier: MIT */
/* Prints errors, warnings and notes on standard error, in the form `pmon COMMAND: object: problem; remedy`. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "cli/common/cli.h"

enum { NARROWEST = 20 };

/* The marked part of a message: bytes `first` to `end`. */
struct message_mark {
  size_t first, end;
};

/* Writes n bytes of the message from offset `at`, and colour codes where its marked part begins and ends. */
static void message_write_part(const char *text, size_t at, size_t n, const struct message_mark *mark)
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

/* Writes the message. On a terminal it is wrapped at blanks; continuation lines are indented. */
static void message_write(const char *text, const struct message_mark *mark)
{
  const size_t width = cli_error_width();
  size_t column = 0, at = 0;
  while (text[at]) {
    const size_t blanks = strspn(text + at, " "), n = blanks + strcspn(text + at + blanks, " \n");
    if (width && column && column + n > width) {
      fputs("\n  ", stderr);
      message_write_part(text, at + blanks, n - blanks, mark);
      column = 2 + n - blanks;
    } else {
      message_write_part(text, at, n, mark);
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

/* Prints a message: the command, `kind`, and the text, of which the first `marked` bytes have a colour. */
static void message_print(const struct cli *cli, const char *kind, size_t marked, const char *format, va_list ap)
{
  char buffer[CLI_MESSAGE_SIZE];
  const int n =
      snprintf(buffer, sizeof buffer, "pmon%s%s%s%s: %s", cli->command ? " " : "",
               cli->command ? cli->command->name : "", cli->action ? " " : "", cli->action ? cli->action : "", kind);
  const struct message_mark mark = {(size_t)n, marked && cli->error_color ? (size_t)n + marked : 0};
  char *const text = cli_format_error(buffer, (size_t)n, format, ap);
  message_write(text, &mark);
  if (text != buffer)
    free(text);
}

int cli_fail(const struct cli *cli, const char *format, ...)
{
  va_list ap;
  va_start(ap, format);
  message_print(cli, "", 0, format, ap);
  va_end(ap);
  return CLI_USAGE;
}

void cli_warn(const struct cli *cli, const char *format, ...)
{
  va_list ap;
  va_start(ap, format);
  message_print(cli, "warning: ", 0, format, ap);
  va_end(ap);
}

void cli_note(const struct cli *cli, const char *format, ...)
{
  va_list ap;
  va_start(ap, format);
  message_print(cli, "", 0, format, ap);
  va_end(ap);
}

void cli_note_marked(const struct cli *cli, size_t n, const char *format, ...)
{
  va_list ap;
  va_start(ap, format);
  message_print(cli, "", n, format, ap);
  va_end(ap);
}
