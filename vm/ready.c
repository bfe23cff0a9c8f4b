/* SPDX-License-Identifier: MIT */
#include "vm/ready.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { AT_ONCE = 64 };

int ready_open(const int *fd, unsigned n)
{
  const int all = epoll_create1(EPOLL_CLOEXEC);
  bool good = all >= 0;
  for (unsigned i = 0; i < n && good; i++) {
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
    good = fd[i] < 0 || !epoll_ctl(all, EPOLL_CTL_ADD, fd[i], &event);
  }
  if (good || all < 0)
    return all;
  const int why = errno;
  close(all);
  errno = why;
  return -1;
}

bool ready_wait(int all, int timeout_ms, bool *ret, unsigned n)
{
  struct epoll_event event[AT_ONCE];
  const int got = epoll_wait(all, event, AT_ONCE, timeout_ms);
  memset(ret, 0, n * sizeof *ret);
  for (int i = 0; i < got; i++)
    ret[event[i].data.u32] = true;
  return got >= 0 || errno == EINTR;
}
