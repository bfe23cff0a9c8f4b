/* SPDX-License-Identifier: MIT */
#include "vm/unmount.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

/* Waits until pmon ends, then unmounts. It has none of pmon's descriptors open but the pipe: while a process has the
 * mount's device open, the mount is alive. The signals of a terminal are for pmon. */
static void unmount_wait(int alive, const char *folder)
{
  char word;
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  setsid();
  dup2(alive, STDIN_FILENO);
  close_range(STDIN_FILENO + 1, ~0u, 0);
  while (read(STDIN_FILENO, &word, 1) < 0 && errno == EINTR)
    continue;
  char *argv[] = {(char[]){"fusermount3"}, (char[]){"-uzq"}, (char[]){"--"}, (char *)(uintptr_t)folder, NULL};
  if (umount2(folder, MNT_DETACH))
    execvp(argv[0], argv);
  _exit(0);
}

void unmount_watch_start(struct unmount_watch *w, const char *folder)
{
  int ends[2];
  *w = (struct unmount_watch){-1, -1};
  if (pipe2(ends, O_CLOEXEC))
    return;
  w->pid = fork();
  if (!w->pid)
    unmount_wait(ends[0], folder);
  close(ends[0]);
  if (w->pid > 0)
    w->alive = ends[1];
  else
    close(ends[1]);
}

void unmount_watch_end(struct unmount_watch *w)
{
  if (w->pid <= 0)
    return;
  kill(w->pid, SIGKILL);
  while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
    continue;
  close(w->alive);
}
