/* SPDX-License-Identifier: MIT */
#include "cli/stat/control_channel.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORMS "fifo:PATH[,PATH] or fd:NUMBER[,NUMBER]: where commands are read, and where acknowledgements are written"

enum { TEXT = 4096 };

struct control_channel {
  const struct cli *cli;
  int commands, answers; /* -1: closed, none */
  bool opened;           /* here, and not inherited */
  size_t n;
  char text[TEXT]; /* that was read and not taken */
};

static const char *const words[] = {[CONTROL_ENABLE] = "enable",
                                    [CONTROL_DISABLE] = "disable",
                                    [CONTROL_STOP] = "stop",
                                    [CONTROL_PING] = "ping",
                                    [CONTROL_EVLIST] = "evlist"};

const char *control_command_word(enum control_command command)
{
  return words[command];
}

enum control_command control_command_of_word(const char *word)
{
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (words[i] && !strcmp(word, words[i]))
      return (enum control_command)i;
  return CONTROL_NONE;
}

/* Opens a FIFO for both directions: so that opening it does not wait for the other program, and its end is not that of
 * the last writer. */
static int control_open_fifo(const struct cli *cli, const char *path, int *ret_fd)
{
  struct stat is;
  *ret_fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (*ret_fd < 0)
    return cli_fail(cli, "--control: %s: cannot be opened: %s%s", path, strerror(errno),
                    errno == ENOENT ? "; create it with mkfifo" : "");
  if (!fstat(*ret_fd, &is) && S_ISFIFO(is.st_mode))
    return CLI_DONE;
  close(*ret_fd);
  *ret_fd = -1;
  return cli_fail(cli, "--control: %s: is not a FIFO; create one with mkfifo", path);
}

/* Takes the number of an open descriptor, which must not be `closed` (O_WRONLY or O_RDONLY). */
static int control_take_fd(const struct cli *cli, const char *text, int closed, int *ret_fd)
{
  char *end;
  const long number = strtol(text, &end, 10);
  if (end == text || *end || *text < '0' || *text > '9' || number > INT_MAX)
    return cli_fail_value(cli, "--control", text, FORMS);
  const int mode = fcntl((int)number, F_GETFL);
  if (mode < 0 || (mode & O_ACCMODE) == closed)
    return cli_fail(cli, "--control: descriptor %ld is not open for %s", number,
                    closed == O_WRONLY ? "reading commands" : "writing acknowledgements");
  *ret_fd = (int)number;
  return CLI_DONE;
}

int control_channel_open(const struct cli *cli, const char *value, struct control_channel **ret_control)
{
  const bool fifo = !strncmp(value, "fifo:", 5), fd = !strncmp(value, "fd:", 3);
  const char *const list = value + (fifo ? 5 : 3), *const comma = strchr(list, ',');
  if (!(fifo || fd) || !*list || *list == ',' || (comma && !comma[1]))
    return cli_fail_value(cli, "--control", value, FORMS);
  struct control_channel *c = calloc(1, sizeof *c);
  char *commands = c ? strndup(list, comma ? (size_t)(comma - list) : strlen(list)) : NULL;
  if (!commands) {
    free(c);
    return cli_fail_memory(cli);
  }
  *c = (struct control_channel){.cli = cli, .commands = -1, .answers = -1, .opened = fifo};
  int result =
      fifo ? control_open_fifo(cli, commands, &c->commands) : control_take_fd(cli, commands, O_WRONLY, &c->commands);
  if (result == CLI_DONE && comma)
    result =
        fifo ? control_open_fifo(cli, comma + 1, &c->answers) : control_take_fd(cli, comma + 1, O_RDONLY, &c->answers);
  free(commands);
  if (result == CLI_DONE)
    *ret_control = c;
  else
    control_channel_close(c);
  return result;
}

void control_channel_close(struct control_channel *c)
{
  if (c && c->opened && c->commands >= 0)
    close(c->commands);
  if (c && c->opened && c->answers >= 0)
    close(c->answers);
  free(c);
}

int control_channel_fd(const struct control_channel *c)
{
  return c->commands;
}

/* An inherited descriptor may wait in read(): it is asked first. */
static void control_read(struct control_channel *c)
{
  struct pollfd news = {.fd = c->commands, .events = POLLIN};
  while (c->commands >= 0 && c->n < TEXT && poll(&news, 1, 0) > 0) {
    const ssize_t n = read(c->commands, c->text + c->n, TEXT - c->n);
    if (n > 0)
      c->n += (size_t)n;
    else if (n < 0 && (errno == EAGAIN || errno == EINTR))
      return;
    else
      c->commands = -1;
  }
}

/* A command ends at a line's end or, as perf reads it, a NUL. Text that fills the buffer is a command, too: an unknown
 * one. */
static size_t control_length(const struct control_channel *c, size_t from)
{
  for (size_t i = from; i < c->n; i++)
    if (c->text[i] == '\n' || c->text[i] == 0)
      return i - from + 1;
  return from == 0 && c->n == TEXT ? TEXT : 0;
}

unsigned control_channel_count(struct control_channel *c)
{
  unsigned count = 0;
  control_read(c);
  for (size_t from = 0, n; (n = control_length(c, from)) != 0; from += n)
    count++;
  return count;
}

static void control_refuse(const struct control_channel *c, const char *word)
{
  const size_t n = strcspn(word, " ");
  if (!strncmp(word, "enable ", 7) || !strncmp(word, "disable ", 8))
    cli_note(c->cli,
             "--control: \"%s\": a single event cannot be enabled or disabled, because all values of a report are of "
             "the same time; send %.*s alone",
             word, (int)n, word);
  else
    cli_note(c->cli, "--control: unknown command \"%s\"; expected enable, disable, evlist, ping or stop", word);
}

enum control_command control_channel_next(struct control_channel *c)
{
  char word[64];
  const size_t n = control_length(c, 0);
  size_t length = n ? n - 1 : 0;
  while (length && strchr(" \t\r", c->text[length - 1]))
    length--;
  snprintf(word, sizeof word, "%.*s", (int)length, c->text);
  memmove(c->text, c->text + n, c->n -= n);
  const enum control_command command = length < sizeof word ? control_command_of_word(word) : CONTROL_NONE;
  if (length && command == CONTROL_NONE)
    control_refuse(c, word);
  return command;
}

void control_channel_acknowledge(struct control_channel *c)
{
  static const char answer[] = "ack\n";
  struct pollfd room = {.fd = c->answers, .events = POLLOUT};
  if (c->answers < 0)
    return;
  void (*before)(int) = signal(SIGPIPE, SIG_IGN);
  const bool written = poll(&room, 1, 0) > 0 && write(c->answers, answer, sizeof answer - 1) == sizeof answer - 1;
  const int error = errno;
  signal(SIGPIPE, before);
  if (written)
    return;
  cli_note(c->cli, "--control: acknowledgements cannot be written%s%s; no more are sent",
           room.revents & POLLOUT ? ": " : ": nothing reads them", room.revents & POLLOUT ? strerror(error) : "");
  if (c->opened)
    close(c->answers);
  c->answers = -1;
}
