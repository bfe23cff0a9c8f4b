/* SPDX-License-Identifier: MIT */
#include "vm/monitor.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool monitor_write(int end, const char *text)
{
  return write(end, text, strlen(text)) == (ssize_t)strlen(text);
}

bool monitor_begin(int end, int state)
{
  /* Without the first line QEMU takes no others, without `events` it does not report the end of saving. */
  static const char begin[] =
      "{\"execute\":\"qmp_capabilities\"}\n"
      "{\"execute\":\"migrate-set-capabilities\",\"arguments\":{\"capabilities\":["
      "{\"capability\":\"events\",\"state\":true}]}}\n"
      "{\"execute\":\"migrate-set-parameters\",\"arguments\":{\"max-bandwidth\":17179869184}}\n";
  char text[100];
  snprintf(text, sizeof text, "{\"execute\":\"migrate-incoming\",\"arguments\":{\"uri\":\"fd:%d\"}}\n", state);
  return monitor_write(end, begin) && (state < 0 || monitor_write(end, text));
}

/* Sends a command with a descriptor of pmon's, as ancillary data of the message. */
static bool monitor_pass(int end, const char *text, int fd)
{
  union {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control = {.bytes = {0}};
  struct iovec all = {.iov_base = (char *)(uintptr_t)text, .iov_len = strlen(text)};
  struct msghdr m = {
      .msg_iov = &all, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  struct cmsghdr *c = CMSG_FIRSTHDR(&m);
  *c = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fd)};
  memcpy(CMSG_DATA(c), &fd, sizeof fd);
  return sendmsg(end, &m, MSG_NOSIGNAL) == (ssize_t)all.iov_len;
}

/* QEMU itself writes the file: it is complete when QEMU reports that, which a program behind a pipe would not
 * ensure. */
bool monitor_save(int end, int state)
{
  return monitor_pass(end, "{\"execute\":\"getfd\",\"arguments\":{\"fdname\":\"state\"}}\n", state) &&
         monitor_write(end, "{\"execute\":\"migrate\",\"arguments\":{\"uri\":\"fd:state\"}}\n");
}

bool monitor_continue(int end)
{
  return monitor_write(end, "{\"execute\":\"cont\"}\n");
}

bool monitor_quit(int end)
{
  return monitor_write(end, "{\"execute\":\"quit\"}\n");
}

bool monitor_receive(struct monitor *m, int end)
{
  const ssize_t n = read(end, m->text + m->n, sizeof m->text - 1 - m->n);
  if (n < 0 && errno == EINTR)
    return true;
  if (n > 0)
    m->n += (size_t)n;
  m->text[m->n] = 0;
  return n > 0;
}

enum monitor_report monitor_next(struct monitor *m)
{
  char *line = m->text + m->at, *end = memchr(line, '\n', m->n - m->at);
  if (!end) {
    m->n -= m->at;
    memmove(m->text, line, m->n);
    m->at = 0;
    return MONITOR_NOTHING;
  }
  *end = 0;
  m->at = (size_t)(end + 1 - m->text);
  if (strstr(line, "\"completed\""))
    return MONITOR_COMPLETED;
  if (strstr(line, "\"failed\"") || strstr(line, "\"error\""))
    return MONITOR_FAILED;
  return strstr(line, "\"RESUME\"") ? MONITOR_RUNS : MONITOR_OTHER;
}
