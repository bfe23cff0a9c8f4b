/* SPDX-License-Identifier: MIT */
#include "cli/stat/write.h"

#include "cli/stat/by_device.h"
#include "cli/stat/run.h"

int stat_write_report(struct stat_run *s, struct pmon_report *r)
{
  int status = s->output.by_device ? stat_devices_name(s->cli, &s->devices, r) : 0;
  if (!status && (s->output.order != PMON_ORDER_GIVEN || s->output.top))
    status = pmon_report_arrange(r, s->output.order, s->output.top);
  if (!status && s->output.format == PMON_FORMAT_CSV && !s->output.header_written)
    status = pmon_report_format(r, PMON_FORMAT_CSV_HEADER, stat_output_write, &s->output);
  if (!status && s->output.format == PMON_FORMAT_CSV_WIDE && !s->output.header_written)
    status = pmon_report_format(r, PMON_FORMAT_CSV_WIDE_HEADER, stat_output_write, &s->output);
  s->output.header_written = true;
  if (!status)
    status = pmon_report_format(r, s->output.format, stat_output_write, &s->output);
  if (!status && stat_times_has_intervals(&s->times) && s->output.format == PMON_FORMAT_TEXT)
    status = stat_output_write(&s->output, "\n", 1);
  return status;
}

int stat_write_region(struct stat_run *s, struct pmon_report *r)
{
  const int status =
      s->output.format == PMON_FORMAT_TEXT && !s->times.interval_ns ? stat_output_write(&s->output, "\n", 1) : 0;
  return status ? status : stat_write_report(s, r);
}
