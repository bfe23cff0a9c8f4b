/* SPDX-License-Identifier: MIT */
/* The progress of a measurement, on a terminal; and the origin of the times that are printed. */
#ifndef CLI_STAT_PROGRESS_H
#define CLI_STAT_PROGRESS_H

#include <stdint.h>
#include <time.h>

struct stat_progress {
  struct timespec started, shown;
  uint64_t origin_ns; /* of printed times, on the backend's clock */
};

void stat_progress_begin(struct stat_progress *p);
/* Times are printed relative to this point: a measurement of the host begins at 0, not at the host's boot. The clock of
 * `backend` machine begins with the machine, whose scenarios and logs use it. */
void stat_progress_begin_at(struct stat_progress *p, const char *backend, uint64_t now_ns);

/* Shows the progress; clears the line. */
void stat_progress_show(struct stat_progress *p, uint64_t now_ns);
void stat_progress_clear(const struct stat_progress *p);

#endif
