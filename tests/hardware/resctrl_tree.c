/* SPDX-License-Identifier: MIT */
#include "tests/hardware/resctrl_tree.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int resctrl_mkdir_error;

int __real_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode);
int __real_rmdir(const char *path);
int __wrap_rmdir(const char *path);

void resctrl_set(const struct tree *t, const char *group, unsigned cache, const char *name, const char *value)
{
  char file[256], text[40];
  snprintf(file, sizeof file, RESCTRL_PATH "/%s/mon_data/mon_L3_%02u/%s", group, cache, name);
  snprintf(text, sizeof text, "%s\n", value);
  tree_file(t, file, text);
}

void resctrl_add_group(const struct tree *t, const char *group, unsigned occupancy, unsigned total, unsigned local)
{
  const struct {
    const char *name;
    unsigned value;
  } values[] = {{"llc_occupancy", occupancy}, {"mbm_total_bytes", total}, {"mbm_local_bytes", local}};
  char file[256], text[24];
  for (unsigned i = 0; i < 6; i++) {
    snprintf(text, sizeof text, "%u", values[i / 2].value + i % 2);
    resctrl_set(t, group, i % 2, values[i / 2].name, text);
  }
  snprintf(file, sizeof file, RESCTRL_PATH "/%s/tasks", group);
  tree_file(t, file, "");
}

void resctrl_mount(const struct tree *t)
{
  char file[128], text[16];
  for (unsigned cpu = 0; cpu < 4; cpu++)
    for (unsigned index = 0; index < 2; index++) {
      snprintf(file, sizeof file, "sys/devices/system/cpu/cpu%u/cache/index%u/level", cpu, index);
      tree_file(t, file, index ? "3\n" : "1\n");
      snprintf(file, sizeof file, "sys/devices/system/cpu/cpu%u/cache/index%u/id", cpu, index);
      snprintf(text, sizeof text, "%u\n", index ? cpu / 2 : cpu);
      tree_file(t, file, text);
    }
  tree_file(t, RESCTRL_PATH "/info/L3_MON/mon_features", "llc_occupancy\nmbm_total_bytes\nmbm_local_bytes\n");
  tree_file(t, RESCTRL_PATH "/info/L3_MON/num_rmids", "256\n");
  resctrl_add_group(t, ".", 1000, 5000, 3000);
  resctrl_add_group(t, "mon_groups/part", 100, 500, 300); /* its values are part of those of the default group */
}

/* Returns the path of a group below the root of resctrl; NULL: the path is not one. */
static const char *group_of(const char *path)
{
  const char *at =
      tree_now && !strncmp(path, tree_now->root, strlen(tree_now->root)) ? strstr(path, RESCTRL_PATH "/") : NULL;
  return at ? at + sizeof RESCTRL_PATH : NULL;
}

int __wrap_mkdir(const char *path, mode_t mode)
{
  const char *group = group_of(path), *name = group ? strstr(group, "mon_groups/pmon-") : NULL;
  if (!name || strchr(name + 11, '/')) /* the tree's own folders */
    return __real_mkdir(path, mode);
  if (resctrl_mkdir_error) {
    errno = resctrl_mkdir_error;
    return -1;
  }
  const int made = __real_mkdir(path, mode);
  if (!made)
    resctrl_add_group(tree_now, group, 0, 0, 0);
  return made;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
  (void)st;
  (void)at;
  return type == FTW_DP || type == FTW_D ? __real_rmdir(path) : unlink(path);
}

int __wrap_rmdir(const char *path)
{
  struct stat st;
  if (!group_of(path) || stat(path, &st))
    return __real_rmdir(path);
  return nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
