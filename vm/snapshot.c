/* SPDX-License-Identifier: MIT */
#include "vm/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
  snprintf(line, LINE_BYTES + 1, "pmon-guest 1 %016" PRIx64 "  \n", key);
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

int snapshot_create(const char *path, uint64_t key, char *temporary, size_t size)
{
  char line[LINE_BYTES + 1];
  if ((size_t)snprintf(temporary, size, "%s.%ld", path, (long)getpid()) >= size) {
    errno = ENAMETOOLONG;
    return -1;
  }
  const int fd = open(temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  snapshot_line(key, line);
  if (fd < 0 || write(fd, line, LINE_BYTES) == LINE_BYTES)
    return fd;
  unlink(temporary);
  close(fd);
  return -1;
}
