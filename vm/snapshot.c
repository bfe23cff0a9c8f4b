/* SPDX-License-Identifier: MIT */
#include "vm/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* Each snapshot begins with it, in every version of pmon. */
#define MAGIC "pmon-guest "

enum { LINE_BYTES = 64 };

/* FNV-1a with eight bytes at a time, and the upper bits brought down: the files have a hundred megabytes. */
static uint64_t key_mix(uint64_t key, uint64_t word)
{
  key = (key ^ word) * UINT64_C(0x100000001b3);
  return key ^ key >> 29;
}

/* Each multiplication waits for the previous one: for long input, every fourth word goes into a separate key. */
static uint64_t key_of_lanes(uint64_t key, const unsigned char *at, size_t blocks)
{
  enum { LANES = 4 };
  uint64_t lane[LANES], word[LANES];
  for (unsigned i = 0; i < LANES; i++)
    lane[i] = key_mix(key, i);
  for (; blocks; blocks--, at += sizeof word) {
    memcpy(word, at, sizeof word);
#pragma GCC unroll 4 /* the lanes stay in registers: 13 instead of 5 GB a second */
    for (unsigned i = 0; i < LANES; i++)
      lane[i] = key_mix(lane[i], word[i]);
  }
  for (unsigned i = 0; i < LANES; i++)
    key = key_mix(key, lane[i]);
  return key;
}

uint64_t snapshot_key(uint64_t key, const void *bytes, size_t n)
{
  const unsigned char *at = bytes;
  uint64_t word;
  const size_t blocks = n / 32;
  if (blocks) {
    key = key_of_lanes(key, at, blocks);
    at += blocks * 32;
    n -= blocks * 32;
  }
  for (; n >= sizeof word; n -= sizeof word, at += sizeof word) {
    memcpy(&word, at, sizeof word);
    key = key_mix(key, word);
  }
  for (; n; n--)
    key = key_mix(key, *at++);
  return key;
}

/* Reads the line that ends a file, and the line's position, which is the size of the contents. 0: the file is long
 * enough to have one. */
static int snapshot_end(int fd, char line[LINE_BYTES + 1], uint64_t *ret_size)
{
  struct stat is;
  if (fd < 0 || fstat(fd, &is) || is.st_size < LINE_BYTES)
    return -1;
  *ret_size = (uint64_t)is.st_size - LINE_BYTES;
  line[LINE_BYTES] = 0;
  return pread(fd, line, LINE_BYTES, (off_t)*ret_size) == LINE_BYTES ? 0 : -1;
}

static void snapshot_line(uint64_t key, uint64_t id, uint64_t size, char line[LINE_BYTES + 1])
{
  snprintf(line, LINE_BYTES + 1, MAGIC "2 %016" PRIx64 " %016" PRIx64 " %012" PRIx64 "    \n", key, id,
           size & UINT64_C(0xffffffffffff));
}

/* Returns the folder of `path`, as open() takes it. */
static int snapshot_folder(const char *path, char folder[PATH_MAX])
{
  const char *slash = strrchr(path, '/');
  const int n = snprintf(folder, PATH_MAX, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
  errno = ENAMETOOLONG;
  return n < PATH_MAX ? 0 : -1;
}

/* Locks the folder: one process at a time gives names to the parts or opens them. Without locks (some network file
 * systems), parts of two snapshots may be found together, but their lines differ. */
static int snapshot_lock(const char *path, int operation)
{
  char folder[PATH_MAX];
  const int fd = snapshot_folder(path, folder) ? -1 : open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (fd >= 0 && flock(fd, operation) && errno == EINTR)
    continue;
  return fd;
}

/* True if each snapshot has this part. */
static bool snapshot_has(const struct snapshot *s, unsigned part)
{
  return part < SNAPSHOT_FUNCTIONS && (part >= KIND_SOCKETS || part < s->sockets);
}

const char *snapshot_ending(unsigned part)
{
  static const char *const endings[] = {".memory0", ".memory1", ".kernel", "", ".functions", ".driver"};
  _Static_assert(sizeof endings / sizeof *endings == SNAPSHOT_PARTS, "one of each part");
  return endings[part];
}

/* Returns the name of a part. */
static int snapshot_name(const struct snapshot *s, unsigned part, char name[PATH_MAX])
{
  errno = ENAMETOOLONG;
  return snprintf(name, PATH_MAX, "%s%s", s->path, snapshot_ending(part)) < PATH_MAX ? 0 : -1;
}

/* Returns the temporary name that a part has until it is whole. */
static int snapshot_temporary_name(const struct snapshot *s, unsigned part, char name[PATH_MAX])
{
  errno = ENAMETOOLONG;
  return snprintf(name, PATH_MAX, "%s%s.%ld", s->path, snapshot_ending(part), (long)getpid()) < PATH_MAX ? 0 : -1;
}

static int snapshot_init(struct snapshot *s, const char *path, unsigned sockets)
{
  *s = (struct snapshot){.sockets = sockets};
  for (unsigned i = 0; i < SNAPSHOT_PARTS; i++)
    s->part[i] = -1;
  errno = ENAMETOOLONG;
  return snprintf(s->path, sizeof s->path, "%s", path) < (int)sizeof s->path ? 0 : -1;
}

/* Returns 0 if a file may get the name of a part: there is none, an empty one, or one of another snapshot. Streams
 * begin with a line, the others end with one. */
static int snapshot_check_part(const char *name, bool stream)
{
  char line[sizeof MAGIC - 1];
  struct stat is;
  if (stat(name, &is))
    return errno == ENOENT ? 0 : -1;
  if (S_ISREG(is.st_mode) && !is.st_size)
    return 0;
  const int fd = S_ISREG(is.st_mode) ? open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
  if (fd < 0 && S_ISREG(is.st_mode))
    return -1;
  const off_t at = stream || is.st_size < LINE_BYTES ? 0 : is.st_size - LINE_BYTES;
  const bool snapshot = fd >= 0 && pread(fd, line, sizeof line, at) == sizeof line && !memcmp(line, MAGIC, sizeof line);
  if (fd >= 0)
    close(fd);
  errno = EEXIST;
  return snapshot ? 0 : -1;
}

const char *snapshot_check(const char *path, char name[PATH_MAX])
{
  struct snapshot s;
  struct stat is;
  if (!stat(path, &is) && S_ISDIR(is.st_mode))
    return NULL;
  if (snapshot_init(&s, path, KIND_SOCKETS))
    return path;
  for (unsigned i = 0; i < SNAPSHOT_PARTS; i++)
    if (snapshot_name(&s, i, name) || snapshot_check_part(name, i >= SNAPSHOT_STREAM))
      return name;
  return NULL;
}

/* Opens a part. QEMU maps memory as if it wrote to it. */
static int snapshot_open_part(const struct snapshot *s, unsigned part)
{
  char name[PATH_MAX];
  struct stat is;
  const int access = part < KIND_SOCKETS ? O_RDWR : O_RDONLY;
  const int fd = snapshot_name(s, part, name) ? -1 : open(name, access | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 || (!fstat(fd, &is) && S_ISREG(is.st_mode)))
    return fd;
  close(fd); /* a pipe, for example, at which pmon would wait */
  return -1;
}

int snapshot_open(const char *path, uint64_t key, unsigned sockets, struct snapshot *ret)
{
  char line[LINE_BYTES + 1], want[LINE_BYTES + 1];
  uint64_t id = 0, size = 0;
  bool whole = !snapshot_init(ret, path, sockets);
  const int lock = whole ? snapshot_lock(path, LOCK_SH) : -1;
  for (unsigned i = 0; i < SNAPSHOT_PARTS; i++)
    if (whole && snapshot_has(ret, i))
      whole = (ret->part[i] = snapshot_open_part(ret, i)) >= 0;
  if (lock >= 0)
    close(lock);
  for (unsigned i = 0; i < SNAPSHOT_PARTS && whole; i++) {
    if (!snapshot_has(ret, i))
      continue;
    whole = !snapshot_end(ret->part[i], line, &size) && (i || sscanf(line, MAGIC "2 %*x %" SCNx64, &id) == 1);
    snapshot_line(key, id, size, want);
    whole = whole && !memcmp(line, want, LINE_BYTES);
  }
  ret->id = id;
  if (whole && lseek(ret->part[SNAPSHOT_STREAM], LINE_BYTES, SEEK_SET) == LINE_BYTES)
    return 0;
  snapshot_close(ret);
  return -1;
}

size_t snapshot_size(int part)
{
  char line[LINE_BYTES + 1];
  uint64_t size = 0;
  return snapshot_end(part, line, &size) ? 0 : (size_t)size;
}

/* Creates a file for a part. -1 with errno set. */
static int snapshot_create_part(const struct snapshot *s, unsigned part)
{
  char name[PATH_MAX];
  int fd = snapshot_folder(s->path, name) ? -1 : open(name, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0 && !snapshot_temporary_name(s, part, name)) { /* perhaps the file system has no files without a name */
    unlink(name);                                          /* left by a killed process of the same number */
    fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  }
  return fd;
}

int snapshot_create(const char *path, unsigned sockets, struct snapshot *ret)
{
  char line[LINE_BYTES + 1];
  bool good = !snapshot_init(ret, path, sockets);
  for (unsigned i = 0; i < SNAPSHOT_PARTS; i++)
    if (good && snapshot_has(ret, i))
      good = (ret->part[i] = snapshot_create_part(ret, i)) >= 0;
  snapshot_line(0, 0, 0, line); /* identifies the file before its last line is written */
  if (good && write(ret->part[SNAPSHOT_STREAM], line, LINE_BYTES) == LINE_BYTES)
    return 0;
  const int why = errno;
  snapshot_close(ret);
  errno = why;
  return -1;
}

/* Writes the last line, and the whole file to the disk: a name must not outlive its contents. */
static int snapshot_end_part(int fd, uint64_t key, uint64_t id)
{
  char line[LINE_BYTES + 1];
  const off_t size = lseek(fd, 0, SEEK_END);
  snapshot_line(key, id, (uint64_t)size, line);
  return size >= 0 && write(fd, line, LINE_BYTES) == LINE_BYTES && !fdatasync(fd) ? 0 : -1;
}

/* Gives a part its name. A link cannot replace a file: only a rename does, which needs a name. */
static int snapshot_keep_part(const struct snapshot *s, unsigned part)
{
  char link[32], name[PATH_MAX], temporary[PATH_MAX];
  struct stat is;
  if (snapshot_name(s, part, name) || snapshot_temporary_name(s, part, temporary) || fstat(s->part[part], &is))
    return -1;
  if (!is.st_nlink) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", s->part[part]);
    unlink(temporary); /* left by a killed process of the same number */
    if (linkat(AT_FDCWD, link, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW))
      return -1;
  }
  return rename(temporary, name);
}

int snapshot_keep(struct snapshot *s, uint64_t key)
{
  uint64_t id = 0;
  int failed = getrandom(&id, sizeof id, 0) != sizeof id;
  for (unsigned i = 0; i < SNAPSHOT_PARTS && !failed; i++)
    if (snapshot_has(s, i))
      failed = snapshot_end_part(s->part[i], key, id);
  const int lock = snapshot_lock(s->path, LOCK_EX);
  for (unsigned i = 0; i < SNAPSHOT_PARTS && !failed; i++)
    if (snapshot_has(s, i))
      failed = snapshot_keep_part(s, i);
  const int why = errno;
  if (lock >= 0)
    close(lock);
  errno = why;
  return failed ? -1 : 0;
}

int snapshot_open_later(struct snapshot *s, unsigned part, uint64_t key)
{
  char line[LINE_BYTES + 1], want[LINE_BYTES + 1];
  uint64_t size = 0;
  const int fd = s->part[part] = snapshot_open_part(s, part);
  if (!snapshot_end(fd, line, &size)) {
    snapshot_line(key, s->id, size, want);
    if (!memcmp(line, want, LINE_BYTES) && lseek(fd, LINE_BYTES, SEEK_SET) == LINE_BYTES)
      return 0;
  }
  snapshot_close_later(s, part);
  return -1;
}

int snapshot_create_later(struct snapshot *s, unsigned part)
{
  char line[LINE_BYTES + 1];
  const int fd = s->part[part] = snapshot_create_part(s, part);
  snapshot_line(0, 0, 0, line);
  if (fd >= 0 && write(fd, line, LINE_BYTES) == LINE_BYTES)
    return 0;
  const int why = errno;
  snapshot_close_later(s, part);
  errno = why;
  return -1;
}

int snapshot_keep_later(struct snapshot *s, unsigned part, uint64_t key)
{
  char name[PATH_MAX];
  if (snapshot_name(s, part, name) || snapshot_check_part(name, true) || snapshot_end_part(s->part[part], key, s->id))
    return -1;
  return snapshot_keep_part(s, part);
}

void snapshot_remove_later(const struct snapshot *s, unsigned part)
{
  char name[PATH_MAX];
  if (!snapshot_name(s, part, name))
    unlink(name);
}

void snapshot_close_later(struct snapshot *s, unsigned part)
{
  char temporary[PATH_MAX];
  if (s->part[part] < 0)
    return;
  if (!snapshot_temporary_name(s, part, temporary))
    unlink(temporary);
  close(s->part[part]);
  s->part[part] = -1;
}

void snapshot_close(struct snapshot *s)
{
  for (unsigned i = 0; i < SNAPSHOT_PARTS; i++)
    snapshot_close_later(s, i);
}
