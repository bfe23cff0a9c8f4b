/* SPDX-License-Identifier: MIT */
#include "machine/trace/process.h"

#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* Whether a task has terminated; its parent may not have waited for it yet. */
static bool task_has_terminated(const char *stat_path)
{
  char text[512], *state;
  FILE *f = fopen(stat_path, "re");
  size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;

  if (f)
    fclose(f);
  text[n] = 0;
  state = strrchr(text, ')');
  return !state || !state[1] || strchr("ZX", state[2]);
}

bool process_is_dead(pid_t process)
{
  char path[320];
  struct dirent *entry;
  bool dead = true;
  DIR *tasks;

  snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
  if (!task_has_terminated(path))
    return false;
  snprintf(path, sizeof path, "/proc/%d/task", (int)process);
  tasks = opendir(path);
  while (dead && tasks && (entry = readdir(tasks))) {
    if (*entry->d_name == '.')
      continue;
    snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)process, entry->d_name);
    dead = task_has_terminated(path);
  }
  if (tasks)
    closedir(tasks);
  return dead;
}

static bool process_ignores(pid_t process, int signal_number)
{
  char path[64], line[256];
  uint64_t ignored = 0;
  snprintf(path, sizeof path, "/proc/%d/status", (int)process);
  FILE *f = fopen(path, "re");

  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "SigIgn: %" SCNx64, &ignored) == 1)
      break;
  if (f)
    fclose(f);
  return ignored >> (signal_number - 1) & 1;
}

void process_request_stop(pid_t process, int signal_number)
{
  const bool other = (signal_number == SIGINT || signal_number == SIGHUP) && process_ignores(process, signal_number);

  kill(process, other ? SIGTERM : signal_number);
}
