/* SPDX-License-Identifier: MIT */
/* A guest's archive of files of this host: each file is added once, with its folders and the files that it loads. */
#ifndef VM_ARCHIVE_H
#define VM_ARCHIVE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "vm/cpio.h"
#include "vm/file.h"

enum { ARCHIVE_FILES = 4096 };

struct archive {
  struct cpio cpio;
  char *added[ARCHIVE_FILES]; /* paths, so that no file is added twice; the caller frees them */
  unsigned n;
  bool full;                 /* there were too many files */
  struct file_buffer buffer; /* for the file that is being read; the caller frees its bytes */
  char *error;
  size_t error_size;
};

/* Notes a path. Returns true if it is new; false with cpio.failed if there is no room for it. */
bool archive_once(struct archive *a, const char *path);

/* The largest length of a host path inside the guest, with its zero byte. */
enum { ARCHIVE_PATH_MAX = PATH_MAX + sizeof "usr" - 1 };
/* Returns in `ret` the name of a host path in the archive: /bin, /sbin, /lib and /lib64 are links into /usr, as on
 * Debian. */
void archive_inside_path(const char *path, char *ret, size_t size);

/* Adds an entry and its folders; mode includes the type's bits. archive_add_bytes() adds a regular file. */
void archive_add_entry(struct archive *a, const char *inside, uint32_t mode, const void *bytes, size_t n);
void archive_add_bytes(struct archive *a, const char *inside, uint32_t permissions, const void *bytes, size_t n);

/* Adds a host file, with the libraries, the loader or the interpreter that it needs. Returns false if it cannot be
 * read. */
bool archive_add_file(struct archive *a, const char *path, const char *inside);

/* Adds a file, or a folder with its contents, at the place that it has on the host; `depth`: number of folders above it
 * in this tree, up to 16. Returns false with the reason in error if a part of it cannot be copied. */
bool archive_add_tree(struct archive *a, const char *path, unsigned depth);

/* Sets the reason why a path cannot be copied; returns false. */
bool archive_refuse(struct archive *a, const char *path, const char *why);

#endif
