/* SPDX-License-Identifier: MIT */
/* Lists control groups and L3 caches, and opens and reads the files of values (resctrl.h). */
#include "src/access/resctrl.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "src/base/array.h"

enum { CACHE_INDEXES = 8, L3 = 3, VALUE_TEXT = 32 };

#define RESCTRL "fs/resctrl"
#define BOOT "boot with rdt=cmt,mbmtotal,mbmlocal and a kernel with CONFIG_X86_CPU_RESCTRL"

static const char *const names[RESCTRL_EVENTS] = {
    [RESCTRL_OCCUPANCY] = "llc_occupancy", [RESCTRL_TOTAL] = "mbm_total_bytes", [RESCTRL_LOCAL] = "mbm_local_bytes"};

enum resctrl_event resctrl_event_of(const char *name)
{
  for (enum resctrl_event i = RESCTRL_OCCUPANCY; i < RESCTRL_EVENTS; i++)
    if (!strcmp(names[i], name))
      return i;
  return 0;
}

const char *resctrl_name_of(enum resctrl_event event)
{
  return names[event];
}

/* True if there is such a file below the file system's root; errno has the reason if there is none. */
static bool resctrl_has(const struct resctrl_files *f, const char *group, const char *name)
{
  char path[SYSTEM_PATH + SYSTEM_ROOT];
  snprintf(path, sizeof path, "%s/" RESCTRL "/%s/%s", f->system.sys, group, name);
  return !access(path, F_OK);
}

/* Writes why the values cannot be read, after errno ENOENT or another one. */
static int resctrl_refuse(struct resctrl_files *f, int error)
{
  const char *sys = f->system.sys, *group = f->system.group;
  struct pmon_reason *r = &f->reason;
  if (error == EACCES || error == EPERM) {
    snprintf(r->text, sizeof r->text,
             "cannot read %.200s/" RESCTRL ": %s; it is normally readable for all users: a container or a security "
             "module denies access",
             sys, strerror(error));
    return PMON_E_PERMISSION;
  }
  if (!resctrl_has(f, "", ""))
    snprintf(r->text, sizeof r->text,
             "the kernel has no resctrl (%.200s/" RESCTRL
             "): the processor has no cache monitoring (RDT), a hypervisor "
             "hides it, or the kernel does not use it; " BOOT,
             sys);
  else if (!resctrl_has(f, "", "info"))
    snprintf(r->text, sizeof r->text,
             "resctrl is not mounted: as root `mount -t resctrl resctrl /sys/fs/resctrl` (%.200s/" RESCTRL " is empty)",
             sys);
  else if (!resctrl_has(f, "", "info/L3_MON"))
    snprintf(r->text, sizeof r->text, "the kernel's resctrl does not monitor (%.200s/" RESCTRL "/info/L3_MON): " BOOT,
             sys);
  else if (*group && !resctrl_has(f, group, "mon_data"))
    snprintf(r->text, sizeof r->text,
             "resctrl has no group %.100s that is monitored (%.200s/" RESCTRL "/%.100s/mon_data)", group, sys, group);
  else
    return 0;
  return PMON_E_NO_DEVICE;
}

/* True if the text is the path of a group below the root: no other part of the file system. */
static bool is_group(const char *name)
{
  for (const char *at = name; *at; at += strcspn(at, "/"), at += *at == '/')
    if (*at == '/' || (at[0] == '.' && at[1] == '.' && (at[2] == '/' || !at[2])))
      return false;
  return true;
}

int resctrl_files_init(struct resctrl_files *f, const struct system *s)
{
  char path[SYSTEM_PATH];
  *f = (struct resctrl_files){.system = *s};
  if (!is_group(s->group)) {
    snprintf(f->reason.text, sizeof f->reason.text, "%.100s is not the path of a group below resctrl's root", s->group);
    return PMON_E_INVALID;
  }
  errno = 0;
  if (!resctrl_has(f, s->group, "mon_data")) {
    const int error = errno, status = resctrl_refuse(f, error);
    return status ? status : PMON_E_NO_DEVICE;
  }
  if (*s->group)
    return 0;
  snprintf(path, sizeof path, "%s/" RESCTRL, s->sys);
  f->root = opendir(path);
  if (f->root)
    return 0;
  const int error = errno, status = resctrl_refuse(f, error);
  return status ? status : PMON_E_IO;
}

/* Closes all files but the first `n`. */
static void resctrl_close_files(struct resctrl_files *f, uint32_t n)
{
  while (f->n_files > n)
    close(f->files[--f->n_files].fd);
}

void resctrl_files_fini(struct resctrl_files *f)
{
  resctrl_close_files(f, 0);
  free(f->files);
  if (f->root)
    closedir(f->root);
  f->root = NULL;
  f->files = NULL;
}

/* Reads a number from a file of a CPU's cache. */
static bool cache_number(const struct resctrl_files *f, uint32_t cpu, int index, const char *file, uint32_t *ret_number)
{
  char path[96], text[VALUE_TEXT], *end;
  snprintf(path, sizeof path, "devices/system/cpu/cpu%" PRIu32 "/cache/index%d/%s", cpu, index, file);
  if (!system_text(f->system.sys, path, text, sizeof text))
    return false;
  *ret_number = (uint32_t)strtoul(text, &end, 10);
  return end != text && !*end;
}

static void resctrl_add_cache(struct resctrl_files *f, uint32_t id, uint32_t package)
{
  uint32_t i = 0;
  while (i < f->n_caches && f->caches[i].id != id)
    i++;
  if (i < f->n_caches || i == RESCTRL_CACHES)
    return;
  f->caches[i].id = id;
  f->caches[i].package = package;
  f->n_caches++;
}

/* Lists the L3 caches, whose ids are in the names of the kernel's folders, with their packages. */
static void resctrl_list_caches(struct resctrl_files *f)
{
  enum { THREADS = 1024 };
  uint32_t cpus[THREADS], id, level;
  for (uint32_t package = 0; package < f->system.n_packages; package++) {
    const uint32_t n = system_threads(&f->system, package, NULL, cpus, THREADS);
    for (uint32_t i = 0; i < n && i < THREADS; i++)
      for (int index = 0; index < CACHE_INDEXES && cache_number(f, cpus[i], index, "level", &level); index++)
        if (level == L3 && cache_number(f, cpus[i], index, "id", &id))
          resctrl_add_cache(f, id, package);
  }
}

/* True for a folder below the root that is a control group. */
static bool is_control_group(const struct dirent *e)
{
  return *e->d_name != '.' && (e->d_type == DT_DIR || e->d_type == DT_UNKNOWN) && strcmp(e->d_name, "info") &&
         strcmp(e->d_name, "mon_groups") && strcmp(e->d_name, "mon_data");
}

/* Returns a hash of the groups' names that does not depend on their order. */
static uint64_t resctrl_hash_groups(struct resctrl_files *f)
{
  uint64_t sum = 1;
  rewinddir(f->root);
  for (struct dirent *e; (e = readdir(f->root));) {
    uint64_t hash = 14695981039346656037u ^ e->d_ino;
    for (const char *c = e->d_name; *c; c++)
      hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    sum += is_control_group(e) ? hash : 0;
  }
  return sum;
}

/* Opens the event's files of one group. A group without a folder of values is not monitored. */
static int resctrl_open_group(struct resctrl_files *f, const char *group, enum resctrl_event event)
{
  char name[SYSTEM_ROOT + 80];
  const bool monitored = resctrl_has(f, group, "mon_data");
  for (uint32_t i = 0; monitored && i < f->n_caches; i++) {
    struct resctrl_file one = {.fd = -1, .package = f->caches[i].package, .event = event};
    const struct system_file file = {
        .root = f->system.sys, .name = name, .needs = "read permission", .flags = O_RDONLY};
    snprintf(name, sizeof name, RESCTRL "/%.255s/mon_data/mon_L3_%02" PRIu32 "/%s", group, f->caches[i].id,
             names[event]);
    if (array_grow(&f->files, f->n_files, &f->cap_files, sizeof *f->files))
      return PMON_E_MEMORY;
    const int status = system_open(&file, &f->reason, &one.fd);
    if (status && status != PMON_E_NO_DEVICE)
      return status;
    if (!status)
      f->files[f->n_files++] = one;
  }
  return 0;
}

/* Opens the event's files of all groups, or none: the next attempt would open the others a second time, and the sum
 * would contain them twice. */
static int resctrl_open_event(struct resctrl_files *f, enum resctrl_event event)
{
  const uint32_t before = f->n_files;
  int status = resctrl_open_group(f, *f->system.group ? f->system.group : ".", event);
  if (f->root)
    rewinddir(f->root);
  for (struct dirent *e; !status && f->root && (e = readdir(f->root));)
    if (is_control_group(e))
      status = resctrl_open_group(f, e->d_name, event);
  if (status)
    resctrl_close_files(f, before);
  if (status || f->n_files > before) {
    f->opened[event] = !status;
    return status;
  }
  status = resctrl_refuse(f, 0);
  if (!status)
    snprintf(f->reason.text, sizeof f->reason.text,
             "the kernel's resctrl has no %s (%.200s/" RESCTRL
             "/info/L3_MON/mon_features): the processor does not count "
             "it, or the kernel does not use it; " BOOT,
             names[event], f->system.sys);
  return PMON_E_NO_DEVICE;
}

int resctrl_files_open(struct resctrl_files *f, enum resctrl_event event)
{
  const uint64_t groups = f->root ? resctrl_hash_groups(f) : 1;
  if (groups != f->groups) {
    resctrl_close_files(f, 0);
    memset(f->opened, 0, sizeof f->opened);
    f->groups = groups;
    f->changes++;
  }
  if (!f->n_caches)
    resctrl_list_caches(f);
  return f->opened[event] ? 0 : resctrl_open_event(f, event);
}

int resctrl_file_read(struct resctrl_files *f, const struct resctrl_file *file, uint64_t *ret_value)
{
  char text[VALUE_TEXT], *end;
  const ssize_t n = pread(file->fd, text, sizeof text - 1, 0);
  if (n < 0 && (errno == ENODEV || errno == ENOENT)) {
    snprintf(f->reason.text, sizeof f->reason.text, "the group of resctrl was removed");
    return PMON_E_NO_DEVICE;
  }
  if (n >= 0) {
    text[n] = 0;
    text[strcspn(text, "\n")] = 0;
    *ret_value = strtoull(text, &end, 10);
    if (end != text && !*end && *ret_value < RESCTRL_VALID)
      return 0;
    if (!strcmp(text, "Unavailable") || !strcmp(text, "Unassigned"))
      return PMON_E_NO_DATA;
  }
  snprintf(f->reason.text, sizeof f->reason.text, "resctrl's %s of package %" PRIu32 " cannot be read: %s%s",
           names[file->event], file->package, n < 0 ? strerror(errno) : "the kernel reports ", n < 0 ? "" : text);
  return PMON_E_IO;
}
