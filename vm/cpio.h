/* SPDX-License-Identifier: MIT */
/* Writes an archive that the Linux kernel unpacks into its first file system ("newc": header of ASCII digits). */
#ifndef VM_CPIO_H
#define VM_CPIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct cpio {
  FILE *file;   /* NULL: nothing is written */
  uint64_t key; /* of what would have been written (snapshot_key()) */
  uint32_t inode;
  bool failed;
};

/* The caller keeps the stream. NULL: computes the archive's key instead of writing it. */
void cpio_init(struct cpio *c, FILE *file);
/* Paths are relative, without a leading slash; parents must be added first. `mode` has the type's bits too (S_IFREG,
 * S_IFDIR, S_IFLNK with the target as contents). */
void cpio_add(struct cpio *c, const char *path, uint32_t mode, const void *contents, size_t n);
void cpio_device(struct cpio *c, const char *path, uint32_t mode, unsigned major, unsigned minor);
/* Writes the end mark. Returns false if something could not be written. */
bool cpio_finish(struct cpio *c);

#endif
