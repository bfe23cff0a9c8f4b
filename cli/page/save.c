/* SPDX-License-Identifier: MIT */
#include "cli/page/save.h"
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/common/paths.h"

static int save_refused(const struct cli *cli, const char *path, int error)
{
  return error ? cli_fail(cli, "%s: cannot be written: %s", path, strerror(error)) : CLI_USAGE;
}

/* The file was opened, and writing failed. Error 0: the error has been printed. */
static int save_failed(const struct cli *cli, const char *path, int error)
{
  const int result = save_refused(cli, path, error);
  return error ? CLI_FAILED : result;
}

bool page_is_same_file(const char *a, const char *b)
{
  struct stat of_a, of_b;
  return !stat(a, &of_a) && !stat(b, &of_b) && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

int page_may_save(const struct cli *cli, const char *path)
{
  struct stat there;
  if (!strcmp(path, "-"))
    return CLI_DONE;
  if (!stat(path, &there) && !S_ISREG(there.st_mode)) {
    const int error = S_ISDIR(there.st_mode) ? EISDIR : access(path, W_OK) ? errno : 0;
    return error ? save_refused(cli, path, error) : CLI_DONE;
  }
  char *folder = strdup(path);
  if (!folder)
    return cli_fail_memory(cli);
  const int error = access(dirname(folder), W_OK | X_OK) ? errno : 0;
  free(folder);
  return error ? save_refused(cli, path, error) : CLI_DONE;
}

static int save_to_output(const struct cli *cli, bool (*write)(FILE *to, void *user), void *user)
{
  errno = 0;
  return write(stdout, user) && !fflush(stdout) ? CLI_DONE : save_failed(cli, "standard output", errno);
}

/* Writes to a device, a pipe or the like, which must not be replaced by a file. */
static int save_into(const struct cli *cli, const char *path, bool (*write)(FILE *to, void *user), void *user)
{
  const int fd = path_open_write(cli, path);
  FILE *const to = fd < 0 ? NULL : fdopen(fd, "w");
  if (!to)
    return save_refused(cli, path, errno);
  errno = 0;
  bool good = write(to, user);
  int error = errno;
  if (fclose(to) && good) {
    good = false;
    error = errno;
  }
  return good ? CLI_DONE : save_failed(cli, path, error);
}

int page_save(const struct cli *cli, const char *path, bool (*write)(FILE *to, void *user), void *user)
{
  struct stat there;
  if (!strcmp(path, "-"))
    return save_to_output(cli, write, user);
  if (!stat(path, &there) && !S_ISREG(there.st_mode))
    return save_into(cli, path, write, user);
  const size_t size = strlen(path) + 8;
  char *temporary = malloc(size);
  if (!temporary)
    return cli_fail_memory(cli);
  snprintf(temporary, size, "%s.XXXXXX", path);
  const mode_t mask = umask(0);
  umask(mask);
  const int fd = mkostemp(temporary, O_CLOEXEC);
  int error = fd < 0 ? errno : 0;
  FILE *const to = fd < 0 ? NULL : fdopen(fd, "w");
  bool good = to && !fchmod(fd, 0666 & ~mask);
  if (good) {
    errno = 0;
    good = write(to, user);
    error = errno;
  }
  if (to && fclose(to) && good) {
    good = false;
    error = errno;
  }
  if (good && rename(temporary, path)) {
    good = false;
    error = errno;
  }
  if (!good && fd >= 0)
    unlink(temporary);
  free(temporary);
  return good ? CLI_DONE : (fd < 0 ? save_refused : save_failed)(cli, path, error);
}
