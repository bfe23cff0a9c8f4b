/* SPDX-License-Identifier: MIT */
/* One QEMU: its command line, its process, and the sockets between it and us. */
#ifndef VM_QEMU_H
#define VM_QEMU_H

#include <sys/types.h>
#include "vm/bus.h"

enum { QEMU_SERIALS = 3 };

struct qemu_options {
  const char *program;                     /* searched in PATH */
  const char *kernel;
  int initrd;                              /* of an archive; stays the caller's */
  unsigned cores;
  const struct bus *bus;                   /* for its functions, and for the guest that is to be followed */
  const char *plugin;                      /* that follows it */
};

struct qemu {
  pid_t pid;
  int gdb, serial[QEMU_SERIALS], function[BUS_FUNCTIONS];   /* our ends; -1: closed */
  unsigned n;                              /* of functions, in the bus's order */
};

/* Starts it, with the guest standing still before its first instruction. PMON_OK; PMON_E_IO with the reason in error, and
 * nothing is to be closed. That the program is not there shows only when it ends: exit code QEMU_NOT_FOUND. */
int qemu_start(struct qemu *q, const struct qemu_options *o, char *error, size_t error_size);
/* Waits for its end, or with `end` makes it end, and closes all. Its exit code; 128 and the signal that ended it. */
int qemu_stop(struct qemu *q, bool end);
enum { QEMU_NOT_FOUND = 127 };

#endif
