/* SPDX-License-Identifier: MIT */
/* The system's files: small texts, and devices. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "src/access/system.h"

bool system_text(const char *root, const char *name, char *text, size_t size)
{
  char path[SYSTEM_PATH];
  if (snprintf(path, sizeof path, "%s/%s", root, name) >= (int)sizeof path)
    return false;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  ssize_t n = read(fd, text, size - 1);
  close(fd);
  if (n < 0)
    return false;
  text[n] = 0;
  text[strcspn(text, "\n")] = 0;
  return true;
}

int system_status(int error)
{
  switch (error) {
  case EPERM:
  case EACCES: return PMON_E_PERMISSION;
  case ENOENT:
  case ENXIO:
  case ENODEV:
  case ENOTDIR: return PMON_E_NO_DEVICE;
  case ENOMEM: return PMON_E_MEMORY;
  default: return PMON_E_IO;
  }
}

int system_open(const struct system_file *file, struct pmon_reason *reason, int *ret_fd)
{
  char path[SYSTEM_PATH];
  if (snprintf(path, sizeof path, "%s/%s", file->root, file->name) >= (int)sizeof path)
    return PMON_E_RANGE;
  /* A device of the host is not opened through a symbolic link; a tree of files may have links. */
  const bool device = !strcmp(file->root, "/dev"), host = device || !strcmp(file->root, "/sys");
  struct stat st;
  int fd = open(path, file->flags | O_CLOEXEC | (host ? O_NOFOLLOW : 0));
  if (fd >= 0 && device && (fstat(fd, &st) || !S_ISCHR(st.st_mode))) {
    close(fd);
    fd = -1;
    errno = ENODEV;
  }
  if (fd >= 0) {
    *ret_fd = fd;
    return 0;
  }
  const int error = errno, status = system_status(error);
  if (reason)
    snprintf(reason->text, sizeof reason->text, "cannot open %.180s: %s%s%s", path, strerror(error),
             status == PMON_E_IO ? "" : "; this needs ", status == PMON_E_IO ? "" : file->needs);
  return status;
}
