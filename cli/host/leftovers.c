/* SPDX-License-Identifier: MIT */
#include "cli/host/leftovers.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* What session_write_journal() appends to a journal's name, by mkostemp(). */
#define LEFTOVER_END ".new-XXXXXX"
#define JOURNAL_BEGIN "pmon journal "

static bool is_name_of_leftover(const char *name, const char *journal)
{
  const size_t n = strlen(name), end = strlen(LEFTOVER_END);
  char of[NAME_MAX + 1];
  if (n <= end || n > NAME_MAX || strncmp(name + n - end, LEFTOVER_END, strlen(".new-")))
    return false;
  snprintf(of, sizeof of, "%.*s", (int)(n - end), name);
  return !strcmp(of, journal) || !fnmatch(journal, of, 0);
}

/* A session that lives has locked its file; the lock that is taken here keeps one that has just made it from using it.
 */
static bool is_left_over(int fd)
{
  char text[sizeof JOURNAL_BEGIN - 1];
  struct stat st;
  if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || flock(fd, LOCK_EX | LOCK_NB))
    return false;
  const ssize_t n = pread(fd, text, sizeof text, 0);
  return n >= 0 && !strncmp(text, JOURNAL_BEGIN, (size_t)n);
}

void leftovers_remove(struct cli *cli, const char *path)
{
  const char *slash = strrchr(path, '/');
  char folder[PATH_MAX];
  struct dirent *entry;
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 2, slash ? path : "./");
  DIR *d = opendir(folder);
  while (d && (entry = readdir(d))) {
    if (!is_name_of_leftover(entry->d_name, slash ? slash + 1 : path))
      continue;
    const int fd = openat(dirfd(d), entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (is_left_over(fd) && !unlinkat(dirfd(d), entry->d_name, 0))
      cli_fail(cli, "%s%s: removed; its session was killed before it wrote a register", slash ? folder : "",
               entry->d_name);
    if (fd >= 0)
      close(fd);
  }
  if (d)
    closedir(d);
}
