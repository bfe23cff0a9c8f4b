/* SPDX-License-Identifier: MIT */
/*
 * Opens recordings for reading without any change on disk. A recorder that was killed during a commit leaves SQLite's
 * rollback journal next to the file. SQLite would roll it back into the file, and would delete another file that a
 * forged journal names. The pages of the journal are therefore written into a copy in memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "src/record/file.h"

enum {
  HEADER = 28,         /* bytes of a journal's header: magic, number of records, nonce, pages of the file, sector
                          size, page size */
  RECORD_OVERHEAD = 8, /* bytes of a journal's record besides the page: its number before it, its checksum after it */
  CHECKSUM_STEP = 200, /* distance between the bytes that the checksum covers */
  COPY_MOST = 256 << 20,
  BUSY_MS = 2000, /* maximum duration of a commit of the recorder */
  /* The file's header, and offsets of fields in it (SQLite, Database File Format, 1.3). */
  SQLITE_HEADER = 100,
  PAGE_SIZE_AT = 16,
  FORMAT_AT = 18, /* two bytes: 1 for rollback journals */
  PAGES_AT = 28,
  ID_AT = 68
};

static const uint8_t journal_magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};

struct bytes {
  uint8_t *at;
  size_t n;
};

static uint32_t read_be32(const uint8_t *at)
{
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Opens a regular file; -1 with errno: it is not one, or cannot be read. Never waits for the other end of a FIFO. */
static int open_regular(const char *path, struct stat *ret_stat)
{
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd >= 0 && !fstat(fd, ret_stat) && S_ISREG(ret_stat->st_mode))
    return fd;
  const int reason = fd < 0 ? errno : EINVAL;
  if (fd >= 0)
    close(fd);
  errno = reason;
  return -1;
}

/* Reads a regular file, to be freed with sqlite3_free(). PMON_OK, PMON_E_IO, PMON_E_RANGE (too large),
 * PMON_E_MEMORY. */
static int read_whole(const char *path, struct bytes *ret)
{
  struct stat st;
  const int fd = open_regular(path, &st);
  int status = fd < 0 ? PMON_E_IO : st.st_size > COPY_MOST ? PMON_E_RANGE : 0;
  ret->n = status ? 0 : (size_t)st.st_size;
  ret->at = status ? NULL : sqlite3_malloc64(ret->n + 1);
  if (!status && !ret->at)
    status = PMON_E_MEMORY;
  for (size_t done = 0; !status && done < ret->n;) {
    const ssize_t n = pread(fd, ret->at + done, ret->n - done, (off_t)done);
    if (n > 0)
      done += (size_t)n;
    else if (n == 0)
      ret->n = done;
    else if (errno != EINTR)
      status = PMON_E_IO;
  }
  if (fd >= 0)
    close(fd);
  return status;
}

static bool page_is_intact(const uint8_t *page, uint32_t page_bytes, uint32_t nonce, uint32_t checksum)
{
  for (uint32_t i = page_bytes - CHECKSUM_STEP; i < page_bytes && i > 0; i -= CHECKSUM_STEP)
    nonce += page[i];
  return nonce == checksum;
}

/* Writes the pages of the journal back, up to the first incomplete one. False: not a journal. */
static bool roll_back(struct bytes *file, const struct bytes *journal)
{
  const uint8_t *const j = journal->at;
  if (journal->n < HEADER || memcmp(j, journal_magic, sizeof journal_magic))
    return false;
  const uint32_t nonce = read_be32(j + 12), pages = read_be32(j + 16), sector = read_be32(j + 20),
                 page_bytes = read_be32(j + 24);
  if (page_bytes < 512 || page_bytes > 65536 || page_bytes & (page_bytes - 1) || sector < HEADER || sector > 65536 ||
      (uint64_t)pages * page_bytes > COPY_MOST)
    return false;
  const size_t size = (size_t)pages * page_bytes, record = page_bytes + RECORD_OVERHEAD;
  uint8_t *grown = sqlite3_realloc64(file->at, size + 1);
  if (!grown)
    return false;
  if (size > file->n)
    memset(grown + file->n, 0, size - file->n);
  *file = (struct bytes){grown, size};
  for (size_t at = sector; at <= journal->n && journal->n - at >= record; at += record) {
    const uint32_t number = read_be32(j + at);
    const uint8_t *const page = j + at + 4;
    if (!number || !page_is_intact(page, page_bytes, nonce, read_be32(page + page_bytes)))
      break;
    if (number <= pages)
      memcpy(file->at + (size_t)(number - 1) * page_bytes, page, page_bytes);
  }
  return true;
}

/* Opens, instead of the file, a copy in memory in the state before the interrupted commit. */
static int open_rolled_back(struct pmon_context *context, const char *path, sqlite3 **db)
{
  struct bytes file = {0}, journal = {0};
  char *name = sqlite3_mprintf("%s-journal", path);
  int status = name ? read_whole(path, &file) : PMON_E_MEMORY;
  if (!status)
    status = read_whole(name, &journal);
  if (!status && !roll_back(&file, &journal))
    status = PMON_E_SYNTAX;
  sqlite3_free(name);
  sqlite3_free(journal.at);
  sqlite3_close(*db);
  *db = NULL;
  if (!status && sqlite3_open(":memory:", db) != SQLITE_OK)
    status = PMON_E_MEMORY;
  if (!status && sqlite3_deserialize(*db, "main", file.at, (sqlite3_int64)file.n, (sqlite3_int64)file.n,
                                     SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY) == SQLITE_OK)
    return 0; /* the copy belongs to SQLite */
  if (status)
    sqlite3_free(file.at);
  return record_refuse(context, status ? status : PMON_E_IO,
                       status == PMON_E_RANGE
                           ? "%s: interrupted in a commit and is larger than %d MB; sqlite3 can complete it"
                           : "%s: interrupted in a commit, and its journal cannot be read",
                       path, COPY_MOST >> 20);
}

static int record_check_file(struct pmon_context *context, const char *path)
{
  struct stat st;
  uint8_t format[2] = {1, 1};
  const int fd = open_regular(path, &st);
  if (fd < 0)
    return record_refuse(context, PMON_E_IO, "cannot read %s: %s", path,
                         errno == EINVAL ? "it is not a regular file" : strerror(errno));
  const ssize_t n = pread(fd, format, sizeof format, FORMAT_AT);
  close(fd);
  /* With a write-ahead log, SQLite would make files next to it. */
  return n == (ssize_t)sizeof format && (format[0] == 2 || format[1] == 2)
             ? record_refuse(context, PMON_E_SYNTAX, "%s: not a recording; `pmon stat --record FILE` writes one", path)
             : 0;
}

/* Returns the size that a recording's header states, and the file's state; 0: it has no such header. */
static uint64_t record_stated_size(const char *path, struct stat *ret_stat)
{
  uint8_t header[SQLITE_HEADER];
  const int fd = open_regular(path, ret_stat);
  const ssize_t n = fd < 0 ? -1 : pread(fd, header, sizeof header, 0);
  if (fd >= 0)
    close(fd);
  if (n != (ssize_t)sizeof header || read_be32(header + ID_AT) != RECORD_ID)
    return 0;
  const uint32_t page = (uint32_t)header[PAGE_SIZE_AT] << 8 | header[PAGE_SIZE_AT + 1];
  return (uint64_t)read_be32(header + PAGES_AT) * (page == 1 ? 65536 : page);
}

int record_open_sqlite(const char *path, int flags, sqlite3 **ret_db)
{
  char *name = sqlite3_mprintf("%s%s", *path == '/' ? "" : "./", path);
  const int result = name ? sqlite3_open_v2(name, ret_db, flags, NULL) : SQLITE_NOMEM;
  sqlite3_free(name);
  return result;
}

int record_open_database(struct pmon_context *context, const char *path, sqlite3 **ret_db)
{
  *ret_db = NULL;
  struct stat st = {0};
  int status = record_check_file(context, path);
  if (status)
    return status;
  if (record_open_sqlite(path, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, ret_db) != SQLITE_OK)
    return record_fail(context, *ret_db, PMON_E_IO, "read", path);
  sqlite3_busy_timeout(*ret_db, BUSY_MS);
  const bool readable = record_pragma(*ret_db, "application_id") >= 0;
  if (!readable && sqlite3_extended_errcode(*ret_db) == SQLITE_READONLY_ROLLBACK)
    return open_rolled_back(context, path, ret_db);
  if (!readable && sqlite3_errcode(*ret_db) == SQLITE_BUSY)
    return record_refuse(context, PMON_E_IO, "%s: another process is writing it", path);
  const uint64_t stated = readable ? 0 : record_stated_size(path, &st);
  if (stated > (uint64_t)st.st_size)
    return record_refuse(context, PMON_E_SYNTAX,
                         "%s: the recording is truncated: it has %" PRIu64 " of %" PRIu64 " bytes; copy it again", path,
                         (uint64_t)st.st_size, stated);
  return 0;
}

/* Platforms that were made from the same compiled-in one share its events. */
int record_check_platform(const struct pmon_recording *r, const struct pmon_platform *platform)
{
  struct pmon_platform_info given = {.size = sizeof given}, one = {.size = sizeof one};
  const struct pmon_platform *p;
  pmon_platform_describe(platform, &given);
  for (uint32_t i = 0; (p = pmon_platform_get(r->context, i)) && !pmon_platform_describe(p, &one); i++)
    if (!strcmp(one.name, r->platform))
      return !strcmp(one.base, given.base)
                 ? 0
                 : record_refuse(r->context, PMON_E_INVALID, "%s: the recording is of platform %s, not of %s", r->path,
                                 r->platform, given.name);
  return 0;
}
