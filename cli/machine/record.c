/* SPDX-License-Identifier: MIT */
#include "cli/machine/record.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>
#include "cli/common/cli.h"
#include "cli/machine/interrupt.h"
#include "cli/target/privileges.h"
#include "cli/target/target.h"
#include "machine/trace/live.h"
#include "machine/trace/writer.h"

#define WARN_BYTES 256e6 /* if less of a file system is free, a trace may not fit */
enum { LOOK_SECONDS = 1, WARN_SECONDS = 60 };

/* The state of a recording in progress. */
struct progress {
  struct cli *cli;
  const char *path;
  struct timespec begun, looked;
  bool terminal, warned;
  double size; /* bytes in the file at the last check */
};

/* Joins the command to one line, for the file's header. */
static void record_join_words(char *const *argv, char *text, size_t size)
{
  size_t n = 0;

  text[0] = 0;
  for (; *argv && n < size; argv++)
    n += (size_t)snprintf(text + n, size - n, "%s%s", n ? " " : "", *argv);
}

static double seconds_between(const struct timespec *a, const struct timespec *b)
{
  return (double)(b->tv_sec - a->tv_sec) + (double)(b->tv_nsec - a->tv_nsec) * 1e-9;
}

static const char *size_text(double bytes, char *text, size_t size)
{
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
  size_t i = 0;
  while (bytes >= 1000 && i + 1 < sizeof units / sizeof *units) {
    bytes /= 1000;
    i++;
  }
  snprintf(text, size, bytes < 10 && i ? "%.1f %s" : "%.0f %s", bytes, units[i]);
  return text;
}

/* Returns the bytes that a user can still write to the file system of `path`; negative if unknown, or if it is not a
 * regular file. */
static double free_bytes(const char *path)
{
  struct statvfs fs;
  struct stat st;
  if (stat(path, &st) || !S_ISREG(st.st_mode) || statvfs(path, &fs) || !fs.f_blocks)
    return -1;
  return (double)fs.f_bavail * (double)fs.f_frsize;
}

/* Warns once before the disk is full. */
static void progress_check_space(struct progress *p, double free, double bytes_per_second)
{
  char text[32], left[32];
  const double seconds = bytes_per_second > 0 ? free / bytes_per_second : 1e9;
  if (p->warned || free < 0 || (seconds >= WARN_SECONDS && free >= WARN_BYTES))
    return;
  p->warned = true;
  if (p->terminal)
    fputs("\r\x1b[K", stderr);
  if (bytes_per_second > 0)
    cli_warn(p->cli, "%s: %s are left on the file system; at %s per second it will be full in %.0f s", p->path,
             size_text(free, left, sizeof left), size_text(bytes_per_second, text, sizeof text), seconds);
  else
    cli_warn(p->cli,
             "%s: %s are left on the file system; a trace takes 0.03 to 0.5 bytes for each load or store, up to "
             "2 in short programs, 4 where addresses are random; without compression up to 5",
             p->path, size_text(free, left, sizeof left));
}

/* Prints the path and `text` over the previous such line. A text longer than the terminal's line would begin a new line
 * each time: of a long path only the end is shown. */
static void progress_print(const struct progress *p, const char *text)
{
  const size_t width = cli_error_width(), room = width > strlen(text) + 1 ? width - strlen(text) - 1 : 0;
  const size_t n = strlen(p->path);
  const char *path = p->path;
  char line[512];
  if (n > room)
    path += n - (room > 3 ? room - 3 : 0);
  while ((*path & 0xc0) == 0x80) /* not within a character */
    path++;
  snprintf(line, sizeof line, "%s%s%s", path > p->path ? "..." : "", path, text);
  fputs("\r\x1b[K", stderr);
  cli_print_error("%.*s", width ? (int)width - 1 : (int)sizeof line, line);
  fflush(stderr);
}

/* Checks the free space, and on a terminal prints the progress. */
static void on_progress(void *user, const struct trace_writer *w)
{
  struct progress *const p = user;
  const double size = (double)trace_writer_size(w);
  struct timespec now;
  char line[160], text[32], left[32];
  clock_gettime(CLOCK_MONOTONIC, &now);
  const double seconds = seconds_between(&p->looked, &now);
  if (seconds < LOOK_SECONDS)
    return;
  const double free = free_bytes(p->path);
  progress_check_space(p, free, (size - p->size) / seconds);
  p->looked = now;
  p->size = size;
  if (!p->terminal)
    return;
  snprintf(line, sizeof line, ": %.0f s, %.1f million records, %s%s%s%s", seconds_between(&p->begun, &now),
           (double)trace_writer_records(w) * 1e-6, size_text(size, text, sizeof text), free >= 0 ? ", " : "",
           free >= 0 ? size_text(free, left, sizeof left) : "", free >= 0 ? " free" : "");
  progress_print(p, line);
}

/* Records a running program until it ends or a signal arrives. */
static int record_program(const struct progress *p, struct target *t, struct trace_writer *w, const char *command)
{
  struct cli *const cli = p->cli;
  bool writer_failed = false;
  int status = trace_copy(t->source, w, &writer_failed);

  if (p->terminal)
    fputs("\r\x1b[K", stderr);
  if (status == 0 && interrupt_stop.number) {
    cli_fail(cli, "signal %d: stopped; the file contains the accesses before the signal", (int)interrupt_stop.number);
    return CLI_SIGNALLED + (int)interrupt_stop.number;
  }
  if (status == 0)
    return target_result(cli, t, command, NULL);
  cli_fail(cli, "%s%s", writer_failed ? trace_writer_error(w) : t->source->error,
           writer_failed ? "; the records written before remain in the file" : "");
  return writer_failed ? CLI_FAILED : cli_exit_code(status);
}

/* Removes the file if nothing was recorded, unless it is a device. */
static void record_remove(const char *path)
{
  struct stat st;

  if (lstat(path, &st) == 0 && S_ISREG(st.st_mode))
    unlink(path);
}

static void record_print_size(struct cli *cli, const char *path, const struct trace_writer *w)
{
  const double records = (double)trace_writer_written(w), size = (double)trace_writer_size(w);
  char text[32];
  cli_note(cli, "%s: %.0f records written, %s (%.2f bytes for each)", path, records, size_text(size, text, sizeof text),
           records > 0 ? size / records : 0);
}

/* Refuses a command that cannot be traced before an existing file is replaced. */
static int record_check_command(struct cli *cli, char *const *argv)
{
  const struct launch_options launch = {.argv = argv, .shm_fd = -1, .setup_fd = -1};
  struct launch_command command = {0};
  char error[TRACE_ERROR_SIZE];
  const int status = launch_resolve(&launch, error, sizeof error, &command);
  if (status < 0) {
    cli_fail(cli, "%s", error);
    return cli_exit_code(status);
  }
  launch_fini(&command);
  return CLI_DONE;
}

int cli_machine_record(struct cli *cli, const struct record_options *o)
{
  struct progress progress = {.cli = cli, .path = o->path, .terminal = cli_takes_escapes(STDERR_FILENO)};
  struct trace_writer_options options = {
      .path = o->path, .zstd = !o->plain, .progress = on_progress, .user = &progress};
  struct live_options live = {.argv = o->argv, .signals = cli->signals, .stop = &interrupt_stop};
  struct target target = {.live = true};
  struct trace_writer *w;
  char origin[4096], error[TRACE_ERROR_SIZE];
  int result;

  if (!o->path || !live.argv)
    return cli_fail_missing(cli, o->path ? "-- COMMAND" : "-o FILE");
  privileges_warn_of_program(cli, *live.argv);
  result = record_check_command(cli, live.argv);
  if (result != CLI_DONE)
    return result;
  record_join_words(live.argv, origin, sizeof origin);
  options.origin = origin;
  clock_gettime(CLOCK_MONOTONIC, &progress.begun);
  progress.looked = progress.begun;
  result = trace_writer_new(&options, error, sizeof error, &w);
  if (result < 0) {
    cli_fail(cli, "%s", error);
    return result == PMON_E_IO ? CLI_FAILED : cli_exit_code(result);
  }
  progress_check_space(&progress, free_bytes(o->path), 0);
  interrupt_begin(NULL);
  result = live_open(&live, error, sizeof error, &target.source);
  if (result < 0) {
    cli_fail(cli, "%s", error);
    trace_writer_free(w);
    record_remove(o->path);
    return cli_exit_code(result);
  }
  result = record_program(&progress, &target, w, live.argv[0]);
  record_print_size(cli, o->path, w);
  trace_writer_free(w);
  trace_source_free(target.source); /* after a signal this waits until the program ends */
  if (interrupt_stop.late && interrupt_stop.count == 1)
    cli_note(cli, "%s did not exit within %d s after the signal, and was killed", live.argv[0], LIVE_END_SECONDS);
  return result;
}
