/* SPDX-License-Identifier: MIT */
#include "cli/target/hardware.h"
#include "cli/target/helper.h"
#include "cli/target/target.h"

#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include "machine/config.h"

#define NONE "no uncore counters are accessible on this host; the emulated machine measures the same events: "
#define STAT "pmon stat --backend machine -- COMMAND"

const char hardware_none[] = NONE STAT;

/* For a platform that the machine does not emulate. */
static const char hardware_none_perf[] = "no uncore counters are accessible on this host; events of this platform are "
                                         "counted through Linux perf, on such a processor";

const char hardware_hidden[] = "this virtual machine has no uncore counters: measure on its host, or measure the same "
                               "events on the emulated machine: " STAT;

/* Reports that a host has no uncore counters; the remedy is the running command on the machine, if it has that. */
static void hardware_fail_none(struct cli *cli)
{
  if (cli_platform_is_perf_only(cli))
    cli_fail(cli, "%s", hardware_none_perf);
  else
    cli_fail(cli, NONE "%s", cli->command && cli->command->emulated ? cli->command->emulated : STAT);
}

void hardware_print(struct cli *cli, const char *format, ...)
{
  char text[600];
  va_list ap;
  va_start(ap, format);
  vsnprintf(text, sizeof text, format, ap);
  va_end(ap);
  out_text(&cli->out, text);
}

void hardware_init(struct hardware *h, const char *root)
{
  const char *from = root ? root : "";
  h->root = root != NULL;
  h->replay = NULL;
  snprintf(h->dev, sizeof h->dev, "%.280s/dev", from);
  snprintf(h->sys, sizeof h->sys, "%.280s/sys", from);
  snprintf(h->proc, sizeof h->proc, "%.280s/proc", from);
  h->system =
      (struct pmon_system){.size = sizeof h->system, .dev = h->dev, .sys = h->sys, .proc = h->proc, .end_fd = -1};
}

bool hardware_text(const char *root, const char *name, char *text, size_t size)
{
  char path[600];
  snprintf(path, sizeof path, "%s/%s", root, name);
  FILE *f = fopen(path, "re");
  if (!f)
    return false;
  size_t n = fread(text, 1, size - 1, f);
  fclose(f);
  text[n] = 0;
  return n > 0;
}

bool hardware_cpu(const struct hardware *h, struct pmon_cpu *cpu)
{
  if (h->replay) {
    struct pmon_capture_info info = {.size = sizeof info};
    pmon_capture_describe(h->replay, &info);
    *cpu = info.cpu;
    return info.has_cpu;
  }
  return pmon_system_cpu(&h->system, cpu);
}

int hardware_take_root(struct cli *cli, struct hardware *h, const char *root)
{
  struct stat st;
  if (stat(root, &st) || (!S_ISDIR(st.st_mode) && (errno = ENOTDIR)) || access(root, X_OK))
    return cli_fail(cli, "--root %s: %s", root, strerror(errno));
  hardware_init(h, root);
  cli->has_root = true;
  if (!hardware_cpu(h, &cli->root_cpu))
    cli->root_cpu = (struct pmon_cpu){0};
  return CLI_DONE;
}

uint32_t hardware_packages(const struct hardware *h, struct pmon_package *packages, uint32_t n)
{
  const struct pmon_package *p;
  uint32_t i = 0;
  if (!h->replay)
    return pmon_system_packages(&h->system, packages, n);
  for (; (p = pmon_capture_package(h->replay, i)); i++)
    if (i < n)
      packages[i] = *p;
  return i;
}

int hardware_replay(struct cli *cli, struct hardware *h, const char *path)
{
  struct pmon_capture_info info = {.size = sizeof info};
  if (pmon_capture_load(cli->context, path, &h->replay))
    return cli_fail_file(cli);
  pmon_capture_describe(h->replay, &info);
  if (*info.platform && cli_platform_of_file(cli, path, info.platform) != CLI_DONE)
    return CLI_USAGE;
  if (!cli_platform(cli))
    return CLI_USAGE;
  struct pmon_platform_info platform = {.size = sizeof platform};
  pmon_platform_describe(cli->platform, &platform);
  if (*info.platform && strcmp(info.platform, platform.name) && strcmp(info.platform, platform.base) &&
      !cli_platform_is_user_supplied(cli))
    return cli_fail(cli, "%s: the capture is of platform %s; add -p %s", path, info.platform, info.platform);
  return CLI_DONE;
}

int hardware_check_replay(struct cli *cli, const struct hardware *h, const char *replay, const char *machine)
{
  const char *other = machine ? machine : h->root ? "--root" : NULL;
  return replay && other ? cli_fail(cli, "--replay cannot be combined with %s", other) : CLI_DONE;
}

unsigned hardware_kernel_pmus(const struct hardware *h)
{
  char path[600];
  unsigned n = 0;
  snprintf(path, sizeof path, "%s/bus/event_source/devices", h->sys);
  DIR *dir = opendir(path);
  for (struct dirent *e; dir && (e = readdir(dir));)
    n += !strncmp(e->d_name, "uncore_", 7);
  if (dir)
    closedir(dir);
  return n;
}

bool hardware_is_capture(const char *path)
{
  char text[4096];
  FILE *f = fopen(path, "re");
  const size_t n = f ? fread(text, 1, sizeof text, f) : 0;
  if (f)
    fclose(f);
  return pmon_capture_is(text, n);
}

void hardware_fini(struct hardware *h)
{
  pmon_capture_free(h->replay);
  h->replay = NULL;
}

/* The name of the platform that a capture or log states, "" if none. An exit code. */
static int replay_platform(struct cli *cli, const char *path, char *name, size_t size)
{
  struct pmon_capture_info info = {.size = sizeof info};
  struct pmon_capture *capture;
  struct pmon_backend *log;
  if (hardware_is_capture(path)) {
    if (pmon_capture_load(cli->context, path, &capture))
      return cli_fail_file(cli);
    pmon_capture_describe(capture, &info);
    snprintf(name, size, "%s", info.platform);
    pmon_capture_free(capture);
    return CLI_DONE;
  }
  if (pmon_backend_replay_new(cli->context, path, &log))
    return cli_fail_file(cli);
  const char *note = pmon_backend_replay_note(log, "platform", 0);
  snprintf(name, size, "%s", note ? note : "");
  pmon_backend_close(log);
  return CLI_DONE;
}

static int hardware_follow_replay(struct cli *cli, const char *path)
{
  struct pmon_platform_info info = {.size = sizeof info};
  const struct pmon_platform *platform;
  char name[80] = "";
  struct stat st;
  if (!stat(path, &st) && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
    return cli_fail(cli, "--replay: %s is a pipe, and is read more than once; write it to a file first", path);
  const int result = cli->platform_name ? CLI_DONE : replay_platform(cli, path, name, sizeof name);
  if (result != CLI_DONE || !*name)
    return result;
  const bool known = !pmon_platform_find(cli->context, name, &platform) && !pmon_platform_describe(platform, &info);
  return cli_platform_of_file(cli, path, known ? info.name : name);
}

int hardware_read_platform(struct cli *cli, struct hardware *h, int argc, char **argv)
{
  const char *replay = NULL;
  int c;
  optind = 0;
  while ((c = cli_getopt(cli, argc, argv)) != -1) {
    if (c == '?')
      return CLI_USAGE;
    if (c == 'p')
      cli->platform_name = optarg;
    else if (c == CLI_OPTION_REPLAY)
      replay = optarg;
    else if (c == CLI_OPTION_ROOT && hardware_take_root(cli, h, optarg) != CLI_DONE)
      return CLI_USAGE;
  }
  const int result = hardware_check_replay(cli, h, replay, NULL);
  return replay && result == CLI_DONE ? hardware_follow_replay(cli, replay) : result;
}

/* Returns the name of the facts' platform for a processor; NULL: none. */
static const char *platform_of(struct cli *cli, const struct pmon_cpu *cpu)
{
  struct pmon_platform_info info = {.size = sizeof info};
  const struct pmon_platform *platform;
  if (pmon_platform_find_cpu(cli->context, cpu->vendor, cpu->signature, &platform))
    return NULL;
  pmon_platform_describe(platform, &info);
  return info.base;
}

bool hardware_known(struct cli *cli, const struct hardware *h, const char **ret_platform)
{
  struct pmon_cpu cpu;
  *ret_platform = hardware_cpu(h, &cpu) ? platform_of(cli, &cpu) : NULL;
  return *ret_platform;
}

/* the signal handler's access to the backend */
static struct pmon_backend *volatile watched;

/* Whether this host has a discovery page; with a platform, one that lists the platform's units. */
static bool shows_page(const struct hardware *h, const struct pmon_platform *platform)
{
  struct pmon_backend *b = NULL, *before = watched;
  struct pmon_discovery *page = NULL;
  int status = pmon_backend_direct_open(&h->system, NULL, &b);
  if (status)
    return false;
  hardware_watch(b);
  bool shown = !pmon_discovery_read(b, 0, NULL, NULL, &page);
  if (shown && platform)
    shown = pmon_discovery_lists(page, platform);
  pmon_discovery_free(page);
  watched = before;
  pmon_backend_close(b);
  return shown;
}

bool hardware_has_page(const struct hardware *h)
{
  return shows_page(h, NULL);
}

/* Whether the measured platform is the one called `known`; NULL: that of a processor without facts. A platform without
 * processors whose events only Linux perf counts (Intel's files for a built-in platform) has no registers to
 * confuse. */
static bool is_platform(struct cli *cli, const struct hardware *h, const char *known)
{
  struct pmon_platform_info info = {.size = sizeof info};
  if (!cli_platform(cli) || pmon_platform_describe(cli->platform, &info))
    return false;
  if (known && !info.processors && cli_platform_is_perf_only(cli))
    return true;
  return known ? !strcasecmp(info.base, known) : cli_platform_is_user_supplied(cli) && shows_page(h, cli->platform);
}

bool hardware_is_host(struct cli *cli, const struct hardware *h)
{
  const char *known;
  cli_platform(cli); /* an imported platform makes its processor known */
  hardware_known(cli, h, &known);
  return is_platform(cli, h, known);
}

int hardware_check(struct cli *cli, const struct hardware *h)
{
  struct pmon_platform_info info = {.size = sizeof info};
  struct pmon_cpu cpu;
  if (!hardware_cpu(h, &cpu))
    return CLI_DONE;
  const char *known = platform_of(cli, &cpu);
  if (is_platform(cli, h, known) || pmon_platform_describe(cli->platform, &info))
    return CLI_DONE;
  if (known)
    cli_fail(
        cli,
        "-p %s: this processor is of platform %s, whose registers can have other meanings; use -p %s, or add --force",
        info.name, known, known);
  else if (hardware_has_page(h))
    cli_fail(cli,
             "-p %s: no tables for this processor (%s, family %" PRIu32 ", model %" PRIu32 "); " HARDWARE_OWN_TABLES,
             info.name, cpu.vendor, cpu.signature[0], cpu.signature[1]);
  else
    hardware_fail_none(cli);
  return CLI_NO_HARDWARE;
}

const char *hardware_other_platform(struct cli *cli, const struct hardware *h, const struct pmon_cpu *cpu)
{
  const char *known = platform_of(cli, cpu);
  return known && !is_platform(cli, h, known) ? known : NULL;
}

void hardware_report_emulated(struct cli *cli, const struct hardware *h)
{
  struct pmon_platform_info info = {.size = sizeof info};
  struct pmon_cpu cpu;
  const bool identified = hardware_cpu(h, &cpu), page = !(identified && platform_of(cli, &cpu)) && hardware_has_page(h);
  const char *other = identified ? hardware_other_platform(cli, h, &cpu) : NULL;
  if (other && !pmon_platform_describe(cli->platform, &info))
    cli_warn(cli,
             "-p %s: this processor is of platform %s: the values are EMULATED (--backend machine selects the "
             "emulated machine)",
             info.name, other);
  else
    cli_warn(cli, "%s",
             page
                 ? "this processor has no tables (" HARDWARE_OWN_TABLES "); the values are EMULATED"
                 : "no uncore counters are accessible on this host: the values are EMULATED (--backend machine selects "
                   "the emulated machine; pmon doctor explains the reason)");
}

static int hardware_open_machine(struct cli *cli, struct machine **ret_machine, struct pmon_backend **ret_backend)
{
  struct pmon_platform_info info = {.size = sizeof info};
  struct machine_config config;
  char error[256] = "";
  pmon_platform_describe(cli->platform, &info);
  machine_config_init(&config);
  if (machine_config_preset(&config, info.base)) {
    const int result = target_check_model(cli, &(struct target_options){0});
    return result ? result : cli_fail(cli, "-p %s: the platform has no emulated machine", info.name);
  }
  if (machine_new(&config, error, sizeof error, ret_machine))
    return cli_fail(cli, "%s", error), CLI_FAILED;
  if (!machine_backend_new(*ret_machine, ret_backend))
    return CLI_DONE;
  machine_free(*ret_machine);
  *ret_machine = NULL;
  return cli_fail_memory(cli);
}

static void on_bus_error(int number)
{
  pmon_backend_bus_error(watched); /* returns if the fault is not in a register mapping */
  signal(number, SIG_DFL);
  raise(number);
}

void hardware_watch(struct pmon_backend *backend)
{
  struct sigaction action = {.sa_handler = on_bus_error, .sa_flags = SA_NODEFER};
  watched = backend;
  sigaction(SIGBUS, &action, NULL);
}

void hardware_close(struct pmon_backend *backend)
{
  watched = NULL;
  pmon_backend_close(backend);
}

int hardware_open(struct cli *cli, const struct hardware *h, bool machine, struct machine **ret_machine,
                  struct pmon_backend **ret_backend)
{
  struct pmon_reason reason = {""};
  if (ret_machine)
    *ret_machine = NULL;
  if (!cli_platform(cli))
    return CLI_USAGE;
  if (h->replay)
    return pmon_backend_capture_new(h->replay, cli->platform, ret_backend) ? cli_fail_memory(cli) : CLI_DONE;
  if (machine)
    return hardware_open_machine(cli, ret_machine, ret_backend);
  int status = helper_open(&h->system, h->root, &reason, ret_backend);
  if (!status)
    hardware_watch(*ret_backend);
  return status ? hardware_refuse(cli, h, status, &reason) : CLI_DONE;
}

int hardware_refuse(struct cli *cli, const struct hardware *h, int status, const struct pmon_reason *reason)
{
  const char *name;
  /* For a processor without uncore counters, no kernel module would help. */
  const bool none = status == PMON_E_NO_DEVICE && !hardware_known(cli, h, &name);
  if (none)
    hardware_fail_none(cli);
  else
    cli_fail(cli, "%s", *reason->text ? reason->text : cli_status_text(status));
  return status == PMON_E_MEMORY ? CLI_FAILED : CLI_NO_HARDWARE;
}
