/* SPDX-License-Identifier: MIT */
#include "cli/target/hardware.h"

#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

/* The signal handler's access to the backend. */
static struct pmon_backend *volatile watched;

static void on_bus_error(int number)
{
  pmon_backend_bus_error(watched); /* returns if the fault is not in a register mapping */
  signal(number, SIG_DFL);
  raise(number);
}

struct pmon_backend *hardware_watch(struct pmon_backend *backend)
{
  struct sigaction action = {.sa_handler = on_bus_error, .sa_flags = SA_NODEFER};
  struct pmon_backend *before = watched;
  watched = backend;
  sigaction(SIGBUS, &action, NULL);
  return before;
}

void hardware_close(struct pmon_backend *backend)
{
  watched = NULL;
  pmon_backend_close(backend);
}
