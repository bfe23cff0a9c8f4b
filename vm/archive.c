/* SPDX-License-Identifier: MIT */
#include "vm/archive.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "vm/file.h"
#include "vm/image.h"

enum { DEPTH_MAX = 16 };
static const char *const library_folders[] = {
    "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"};

bool archive_once(struct archive *a, const char *path)
{
  for (unsigned i = 0; i < a->n; i++)
    if (!strcmp(a->added[i], path))
      return false;
  a->full |= a->n == ARCHIVE_FILES;
  if (a->full || !(a->added[a->n] = strdup(path))) {
    a->cpio.failed = true;
    return false;
  }
  a->n++;
  return true;
}

void archive_inside_path(const char *path, char *ret, size_t size)
{
  static const char *const merged[] = {"/bin/", "/sbin/", "/lib/", "/lib64/"};
  for (size_t i = 0; i < sizeof merged / sizeof *merged; i++)
    if (!strncmp(path, merged[i], strlen(merged[i]))) {
      snprintf(ret, size, "usr%s", path);
      return;
    }
  snprintf(ret, size, "%s", path + 1);
}

/* A folder and its parents. */
static void archive_add_folders(struct archive *a, const char *inside)
{
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%s/", inside);
  for (char *slash = strchr(folder, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    if (archive_once(a, folder))
      cpio_add(&a->cpio, folder, S_IFDIR | 0755, NULL, 0);
    *slash = '/';
  }
}

void archive_add_entry(struct archive *a, const char *inside, uint32_t mode, const void *bytes, size_t n)
{
  char parent[PATH_MAX];
  const char *slash = strrchr(inside, '/');
  if (!archive_once(a, inside))
    return;
  snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - inside) : 0, inside);
  if (slash)
    archive_add_folders(a, parent);
  cpio_add(&a->cpio, inside, mode, bytes, n);
}

void archive_add_bytes(struct archive *a, const char *inside, uint32_t permissions, const void *bytes, size_t n)
{
  archive_add_entry(a, inside, S_IFREG | permissions, bytes, n);
}

static void archive_add_library(struct archive *a, const char *name);
static void archive_add_interpreter(struct archive *a, const struct file *script);

/* A file that was read, and what it loads. */
static void archive_add_with_needed(struct archive *a, const char *inside, const struct file *f)
{
  char loader[ARCHIVE_PATH_MAX];
  struct elf e;
  const char *name;
  archive_add_bytes(a, inside, 0755, f->bytes, f->n);
  if (f->n > 2 && !memcmp(f->bytes, "#!", 2))
    archive_add_interpreter(a, f);
  if (elf_init(&e, f->bytes, f->n)) {
    if ((name = elf_interpreter(&e)) && name[0] == '/') {
      archive_inside_path(name, loader, sizeof loader);
      archive_add_file(a, name, loader);
    }
    for (unsigned i = 0; (name = elf_needed(&e, i)); i++)
      archive_add_library(a, name);
  }
}

/* A file's bytes are needed until all that it loads is there, and that is read into another buffer meanwhile. */
static struct file_buffer archive_take_buffer(struct archive *a)
{
  const struct file_buffer b = a->buffer;
  a->buffer = (struct file_buffer){.room = 0};
  return b;
}

static void archive_give_buffer(struct archive *a, struct file_buffer *b)
{
  const bool larger = b->room > a->buffer.room;
  free(larger ? a->buffer.bytes : b->bytes);
  if (larger)
    a->buffer = *b;
}

bool archive_add_file(struct archive *a, const char *path, const char *inside)
{
  for (unsigned i = 0; i < a->n; i++)
    if (!strcmp(a->added[i], inside))
      return true;
  struct file_buffer b = archive_take_buffer(a);
  struct file f;
  const bool read = file_read_into(path, &b, &f); /* no mapping: the user may shorten it meanwhile */
  if (read)
    archive_add_with_needed(a, inside, &f);
  const int reason = errno;
  archive_give_buffer(a, &b);
  errno = reason;
  return read;
}

/* A missing library is reported by the program itself. */
static void archive_add_library(struct archive *a, const char *name)
{
  char path[PATH_MAX], inside[ARCHIVE_PATH_MAX];
  for (size_t i = 0; i < sizeof library_folders / sizeof *library_folders; i++) {
    snprintf(path, sizeof path, "%s/%s", library_folders[i], name);
    archive_inside_path(path, inside, sizeof inside);
    if (!access(path, R_OK) && archive_add_file(a, path, inside))
      return;
  }
}

/* The interpreter after the `#!` of a script's first line. */
static void archive_add_interpreter(struct archive *a, const struct file *script)
{
  char path[PATH_MAX], inside[ARCHIVE_PATH_MAX];
  size_t n = 2, length = 0;
  while (n < script->n && script->bytes[n] == ' ')
    n++;
  while (n + length < script->n && length + 1 < sizeof path && !strchr(" \t\r\n", script->bytes[n + length]))
    length++;
  snprintf(path, sizeof path, "%.*s", (int)length, (const char *)script->bytes + n);
  if (path[0] != '/')
    return;
  archive_inside_path(path, inside, sizeof inside);
  archive_add_file(a, path, inside);
}

bool archive_refuse(struct archive *a, const char *path, const char *why)
{
  snprintf(a->error, a->error_size, "%s: cannot be copied to the guest: %s", path, why);
  return false;
}

/* A folder of depth `depth` with all that is in it. */
static bool archive_add_folder(struct archive *a, const char *path, unsigned depth)
{
  char inside[ARCHIVE_PATH_MAX], below[PATH_MAX];
  struct dirent **entries;
  snprintf(below, sizeof below, "%s/", path);
  archive_inside_path(below, inside, sizeof inside);
  inside[strlen(inside) - 1] = 0;
  archive_add_folders(a, inside);
  int n = depth < DEPTH_MAX ? scandir(path, &entries, NULL, alphasort) : -1;
  bool all = n >= 0 || archive_refuse(a, path, depth < DEPTH_MAX ? strerror(errno) : "too many folders in each other");
  for (int i = 0; i < n; i++) {
    const char *name = entries[i]->d_name;
    if (all && strcmp(name, ".") && strcmp(name, ".."))
      all = (size_t)snprintf(below, sizeof below, "%s/%s", path, name) < sizeof below
                ? archive_add_tree(a, below, depth + 1)
                : archive_refuse(a, path, strerror(ENAMETOOLONG));
    free(entries[i]);
  }
  if (n >= 0)
    free(entries);
  return all;
}

bool archive_add_tree(struct archive *a, const char *path, unsigned depth)
{
  char inside[ARCHIVE_PATH_MAX];
  struct stat st;
  if (stat(path, &st))
    return archive_refuse(a, path, strerror(errno));
  if (S_ISDIR(st.st_mode))
    return archive_add_folder(a, path, depth);
  if (!S_ISREG(st.st_mode))
    return archive_refuse(a, path, "it is neither a file nor a folder");
  archive_inside_path(path, inside, sizeof inside);
  return archive_add_file(a, path, inside) || archive_refuse(a, path, strerror(errno));
}
