/* SPDX-License-Identifier: MIT */
#include "machine/trace/process.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

/* Whether a task has come to its end; its parent may not have asked for it yet. */
static bool is_over(const char *stat_path)
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
  if (!is_over(path))
    return false;
  snprintf(path, sizeof path, "/proc/%d/task", (int)process);
  tasks = opendir(path);
  while (dead && tasks && (entry = readdir(tasks))) {
    if (*entry->d_name == '.')
      continue;
    snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)process, entry->d_name);
    dead = is_over(path);
  }
  if (tasks)
    closedir(tasks);
  return dead;
}
