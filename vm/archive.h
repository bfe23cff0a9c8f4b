/* SPDX-License-Identifier: MIT */
/* A guest's archive with files of this host: each comes once, with its folders and with what it loads. */
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
  char *added[ARCHIVE_FILES]; /* paths, so that nothing comes twice; the caller frees them */
  unsigned n;
  bool full;                 /* there were more */
  struct file_buffer buffer; /* of the file that is read; the caller frees its bytes */
  char *error;
  size_t error_size;
};

/* Whether the path is new; it is noted. false with cpio.failed where there is no room for it. */
bool archive_once(struct archive *a, const char *path);

/* A path of this host inside the guest is at most so long, with its zero byte. */
enum { ARCHIVE_PATH_MAX = PATH_MAX + sizeof "usr" - 1 };
/* The name of a path of this host in the archive: with /bin, /sbin, /lib and /lib64 links into /usr, as Debian has
 * them. */
void archive_inside_path(const char *path, char *ret, size_t size);

/* An entry and its folders; mode: with the type's bits. The second one: of a regular file. */
void archive_add_entry(struct archive *a, const char *inside, uint32_t mode, const void *bytes, size_t n);
void archive_add_bytes(struct archive *a, const char *inside, uint32_t permissions, const void *bytes, size_t n);

/* A file of the host, with the libraries, the loader or the interpreter that it needs. false: it cannot be read. */
bool archive_add_file(struct archive *a, const char *path, const char *inside);

/* A file, or a folder with all that is in it, at the place that it has here; `depth`: folders that it is in, of 16.
 * False with the reason in error: some of it cannot be copied. */
bool archive_add_tree(struct archive *a, const char *path, unsigned depth);

/* Notes why a path cannot be copied; false. */
bool archive_refuse(struct archive *a, const char *path, const char *why);

#endif
