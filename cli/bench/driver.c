/* SPDX-License-Identifier: MIT */
/* `pmon bench-driver`: checks of what any uncore driver must do, on each processor, number of sockets and kernel. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/bench/built_in.h"
#include "cli/bench/cells.h"
#include "cli/bench/child.h"
#include "cli/bench/kernel.h"
#include "cli/bench/matrix.h"
#include "cli/common/paths.h"
#include "cli/vm/baseline.h"
#include "machine/model.h"
#include "vm/file.h"
#include "vm/kind.h"
#include "vm/module.h"

enum {
  CODE_KERNEL = CLI_OPTION_OWN,
  CODE_MODULE,
  CODE_MATRIX,
  CODE_SOCKETS,
  CODE_CHECK,
  CODE_CHECKS,
  CODE_LIST,
  CODE_QEMU,
  CODE_BASELINE,
  CODE_JSON_FILE,
  CODE_JUNIT,
  CODE_ARTIFACTS,
  CODE_TIMEOUT,
  CODE_GDB,
  CODE_SNAPSHOT,
  KERNELS_MOST = 16,
  PLATFORMS_MOST = 4,
  CELLS_MOST = KERNELS_MOST * PLATFORMS_MOST * BENCH_SOCKETS,
  RUNNING = 2 /* processors of each socket: a check takes one of them offline */
};

struct bench_driver {
  struct cli *cli;
  struct bench_run run;
  struct bench_matrix matrix;
  struct bench_suite suite[BENCH_BUILT_IN];
  bool wanted[BENCH_BUILT_IN], loaded[BENCH_BUILT_IN];
  unsigned sockets; /* 0: not given */
  bool all, list;
  const char *kernel[KERNELS_MOST];
  char *path[KERNELS_MOST]; /* unpacked */
  unsigned n_kernels;
  const char *module, *checks, *json, *junit, *artifacts, *snapshot;
  char folder[PATH_MAX];
  struct bench_cell cell[CELLS_MOST];
  unsigned n_cells;
};

/* Whether guests of the platform need a QEMU with pmon's devices: functions of PCI Express (vm/qemu/pmon.patch). */
static bool bench_needs_qemu(unsigned platform)
{
  return guest_kind_named(bench_built_in[platform].platform)->express;
}

static int bench_take_platform(struct bench_driver *b, const char *name)
{
  char names[80];
  for (unsigned i = 0; i < BENCH_BUILT_IN; i++)
    if (!strcmp(bench_built_in[i].platform, name)) {
      b->wanted[i] = true;
      return CLI_DONE;
    }
  model_names(MODELS_FOR_GUESTS, names, sizeof names);
  return cli_fail(b->cli, "-p %s: no guest can run on this platform; use -p %s", name, names);
}

static int bench_read_number(struct cli *cli, const char *option, const char *text, unsigned most, unsigned *ret)
{
  char expected[40], *end;
  const unsigned long number = strtoul(text, &end, 10);
  snprintf(expected, sizeof expected, "a number from 1 to %u", most);
  if (*end || *text == '-' || !number || number > most)
    return cli_fail_value(cli, option, text, expected);
  *ret = (unsigned)number;
  return CLI_DONE;
}

static int bench_take_option(struct bench_driver *b, int code, const char *value)
{
  unsigned number;
  switch (code) {
  case 'p': return bench_take_platform(b, value);
  case 'j': return bench_read_number(b->cli, "-j", value, CELLS_MOST, &b->run.jobs);
  case CODE_KERNEL:
    if (b->n_kernels == KERNELS_MOST)
      return cli_fail(b->cli, "--kernel %s: more than %d kernels; name fewer", value, KERNELS_MOST);
    b->kernel[b->n_kernels++] = value;
    break;
  case CODE_MODULE: b->module = value; break;
  case CODE_MATRIX: b->all = true; break;
  case CODE_SOCKETS: return bench_read_number(b->cli, "--sockets", value, BENCH_SOCKETS, &b->sockets);
  case CODE_CHECK: b->run.only = value; break;
  case CODE_CHECKS: b->checks = value; break;
  case CODE_LIST: b->list = true; break;
  case CODE_QEMU: b->run.qemu = value; break;
  case CODE_BASELINE: b->run.baseline = value; break;
  case CODE_JSON_FILE: b->json = value; break;
  case CODE_JUNIT: b->junit = value; break;
  case CODE_ARTIFACTS:
    b->artifacts = value;
    b->run.log = true;
    break;
  case CODE_TIMEOUT: b->run.timeout = value; return bench_read_number(b->cli, "--timeout", value, 86400, &number);
  case CODE_SNAPSHOT: b->snapshot = value; break;
  case CODE_GDB: b->run.gdb = value; return bench_read_number(b->cli, "--gdb", value, 65535, &number);
  default: return CLI_USAGE;
  }
  return CLI_DONE;
}

/* Loads the suite of a platform: the built-in checks, and the user's file. */
static int bench_load(struct bench_driver *b, unsigned i)
{
  struct bench_suite *s = &b->suite[i];
  struct file file = {.n = 0};
  b->cli->platform_name = bench_built_in[i].platform;
  b->cli->platform = NULL;
  if (!cli_platform(b->cli))
    return CLI_USAGE;
  int result = suite_parse(b->cli, bench_built_in[i].platform, bench_built_in[i].checks, s);
  if (result == CLI_DONE)
    result = suite_add_events(b->cli, s);
  if (result != CLI_DONE || !b->checks)
    return result;
  if (!file_read(b->checks, &file))
    return cli_fail(b->cli, "%s: %s", b->checks, file_read_error(errno));
  char *text = strndup(file.n ? (const char *)file.bytes : "", file.n);
  result = text ? suite_parse(b->cli, b->checks, text, s) : cli_fail_memory(b->cli);
  file_free(&file);
  free(text);
  return result;
}

/* Checks that each name of --check is a check of one of the suites. */
static int bench_check_names(const struct bench_driver *b)
{
  const struct bench_shape any = {UINT16_MAX, UINT16_MAX};
  char name[80];
  for (const char *at = b->run.only; at && *at; at += strcspn(at, ","), at += *at == ',') {
    bool known = false;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
    for (unsigned i = 0; i < BENCH_BUILT_IN; i++)
      for (unsigned k = 0; k < b->suite[i].n_checks; k++)
        known = known || suite_has(&b->suite[i], k, &any, name);
    if (!known)
      return cli_fail(b->cli, "--check %s: no such check; `pmon bench-driver --list` lists them", name);
  }
  return CLI_DONE;
}

/* Checks that a user's baseline can be read. */
static int bench_check_baseline(const struct bench_driver *b)
{
  struct baseline baseline;
  int result = path_check_read(b->cli, "--baseline", b->run.baseline);
  if (result != CLI_DONE || !b->run.baseline)
    return result;
  result = baseline_load(b->cli, b->run.baseline, &baseline);
  baseline_free(&baseline);
  return result;
}

/* Checks that the driver is a module for the kernel of that release; NULL: for any kernel. */
static int bench_check_module(const struct bench_driver *b, const char *release)
{
  char error[512];
  return b->module && module_check(b->module, release, error, sizeof error) ? cli_fail(b->cli, "%s", error) : CLI_DONE;
}

/* Checks the named files first, before the guests, which take minutes. */
static int bench_check_files(const struct bench_driver *b)
{
  int result = CLI_DONE;
  for (unsigned i = 0; i < b->n_kernels && result == CLI_DONE; i++)
    result = bench_kernel_check(b->cli, b->kernel[i]);
  if (result == CLI_DONE)
    result = bench_check_module(b, NULL);
  if (result == CLI_DONE)
    result = path_check_read(b->cli, "--checks", b->checks);
  if (result == CLI_DONE)
    result = bench_check_baseline(b);
  if (result == CLI_DONE)
    result = path_check_write(b->cli, "--json", b->json);
  return result == CLI_DONE ? path_check_write(b->cli, "--junit", b->junit) : result;
}

static int bench_select(struct bench_driver *b)
{
  bool any = false;
  for (unsigned i = 0; i < BENCH_BUILT_IN; i++)
    any = any || b->wanted[i];
  for (unsigned i = 0; i < BENCH_BUILT_IN && !any; i++)
    b->wanted[i] =
        b->all ? !bench_needs_qemu(i) || b->run.qemu : !strcmp(bench_built_in[i].platform, GUEST_DEFAULT_MODEL);
  int result = CLI_DONE;
  for (unsigned i = 0; i < BENCH_BUILT_IN && result == CLI_DONE; i++) {
    if (b->wanted[i] && bench_needs_qemu(i) && !b->run.qemu && !b->list)
      return cli_fail(b->cli,
                      "-p %s: guests of this platform need a QEMU built by vm/qemu/build.sh; add --qemu PROGRAM",
                      bench_built_in[i].platform);
    if (b->wanted[i])
      result = bench_load(b, i);
  }
  return result == CLI_DONE ? bench_check_names(b) : result;
}

static int bench_add_cell(struct bench_driver *b, unsigned platform, unsigned sockets, unsigned kernel)
{
  struct bench_cell *c = &b->cell[b->n_cells];
  const char *path = b->n_kernels ? b->path[kernel] : NULL;
  const struct guest_kind *kind = guest_kind_named(bench_built_in[platform].platform);
  *c = (struct bench_cell){.platform = bench_built_in[platform].platform,
                           .kernel = path,
                           .module = b->module,
                           .known = bench_built_in[platform].baseline,
                           .label = b->n_kernels ? b->kernel[kernel] : "default",
                           .snapshot = b->snapshot,
                           .removed = !b->artifacts,
                           .suite = &b->suite[platform],
                           .shape = {sockets, RUNNING}};
  c->all_processors = guest_kind_processors(kind, bench_kernel_release(path), RUNNING + 1) > 1;
  snprintf(c->folder, sizeof c->folder, "%s/cell-%u", b->folder, b->n_cells + 1);
  c->check = calloc(c->suite->n_checks + 1, sizeof *c->check);
  b->n_cells++;
  return c->check ? CLI_DONE : cli_fail_memory(b->cli);
}

static int bench_add_cells(struct bench_driver *b)
{
  int result = CLI_DONE;
  const unsigned from = b->sockets ? b->sockets : 1, to = b->sockets ? b->sockets : b->all ? BENCH_SOCKETS : 1;
  for (unsigned i = 0; i < b->n_kernels && result == CLI_DONE; i++) {
    char folder[PATH_MAX + 32];
    snprintf(folder, sizeof folder, "%s/kernel-%u", b->folder, i + 1);
    result = bench_kernel_open(b->cli, b->kernel[i], folder, &b->path[i]);
    if (result == CLI_DONE && *bench_kernel_release(b->path[i]))
      result = bench_check_module(b, bench_kernel_release(b->path[i]));
  }
  for (unsigned p = 0; p < BENCH_BUILT_IN; p++)
    for (unsigned s = from; b->wanted[p] && s <= to; s++)
      for (unsigned k = 0; result == CLI_DONE && k < (b->n_kernels ? b->n_kernels : 1); k++)
        result = bench_add_cell(b, p, s, k);
  return result;
}

static int bench_report(struct bench_driver *b)
{
  bool passed = true;
  b->matrix =
      (struct bench_matrix){b->cell, b->n_cells, b->module, b->run.qemu, b->checks, b->run.baseline, b->run.only};
  matrix_write_text(&b->matrix, &b->cli->out);
  for (unsigned i = 0; i < b->n_cells; i++)
    passed = passed && !b->cell[i].n_failures;
  int result = b->json ? folder_save(b->cli, b->json, matrix_write_json, &b->matrix) : CLI_DONE;
  if (result == CLI_DONE && b->junit)
    result = folder_save(b->cli, b->junit, matrix_write_junit, &b->matrix);
  if (result != CLI_DONE)
    return result;
  return passed ? CLI_DONE : CLI_FAILED;
}

static void bench_list(struct bench_driver *b)
{
  struct out *out = &b->cli->out;
  char text[400];
  for (unsigned i = 0; i < BENCH_BUILT_IN; i++)
    for (unsigned k = 0; b->wanted[i] && k < b->suite[i].n_checks; k++) {
      const struct bench_check *c = &b->suite[i].check[k];
      const int at = snprintf(text, sizeof text, "%s  %-16s ", bench_built_in[i].platform, c->name);
      out_text(out, text);
      out_wrapped_format(out, (size_t)at, cli_width(), "%s%s", c->brief, c->sockets > 1 ? " (two sockets)" : "");
    }
}

static int bench_run_cells(struct bench_driver *b)
{
  struct child_watch watch;
  /* Without the folder, `pmon vm` would use the name as a file, which all guests would replace. */
  int result = b->snapshot ? folder_make(b->cli, "--snapshot", b->snapshot) : CLI_DONE;
  if (result != CLI_DONE)
    return result;
  child_watch(&watch); /* before there is a folder to remove */
  result = folder_open(b->cli, b->artifacts, b->folder);
  const bool opened = result == CLI_DONE;
  if (opened)
    result = bench_add_cells(b);
  if (result == CLI_DONE && b->run.gdb && b->n_cells > 1)
    result = cli_fail(b->cli, "--gdb: only with a single guest; add -p, --sockets, and one --kernel");
  if (result == CLI_DONE)
    result = cells_run(&b->run, &watch, b->cell, b->n_cells);
  if (result == CLI_DONE)
    result = bench_report(b);
  if (opened && !b->artifacts)
    folder_remove(b->folder);
  child_unwatch(&watch);
  return result;
}

static int bench_read_options(struct bench_driver *b, int argc, char **argv)
{
  int c, result = CLI_DONE;
  optind = 0;
  if (b->cli->platform_name)
    result = bench_take_platform(b, b->cli->platform_name);
  while (result == CLI_DONE && (c = cli_getopt(b->cli, argc, argv)) != -1) {
    if (c == 'h') {
      cli_help(b->cli);
      return -1;
    }
    result = bench_take_option(b, c, optarg);
  }
  return result == CLI_DONE && optind < argc ? cli_fail_unexpected(b->cli, argv[optind]) : result;
}

static int run_bench_driver(struct cli *cli, int argc, char **argv)
{
  struct bench_driver *b = calloc(1, sizeof *b);
  if (!b)
    return cli_fail_memory(cli);
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  b->cli = cli;
  b->run = (struct bench_run){.cli = cli, .jobs = processors > 0 && processors < CELLS_MOST ? (unsigned)processors : 1};
  int result = bench_read_options(b, argc, argv);
  if (result == CLI_DONE)
    result = bench_check_files(b);
  if (result == CLI_DONE)
    result = bench_select(b);
  if (result == CLI_DONE && b->list)
    bench_list(b);
  else if (result == CLI_DONE)
    result = bench_run_cells(b);
  for (unsigned i = 0; i < b->n_cells; i++)
    cell_free(&b->cell[i]);
  for (unsigned i = 0; i < b->n_kernels; i++)
    free(b->path[i]);
  for (unsigned i = 0; i < BENCH_BUILT_IN; i++)
    suite_free(&b->suite[i]);
  free(b);
  return result < 0 ? CLI_DONE : result;
}

static const struct cli_option bench_driver_options[] = {
    CLI_FLAG("matrix", CODE_MATRIX,
             "test each kernel on every processor and number of sockets, unless -p or --sockets restricts them"),
    {"kernel", CODE_KERNEL, "TREE|DEB|FILE",
     "a kernel build folder, a Debian kernel package, or a bzImage; may be repeated", CLI_FILE, NULL},
    {"module", CODE_MODULE, "FILE", "an uncore driver (intel-uncore.ko) to use instead of the kernel's", CLI_FILE,
     NULL},
    {"sockets", CODE_SOCKETS, "N", "1 (default) or 2", CLI_TEXT, NULL},
    {"jobs", 'j', "N",
     "guests to run in parallel (default: one for each processor of this host); each takes 1 GB of memory", CLI_TEXT,
     NULL},
    {"check", CODE_CHECK, "LIST", "only these checks, separated by commas", CLI_TEXT, NULL},
    {"checks", CODE_CHECKS, "FILE", "user-supplied checks, in addition", CLI_FILE, NULL},
    CLI_FLAG("list", CODE_LIST, "print the checks"),
    {"baseline", CODE_BASELINE, "FILE", "known violations (default: those of Linux 6.1's driver)", CLI_FILE, NULL},
    {"json", CODE_JSON_FILE, "FILE", "write the matrix to FILE", CLI_NEW_FILE, NULL},
    {"junit", CODE_JUNIT, "FILE", "write the matrix to FILE as a JUnit report", CLI_NEW_FILE, NULL},
    {"artifacts", CODE_ARTIFACTS, "DIR", "save each guest's script, scenario, output, report and accesses in DIR",
     CLI_NEW_FILE, NULL},
    {"timeout", CODE_TIMEOUT, "SECONDS", "time limit of each guest (default 300)", CLI_TEXT, NULL},
    {"snapshot", CODE_SNAPSHOT, "DIR",
     "start from guest snapshots in DIR, taken after the boot; DIR is created if it does not exist (needs --qemu)",
     CLI_FILE, NULL},
    {"gdb", CODE_GDB, "PORT", "let a debugger attach to the guest's kernel at this TCP port", CLI_TEXT, NULL},
    {"qemu", CODE_QEMU, "PROGRAM",
     "QEMU to use (default: qemu-system-x86_64); -p emr and spr need one built by vm/qemu/build.sh", CLI_FILE, NULL},
    CLI_OPTION_END,
};

const struct cli_command bench_driver_command = {
    .name = "bench-driver",
    .arguments = "",
    .brief = "check an uncore driver in guests on the emulated machine",
    .run = run_bench_driver,
    .platform = GUEST_DEFAULT_MODEL,
    .options = {{bench_driver_options, NULL}, {NULL, NULL}},
    .notes = "Exit status: 0 all checks passed, 1 a check failed, 2 usage error.\n"
             "Example: pmon bench-driver --matrix --kernel linux-6.1.deb --module my.ko\n",
};
