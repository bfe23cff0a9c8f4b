/* SPDX-License-Identifier: MIT */
#include "cli/bench/cells.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include "cli/bench/child.h"

enum { ARGUMENTS = 40, CELL_PATH = PATH_MAX + 64 };

/* The argument of the functions that write a cell's files. */
struct cell_writer {
  const struct bench_run *run;
  const struct bench_cell *cell;
};

static double cells_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void cell_write_scenario(const void *user, struct out *out)
{
  const struct cell_writer *w = user;
  suite_write_scenario(w->cell->suite, w->cell->platform, out);
}

static void cell_write_script(const void *user, struct out *out)
{
  const struct cell_writer *w = user;
  suite_write_script(w->cell->suite, &w->cell->shape, w->run->only, out);
}

static void cell_write_baseline(const void *user, struct out *out)
{
  const struct cell_writer *w = user;
  out_text(out, w->cell->known);
}

static const char *cell_path(const struct bench_cell *c, const char *name, char path[CELL_PATH])
{
  snprintf(path, CELL_PATH, "%s/%s", c->folder, name);
  return path;
}

/* Starts `pmon vm` for the cell. */
static pid_t cell_spawn(const struct bench_run *r, const struct bench_cell *c)
{
  char scenario[CELL_PATH], script[CELL_PATH], baseline[CELL_PATH], output[CELL_PATH], report[CELL_PATH];
  char log[CELL_PATH];
  char sockets[12], processors[12];
  const char *argv[ARGUMENTS] = {"pmon", "-p", c->platform, "vm"};
  unsigned n = 4;
  const struct {
    const char *option, *value;
  } options[] = {{"--qemu", r->qemu},
                 {"--kernel", c->kernel},
                 {"--module", c->module},
                 {"--timeout", r->timeout},
                 {"--gdb", r->gdb},
                 {"--snapshot", c->snapshot},
                 {"--log", r->log ? cell_path(c, "accesses", log) : NULL},
                 {"--baseline", r->baseline ? r->baseline : cell_path(c, "baseline", baseline)},
                 {"--scenario", cell_path(c, "scenario", scenario)},
                 {"--sockets", sockets},
                 {"--processors", c->all_processors ? NULL : processors},
                 {"--with", cell_path(c, "script", script)}};
  snprintf(sockets, sizeof sockets, "%u", c->shape.sockets);
  snprintf(processors, sizeof processors, "%u", c->shape.processors);
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    if (options[i].value) {
      argv[n++] = options[i].option;
      argv[n++] = options[i].value;
    }
  argv[n++] = "--";
  argv[n++] = "sh";
  argv[n++] = script;
  return child_start(argv, cell_path(c, "output", output), cell_path(c, "report", report));
}

static int cell_start(const struct bench_run *r, struct bench_cell *c)
{
  static const struct {
    const char *name;
    void (*write)(const void *user, struct out *out);
  } files[] = {{"scenario", cell_write_scenario}, {"script", cell_write_script}, {"baseline", cell_write_baseline}};
  const struct cell_writer writer = {r, c};
  char path[CELL_PATH];
  if (mkdir(c->folder, 0777) && errno != EEXIST)
    return cli_fail(r->cli, "%s: %s", c->folder, strerror(errno));
  int result = CLI_DONE;
  for (size_t i = 0; i < sizeof files / sizeof *files && result == CLI_DONE; i++)
    result = folder_save(r->cli, cell_path(c, files[i].name, path), files[i].write, &writer);
  if (result != CLI_DONE)
    return result;
  c->started = cells_now();
  c->pid = cell_spawn(r, c);
  if (c->pid > 0)
    return CLI_DONE;
  c->pid = 0;
  return cli_fail(r->cli, "no process for a guest: %s", strerror(errno));
}

static int cell_read(const struct bench_run *r, struct bench_cell *c)
{
  char path[CELL_PATH];
  char *output = folder_read(cell_path(c, "output", path)), *report = folder_read(cell_path(c, "report", path));
  const bool good = output && report && cell_judge(c, output, report, r->only);
  free(output);
  free(report);
  return good ? CLI_DONE : cli_fail_memory(r->cli);
}

/* Waits until one of the guests ends, and reads its results. */
static int cells_wait(const struct bench_run *r, struct child_watch *w, struct bench_cell *cell, unsigned n)
{
  int status = 0;
  const pid_t ended = child_wait(w, &status);
  for (unsigned i = 0; ended > 0 && i < n; i++) {
    struct bench_cell *c = &cell[i];
    if (c->pid != ended)
      continue;
    c->pid = 0;
    c->seconds = cells_now() - c->started;
    c->exit_code = child_exit_code(status);
    const int result = cell_read(r, c);
    cli_print_error("%s, %u socket%s, kernel %s: %s after %.0f s\n", c->platform, c->shape.sockets,
                    c->shape.sockets > 1 ? "s" : "", c->label, c->n_failures ? "FAILED" : "passed", c->seconds);
    return result;
  }
  return ended < 0 ? cli_fail(r->cli, "waiting for a guest: %s", w->ended_by ? "interrupted" : strerror(errno))
                   : CLI_DONE;
}

static int cells_run_all(const struct bench_run *r, struct child_watch *w, struct bench_cell *cell, unsigned n)
{
  unsigned next = 0, running = 0;
  int result = CLI_DONE;
  while (result == CLI_DONE && (running || next < n)) {
    result = next < n && running < r->jobs ? cell_start(r, &cell[next++]) : cells_wait(r, w, cell, n);
    running = 0;
    for (unsigned i = 0; i < n; i++)
      running += cell[i].pid > 0;
  }
  return result;
}

int cells_run(const struct bench_run *r, struct child_watch *w, struct bench_cell *cell, unsigned n)
{
  pid_t *const pid = calloc(n + 1, sizeof *pid);
  if (!pid)
    return cli_fail_memory(r->cli);
  const int result = cells_run_all(r, w, cell, n);
  for (unsigned i = 0; i < n; i++)
    pid[i] = cell[i].pid;
  children_end(pid, n);
  free(pid);
  return result;
}
