/* SPDX-License-Identifier: MIT */
/* Signals that end a run of the machine early, so that its account of the time before is printed. */
#ifndef CLI_MACHINE_INTERRUPT_H
#define CLI_MACHINE_INTERRUPT_H

#include <signal.h>

enum { INTERRUPT_SIGNALS = 3, INTERRUPT_EXIT = 128 }; /* the exit status is INTERRUPT_EXIT plus the signal's number */

struct interrupt_saved {
  struct sigaction before[INTERRUPT_SIGNALS];
};

/* Installs the handler for SIGINT and SIGTERM, and for SIGHUP unless the caller ignores it. */
void interrupt_begin(void (*handler)(int number), struct interrupt_saved *ret_saved);
/* Installs the handlers of before. */
void interrupt_end(const struct interrupt_saved *saved);

#endif
