/* SPDX-License-Identifier: MIT */
#include "src/access/resource.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

enum { BARS = 6, IS_MEMORY = 0x200 }; /* flag of a memory range in sysfs */

#define DEVICES "bus/pci/devices"

/* A search for the files to open. */
struct search {
  struct resources *found;
  const struct system *system;
  resource_needed needed;
  void *user;
};

static void open_bar(struct search *s, const char *function, unsigned bar, const uint64_t range[2])
{
  char name[MEMORY_NAME];
  if (s->found->n == RESOURCES)
    return;
  struct resource *r = &s->found->at[s->found->n++];
  snprintf(name, sizeof name, DEVICES "/%.32s/resource%u", function, bar);
  memory_open(&r->file, s->system->sys, name, O_RDWR);
  r->first = range[0];
  r->last = range[1];
}

/* Opens the needed BARs of a function. Its file has a line for each BAR: first and last address, and flags; zeros for
 * an absent BAR. */
static void look_at(struct search *s, const char *function)
{
  char path[SYSTEM_PATH];
  uint64_t range[2], flags;
  if (snprintf(path, sizeof path, "%s/" DEVICES "/%s/resource", s->system->sys, function) >= (int)sizeof path)
    return;
  FILE *f = fopen(path, "re");
  for (unsigned bar = 0; f && bar < BARS; bar++)
    if (fscanf(f, "%" SCNx64 "%" SCNx64 "%" SCNx64, &range[0], &range[1], &flags) != 3)
      break;
    else if (flags & IS_MEMORY && range[0] < range[1] && s->needed(s->user, range[0], range[1]))
      open_bar(s, function, bar, range);
  if (f)
    fclose(f);
}

void resources_open(struct resources *r, const struct system *s, resource_needed needed, void *user)
{
  struct search search = {r, s, needed, user};
  char path[SYSTEM_PATH];
  DIR *dir = NULL;
  r->n = 0;
  if (snprintf(path, sizeof path, "%s/" DEVICES, s->sys) < (int)sizeof path)
    dir = opendir(path);
  for (struct dirent *e; dir && (e = readdir(dir));)
    if (*e->d_name != '.')
      look_at(&search, e->d_name);
  if (dir)
    closedir(dir);
}

void resources_close(struct resources *r)
{
  while (r->n)
    memory_close(&r->at[--r->n].file);
}

const struct memory_file *resources_find(const struct resources *r, uint64_t address, uint64_t n, uint64_t *ret_offset)
{
  for (uint32_t i = 0; i < r->n; i++)
    if (address >= r->at[i].first && address <= r->at[i].last && r->at[i].last - address >= n - 1) {
      *ret_offset = address - r->at[i].first;
      return &r->at[i].file;
    }
  return NULL;
}
