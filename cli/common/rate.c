/* SPDX-License-Identifier: MIT */
#include "cli/common/rate.h"

#include <stdio.h>
#include <string.h>

void rate_unit(const struct pmon_report_row *row, char unit[RATE_UNIT])
{
  const bool energy = row->amount && !strcmp(row->unit, "J");
  snprintf(unit, RATE_UNIT, "%s%s", energy ? "W" : row->unit, row->amount && !energy ? "/s" : "");
}

double rate_factor(const struct pmon_report_row *row, double seconds)
{
  return row->amount && seconds > 0 ? 1 / seconds : 1;
}
