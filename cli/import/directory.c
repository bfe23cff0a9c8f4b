/* SPDX-License-Identifier: MIT */
/*
 * Imports a directory with the structure of Intel's perfmon repository: mapfile.csv lists the files of each processor,
 * which become one platform. The files contain no register addresses: the units are counted through Linux perf.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include "cli/import/import.h"

enum { MOST_PROCESSORS = 256, MOST_FILES = 32, LINE = 1024 };

/* On these processors a package can have more than 64 instances of a unit; they are counted as one sum. */
static const char *const wide_units[] = {"cha", "chacms", "mdf", NULL};
static const char *const wide_processors[] = {"GNR", "SRF", "CWF"};

struct processor {
  char folder[32]; /* in the directory */
  char cpus[1024]; /* their lines in a platform file */
  struct {
    char path[256]; /* relative to the directory */
    char type[32];
  } files[MOST_FILES];
  size_t n_files;
  bool host;
};

struct mapfile {
  struct processor *all;
  size_t n;
};

/* The numbers of an imported platform. */
struct outcome {
  size_t rows, omitted, metrics, usable_metrics;
  int unread; /* not 0 if a file could not be read */
};

/* Parses `GenuineIntel-6-55-[56789ABCDEF]`: the family is decimal, model and steppings are hexadecimal digits. */
static bool parse_cpu(const char *text, struct pmon_cpu *ret_cpu, uint32_t *ret_steppings)
{
  char vendor[16];
  unsigned family, model;
  int n = 0;
  if (sscanf(text, "%15[A-Za-z]-%u-%x%n", vendor, &family, &model, &n) != 3)
    return false;
  *ret_cpu = (struct pmon_cpu){.signature = {family, model, 0}};
  snprintf(ret_cpu->vendor, sizeof ret_cpu->vendor, "%.12s", vendor);
  *ret_steppings = text[n] == '-' ? 0 : 0xffff;
  for (const char *c = text + n; *c; c++)
    if (isxdigit((unsigned char)*c))
      *ret_steppings |= UINT32_C(1) << (isdigit((unsigned char)*c) ? *c - '0' : tolower((unsigned char)*c) - 'a' + 10);
  return true;
}

/* Adds the runs of steppings that no known platform has. */
static void add_cpu(struct cli *cli, struct processor *p, const struct pmon_cpu *cpu, uint32_t steppings)
{
  const struct pmon_platform *known;
  for (unsigned lo = 0, hi; lo < 16; lo = hi + 1) {
    const uint32_t signature[3] = {cpu->signature[0], cpu->signature[1], lo};
    hi = lo;
    if (!(steppings >> lo & 1) || !pmon_platform_find_cpu(cli->context, cpu->vendor, signature, &known))
      continue;
    while (hi < 15 && steppings >> (hi + 1) & 1)
      hi++;
    char line[80];
    snprintf(line, sizeof line, "cpu %s %u 0x%x %u-%u\n", cpu->vendor, cpu->signature[0], cpu->signature[1], lo, hi);
    const size_t n = strlen(p->cpus);
    if (!strstr(p->cpus, line) && n + strlen(line) < sizeof p->cpus)
      memcpy(p->cpus + n, line, strlen(line) + 1);
  }
}

static struct processor *find_processor(struct mapfile *map, const char *folder)
{
  for (size_t i = 0; i < map->n; i++)
    if (!strcmp(map->all[i].folder, folder))
      return &map->all[i];
  if (map->n == MOST_PROCESSORS || strlen(folder) >= sizeof map->all->folder)
    return NULL;
  struct processor *p = &map->all[map->n++];
  *p = (struct processor){0};
  memcpy(p->folder, folder, strlen(folder) + 1);
  return p;
}

static bool has_file(const struct processor *p, const char *path)
{
  for (size_t i = 0; i < p->n_files; i++)
    if (!strcmp(p->files[i].path, path))
      return true;
  return false;
}

/* Reads `CPU,VERSION,/FOLDER/...,TYPE,...`. Offcore matrices and weights of instructions are not events. */
static void read_line(struct cli *cli, struct mapfile *map, char *line, const struct pmon_cpu *host)
{
  char *rest = line, *cpu_text = strsep(&rest, ","), *version = strsep(&rest, ","), *path = strsep(&rest, ","),
       *type = strsep(&rest, ",\r\n");
  struct pmon_cpu cpu;
  uint32_t steppings;
  if (!version || !path || !type || *path != '/' || !parse_cpu(cpu_text, &cpu, &steppings))
    return;
  const size_t n = strcspn(path + 1, "/");
  char folder[64];
  snprintf(folder, sizeof folder, "%.*s", (int)(n < sizeof folder ? n : sizeof folder - 1), path + 1);
  struct processor *p = find_processor(map, folder);
  if (!p)
    return;
  add_cpu(cli, p, &cpu, steppings);
  p->host = p->host || (host && !strcmp(host->vendor, cpu.vendor) && host->signature[0] == cpu.signature[0] &&
                        host->signature[1] == cpu.signature[1] && steppings >> (host->signature[2] & 15) & 1);
  const bool used = strcmp(type, "offcore") != 0 && strcmp(type, "fp_arith_inst") != 0;
  if (used && !has_file(p, path) && p->n_files < MOST_FILES && strlen(path) < sizeof p->files->path) {
    memcpy(p->files[p->n_files].path, path, strlen(path) + 1);
    snprintf(p->files[p->n_files++].type, sizeof p->files->type, "%s", type);
  }
}

static int read_mapfile(struct cli *cli, const struct import_directory *d, struct mapfile *map)
{
  char path[4096], line[LINE];
  struct pmon_cpu host = cli->root_cpu;
  const bool known = cli->has_root || pmon_cpu_read(&host);
  if (d->host && !known)
    return cli_fail(cli, "--host: the processor of this host cannot be identified");
  snprintf(path, sizeof path, "%.4000s/mapfile.csv", d->path);
  FILE *f = fopen(path, "re");
  if (!f) {
    cli_fail(cli, "%s: %s; expected a directory with this file, such as Intel's perfmon repository", path,
             strerror(errno));
    return CLI_USAGE;
  }
  while (fgets(line, sizeof line, f))
    read_line(cli, map, line, known ? &host : NULL);
  fclose(f);
  return map->n ? CLI_DONE : cli_fail(cli, "%s: no line names an event file of a processor", path);
}

/* Whether the processor is a server: those have home agents, or caching and home agents. The first servers had no files
 * of the uncore, and are recognized by their folders. */
static bool is_server(const struct import *im, const char *folder)
{
  const char *dash = strchr(folder, '-');
  for (size_t i = 0; i < im->n_rows; i++)
    if (!strcmp(im->rows[i].e.unit, "CHA") || !strcmp(im->rows[i].e.unit, "HA"))
      return true;
  return dash && (!strncmp(dash, "-EP", 3) || !strncmp(dash, "-EX", 3));
}

static bool is_metrics(const char *type)
{
  return !strcmp(type, "metrics");
}

/* Adds Intel's metrics, and perf's metrics beside them, which the mapfile does not list. */
static int add_metric_files(struct import *im, const char *path)
{
  char perf[4400], *dot;
  const char *slash = strrchr(path, '/');
  const size_t n = (size_t)(slash - path);
  struct stat st;
  int result = import_metrics_add(im, path);
  snprintf(perf, sizeof perf, "%.*s/perf%s", (int)n, path, slash);
  if ((dot = strstr(perf + n, ".json")))
    snprintf(dot, sizeof perf - (size_t)(dot - perf), "_perf.json");
  if (!result && !stat(perf, &st))
    result = import_metrics_add(im, perf);
  return result;
}

/* Reads the files of the uncore, or the other files. A file that cannot be read is reported, and the others are used.
 * Returns an exit code. */
static int add_files(struct import *im, const struct import_directory *d, const struct processor *p, bool uncore)
{
  char path[4400];
  int worst = CLI_DONE;
  for (size_t i = 0; i < p->n_files; i++) {
    const char *type = p->files[i].type;
    if ((strncmp(type, "uncore", 6) == 0) != uncore)
      continue;
    snprintf(path, sizeof path, "%.4000s%s", d->path, p->files[i].path);
    const int result = is_metrics(type)                      ? add_metric_files(im, path)
                       : strcmp(type, "retire latency") == 0 ? import_latencies_add(im, path)
                                                             : import_add_file(im, path);
    worst = result ? result : worst;
  }
  return worst;
}

static bool is_processor(const char *folder, const char *const *list, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (!strcasecmp(list[i], folder))
      return true;
  return false;
}

/* Makes the platform's name from the folder, with a suffix if a platform of that name exists. */
static void name_platform(struct cli *cli, const struct processor *p, char *name, size_t size)
{
  const struct pmon_platform *known;
  snprintf(name, size, "%s", p->folder);
  for (char *c = name; *c; c++)
    *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '_';
  if (pmon_platform_find(cli->context, name, &known) == PMON_OK)
    snprintf(name + strlen(name), size - strlen(name), "_events");
}

/* Returns CLI_DONE with *ret filled, -1 if the processor is not a server's, or an exit code after an error. */
static int import_processor(struct cli *cli, const struct import_directory *d, const struct processor *p,
                            const char *folder, struct outcome *ret)
{
  char name[64], title[160], path[4400];
  name_platform(cli, p, name, sizeof name);
  snprintf(title, sizeof title, "%s, events of Intel's files, %s", p->folder,
           d->as ? "registers of a discovery page" : "counted through Linux perf");
  struct import im = {.cli = cli,
                      .path = p->folder,
                      .source = p->folder,
                      .name = d->name ? d->name : name,
                      .title = title,
                      .cpus = p->cpus,
                      .folder = p->folder};
  const size_t n_wide = sizeof wide_processors / sizeof *wide_processors;
  im.wide = is_processor(p->folder, wide_processors, n_wide) ? wide_units : NULL;
  snprintf(path, sizeof path, "%s%s.omitted", folder, im.name);
  im.omitted = fopen(path, "we");
  int result = im.omitted ? CLI_DONE : cli_fail(cli, "%s: %s", path, strerror(errno));
  if (!result)
    ret->unread = add_files(&im, d, p, true);
  if (!result && !d->only && !d->host && !is_server(&im, p->folder))
    result = -1;
  if (!result)
    ret->unread = ret->unread | add_files(&im, d, p, false);
  if (!result && d->as)
    result = import_load_base(&im, d->as);
  if (!result && !im.n_rows)
    result = cli_fail(cli, "%s: its files contain no events", p->folder);
  if (!result)
    result = import_finish(&im, folder);
  ret->rows = im.n_rows - im.n_added;
  ret->omitted = im.left_out;
  ret->metrics = import_metrics_count(im.metrics, &ret->usable_metrics);
  if (im.omitted)
    fclose(im.omitted);
  if (result || !(ret->omitted + ret->metrics - ret->usable_metrics))
    remove(path);
  import_free(&im);
  if (result)
    return result;
  snprintf(path, sizeof path, "%s%s.platform", folder, d->name ? d->name : name);
  return pmon_context_load(cli->context, path) == PMON_OK ? CLI_DONE : cli_fail_context(cli, NULL);
}

static int make_folders(struct cli *cli, const char *folder)
{
  char path[4096];
  for (const char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    snprintf(path, sizeof path, "%.*s", (int)(slash - folder), folder);
    if (mkdir(path, 0777) && errno != EEXIST)
      return cli_fail(cli, "%s: %s", path, strerror(errno)), CLI_FAILED;
  }
  return CLI_DONE;
}

static int run_all(struct cli *cli, const struct import_directory *d, const struct mapfile *map, const char *folder)
{
  int worst = CLI_DONE;
  size_t done = 0;
  for (size_t i = 0; i < map->n; i++) {
    const struct processor *p = &map->all[i];
    struct outcome o = {0};
    if ((d->only && strcasecmp(d->only, p->folder)) || (d->host && !p->host))
      continue;
    const int result = import_processor(cli, d, p, folder, &o);
    if (result > 0)
      worst = result;
    if (result)
      continue;
    if (o.unread)
      worst = CLI_FAILED;
    char name[64];
    struct pmon_platform_info info = {.size = sizeof info};
    pmon_platform_describe(pmon_platform_get(cli->context, 0), &info);
    snprintf(name, sizeof name, "%s", info.name);
    if (!done++)
      printf("%-16s %8s %8s %8s %8s %8s\n", "platform", "events", "usable", "omitted", "metrics", "usable");
    printf("%-16s %8zu %8zu %8zu %8zu %8zu\n", name, o.rows, o.rows - o.omitted, o.omitted, o.metrics,
           o.usable_metrics);
  }
  if (!done && worst == CLI_DONE)
    return d->host
               ? cli_fail(cli, "%s/mapfile.csv: no line for this host's processor", d->path)
               : cli_fail(cli, "%s/mapfile.csv: no line with a folder %s", d->path, d->only ? d->only : "of a server");
  if (done) {
    fflush(stdout);
    out_wrapped_format(&cli->out, 0, cli_width(),
                       "written to %s, with NAME.omitted for what is omitted, and why; use a platform with pmon -p "
                       "%sNAME%s",
                       folder, d->output ? folder : "", d->output ? ".platform" : "");
  }
  return worst;
}

int import_run_directory(struct cli *cli, const struct import_directory *d)
{
  char folder[4096];
  struct mapfile map = {.all = calloc(MOST_PROCESSORS, sizeof *map.all)};
  int result = map.all ? CLI_DONE : cli_fail_memory(cli);
  if (!result && d->name && !d->only && !d->host)
    result = cli_fail(cli, "--name requires --only or --host, which make one platform");
  if (!result && d->as && ((!d->only && !d->host) || !import_is_file(d->as)))
    result =
        cli_fail(cli, "--as: for a directory, it requires --only or --host, and a FILE.platform of pmon discover -o");
  const size_t n = d->output ? strlen(d->output) : 0;
  if (!result && n > 9 && !strcmp(d->output + n - 9, ".platform"))
    result = cli_fail(cli, "-o %s: a directory makes a folder of platforms; add -o FOLDER, and --name for the name",
                      d->output);
  if (!result && n)
    snprintf(folder, sizeof folder, "%.4000s%s", d->output, d->output[n - 1] == '/' ? "" : "/");
  else if (!result && !cli_platform_folder(folder, sizeof folder))
    result = cli_fail(cli, "neither XDG_DATA_HOME nor HOME is set; add -o FOLDER");
  if (!result)
    result = read_mapfile(cli, d, &map);
  if (!result)
    result = make_folders(cli, folder);
  if (!result)
    result = run_all(cli, d, &map, folder);
  free(map.all);
  return result;
}
