/* SPDX-License-Identifier: MIT */
#include "src/access/lock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Returns the process that has a lock on the file, from the kernel's list; 0: it is not listed. */
static int lock_find_owner(int fd)
{
  struct stat st;
  char line[256], id[64];
  int owner = 0, pid;
  FILE *f = fopen("/proc/locks", "re");
  if (f && !fstat(fd, &st))
    while (!owner && fgets(line, sizeof line, f)) {
      unsigned major_number, minor_number;
      unsigned long long inode;
      if (sscanf(line, "%*s FLOCK %*s WRITE %d %63s", &pid, id) == 2 &&
          sscanf(id, "%x:%x:%llu", &major_number, &minor_number, &inode) == 3 && inode == st.st_ino &&
          major_number == major(st.st_dev) && minor_number == minor(st.st_dev))
        owner = pid;
    }
  if (f)
    fclose(f);
  return owner;
}

/* Reads the process's name from /proc, and replaces unprintable characters; false: there is none, or it may not be
 * read. */
static bool lock_read_name(int process, char name[32])
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/comm", process);
  FILE *f = fopen(path, "re");
  const bool named = f && fgets(name, 32, f);
  if (f)
    fclose(f);
  for (char *c = name; named && *c; c++)
    *c = *c == '\n' ? 0 : isprint((unsigned char)*c) ? *c : '?';
  return named;
}

/* Reports the process that has the lock, by number only if its name is hidden (hidepid); false: the list has no such
 * process, or one that has ended. */
static bool lock_name_owner(int fd, struct pmon_reason *reason)
{
  const int owner = lock_find_owner(fd);
  char name[32];
  if (owner > 0 && lock_read_name(owner, name))
    snprintf(reason->text, sizeof reason->text,
             "the host's monitoring registers are in use by process %d (%s): wait until it ends, or stop it", owner,
             name);
  else if (owner > 0 && (getpgid(owner) >= 0 || errno != ESRCH))
    snprintf(reason->text, sizeof reason->text,
             "the host's monitoring registers are in use by process %d: wait until it ends, or stop it", owner);
  else
    return false;
  return true;
}

/* Takes the lock, or reports its owner. If the owner has ended between the refusal and the look-up of its name, the
 * lock has been released, so that it is tried again. If an owner that has ended stays in the list, a process that
 * inherited the lock has it. */
static int lock_try(int own, struct pmon_reason *reason)
{
  for (int tries = 0; tries < 16; tries++) {
    if (!flock(own, LOCK_EX | LOCK_NB))
      return PMON_OK;
    if (errno != EWOULDBLOCK)
      return PMON_E_UNSUPPORTED;
    if (lock_name_owner(own, reason))
      return PMON_E_STATE;
  }
  snprintf(reason->text, sizeof reason->text, "the host's monitoring registers are in use by another process");
  return PMON_E_STATE;
}

int lock_file(int fd, struct pmon_reason *reason, int *ret_fd)
{
  const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  *ret_fd = -1;
  if (own < 0) {
    snprintf(reason->text, sizeof reason->text, "cannot lock the host's registers: %s", strerror(errno));
    return PMON_E_IO;
  }
  const int status = lock_try(own, reason);
  if (status == PMON_OK)
    *ret_fd = own;
  else
    close(own);
  return status == PMON_E_UNSUPPORTED ? PMON_OK : status;
}
