/* SPDX-License-Identifier: MIT */
/* What the helper gives up once its devices are open. */
#ifndef HELPER_SANDBOX_H
#define HELPER_SANDBOX_H

#include <stdbool.h>

/* Drops all capabilities and the user of the program's file, permanently. False: something is left. */
bool sandbox_drop_privileges(void);

/* From now on only system calls on open descriptors and of memory are made: opening a file fails with EACCES, and any
 * other one ends the process (SIGSYS). False: the kernel has no such filter. */
bool sandbox_filter_calls(void);

#endif
