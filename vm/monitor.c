/* SPDX-License-Identifier: MIT */
#include "vm/monitor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
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

bool monitor_save(int end, int state)
{
  char text[120];
  snprintf(text, sizeof text, "{\"execute\":\"migrate\",\"arguments\":{\"uri\":\"exec:cat >>/proc/%ld/fd/%d\"}}\n",
           (long)getpid(), state);
  return monitor_write(end, text);
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
