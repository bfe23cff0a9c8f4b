/* SPDX-License-Identifier: MIT */
/* Resolves -p: a platform's name, a user-supplied file, a platform with additional files, or this host's. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "cli/common/cli.h"
#include "machine/model.h"

static bool ends_in(const char *name, const char *suffix)
{
  size_t n = strlen(name), k = strlen(suffix);
  return n >= k && !strcmp(name + n - k, suffix);
}

/* Whether it is a file; the name of a platform has neither slashes nor a suffix. */
static bool is_platform_file(const char *name)
{
  return strchr(name, '/') || ends_in(name, ".platform");
}

static bool is_fact_file(const char *name)
{
  static const char *const suffixes[] = {".met", ".rule", ".evt", ".reg", ".unit"};
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
    if (ends_in(name, suffixes[i]))
      return true;
  return false;
}

bool cli_platform_folder(char *folder, size_t size)
{
  const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
  if (data && *data)
    return snprintf(folder, size, "%s/pmon/platforms/", data) < (int)size;
  return home && *home && snprintf(folder, size, "%s/.local/share/pmon/platforms/", home) < (int)size;
}

/* Returns the folder of the installation's imported platforms: PREFIX/share/pmon/platforms/ for PREFIX/bin/pmon. */
static bool installed_folder(char *folder, size_t size)
{
  char program[512];
  const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
  if (n <= 0)
    return false;
  program[n] = 0;
  for (int parts = 0; parts < 2; parts++) { /* removes bin/pmon */
    char *slash = strrchr(program, '/');
    if (!slash)
      return false;
    *slash = 0;
  }
  return snprintf(folder, size, "%s/share/pmon/platforms/", program) < (int)size;
}

/* Whether a line of a platform file, `cpu VENDOR FAMILY MODEL FIRST-LAST`, matches the processor. */
static bool line_is_cpu(const char *line, const struct pmon_cpu *cpu)
{
  char vendor[16];
  unsigned family, lo = 0, hi = 15;
  int model;
  if (sscanf(line, "cpu %15s %u %i %u-%u", vendor, &family, &model, &lo, &hi) < 3)
    return false;
  return !strcmp(vendor, cpu->vendor) && family == cpu->signature[0] && model == (int)cpu->signature[1] &&
         cpu->signature[2] >= lo && cpu->signature[2] <= hi;
}

static bool file_is_of_cpu(const char *path, const struct pmon_cpu *cpu)
{
  char line[256];
  bool found = false;
  FILE *f = fopen(path, "re");
  while (f && !found && fgets(line, sizeof line, f))
    found = line_is_cpu(line, cpu);
  if (f)
    fclose(f);
  return found;
}

/* Searches a folder for a platform file by the platform's name, or, if `name` is NULL, for the first that matches the
 * processor. */
static bool find_in_folder(const char *folder, const char *name, const struct pmon_cpu *cpu, char *path, size_t size)
{
  struct dirent **entries = NULL;
  const int n = scandir(folder, &entries, NULL, alphasort);
  bool found = false;
  for (int i = 0; i < n; i++) {
    const char *file = entries[i]->d_name;
    const size_t length = strlen(file), suffix = sizeof ".platform" - 1;
    if (!found && ends_in(file, ".platform")) {
      snprintf(path, size, "%s%.250s", folder, file);
      found = name ? strlen(name) == length - suffix && !strncasecmp(name, file, length - suffix)
                   : file_is_of_cpu(path, cpu);
    }
    free(entries[i]);
  }
  free(entries);
  return found;
}

/* Finds the file of an imported platform; user-supplied platforms come before those of the installation. */
static bool find_imported(const char *name, const struct pmon_cpu *cpu, char *path, size_t size)
{
  char folder[600];
  return (cli_platform_folder(folder, sizeof folder) && find_in_folder(folder, name, cpu, path, size)) ||
         (installed_folder(folder, sizeof folder) && find_in_folder(folder, name, cpu, path, size));
}

/* Reports that an older `pmon import` wrote the platform file: what it did not know is missing there. */
static void report_older_import(const struct cli *cli, const char *path)
{
  const char *slash = strrchr(path, '/');
  char line[256] = "";
  unsigned format = 0;
  FILE *f = fopen(path, "re");
  const bool written = f && fgets(line, sizeof line, f) && !strncmp(line, CLI_IMPORT_LINE, sizeof CLI_IMPORT_LINE - 1);
  if (f)
    fclose(f);
  if (!written || (sscanf(line, CLI_IMPORT_LINE ", format %u", &format) == 1 && format >= CLI_IMPORT_FORMAT))
    return;
  cli_warn(cli,
           "%s: an older pmon import wrote it, so that units, events or metrics may be missing; import Intel's "
           "files again: pmon import DIRECTORY -o %.*s",
           path, slash ? (int)(slash - path + 1) : 2, slash ? path : "./");
}

static int load_platform_file(struct cli *cli, const char *path)
{
  const int status = pmon_context_load(cli->context, path);
  if (status == PMON_OK)
    report_older_import(cli, path);
  return status;
}

const char *cli_default_platform(struct cli *cli)
{
  struct pmon_cpu cpu = cli->root_cpu;
  struct pmon_platform_info info = {.size = sizeof info};
  const struct pmon_platform *platform;
  char path[900];
  if (!cli->has_root && !pmon_cpu_read(&cpu))
    return model_default()->name;
  if (pmon_platform_find_cpu(cli->context, cpu.vendor, cpu.signature, &platform) != PMON_OK)
    platform = *cpu.vendor && find_imported(NULL, &cpu, path, sizeof path) && load_platform_file(cli, path) == PMON_OK
                   ? pmon_platform_get(cli->context, 0)
                   : NULL;
  if (!platform)
    return model_default()->name;
  pmon_platform_describe(platform, &info);
  return info.name;
}

/* Loads `NAME,FILE...` or `FILE...`: a platform, compiled in or imported, with user-supplied files. */
static int extend_platform(struct cli *cli, const char *name, const char *files)
{
  char *platform = files > name ? strndup(name, (size_t)(files - name - 1)) : strdup(cli_default_platform(cli));
  char path[900];
  int status = platform ? pmon_context_extend(cli->context, platform, files) : PMON_E_MEMORY;
  if (status == PMON_E_UNKNOWN && find_imported(platform, NULL, path, sizeof path)) {
    status = pmon_context_extend(cli->context, path, files);
    report_older_import(cli, path);
  }
  if (status)
    cli_fail_context(cli, NULL);
  free(platform);
  return status;
}

bool cli_platform_is_user_supplied(const struct cli *cli)
{
  return cli->platform_name && strpbrk(cli->platform_name, "./,");
}

/* Whether the unit's addresses are those of the kernel's resctrl, which are known on each processor. */
static bool unit_is_of_resctrl(const struct pmon_platform *platform, uint32_t unit)
{
  const struct pmon_register_id id = {.unit = unit};
  struct pmon_address a;
  return !pmon_register_address(platform, &id, &a) && a.space == PMON_SPACE_RESCTRL;
}

bool cli_platform_is_perf_only(struct cli *cli)
{
  struct pmon_unit_info unit = {.size = sizeof unit};
  bool any = false;
  for (uint32_t i = 0; cli_platform(cli) && pmon_unit_describe(cli->platform, i, &unit) == PMON_OK; i++) {
    any |= unit.perf_only;
    if (!unit.perf_only && !unit_is_of_resctrl(cli->platform, i))
      return false;
  }
  return any;
}

int cli_platform_of_file(struct cli *cli, const char *path, const char *name)
{
  const struct pmon_platform *platform;
  const bool plain = name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")] == 0;
  if (cli->platform_name || cli->platform)
    return CLI_DONE;
  if (!plain || pmon_platform_find(cli->context, name, &platform))
    return cli_fail(cli, "%s: its platform%s%.60s is user-supplied; add -p FILE with the platform's file", path,
                    plain ? " " : "", plain ? name : "");
  cli->platform_name = name;
  cli->platform_file = path;
  return CLI_DONE;
}

/* Whether the list begins with a platform; else it begins with a file of facts. */
static bool names_platform(const char *list)
{
  char first[4096];
  const size_t n = strcspn(list, ",");
  if (!list[n])
    return false;
  snprintf(first, sizeof first, "%.*s", (int)n, list);
  return !is_fact_file(first);
}

/* Returns a hint for a name that is not a platform: for perf, -p is a process. */
static const char *name_remedy(const char *name)
{
  return name[0] && !name[strspn(name, "0123456789")]
             ? "-p is the platform; uncore counters do not follow a process"
             : "pmon import makes a platform file from perf's or Intel's event files";
}

static void fail_name(struct cli *cli, const char *name)
{
  if (pmon_context_error_status(cli->context) != PMON_E_UNKNOWN) /* there was no memory for the name */
    cli_fail_context(cli, NULL);
  else
    cli_fail(cli, "%s (%s)", pmon_context_error(cli->context), name_remedy(name));
}

const struct pmon_platform *cli_platform(struct cli *cli)
{
  if (cli->platform)
    return cli->platform;
  const char *name = cli->platform_name ? cli->platform_name : cli_default_platform(cli);
  const char *comma = strchr(name, ',');
  char path[900];
  bool loaded = true;
  int status;
  if (comma || is_fact_file(name))
    status = extend_platform(cli, name, names_platform(name) ? comma + 1 : name);
  else if (is_platform_file(name))
    status = load_platform_file(cli, name) == PMON_OK ? 0 : cli_fail_context(cli, NULL);
  else if ((status = pmon_platform_find(cli->context, name, &cli->platform)) == PMON_OK)
    loaded = false;
  else if (!find_imported(name, NULL, path, sizeof path))
    fail_name(cli, name);
  else if ((status = load_platform_file(cli, path)) != PMON_OK)
    cli_fail_context(cli, NULL);
  if (!status && loaded)
    cli->platform = pmon_platform_get(cli->context, 0); /* the platform loaded last comes first */
  return cli->platform;
}
