/* SPDX-License-Identifier: MIT */
/* Signals that end a run or a recording of the machine early, so that its result for the time before is complete. */
#ifndef CLI_MACHINE_INTERRUPT_H
#define CLI_MACHINE_INTERRUPT_H

#include "machine/trace/live.h"

/* The signal that requested the end; 0: none. */
extern struct live_stop interrupt_stop;

/* Lets SIGINT and SIGTERM set interrupt_stop, and SIGHUP unless the caller ignores it (nohup). `action`, unless NULL,
 * is called at each of them, in the signal handler. */
void interrupt_begin(void (*action)(void));
/* Installs the handlers of before. */
void interrupt_end(void);

#endif
