/* SPDX-License-Identifier: MIT */
#include "cli/stat/monitor_group.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PREFIX "pmon-"

/* Finds the control group of a process, "." for the default group: its children start in the same one. */
static void find_control_group(const struct hardware *h, pid_t pid, char *group, size_t size)
{
  char name[64], text[400] = "";
  snprintf(name, sizeof name, "%d/cpu_resctrl_groups", (int)pid);
  const char *at = hardware_text(h->proc, name, text, sizeof text) ? strstr(text, "res:/") : NULL;
  const size_t n = at ? strcspn(at + 5, "\n") : 0;
  if (n && n < size)
    snprintf(group, size, "%.*s", (int)n, at + 5);
  else
    snprintf(group, size, ".");
}

/* Removes the groups in a folder that processes of pmon left which no longer exist. */
static void remove_leftovers(struct cli *cli, const struct hardware *h, const char *folder)
{
  char path[900], process[80], *end;
  DIR *dir = opendir(folder);
  for (struct dirent *e; dir && (e = readdir(dir));) {
    const bool ours = !strncmp(e->d_name, PREFIX, sizeof PREFIX - 1);
    const long pid = ours ? strtol(e->d_name + sizeof PREFIX - 1, &end, 10) : 0;
    if (!ours || pid <= 0 || *end)
      continue;
    snprintf(process, sizeof process, "%.60s", e->d_name + sizeof PREFIX - 1);
    snprintf(path, sizeof path, "%s/%s", h->proc, process);
    if (pid != (long)getpid() && !access(path, F_OK))
      continue;
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    if (!rmdir(path))
      cli_note(cli, "%s: removed a group that a killed pmon left", path);
  }
  if (dir)
    closedir(dir);
}

/* The guard: waits until pmon has ended or has closed the descriptor, whatever signals reach both, and removes the
 * group. Its exit status is the errno of a failure. */
static _Noreturn void guard_run(int alive, const char *path)
{
  sigset_t all;
  char byte;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  while (read(alive, &byte, 1) < 0 && errno == EINTR)
    continue;
  _exit(rmdir(path) && errno != ENOENT ? errno & 0x7f : 0);
}

static bool guard_start(struct monitor_group *g)
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    return false;
  g->guard = fork();
  if (!g->guard) {
    close(ends[1]);
    guard_run(ends[0], g->path);
  }
  close(ends[0]);
  g->alive = ends[1];
  if (g->guard > 0)
    return true;
  close(g->alive);
  g->guard = 0;
  g->alive = -1;
  return false;
}

/* Reports why the group could not be made or used, with the remedy. */
static int monitor_group_fail(struct cli *cli, const struct hardware *h, const struct monitor_group *g, int error)
{
  char ids[32] = "?";
  switch (error) {
  case ENOENT:
    return cli_fail(cli,
                    "--resctrl-new: %s cannot be made: resctrl is not mounted, or does not monitor; as root: mount -t "
                    "resctrl resctrl /sys/fs/resctrl",
                    g->path),
           CLI_NO_HARDWARE;
  case EACCES:
  case EPERM:
  case EROFS:
    return cli_fail(cli, "--resctrl-new: %s cannot be made: %s; this needs root", g->path, strerror(error)),
           CLI_NO_HARDWARE;
  case ENOSPC:
    if (hardware_text(h->sys, "fs/resctrl/info/L3_MON/num_rmids", ids, sizeof ids))
      ids[strcspn(ids, "\n")] = 0;
    return cli_fail(
               cli,
               "--resctrl-new: no monitoring id is free (%s/fs/resctrl/info/L3_MON/num_rmids is %s): remove a group "
               "(rmdir), or wait until the cache has no lines of removed groups",
               h->sys, ids),
           CLI_NO_HARDWARE;
  default: return cli_fail(cli, "--resctrl-new: %s: %s", g->path, strerror(error)), CLI_FAILED;
  }
}

static int write_pid(const struct monitor_group *g, pid_t pid)
{
  char path[640], text[24];
  const int n = snprintf(text, sizeof text, "%d\n", (int)pid);
  snprintf(path, sizeof path, "%s/tasks", g->path);
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  const ssize_t written = fd < 0 ? -1 : write(fd, text, (size_t)n);
  const int error = written == n ? 0 : written < 0 ? errno : EIO;
  if (fd >= 0)
    close(fd);
  return error;
}

int monitor_group_open(struct cli *cli, const struct hardware *h, pid_t pid, struct monitor_group *ret_group)
{
  char control[160], folder[500];
  struct monitor_group *g = ret_group;
  *g = (struct monitor_group){.alive = -1};
  find_control_group(h, pid, control, sizeof control);
  const bool top = !strcmp(control, ".");
  snprintf(folder, sizeof folder, "%.250s/fs/resctrl/%s%smon_groups", h->sys, top ? "" : control, top ? "" : "/");
  remove_leftovers(cli, h, folder);
  snprintf(g->name, sizeof g->name, "%s%smon_groups/" PREFIX "%d", top ? "" : control, top ? "" : "/", (int)getpid());
  snprintf(g->path, sizeof g->path, "%s/" PREFIX "%d", folder, (int)getpid());
  if (!guard_start(g)) {
    *g->path = 0;
    return cli_fail(cli, "--resctrl-new: no process can be started: %s", strerror(errno)), CLI_FAILED;
  }
  int error = mkdir(g->path, 0755) ? errno : 0;
  if (!error)
    error = write_pid(g, pid);
  if (!error)
    return CLI_DONE;
  const int result = monitor_group_fail(cli, h, g, error);
  monitor_group_close(cli, g);
  return result;
}

bool monitor_group_close(struct cli *cli, struct monitor_group *g)
{
  int status = 0;
  if (!*g->path)
    return true;
  close(g->alive);
  while (waitpid(g->guard, &status, 0) < 0 && errno == EINTR)
    continue;
  int error = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  if (!WIFEXITED(status) && rmdir(g->path) && errno != ENOENT) /* the guard was killed */
    error = errno;
  if (error)
    cli_fail(cli, "%s: cannot remove the group: %s; as root: rmdir %s", g->path, strerror(error), g->path);
  *g = (struct monitor_group){.alive = -1};
  return !error;
}
