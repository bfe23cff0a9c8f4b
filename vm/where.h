/* SPDX-License-Identifier: MIT */
/* The state of a guest that did not exit in time: the end of its console, its processes, its last register accesses. */
#ifndef VM_WHERE_H
#define VM_WHERE_H

#include <stddef.h>
#include "vm/bus.h"

enum { WHERE_CONSOLE = 2048, WHERE_PROCESSES = 8192, WHERE_PANIC = 160 };

struct where {
  char console[WHERE_CONSOLE], processes[WHERE_PROCESSES]; /* whole lines; the console's last ones */
  size_t console_n, processes_n;
  char panic[WHERE_PANIC]; /* the kernel's first line about a panic; "": there is none */
};

/* Keeps `n` bytes of a line of the console and drops the oldest lines; notes a panic. */
void where_console(struct where *w, const char *bytes, size_t n);
/* Adds a line about the guest's processes; lines that do not fit are dropped. */
void where_process(struct where *w, const char *line);
/* Returns the report as text of several lines; the caller frees it. NULL: out of memory. stage: what the guest did,
 * for example "the command was running". */
char *where_format(const struct where *w, const struct bus *b, const char *stage);

#endif
