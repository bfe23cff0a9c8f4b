/* SPDX-License-Identifier: MIT */
/* The destination of the results of `pmon stat`: standard output, or a file, with another separator of columns. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/common/paths.h"
#include "cli/stat/stat.h"

/* Closes the file of -o. Returns an error number. */
static int stat_close_output(struct stat_run *s)
{
  out_finish(s->file);
  const int failed = close(s->file->fd) ? errno : 0, error = s->file->error ? s->file->error : failed;
  free(s->file);
  s->file = NULL;
  return error;
}

/* Writes to the file of -o; if that fails, this result and all further ones go to standard output, so that none is
 * lost. A pipe that is not read is treated as on standard output (cli/common/out.h). */
static int stat_write(void *user, const char *bytes, size_t n)
{
  struct stat_run *s = user;
  if (s->file) {
    out_bytes(s->file, bytes, n);
    out_flush(s->file);
    if (!s->file->error)
      return 0;
    cli_fail(s->cli, "%s: cannot be written: %s; the results follow on standard output", s->out_path,
             strerror(s->file->error));
    stat_close_output(s);
    s->out_failed = true;
  }
  out_bytes(&s->cli->out, bytes, n);
  out_flush(&s->cli->out);
  return 0;
}

int stat_sink(void *user, const char *bytes, size_t n)
{
  struct stat_run *s = user;
  return *s->separator.text ? separator_write(&s->separator, bytes, n, stat_write, s) : stat_write(s, bytes, n);
}

int stat_write_report(struct stat_run *s, struct pmon_report *r)
{
  int status = s->by_device ? stat_name_devices(s, r) : 0;
  if (!status && (s->order != PMON_ORDER_GIVEN || s->top))
    status = pmon_report_arrange(r, s->order, s->top);
  if (!status && s->format == PMON_FORMAT_CSV && !s->header_written)
    status = pmon_report_format(r, PMON_FORMAT_CSV_HEADER, stat_sink, s);
  if (!status && s->format == PMON_FORMAT_CSV_WIDE && !s->header_written)
    status = pmon_report_format(r, PMON_FORMAT_CSV_WIDE_HEADER, stat_sink, s);
  s->header_written = true;
  if (!status)
    status = pmon_report_format(r, s->format, stat_sink, s);
  if (!status && (s->interval_ns || s->every_count) && s->format == PMON_FORMAT_TEXT)
    status = stat_sink(s, "\n", 1);
  return status;
}

int stat_write_region(struct stat_run *s, struct pmon_report *r)
{
  const int status = s->format == PMON_FORMAT_TEXT && !s->interval_ns ? stat_sink(s, "\n", 1) : 0;
  return status ? status : stat_write_report(s, r);
}

int stat_open_files(struct stat_run *s)
{
  s->cli->out.signals = &stat_stop.count;
  const int fd = s->out_path ? path_open_write(s->cli, s->out_path) : -1;
  if (s->out_path && fd < 0)
    return cli_fail(s->cli, "%s: cannot be written: %s", s->out_path, strerror(errno));
  if (s->out_path && !(s->file = calloc(1, sizeof *s->file))) {
    close(fd);
    return cli_fail_memory(s->cli);
  }
  if (s->file) {
    s->file->fd = fd;
    s->file->signals = &stat_stop.count;
  }
  const int log = s->log_path ? path_open_write(s->cli, s->log_path) : -1;
  if (s->log_path && (log < 0 || !(s->log = fdopen(log, "w"))))
    return cli_fail(s->cli, "%s: cannot be written: %s", s->log_path, strerror(errno));
  return CLI_DONE;
}

int stat_close_files(struct stat_run *s, int result)
{
  const int error = s->file ? stat_close_output(s) : 0;
  separator_fini(&s->separator);
  if (error) {
    cli_fail(s->cli, "%s: cannot be written: %s", s->out_path, strerror(error));
    s->out_failed = true;
  }
  if (s->log) {
    bool failed = ferror(s->log) != 0;
    if (fclose(s->log) || failed) {
      cli_fail(s->cli, "%s: cannot be written: %s", s->log_path, strerror(errno));
      s->out_failed = true;
    }
  }
  return s->out_failed && result == CLI_DONE ? CLI_FAILED : result;
}
