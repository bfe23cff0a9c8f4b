/* SPDX-License-Identifier: MIT */
#include "machine/trace/process.h"

#include <dirent.h>
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
