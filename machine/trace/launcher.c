/* SPDX-License-Identifier: MIT */
#include "machine/trace/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pmon/status.h>
#include "machine/trace/program.h"
#include "machine/trace/paths.h" /* made by the build: PMON_PLUGIN_DIR, where the plugin is installed */

const char *launch_plugin(const char *given, char *path, size_t path_size)
{
  static const char *const beside[] = {"", "plugin/", "../plugin/", "../../plugin/"};
  char self[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

  if (given)
    return access(given, R_OK) == 0 ? given : NULL;
  if (n > 0) {
    self[n] = 0;
    *(strrchr(self, '/') + 1) = 0;
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
      snprintf(path, path_size, "%s%spmon-trace.so", self, beside[i]);
      if (access(path, R_OK) == 0)
        return path;
    }
  }
  snprintf(path, path_size, "%s/pmon-trace.so", PMON_PLUGIN_DIR);
  return access(path, R_OK) == 0 ? path : NULL;
}

/* ---- the command line ---- */

static bool push(struct launch_command *c, const char *word)
{
  if (c->n + 1 >= c->room) {
    size_t room = c->room ? 2 * c->room : 32;
    char **argv = realloc(c->argv, room * sizeof *argv);

    if (!argv)
      return false;
    c->argv = argv;
    c->room = room;
  }
  c->argv[c->n] = strdup(word);
  if (!c->argv[c->n])
    return false;
  c->argv[++c->n] = NULL;
  return true;
}

void launch_fini(struct launch_command *command)
{
  for (size_t i = 0; i < command->n; i++)
    free(command->argv[i]);
  free(command->argv);
  *command = (struct launch_command){0};
}

static int find_program(const char *name, struct program *p, char *error, size_t error_size)
{
  char path[PATH_MAX];

  if (program_find_in_path(name, path, sizeof path))
    return program_resolve(path, p, error, error_size);
  if (strchr(name, '/') && access(name, F_OK) == 0)
    return program_refuse(error, error_size, PMON_E_PERMISSION, "%s: is there, but is not an executable file", name);
  return program_refuse(error, error_size, PMON_E_UNKNOWN, "%s: no such command%s", name,
                        strchr(name, '/') ? "" : " in PATH");
}

static int find_qemu(const char *given, const char *arch, char *path, char *error, size_t error_size)
{
  char name[32];

  snprintf(name, sizeof name, "qemu-%s", arch);
  if (program_find_in_path(given ? given : name, path, PATH_MAX))
    return 0;
  return program_refuse(error, error_size, PMON_E_NO_DEVICE,
                        "%s%s: not found; programs are followed under QEMU's "
                        "user-mode emulation (remedy: apt install qemu-user%s)",
                        given ? given : name, given ? " (named by PMON_QEMU)" : "",
                        given ? ", or unset PMON_QEMU" : "");
}

/* The option's value for QEMU, in which a comma of the path is written twice; NULL without memory. */
static char *plugin_argument(const char *plugin, int shm_fd, unsigned line_bytes)
{
  size_t size = 2 * strlen(plugin) + 64;
  char *text = malloc(size), *to = text;

  if (!text)
    return NULL;
  for (const char *from = plugin; *from; from++) {
    if (*from == ',')
      *to++ = ',';
    *to++ = *from;
  }
  to += snprintf(to, size - (size_t)(to - text), ",shm=%d", shm_fd);
  if (line_bytes)
    snprintf(to, size - (size_t)(to - text), ",line=%u", line_bytes);
  return text;
}

static bool build_command(struct launch_command *c, const struct launch_options *o, const char *qemu,
                          const char *plugin, const struct program_arch *arch)
{
  char *argument = plugin_argument(plugin, o->shm_fd, o->line_bytes);
  bool ok = argument && push(c, qemu) && push(c, "-plugin") && push(c, argument) && push(c, "-seed") && push(c, "1");

  if (ok && arch->cpu)
    ok = push(c, "-cpu") && push(c, arch->cpu);
  free(argument);
  c->emulator_words = c->n;
  return ok;
}

int launch_resolve(const struct launch_options *options, char *error, size_t error_size, struct launch_command *ret)
{
  struct program *p = calloc(1, sizeof *p);
  char qemu[PATH_MAX], plugin_path[2 * PATH_MAX];
  const char *plugin = launch_plugin(options->plugin, plugin_path, sizeof plugin_path);
  const char *given = options->qemu ? options->qemu : getenv("PMON_QEMU");
  int rc = PMON_E_MEMORY;
  bool ok;

  *ret = (struct launch_command){0};
  snprintf(error, error_size, "out of memory");
  if (!p)
    goto out;
  if ((rc = find_program(options->argv[0], p, error, error_size)) < 0 ||
      (rc = find_qemu(given && *given ? given : NULL, p->arch->name, qemu, error, error_size)) < 0)
    goto out;
  if (!plugin) {
    rc = program_refuse(error, error_size, PMON_E_NO_DEVICE,
                        "pmon-trace.so: the trace plugin is neither beside the "
                        "program nor in %s (remedy: build and install pmon as a whole)",
                        PMON_PLUGIN_DIR);
    goto out;
  }
  ok = build_command(ret, options, qemu, plugin, p->arch);
  if (ok && !p->words)
    ok = push(ret, "-0") && push(ret, options->argv[0]);
  ok = ok && push(ret, p->path);
  for (size_t i = 0; i < p->words && ok; i++)
    ok = push(ret, p->word[i]);
  for (char *const *a = options->argv + 1; *a && ok; a++)
    ok = push(ret, *a);
  rc = ok ? 0 : PMON_E_MEMORY;
out:
  free(p);
  if (rc < 0)
    launch_fini(ret);
  return rc < 0 ? rc : 0;
}

/* ---- running ---- */

/*
 * The emulator prints its own errors to descriptor 2 and opens files for itself: with a closed standard descriptor, a
 * file or the shared memory would take its number. /dev/null stands in for it, for the program as well.
 */
static void keep_standard_descriptors(void)
{
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl(fd, F_SETFD, 0) < 0 && open("/dev/null", O_RDWR) != fd)
      _exit(127);
}

/* In the child. Reports through the pipe why the emulator could not be executed. */
static void become(const struct launch_command *command, int shm_fd, int report, pid_t parent)
{
  int why;

  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(127);
  personality(ADDR_NO_RANDOMIZE);
  keep_standard_descriptors();
  fcntl(shm_fd, F_SETFD, 0);
  execv(command->argv[0], command->argv);
  why = errno;
  if (write(report, &why, sizeof why) < 0)
    _exit(126);
  _exit(127);
}

int launch_start(const struct launch_command *command, int shm_fd, char *error, size_t error_size, pid_t *ret_pid)
{
  int report[2], why = 0;
  pid_t parent = getpid(), pid;
  ssize_t n;

  if (pipe2(report, O_CLOEXEC) < 0)
    return program_refuse(error, error_size, PMON_E_IO, "no pipe: %s", strerror(errno));
  fflush(NULL);
  pid = fork();
  if (pid == 0)
    become(command, shm_fd, report[1], parent);
  close(report[1]);
  if (pid < 0) {
    close(report[0]);
    return program_refuse(error, error_size, PMON_E_IO, "no new process: %s", strerror(errno));
  }
  do
    n = read(report[0], &why, sizeof why);
  while (n < 0 && errno == EINTR);
  close(report[0]);
  if (n == (ssize_t)sizeof why) {
    waitpid(pid, NULL, 0);
    return program_refuse(error, error_size, PMON_E_IO, "%s: cannot be executed: %s", command->argv[0], strerror(why));
  }
  *ret_pid = pid;
  return 0;
}
