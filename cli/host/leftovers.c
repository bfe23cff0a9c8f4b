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

/* The suffix that session_write_journal() appends to a journal's name, by mkostemp(). */
#define LEFTOVER_END ".new-XXXXXX"
#define JOURNAL_BEGIN "pmon journal "

static bool is_name_of_leftover(const char *name, const char *journal, bool pattern)
{
  static const char made_of[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const size_t n = strlen(name), end = strlen(LEFTOVER_END), made = strlen("XXXXXX");
  char of[NAME_MAX + 1];
  if (n <= end || n > NAME_MAX || strncmp(name + n - end, LEFTOVER_END, end - made) ||
      strspn(name + n - made, made_of) != made)
    return false;
  snprintf(of, sizeof of, "%.*s", (int)(n - end), name);
  return pattern ? !fnmatch(journal, of, 0) : !strcmp(of, journal);
}

/* Whether no session uses the file. A running session has locked its file; the lock taken here prevents a session that
 * has just created its file from using it. (On NFS such a lock requires write access.) */
static bool is_left_over(int fd)
{
  char text[sizeof JOURNAL_BEGIN - 1];
  struct stat st;
  if (fd < 0 || fstat(fd, &st) || (st.st_mode & (S_IFMT | 07777)) != (S_IFREG | S_IRUSR | S_IWUSR) ||
      st.st_uid != geteuid() || flock(fd, LOCK_EX | LOCK_NB))
    return false;
  const ssize_t n = pread(fd, text, sizeof text, 0);
  return n >= 0 && !strncmp(text, JOURNAL_BEGIN, (size_t)n);
}

/* Whether the file has its last line; then it may be a copy that was made to preserve a journal. */
static bool is_whole(int fd)
{
  char text[128]; /* the last line has at most 80 bytes */
  struct stat st;
  if (fstat(fd, &st))
    return true;
  const off_t at = st.st_size > (off_t)sizeof text ? st.st_size - (off_t)sizeof text : 0;
  const ssize_t n = pread(fd, text, sizeof text, at);
  return n < 0 || (n > 0 && text[n - 1] == '\n' && memmem(text, (size_t)n, "\nend ", strlen("\nend ")));
}

/* Removes the file, unless it is a complete journal and its JOURNAL is missing. Beside its JOURNAL, a complete one is
 * that journal's next state, and no register has been written for it. */
static void leftover_remove(struct cli *cli, int folder_fd, const char *folder, const char *name)
{
  const int fd = openat(folder_fd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  char journal[NAME_MAX + 1];
  snprintf(journal, sizeof journal, "%.*s", (int)(strlen(name) - strlen(LEFTOVER_END)), name);
  if (is_left_over(fd)) {
    if (is_whole(fd) && faccessat(folder_fd, journal, F_OK, AT_SYMLINK_NOFOLLOW))
      cli_note(cli, "%s%s: not removed: the journal is complete; pmon restore %s%s restores its registers", folder,
               name, folder, name);
    else if (!unlinkat(folder_fd, name, 0))
      cli_note(cli, "%s%s: removed; a session was killed while it wrote this journal", folder, name);
  }
  if (fd >= 0)
    close(fd);
}

void leftovers_remove(struct cli *cli, const char *path, bool pattern)
{
  const char *slash = strrchr(path, '/');
  char folder[PATH_MAX];
  struct dirent *entry;
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 2, slash ? path : "./");
  DIR *d = opendir(folder);
  while (d && (entry = readdir(d)))
    if (is_name_of_leftover(entry->d_name, slash ? slash + 1 : path, pattern))
      leftover_remove(cli, dirfd(d), slash ? folder : "", entry->d_name);
  if (d)
    closedir(d);
}
