/* SPDX-License-Identifier: MIT */
/* A guest's state behind its boot, in a file: a line that names what was booted, then QEMU's own stream. */
#ifndef VM_SNAPSHOT_H
#define VM_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>

/* What was booted: a checksum, begun with snapshot_key() of nothing, over all that the state depends on. */
#define SNAPSHOT_KEY_BEGIN UINT64_C(0xcbf29ce484222325)
uint64_t snapshot_key(uint64_t key, const void *bytes, size_t n);

/* The file at the beginning of QEMU's stream. -1: there is none, or it is of another guest, or none of these files. */
int snapshot_open(const char *path, uint64_t key);

/* Whether a state may be written to `path`: there is nothing, an empty file, a folder or another state. Otherwise -1
 * with errno set: EEXIST for what a state must not replace. */
int snapshot_check(const char *path);

/* A new file in the folder of `path`, behind its line; -1 with errno set. It has no name where the file system allows
 * that, and is gone when pmon is killed; elsewhere its name is `temporary`. */
int snapshot_create(const char *path, uint64_t key, char *temporary, size_t size);

/* Gives the file of snapshot_create() the name `path`, in place of a file of that name. -1 with errno set. */
int snapshot_keep(int fd, const char *temporary, const char *path);

#endif
