/* SPDX-License-Identifier: MIT */
/* A command that runs on the host: its start, its end, and what a wait for its end also wakes for. */
#include "cli/stat/host_command.h"
#include "cli/stat/region_channel.h"
#include "cli/target/privileges.h"
#include "cli/target/target.h"
#include "machine/trace/process.h"
#include "src/base/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_FOUND = 127 };

/* In the child: waits at the gate, then executes the command. */
static _Noreturn void command_exec(struct cli *cli, int gate, const struct region_channel *regions, char **argv)
{
  char go;
  if (regions)
    region_channel_pass(regions);
  if (!privileges_return()) {
    cli_print_error("pmon stat: %s: cannot drop privileges, so the command is not started\n", argv[0]);
    _exit(NOT_FOUND);
  }
  if (read(gate, &go, 1) != 1)
    _exit(0); /* the parent gave up */
  signals_restore(cli->signals);
  execvp(argv[0], argv);
  cli_print_error("pmon stat: %s: %s\n", argv[0], strerror(errno));
  _exit(NOT_FOUND);
}

/* Makes a descriptor that is readable when one of two is; -1, with errno. */
static int command_watch(int first, int second)
{
  const int fds[] = {first, second};
  const int watch = epoll_create1(EPOLL_CLOEXEC);
  for (int i = 0; watch >= 0 && i < 2; i++) {
    struct epoll_event event = {.events = EPOLLIN};
    if (epoll_ctl(watch, EPOLL_CTL_ADD, fds[i], &event)) {
      close(watch);
      return -1;
    }
  }
  return watch;
}

bool host_command_has_ended(const struct host_command *c)
{
  struct pollfd end = {.fd = c->end_fd, .events = POLLIN};
  return poll(&end, 1, 0) > 0;
}

/* Follows the command's regions. If that fails, the command is measured as a whole. */
static void command_follow_regions(struct cli *cli, struct host_command *c)
{
  const int error = region_channel_new(&c->regions);
  if (error)
    cli_note(cli, "regions of the program are not measured: %s", strerror(error));
}

int host_command_open(struct cli *cli, char **argv, bool regions, struct host_command *c)
{
  int gate[2];
  *c = (struct host_command){.gate = -1, .end_fd = -1, .watch_fd = -1, .signals = cli->signals};
  if (!argv)
    return CLI_DONE;
  if (regions)
    command_follow_regions(cli, c);
  if (pipe2(gate, O_CLOEXEC))
    return cli_fail(cli, "%s: cannot start the command: pipe: %s", argv[0], strerror(errno)), CLI_FAILED;
  c->pid = signals_fork();
  if (c->pid == 0) {
    close(gate[1]);
    command_exec(cli, gate[0], c->regions, argv);
  }
  close(gate[0]);
  c->gate = gate[1];
  if (c->regions)
    region_channel_close_passed(c->regions);
  if (c->pid > 0)
    c->end_fd = (int)syscall(SYS_pidfd_open, c->pid, 0);
  if (c->end_fd >= 0 && c->regions)
    c->watch_fd = command_watch(c->end_fd, region_channel_fd(c->regions));
  if (c->end_fd >= 0 && (!c->regions || c->watch_fd >= 0))
    return CLI_DONE;
  cli_fail(cli, "%s: cannot start the command: %s", argv[0], strerror(errno));
  host_command_close(c);
  return CLI_FAILED;
}

void host_command_watch(struct host_command *c, int fd)
{
  struct epoll_event event = {.events = EPOLLIN};
  if (c->watch_fd < 0)
    c->watch_fd = epoll_create1(EPOLL_CLOEXEC);
  if (c->end_fd >= 0)
    epoll_ctl(c->watch_fd, EPOLL_CTL_ADD, c->end_fd, &event); /* it may be there already */
  epoll_ctl(c->watch_fd, EPOLL_CTL_ADD, fd, &event);          /* not a regular file: that is looked at in each tick */
}

void host_command_unwatch(const struct host_command *c, int fd)
{
  epoll_ctl(c->watch_fd, EPOLL_CTL_DEL, fd, NULL);
}

void host_command_go(struct host_command *c)
{
  if (c->gate < 0)
    return;
  /* If the child has exited already, waiting for its end reports that. */
  void (*before)(int) = signal(SIGPIPE, SIG_IGN);
  ssize_t n = write(c->gate, "", 1);
  (void)n;
  signal(SIGPIPE, before);
  close(c->gate);
  c->gate = -1;
}

int host_command_result(struct cli *cli, struct host_command *c, const char *text, int *ret_child)
{
  int status;
  if (c->pid <= 0 || waitpid(c->pid, &status, 0) != c->pid)
    return CLI_DONE;
  c->pid = 0;
  if (WIFSIGNALED(status))
    cli_fail(cli, "%s was terminated by signal %d (%s)", text, WTERMSIG(status), strsignal(WTERMSIG(status)));
  else if (WEXITSTATUS(status))
    cli_fail(cli, "%s exited with status %d", text, WEXITSTATUS(status));
  *ret_child = WIFSIGNALED(status) ? CLI_SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
  return status ? CLI_FAILED : CLI_DONE;
}

void host_command_close(struct host_command *c)
{
  if (c->gate >= 0)
    close(c->gate);
  if (c->end_fd >= 0)
    close(c->end_fd);
  if (c->watch_fd >= 0)
    close(c->watch_fd);
  region_channel_free(c->regions); /* so that no thread of the command waits any longer */
  if (c->pid > 0) {
    struct process_stop stop = {.signals = c->signals};
    process_request_stop(&stop, c->pid, c->stop && c->stop->number ? c->stop->number : SIGTERM);
    process_await_end(&stop, c->pid, c->stop ? &c->stop->count : NULL);
  }
  *c = (struct host_command){.gate = -1, .end_fd = -1, .watch_fd = -1};
}
