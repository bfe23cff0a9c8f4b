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

/* A new file beside `path`, behind its line; temporary: its name. -1 with errno set. */
int snapshot_create(const char *path, uint64_t key, char *temporary, size_t size);

#endif
