/* SPDX-License-Identifier: MIT */
/* What the comments of a log state, given to a checker. */
#include <inttypes.h>
#include <stdio.h>
#include <pmon/status.h>
#include "machine/check/log.h"

static int log_take_absent(const struct log_absent *a, struct checker *c, char *error, size_t error_size)
{
  const int status = check_set_absent(c, a->package, a->unit, a->instance);
  if (status != PMON_E_INVALID)
    return status;
  snprintf(error, error_size, "line %" PRIu32 ": the platform has no unit %s%" PRIu32, a->line, a->unit, a->instance);
  return PMON_E_UNKNOWN;
}

static int log_take_asked(const struct log_asked *a, struct checker *c, char *error, size_t error_size)
{
  char cause[CHECK_CAUSE];
  const int status = check_ask(c, &a->is, cause);
  if (status == PMON_E_UNKNOWN || status == PMON_E_INVALID)
    snprintf(error, error_size, "line %" PRIu32 ": %s", a->line, cause);
  return status;
}

int log_take_notes(const struct access_log *log, struct checker *c, char *error, size_t error_size)
{
  int status = 0;
  for (uint32_t package = 0; package < 64; package++)
    if (log->units_known >> package & 1)
      check_know_units(c, package);
  for (uint32_t i = 0; i < log->n_absent && !status; i++)
    status = log_take_absent(&log->absent[i], c, error, error_size);
  for (uint32_t i = 0; i < log->n_counts && !status; i++)
    status =
        check_count(c, &(struct check_count){log->counts[i].package, log->counts[i].printed, log->counts[i].right});
  for (uint32_t i = 0; i < log->n_asked && !status; i++)
    status = log_take_asked(&log->asked[i], c, error, error_size);
  return status;
}
