/* SPDX-License-Identifier: MIT */
/* The signals that end a measurement. */
#ifndef CLI_STAT_STOP_H
#define CLI_STAT_STOP_H

#include "cli/target/target.h"

/* The signal that requested the end; 0: none. */
extern struct live_stop stat_stop;
/* Called at each of these signals, in the signal handler; NULL: nothing is. */
extern void (*stat_at_signal)(void);

/* Lets SIGINT, SIGTERM, SIGHUP and SIGPIPE set stat_stop; the latter two unless they are ignored or handled.
 * stat_begin() does this. */
void stat_handle_signals(void);

#endif
