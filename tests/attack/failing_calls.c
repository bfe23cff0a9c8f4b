/* SPDX-License-Identifier: MIT */
/*
 * Preloaded before the C library (LD_PRELOAD): calls fail with the error that a variable names, as on file systems
 * without hard links (FAIL_LINK=EPERM) or without renaming without replacing (FAIL_RENAMEAT2=EINVAL), and where /proc
 * hides the names of processes (FAIL_COMM=EACCES).
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool call_fails(const char *variable)
{
  static const struct {
    const char *name;
    int number;
  } errors[] = {{"EPERM", EPERM}, {"EINVAL", EINVAL}, {"EACCES", EACCES}};
  const char *name = getenv(variable);
  for (size_t i = 0; name && i < sizeof errors / sizeof *errors; i++)
    if (!strcmp(errors[i].name, name)) {
      errno = errors[i].number;
      return true;
    }
  return false;
}

int link(const char *from, const char *to)
{
  return call_fails("FAIL_LINK") ? -1 : (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
  return call_fails("FAIL_LINK") ? -1 : (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
  return call_fails("FAIL_RENAMEAT2") ? -1 : (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

FILE *fopen(const char *path, const char *mode)
{
  static FILE *(*next)(const char *, const char *);
  const size_t n = strlen(path);
  if (!next) {
    void *found = dlsym(RTLD_NEXT, "fopen");
    memcpy(&next, &found, sizeof next);
  }
  return n > 5 && !strcmp(path + n - 5, "/comm") && call_fails("FAIL_COMM") ? NULL : next(path, mode);
}
