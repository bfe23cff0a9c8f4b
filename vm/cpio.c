/* SPDX-License-Identifier: MIT */
/* Thirteen numbers of eight digits, the path with its zero, contents; path and contents padded to four bytes. */
#include <string.h>
#include "vm/cpio.h"
#include "vm/snapshot.h"

struct entry {
  const char *path;
  uint32_t mode, major, minor;
};

void cpio_init(struct cpio *c, FILE *file)
{
  *c = (struct cpio){.file = file, .key = SNAPSHOT_KEY_BEGIN};
}

static void vm_cpio_put(struct cpio *c, const void *bytes, size_t n)
{
  if (!c->file)
    c->key = snapshot_key(c->key, bytes, n);
  else if (n && fwrite(bytes, 1, n, c->file) != n)
    c->failed = true;
}

static void pad(struct cpio *c, size_t n)
{
  static const char zeros[4];
  vm_cpio_put(c, zeros, -n % 4);
}

static void vm_cpio_add(struct cpio *c, const struct entry *e, const void *contents, size_t n)
{
  enum { HEADER = 6 + 13 * 8 };
  size_t name = strlen(e->path) + 1;
  char header[HEADER + 1];
  if (n > UINT32_MAX ||
      snprintf(header, sizeof header, "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x", ++c->inode, e->mode,
               0, 0, 1, 0, (unsigned)n, 0, 0, e->major, e->minor, (unsigned)name, 0) != HEADER)
    c->failed = true;
  vm_cpio_put(c, header, HEADER);
  vm_cpio_put(c, e->path, name);
  pad(c, HEADER + name);
  vm_cpio_put(c, contents, n);
  pad(c, n);
}

void cpio_add(struct cpio *c, const char *path, uint32_t mode, const void *contents, size_t n)
{
  vm_cpio_add(c, &(struct entry){path, mode, 0, 0}, contents, n);
}

void cpio_device(struct cpio *c, const char *path, uint32_t mode, unsigned major, unsigned minor)
{
  vm_cpio_add(c, &(struct entry){path, mode, major, minor}, NULL, 0);
}

bool cpio_finish(struct cpio *c)
{
  vm_cpio_add(c, &(struct entry){"TRAILER!!!", 0, 0, 0}, NULL, 0);
  return (!c->file || fflush(c->file) == 0) && !c->failed;
}
