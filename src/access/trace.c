/* SPDX-License-Identifier: MIT */
/* A wrapper that reports every access as a line. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <pmon/platform.h>
#include "src/access/wrap.h"

struct trace {
  struct wrap wrap;
  pmon_line_sink sink;
  void *user;
  uint64_t now_ns;
};

static void trace_report_access(struct trace *t, const char *what, const struct pmon_address *a, uint64_t value,
                                int status)
{
  char address[64], line[192];
  pmon_address_format(a, address, sizeof address);
  snprintf(line, sizeof line, "%" PRIu64 " %s %" PRIu32 " %s %u 0x%" PRIx64 "%s%s", t->now_ns, what, a->package,
           address, a->width_bits, value, status ? " " : "", status ? pmon_status_name(status) : "");
  t->sink(t->user, line);
}

static int trace_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  struct trace *t = (struct trace *)(void *)b;
  uint64_t value = 0;
  int status = wrap_read(&t->wrap, a, &value);
  if (!status)
    *ret_value = value;
  trace_report_access(t, "read", a, value, status);
  return status;
}

static int trace_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  struct trace *t = (struct trace *)(void *)b;
  int status = wrap_write(&t->wrap, a, value);
  trace_report_access(t, "write", a, value, status);
  return status;
}

static int trace_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  struct trace *t = (struct trace *)(void *)b;
  int status = wrap_wait(b, until_ns, ret_now_ns, ret_ended);
  char line[64];
  if (!status)
    t->now_ns = *ret_now_ns;
  snprintf(line, sizeof line, "%" PRIu64 " %s%s", t->now_ns,
           status       ? "wait "
           : *ret_ended ? "end"
                        : "wait",
           status ? pmon_status_name(status) : "");
  t->sink(t->user, line);
  return status;
}

void pmon_backend_trace_note(struct pmon_backend *trace, const char *key, const char *value)
{
  struct trace *t = (struct trace *)(void *)trace;
  char line[512];
  int n = snprintf(line, sizeof line, "# %s %s", key, value);
  for (int i = 0; i < n && line[i]; i++)
    if ((unsigned char)line[i] < 0x20)
      line[i] = ' ';
  t->sink(t->user, line);
}

int pmon_backend_trace_new(struct pmon_backend *inner, pmon_line_sink sink, void *user,
                           struct pmon_backend **ret_backend)
{
  if (!backend_is_sized(inner))
    return PMON_E_INVALID;
  static const struct pmon_backend_ops ops = {.size = sizeof ops,
                                              .name = "trace",
                                              .read = trace_read,
                                              .write = trace_write,
                                              .wait = trace_wait,
                                              .close = wrap_close};
  struct trace *t = calloc(1, sizeof *t);
  if (!t)
    return PMON_E_MEMORY;
  wrap_init(&t->wrap, &ops, inner);
  t->sink = sink;
  t->user = user;
  char packages[16];
  snprintf(packages, sizeof packages, "%" PRIu32, inner->packages);
  pmon_backend_trace_note(&t->wrap.backend, "pmon-log", "1");
  pmon_backend_trace_note(&t->wrap.backend, "packages", packages);
  *ret_backend = &t->wrap.backend;
  return 0;
}
