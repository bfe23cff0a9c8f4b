/* SPDX-License-Identifier: MIT */
/*
 * A small model of the kernel's resctrl file system below a tree (tree.h): a folder of values for each group and L3
 * cache. mkdir() and rmdir() of groups do what the kernel does: a new group has files at once, and a group is removed
 * with its files (the linker redirects these calls to resctrl_tree.c).
 */
#ifndef TESTS_HARDWARE_RESCTRL_TREE_H
#define TESTS_HARDWARE_RESCTRL_TREE_H

#include "tests/hardware/tree.h"

#define RESCTRL_PATH "sys/fs/resctrl"

/* Mounts resctrl: L3 caches with the ids 0 and 1 in packages 0 and 1; the default group; without other groups. */
void resctrl_mount(const struct tree *t);

/* Makes a group (its path below the root; ".": the default group) with these values in each cache; the values of cache
 * 1 are higher by 1. */
void resctrl_add_group(const struct tree *t, const char *group, unsigned occupancy, unsigned total, unsigned local);

/* Writes a value of a group; the file stays the same one. */
void resctrl_set(const struct tree *t, const char *group, unsigned cache, const char *name, const char *value);

/* The errno with which mkdir() of a group fails; 0: it succeeds. */
extern int resctrl_mkdir_error;

#endif
