/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Architectures whose programs are followed through their system calls. */
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
  CALL_MMAP, /* from here to the last one, pages.c looks at */
  CALL_MUNMAP,
  CALL_MREMAP,
  CALL_MADVISE,
  CALL_BRK,
  TARGET_CALLS
};

struct target {
  const char *name; /* QEMU's */
  unsigned pointer_bytes;
  bool is_x86;
  int64_t call[TARGET_CALLS]; /* Linux's numbers of these calls; -1: there is none */
};

/* By QEMU's name; NULL: it is none of them, or no name is given. */
const struct target *target_find(const char *name);

#endif
