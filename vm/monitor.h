/* SPDX-License-Identifier: MIT */
/* QEMU's monitor: a line of JSON in either direction. It saves and loads the state of devices, and the pages that a
 * guest has written of a file of memory. */
#ifndef VM_MONITOR_H
#define VM_MONITOR_H

#include <stdbool.h>
#include <stddef.h>

enum { MONITOR_BYTES = 4096 };

struct monitor {
  char text[MONITOR_BYTES]; /* received, up to a line's end */
  size_t n, at;             /* at: of the first line that has not been read */
};

enum monitor_report {
  MONITOR_NOTHING,   /* no further line */
  MONITOR_OTHER,     /* of no concern */
  MONITOR_COMPLETED, /* the state is saved, or loaded */
  MONITOR_FAILED,    /* it cannot be */
  MONITOR_RUNS       /* the guest goes on */
};

/* Words to QEMU, over its socket. False: they cannot be written. monitor_begin() comes first; it loads the state of
 * `state`, QEMU's descriptor, unless that is -1. monitor_save() saves it to pmon's descriptor; the guest
 * stands then, until monitor_continue(). */
bool monitor_begin(int end, int state);
bool monitor_save(int end, int state);
bool monitor_continue(int end);
bool monitor_quit(int end);

/* Receives what there is. False: QEMU has closed its end. */
bool monitor_receive(struct monitor *m, int end);
/* The next line. */
enum monitor_report monitor_next(struct monitor *m);

#endif
