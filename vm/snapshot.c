/* SPDX-License-Identifier: MIT */
#include "vm/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What each state begins with, whichever version of pmon wrote it. */
#define MAGIC "pmon-guest "

enum { LINE_BYTES = 32 };

/* FNV-1a with eight bytes at a time, and the upper bits brought down: the files have a hundred megabytes. */
static uint64_t key_mix(uint64_t key, uint64_t word)
{
  key = (key ^ word) * UINT64_C(0x100000001b3);
  return key ^ key >> 29;
}

uint64_t snapshot_key(uint64_t key, const void *bytes, size_t n)
{
  const unsigned char *at = bytes;
  uint64_t word;
  for (; n >= sizeof word; n -= sizeof word, at += sizeof word) {
    memcpy(&word, at, sizeof word);
    key = key_mix(key, word);
  }
  for (; n; n--)
    key = key_mix(key, *at++);
  return key;
}

static void snapshot_line(uint64_t key, char line[LINE_BYTES + 1])
{
  snprintf(line, LINE_BYTES + 1, MAGIC "1 %016" PRIx64 "  \n", key);
}

int snapshot_check(const char *path)
{
  char begin[sizeof MAGIC - 1];
  struct stat is;
  if (stat(path, &is))
    return errno == ENOENT ? 0 : -1;
  if (S_ISDIR(is.st_mode) || (S_ISREG(is.st_mode) && !is.st_size))
    return 0;
  const int fd = S_ISREG(is.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0 && S_ISREG(is.st_mode))
    return -1;
  const bool state = fd >= 0 && read(fd, begin, sizeof begin) == sizeof begin && !memcmp(begin, MAGIC, sizeof begin);
  if (fd >= 0)
    close(fd);
  errno = EEXIST;
  return state ? 0 : -1;
}

int snapshot_open(const char *path, uint64_t key)
{
  char want[LINE_BYTES + 1], line[LINE_BYTES];
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  snapshot_line(key, want);
  if (fd < 0 || (read(fd, line, LINE_BYTES) == LINE_BYTES && !memcmp(line, want, LINE_BYTES)))
    return fd;
  close(fd);
  return -1;
}

/* -1 with errno set: also where the file system has no files without a name. */
static int open_nameless(const char *path)
{
  char folder[PATH_MAX];
  const char *slash = strrchr(path, '/');
  const int n = snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
  if ((size_t)n >= sizeof folder) {
    errno = ENAMETOOLONG;
    return -1;
  }
  return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

int snapshot_create(const char *path, uint64_t key, char *temporary, size_t size)
{
  char line[LINE_BYTES + 1];
  if ((size_t)snprintf(temporary, size, "%s.%ld", path, (long)getpid()) >= size) {
    errno = ENAMETOOLONG;
    return -1;
  }
  int fd = open_nameless(path);
  const bool named = fd < 0;
  if (named)
    fd = open(temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  snapshot_line(key, line);
  if (fd < 0 || write(fd, line, LINE_BYTES) == LINE_BYTES)
    return fd;
  if (named)
    unlink(temporary);
  close(fd);
  return -1;
}

int snapshot_keep(int fd, const char *temporary, const char *path)
{
  char link[32];
  struct stat is;
  if (fstat(fd, &is))
    return -1;
  if (!is.st_nlink) { /* a link cannot replace a file: only a rename does, which needs a name */
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    unlink(temporary); /* left by a killed process of the same number */
    if (linkat(AT_FDCWD, link, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW))
      return -1;
  }
  return rename(temporary, path);
}
