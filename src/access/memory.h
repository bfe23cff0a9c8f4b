/* SPDX-License-Identifier: MIT */
/*
 * Maps a page of memory through the first of several files that can be mapped. A kernel that is locked down opens the
 * file of a device's range but refuses to map it; one with strict rules for /dev/mem refuses ranges that a driver has
 * claimed. A failure with one file is therefore followed by a try with the next.
 */
#ifndef PMON_ACCESS_MEMORY_H
#define PMON_ACCESS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MEMORY_PAGE = 4096, MEMORY_NAME = 64 };

/* A file that represents memory: open, or (fd -1) with the errno of the failed open. `root` belongs to the caller. */
struct memory_file {
  const char *root;
  char name[MEMORY_NAME];
  int fd, error;
};

/* Opens a file; `flags` as of open(). */
void memory_open(struct memory_file *file, const char *root, const char *name, int flags);
void memory_close(struct memory_file *file);

/* A file to be tried, and the offset of the page in it. */
struct memory_try {
  const struct memory_file *file;
  uint64_t at;
  bool read_only;
};

/*
 * Maps MEMORY_PAGE bytes of the first file that can be mapped. PMON_OK: the caller unmaps *ret_at with munmap().
 * Otherwise `why` has the failure of each file, followed by `needs` if privileges are missing; PMON_E_PERMISSION if one
 * of them was refused, else the status of the last one. `n` may be 0: PMON_E_NO_DEVICE.
 */
struct memory_reason {
  const char *needs;
  char text[800];
};
int memory_map(const struct memory_try *tries, size_t n, struct memory_reason *why, void **ret_at);

#endif
