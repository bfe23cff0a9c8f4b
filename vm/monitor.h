/* SPDX-License-Identifier: MIT */
/* QEMU's monitor: a line of JSON in either direction. It saves and loads the state of devices, and the pages of a
 * memory file that a guest has written. */
#ifndef VM_MONITOR_H
#define VM_MONITOR_H

#include <stdbool.h>
#include <stddef.h>

enum { MONITOR_BYTES = 4096 };

struct monitor {
  char text[MONITOR_BYTES]; /* received, up to a line's end */
  size_t n, at;             /* at: start of the first unread line */
};

enum monitor_report {
  MONITOR_NOTHING,   /* no further line */
  MONITOR_OTHER,     /* not relevant here */
  MONITOR_COMPLETED, /* the state is saved, or loaded */
  MONITOR_FAILED,    /* it cannot be saved, or loaded */
  MONITOR_RUNS       /* the guest continues */
};

/* Commands to QEMU, over its socket. False: the command cannot be written. monitor_begin() comes first; it loads the
 * state from `state`, a descriptor of QEMU, unless that is -1. monitor_save() saves the state to a descriptor of pmon;
 * the guest is then stopped until monitor_continue(). */
bool monitor_begin(int end, int state);
bool monitor_save(int end, int state);
bool monitor_continue(int end);
bool monitor_quit(int end);

/* Receives the available bytes. False: QEMU has closed its end. */
bool monitor_receive(struct monitor *m, int end);
/* Returns the report of the next line. */
enum monitor_report monitor_next(struct monitor *m);

#endif
