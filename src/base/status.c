/* SPDX-License-Identifier: MIT */
/* Names of statuses. */
#include <pmon/status.h>
#include <stddef.h>

const char *pmon_status_name(int status)
{
  static const char *const names[] = {
      "PMON_OK",           "PMON_E_MEMORY",      "PMON_E_SYNTAX",   "PMON_E_UNKNOWN",
      "PMON_E_AMBIGUOUS",  "PMON_E_RANGE",       "PMON_E_CONFLICT", "PMON_E_UNSCHEDULABLE",
      "PMON_E_PERMISSION", "PMON_E_NO_DEVICE",   "PMON_E_IO",       "PMON_E_STATE",
      "PMON_E_NO_DATA",    "PMON_E_UNSUPPORTED", "PMON_E_INVALID",  "PMON_E_STOLEN",
  };
  if (status > 0 || status <= -(int)(sizeof names / sizeof *names))
    return "PMON_?";
  return names[-status];
}
