/* SPDX-License-Identifier: MIT */
#include "cli/stat/progress.h"

#include <string.h>
#include <unistd.h>
#include "cli/common/cli.h"

static double seconds_since(const struct timespec *t)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - t->tv_sec) + (double)(now.tv_nsec - t->tv_nsec) * 1e-9;
}

void stat_progress_begin(struct stat_progress *p)
{
  clock_gettime(CLOCK_MONOTONIC, &p->started);
  p->shown = p->started;
}

void stat_progress_begin_at(struct stat_progress *p, const char *backend, uint64_t now_ns)
{
  p->origin_ns = strcmp(backend, "machine") ? now_ns : 0;
}

void stat_progress_show(struct stat_progress *p, uint64_t now_ns)
{
  if (!cli_takes_escapes(STDERR_FILENO) || seconds_since(&p->started) < 1 || seconds_since(&p->shown) < 0.2)
    return;
  fprintf(stderr, "\r%.3f ms measured, %.0f s passed \033[K", (double)(now_ns - p->origin_ns) * 1e-6,
          seconds_since(&p->started));
  clock_gettime(CLOCK_MONOTONIC, &p->shown);
}

void stat_progress_clear(const struct stat_progress *p)
{
  if (cli_takes_escapes(STDERR_FILENO) && seconds_since(&p->started) > 1)
    fputs("\r\033[K", stderr);
}
