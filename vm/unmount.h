/* SPDX-License-Identifier: MIT */
/* A process that unmounts a folder when pmon is killed, so that no dead mount stays behind. */
#ifndef VM_UNMOUNT_H
#define VM_UNMOUNT_H

#include <sys/types.h>

struct unmount_watch {
  pid_t pid;
  int alive; /* open while pmon lives */
};

/* Starts the process for a folder that is mounted. Without it (out of memory) the mount remains after a kill, as any
 * other mount does. */
void unmount_watch_start(struct unmount_watch *w, const char *folder);
/* Ends the process; the caller unmounts. */
void unmount_watch_end(struct unmount_watch *w);

#endif
