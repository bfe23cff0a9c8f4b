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

/* Adds a folder and its parents. */
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

/* The names of files that a file loads: each is preceded by its kind, and ends with a zero byte. */
enum { NEEDS_FILE = '/', NEEDS_LIBRARY = 'l' };

static void archive_need(FILE *out, char kind, const char *name)
{
  fprintf(out, "%c%s%c", kind, name, 0);
}

/* Adds the interpreter after the `#!` of a script's first line. */
static void archive_need_interpreter(FILE *out, const struct file *script)
{
  char path[PATH_MAX];
  size_t n = 2, length = 0;
  while (n < script->n && script->bytes[n] == ' ')
    n++;
  while (n + length < script->n && length + 1 < sizeof path && !strchr(" \t\r\n", script->bytes[n + length]))
    length++;
  snprintf(path, sizeof path, "%.*s", (int)length, (const char *)script->bytes + n);
  if (path[0] == '/')
    archive_need(out, NEEDS_FILE, path);
}

/* Returns the names of the files that a file loads. NULL: out of memory. */
static char *archive_needs(const struct file *f, size_t *ret_n)
{
  char *needs = NULL;
  struct elf e;
  const char *name;
  FILE *out = open_memstream(&needs, ret_n);
  if (!out)
    return NULL;
  if (f->n > 2 && !memcmp(f->bytes, "#!", 2))
    archive_need_interpreter(out, f);
  if (elf_init(&e, f->bytes, f->n)) {
    if ((name = elf_interpreter(&e)) && name[0] == '/')
      archive_need(out, NEEDS_FILE, name);
    for (unsigned i = 0; (name = elf_needed(&e, i)); i++)
      archive_need(out, NEEDS_LIBRARY, name);
  }
  if (!fclose(out))
    return needs;
  free(needs);
  return NULL;
}

static void archive_add_library(struct archive *a, const char *name);

bool archive_add_file(struct archive *a, const char *path, const char *inside)
{
  char other[ARCHIVE_PATH_MAX];
  struct file f;
  size_t n;
  for (unsigned i = 0; i < a->n; i++)
    if (!strcmp(a->added[i], inside))
      return true;
  if (!file_read_into(path, &a->buffer, &f)) /* no mapping: the user may shorten it meanwhile */
    return false;
  archive_add_bytes(a, inside, 0755, f.bytes, f.n);
  char *needs = archive_needs(&f, &n); /* after this line the buffer is used for other files */
  a->cpio.failed |= !needs;
  for (const char *at = needs; needs && at < needs + n; at += strlen(at) + 1)
    if (*at == NEEDS_FILE) {
      archive_inside_path(at + 1, other, sizeof other);
      archive_add_file(a, at + 1, other);
    } else {
      archive_add_library(a, at + 1);
    }
  free(needs);
  return true;
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

bool archive_refuse(struct archive *a, const char *path, const char *why)
{
  snprintf(a->error, a->error_size, "%s: cannot be copied to the guest: %s", path, why);
  return false;
}

/* Adds a folder of depth `depth` with its contents. */
static bool archive_add_folder(struct archive *a, const char *path, unsigned depth)
{
  char inside[ARCHIVE_PATH_MAX], below[PATH_MAX];
  struct dirent **entries;
  snprintf(below, sizeof below, "%s/", path);
  archive_inside_path(below, inside, sizeof inside);
  inside[strlen(inside) - 1] = 0;
  archive_add_folders(a, inside);
  int n = depth < DEPTH_MAX ? scandir(path, &entries, NULL, alphasort) : -1;
  bool all =
      n >= 0 || archive_refuse(a, path, depth < DEPTH_MAX ? strerror(errno) : "the folders are nested too deeply");
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
    return archive_refuse(a, path, "it is neither a regular file nor a folder");
  archive_inside_path(path, inside, sizeof inside);
  return archive_add_file(a, path, inside) || archive_refuse(a, path, strerror(errno));
}
