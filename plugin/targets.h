/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Architectures whose system calls the plugin interprets. */
#ifndef PLUGIN_TARGETS_H
#define PLUGIN_TARGETS_H

#include <stdbool.h>
#include <stdint.h>

enum target_call {
  CALL_EXECVE,
  CALL_EXECVEAT,
  CALL_RT_SIGACTION,
  CALL_SIGACTION,
  CALL_SIGNAL,
  CALL_MMAP, /* from here to CALL_BRK: pages.c */
  CALL_MUNMAP,
  CALL_MREMAP,
  CALL_MADVISE,
  CALL_BRK,
  CALL_CLONE, /* from here to CALL_EXIT_GROUP: a thread or process begins or ends */
  CALL_CLONE3,
  CALL_FORK,
  CALL_VFORK,
  CALL_EXIT,
  CALL_EXIT_GROUP,
  CALL_FUTEX, /* from here to the last one: another thread may continue because of the call */
  CALL_WRITE,
  TARGET_CALLS
};

struct target {
  const char *name; /* QEMU's name of the target */
  unsigned pointer_bytes;
  bool is_x86;
  int64_t call[TARGET_CALLS]; /* Linux's system call numbers; -1: the target has no such call */
};

/* Finds a target by QEMU's name; NULL: unknown, or `name` is NULL. */
const struct target *target_find(const char *name);

#endif
