/* SPDX-License-Identifier: MIT */
#include "cli/exporter/network.h"
#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/exporter/exporter.h"
#include "cli/target/privileges.h"

enum { UNPRIVILEGED = 65534 };

struct exporter_network {
  pid_t child;
  int fd;
};

/* Header of each text. */
struct network_head {
  uint32_t format, last; /* last: this is the last text of the same values */
  uint64_t size;
};

static bool network_read(int fd, void *to, size_t n)
{
  for (size_t done = 0; done < n;) {
    const ssize_t got = read(fd, (char *)to + done, n - done);
    if (got == 0 || (got < 0 && errno != EINTR))
      return false;
    done += got > 0 ? (size_t)got : 0;
  }
  return true;
}

static bool network_write(int fd, const void *from, size_t n)
{
  for (size_t done = 0; done < n;) {
    const ssize_t sent = send(fd, (const char *)from + done, n - done, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR)
      return false;
    done += sent > 0 ? (size_t)sent : 0;
  }
  return true;
}

/* Replaces the served texts by the next ones, all at once, so that no answer is older than one before it. */
static void replace_texts(struct exporter_texts *texts, struct exporter_texts *next)
{
  pthread_mutex_lock(&texts->lock);
  for (enum exporter_format f = EXPORTER_PROMETHEUS; f < EXPORTER_FORMATS; f++) {
    if (!next->text[f])
      continue;
    char *const before = texts->text[f];
    texts->text[f] = next->text[f];
    texts->size[f] = next->size[f];
    next->text[f] = before;
  }
  clock_gettime(CLOCK_MONOTONIC, &texts->received);
  pthread_mutex_unlock(&texts->lock);
  for (enum exporter_format f = EXPORTER_PROMETHEUS; f < EXPORTER_FORMATS; f++) {
    free(next->text[f]);
    next->text[f] = NULL;
  }
}

/* Replaces texts until the other process ends. */
static void receive_texts(int fd, struct exporter_texts *texts)
{
  struct exporter_texts next = {.scrapes = 0};
  struct network_head head;
  while (network_read(fd, &head, sizeof head) && head.format < EXPORTER_FORMATS) {
    free(next.text[head.format]);
    next.text[head.format] = malloc(head.size ? head.size : 1);
    next.size[head.format] = head.size;
    if (!next.text[head.format] || !network_read(fd, next.text[head.format], head.size))
      break;
    if (head.last)
      replace_texts(texts, &next);
  }
  for (enum exporter_format f = EXPORTER_PROMETHEUS; f < EXPORTER_FORMATS; f++)
    free(next.text[f]);
}

/* Root becomes a user without rights; any user loses all capabilities. */
static bool lose_privileges(void)
{
  if (!geteuid() &&
      (setgroups(0, NULL) || setresgid(UNPRIVILEGED, UNPRIVILEGED, UNPRIVILEGED) ||
       setresuid(UNPRIVILEGED, UNPRIVILEGED, UNPRIVILEGED)) &&
      errno != EPERM && errno != EINVAL) /* root lacks these rights, or is in a namespace without this user */
    return false;
  return privileges_drop() && !prctl(PR_SET_DUMPABLE, 0);
}

/* Closes all other files that the other process has open: counters, registers. */
static void keep_files(int a, int b)
{
  const unsigned low = (unsigned)(a < b ? a : b), high = (unsigned)(a < b ? b : a);
  if (low > STDERR_FILENO + 1)
    close_range(STDERR_FILENO + 1, low - 1, 0);
  if (high > low + 1)
    close_range(low + 1, high - 1, 0);
  close_range(high + 1, ~0u, 0);
}

__attribute__((noreturn)) static void network_run(struct cli *cli, const struct exporter_network_options *o, int fd)
{
  static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE}; /* it ends with the process that reads counters */
  struct exporter_texts texts = {.scrapes = 0};
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
    signal(ignored[i], SIG_IGN);
  keep_files(o->fd, fd);
  pthread_mutex_init(&texts.lock, NULL);
  const bool lost = lose_privileges();
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* a change of the user would clear it */
  if (!lost)
    cli_fail(cli, "the network process could not drop its privileges");
  else if (exporter_serve(cli, o, &texts) && (!o->otlp || otlp_start(cli, o, &texts)) && network_write(fd, "", 1))
    receive_texts(fd, &texts);
  _exit(CLI_USAGE);
}

/* Waits for a network process that ended before it served. It has printed why itself, unless a signal ended it, such as
 * that of a filter of system calls: then prints the signal. */
static void report_signal(struct cli *cli, struct exporter_network *n)
{
  int status = 0;
  pid_t ended;
  while ((ended = waitpid(n->child, &status, 0)) < 0 && errno == EINTR)
    continue;
  if (ended == n->child && WIFSIGNALED(status))
    cli_fail(cli, "the network process was terminated by signal %d (%s)", WTERMSIG(status),
             strsignal(WTERMSIG(status)));
  n->child = -1;
}

int exporter_network_start(struct cli *cli, const struct exporter_network_options *o, struct exporter_network **ret)
{
  const struct timeval limit = {.tv_sec = EXPORTER_SEND_S};
  struct exporter_network *n = calloc(1, sizeof *n);
  int pair[2];
  char begun;
  if (!n || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
    free(n);
    return cli_fail_memory(cli);
  }
  fflush(NULL);
  n->fd = pair[0];
  n->child = fork();
  if (!n->child) {
    close(pair[0]);
    network_run(cli, o, pair[1]);
  }
  close(pair[1]);
  setsockopt(n->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  if (n->child < 0)
    cli_fail(cli, "the network process cannot be started: %s", strerror(errno));
  else if (network_read(n->fd, &begun, 1)) {
    shutdown(n->fd, SHUT_RD);
    *ret = n;
    return CLI_DONE;
  } else
    report_signal(cli, n);
  exporter_network_stop(n);
  return CLI_USAGE;
}

bool exporter_network_send(struct exporter_network *n, struct exporter_totals *totals)
{
  const enum exporter_format end =
      totals->otlp ? EXPORTER_FORMATS : EXPORTER_OTLP; /* EXPORTER_OTLP is the last format */
  bool good = true;
  for (enum exporter_format f = EXPORTER_PROMETHEUS; good && f < end; f++) {
    struct network_head head = {.format = f, .last = f + 1 == end};
    size_t size = 0;
    char *text = exporter_format(totals, f, &size);
    head.size = size;
    good = text && network_write(n->fd, &head, sizeof head) && network_write(n->fd, text, size);
    free(text);
  }
  return good;
}

bool exporter_network_lives(struct exporter_network *n)
{
  if (n->child > 0 && waitpid(n->child, NULL, WNOHANG) == n->child)
    n->child = -1;
  return n->child > 0;
}

void exporter_network_stop(struct exporter_network *n)
{
  if (!n)
    return;
  close(n->fd);
  if (n->child > 0) {
    kill(n->child, SIGKILL);
    while (waitpid(n->child, NULL, 0) < 0 && errno == EINTR)
      continue;
  }
  free(n);
}
