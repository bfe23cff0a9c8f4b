/* SPDX-License-Identifier: MIT */
/* Detects and handles QEMU's exit. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "vm/qemu.h"

/* True if QEMU has closed an end that is open here: by itself, it does so only when it exits. */
static bool qemu_hangs_up(const struct qemu *q)
{
  bool closed = false;
  for (unsigned i = 0; i < q->n && !closed; i++) {
    struct pollfd end = {.fd = q->end[i]};
    closed = poll(&end, 1, 0) == 1 && (end.revents & POLLHUP);
  }
  return closed;
}

bool qemu_is_gone(const struct qemu *q)
{
  enum { ENDING_MS = 10000 };
  siginfo_t info = {.si_pid = 0};
  struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, q->pid, 0), .events = POLLIN};
  if (end.fd >= 0 && qemu_hangs_up(q)) /* a process has no descriptors any more before it can be waited for */
    poll(&end, 1, ENDING_MS);
  if (end.fd >= 0)
    close(end.fd);
  return !waitid(P_PID, (id_t)q->pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid;
}

int qemu_stop(struct qemu *q, bool end)
{
  int status = 0;
  if (q->pid > 0) {
    if (end)
      kill(q->pid, SIGKILL);
    while (waitpid(q->pid, &status, 0) < 0 && errno == EINTR)
      continue;
    q->pid = -1;
  }
  for (unsigned i = 0; i < q->n; i++)
    if (q->end[i] >= 0) {
      close(q->end[i]);
      q->end[i] = -1;
    }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
