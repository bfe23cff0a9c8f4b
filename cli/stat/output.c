/* SPDX-License-Identifier: MIT */
#include "cli/stat/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/common/paths.h"
#include "cli/stat/stop.h"

/* Closes the file of -o. Returns an error number. */
static int output_close_file(struct stat_output *o)
{
  out_finish(o->file);
  const int failed = close(o->file->fd) ? errno : 0, error = o->file->error ? o->file->error : failed;
  free(o->file);
  o->file = NULL;
  return error;
}

/* Writes to the file of -o; if that fails, this result and all further ones go to standard output, so that none is
 * lost. A pipe that is not read is treated as on standard output (cli/common/out.h). */
static int output_write_plain(void *user, const char *bytes, size_t n)
{
  struct stat_output *o = user;
  if (o->file) {
    out_bytes(o->file, bytes, n);
    out_flush(o->file);
    if (!o->file->error)
      return 0;
    cli_fail(o->cli, "%s: cannot be written: %s; the results follow on standard output", o->path,
             strerror(o->file->error));
    output_close_file(o);
    o->failed = true;
  }
  out_bytes(&o->cli->out, bytes, n);
  out_flush(&o->cli->out);
  return 0;
}

int stat_output_write(void *user, const char *bytes, size_t n)
{
  struct stat_output *o = user;
  return *o->separator.text ? separator_write(&o->separator, bytes, n, output_write_plain, o)
                            : output_write_plain(o, bytes, n);
}

int stat_output_open(struct stat_output *o)
{
  o->cli->out.signals = &stat_stop.count;
  const int fd = o->path ? path_open_write(o->cli, o->path) : -1;
  if (o->path && fd < 0)
    return cli_fail(o->cli, "%s: cannot be written: %s", o->path, strerror(errno));
  if (o->path && !(o->file = calloc(1, sizeof *o->file))) {
    close(fd);
    return cli_fail_memory(o->cli);
  }
  if (o->file) {
    o->file->fd = fd;
    o->file->signals = &stat_stop.count;
  }
  return CLI_DONE;
}

void stat_output_close(struct stat_output *o)
{
  const int error = o->file ? output_close_file(o) : 0;
  separator_fini(&o->separator);
  if (error) {
    cli_fail(o->cli, "%s: cannot be written: %s", o->path, strerror(error));
    o->failed = true;
  }
}
