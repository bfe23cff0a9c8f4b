/* SPDX-License-Identifier: MIT */
/* When counters are read: intervals, the delay before the first one, and the measurement's end. */
#ifndef CLI_STAT_TIMES_H
#define CLI_STAT_TIMES_H

#include "cli/stat/wanted.h"

struct stat_times {
  uint64_t interval_ns; /* -I; 0: none */
  uint64_t duration_ns; /* --duration; 0: to the end */
  uint64_t delay_ns;    /* --delay */
  uint64_t every_count; /* --every: intervals end when every_event has counted this often; 0: not given */
  uint32_t every_event;
};

/* Whether the measurement has intervals, of whatever kind. */
static inline bool stat_times_has_intervals(const struct stat_times *t)
{
  return t->interval_ns || t->every_count;
}

/* Reads milliseconds, or a number with its unit; from 1 ns to 1e9 ms. False: the text has another form. */
#define STAT_TIME_FORM "a number of milliseconds, or one with its unit: 500us, 100ms, 2s"
bool stat_time_read(const char *text, uint64_t *ret_ns);
/* Does so for an option. CLI_DONE, or CLI_USAGE after printing an error. */
int stat_time_parse(const struct cli *cli, const char *option, const char *value, uint64_t *ret_ns);

/* `N,EVENT` of --every: the event is also measured, and its every N-th count ends an interval. An enum cli_exit. */
int stat_times_parse_every(struct cli *cli, const struct hardware *h, struct stat_wanted *w, struct stat_times *t,
                           const char *value);

#endif
