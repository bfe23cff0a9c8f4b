/* SPDX-License-Identifier: MIT */
/* Passes the statements in a log's comments to a checker. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/check/log.h"

/* Checks that a line `# units` names the package. These lines name all packages of the machine, or are missing. */
static int log_check_package(const struct access_log *log, uint32_t package, uint32_t line, char *error,
                             size_t error_size)
{
  if (!log->units_known || log->units_known >> package & 1)
    return PMON_OK;
  snprintf(error, error_size,
           "line %" PRIu32 ": no line `# units` names package %" PRIu32 "; correct the number, or add `# units %" PRIu32
           "`",
           line, package, package);
  return PMON_E_INVALID;
}

static int log_take_absent(const struct access_log *log, const struct log_absent *a, struct checker *c, char *error,
                           size_t error_size)
{
  if (log_check_package(log, a->package, a->line, error, error_size))
    return PMON_E_INVALID;
  const int status = check_set_absent(c, a->package, a->unit, a->instance);
  if (status != PMON_E_INVALID)
    return status;
  snprintf(error, error_size, "line %" PRIu32 ": the platform has no unit %s%" PRIu32, a->line, a->unit, a->instance);
  return PMON_E_UNKNOWN;
}

/* Returns the line that declares the unit absent; NULL: none. */
static const struct log_absent *log_find_absent(const struct access_log *log, const struct check_asked *asked)
{
  for (uint32_t i = 0; i < log->n_absent; i++) {
    const struct log_absent *a = &log->absent[i];
    if (a->package == asked->package && a->instance == asked->instance && !strcmp(a->unit, asked->unit))
      return a;
  }
  return NULL;
}

static int log_take_asked(const struct access_log *log, const struct log_asked *a, struct checker *c, char *error,
                          size_t error_size)
{
  char cause[CHECK_CAUSE];
  const struct log_absent *absent = log_find_absent(log, &a->is);
  if (log_check_package(log, a->is.package, a->line, error, error_size))
    return PMON_E_INVALID;
  const int status = check_ask(c, &a->is, cause);
  if (status == PMON_E_INVALID && absent)
    snprintf(error, error_size, "line %" PRIu32 ": %s according to line %" PRIu32 "; remove the wrong line", a->line,
             cause, absent->line);
  else if (status == PMON_E_UNKNOWN || status == PMON_E_INVALID)
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
    status = log_take_absent(log, &log->absent[i], c, error, error_size);
  for (uint32_t i = 0; i < log->n_counts && !status; i++)
    status =
        check_count(c, &(struct check_count){log->counts[i].package, log->counts[i].printed, log->counts[i].right});
  for (uint32_t i = 0; i < log->n_asked && !status; i++)
    status = log_take_asked(log, &log->asked[i], c, error, error_size);
  return status;
}
