/* SPDX-License-Identifier: MIT */
/* What the terminal can show: colours, and the width of a line. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "cli/common/cli.h"

bool cli_takes_escapes(int fd)
{
  const char *const terminal = getenv("TERM");
  return isatty(fd) && !(terminal && strcmp(terminal, "dumb") == 0);
}

int cli_take_color(struct cli *cli, const char *when)
{
  bool always = strcmp(when, "always") == 0, automatic = strcmp(when, "auto") == 0;
  if (!always && !automatic && strcmp(when, "never") != 0)
    return cli_fail_word(cli, "--color", when, "auto always never");
  const char *const no_color = getenv("NO_COLOR");
  const bool wanted = automatic && !(no_color && *no_color);
  cli->out.color = always || (wanted && cli_takes_escapes(STDOUT_FILENO));
  cli->error_color = always || (wanted && cli_takes_escapes(STDERR_FILENO));
  return CLI_DONE;
}

unsigned cli_width(void)
{
  struct winsize size;
  const char *columns = getenv("COLUMNS");
  if (!isatty(STDOUT_FILENO))
    return 0;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
    return size.ws_col;
  return columns && atoi(columns) >= 20 ? (unsigned)atoi(columns) : 80;
}
