/* SPDX-License-Identifier: MIT */
#include "cli/common/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file is locked rather than the folder, because the folder is locked for a moment while a guest's state gets its
 * names (vm/snapshot.c). */
#define LOCK_FILE ".pmon-lock"

int path_check_read(struct cli *cli, const char *option, const char *path)
{
  struct stat is;
  if (!path)
    return CLI_DONE;
  const int error = access(path, R_OK) || stat(path, &is) ? errno : S_ISDIR(is.st_mode) ? EISDIR : 0;
  return error ? cli_fail(cli, "%s %s: %s", option, path, strerror(error)) : CLI_DONE;
}

int path_check_write(struct cli *cli, const char *option, const char *path)
{
  char folder[PATH_MAX];
  struct stat is;
  if (!path)
    return CLI_DONE;
  if (!stat(path, &is)) { /* its folder does not matter: users cannot write to that of /dev/null */
    const int error = S_ISDIR(is.st_mode) ? EISDIR : access(path, W_OK) ? errno : 0;
    return error ? cli_fail(cli, "%s %s: %s", option, path, strerror(error)) : CLI_DONE;
  }
  const char *slash = strrchr(path, '/');
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
  return !access(folder, W_OK | X_OK) ? CLI_DONE : cli_fail(cli, "%s %s: %s", option, path, strerror(errno));
}

int path_open_write(const struct cli *cli, const char *path)
{
  struct stat is;
  if (stat(path, &is) || !S_ISFIFO(is.st_mode))
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  const int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0 && fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) < 0) {
    close(fd);
    return -1;
  }
  if (fd >= 0 || errno != ENXIO)
    return fd;
  cli_note(cli, "%s: waiting for a reader of this FIFO; Ctrl-C ends", path);
  return open(path, O_WRONLY | O_CLOEXEC);
}

int path_lock_folder(struct cli *cli, const char *option, const char *path)
{
  char name[PATH_MAX];
  errno = ENAMETOOLONG;
  const bool fits = snprintf(name, sizeof name, "%s/" LOCK_FILE, path) < (int)sizeof name;
  const int fd = fits ? open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
  if (fd < 0)
    return cli_fail(cli, "%s %s: %s%s", option, path, errno == ENOTDIR ? "" : LOCK_FILE ": ", strerror(errno));
  if (!flock(fd, LOCK_EX | LOCK_NB))
    return CLI_DONE; /* the lock ends with the process */
  const bool taken = errno == EWOULDBLOCK;
  close(fd);
  return taken ? cli_fail(cli, "%s %s: another pmon process is writing there; choose another folder", option, path)
               : CLI_DONE;
}
