/* SPDX-License-Identifier: MIT */
/*
 * Files of the kernel's resctrl file system (its Documentation/arch/x86/resctrl.rst): cache occupancy and memory
 * bandwidth of groups of tasks, by L3 cache. Only read: nothing here mounts it or changes a group.
 */
#ifndef PMON_ACCESS_RESCTRL_H
#define PMON_ACCESS_RESCTRL_H

#include <dirent.h>
#include "src/access/system.h"

/* Events by their numbers in IA32_QM_EVTSEL (Intel SDM volume 4, C8Dh), which are the offsets of addresses. */
enum resctrl_event { RESCTRL_OCCUPANCY = 1, RESCTRL_TOTAL, RESCTRL_LOCAL, RESCTRL_EVENTS };

/* Set in each value that is valid, so that a value of 0 differs from none (data/linux/resctrl.reg). */
#define RESCTRL_VALID (UINT64_C(1) << 63)

/* Returns the event that the kernel's file has this name; 0: none. The second function returns the file's name. */
enum resctrl_event resctrl_event_of(const char *name);
const char *resctrl_name_of(enum resctrl_event event);

enum { RESCTRL_CACHES = 256 };

/* A file of one group and one L3 cache. */
struct resctrl_file {
  int fd;
  uint32_t package;
  enum resctrl_event event;
};

struct resctrl_files {
  struct system system;
  DIR *root; /* all control groups are read; NULL: the user's group alone */
  struct {
    uint32_t id, package;
  } caches[RESCTRL_CACHES];
  uint32_t n_caches; /* 0: not read yet */
  struct resctrl_file *files;
  uint32_t n_files, cap_files;
  bool opened[RESCTRL_EVENTS]; /* the event's files are open */
  uint64_t groups;             /* a hash of the control groups' names */
  uint32_t changes;            /* how often the control groups have changed, from 1; 0: they were never listed */
  struct pmon_reason reason;
};

/* Checks that resctrl is mounted and has the group. PMON_OK; PMON_E_NO_DEVICE, PMON_E_PERMISSION, PMON_E_INVALID (not
 * the name of a group) with the reason in f->reason. */
int resctrl_files_init(struct resctrl_files *f, const struct system *s);
void resctrl_files_fini(struct resctrl_files *f);

/* Lists the control groups and opens the event's files, as far as that has not been done. Statuses as above, and
 * PMON_E_MEMORY. */
int resctrl_files_open(struct resctrl_files *f, enum resctrl_event event);

/* Reads a file. PMON_OK; PMON_E_NO_DATA: the kernel has no value at this time; PMON_E_NO_DEVICE: its group was removed;
 * PMON_E_IO with the reason. */
int resctrl_file_read(struct resctrl_files *f, const struct resctrl_file *file, uint64_t *ret_value);

#endif
