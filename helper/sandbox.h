/* SPDX-License-Identifier: MIT */
/* Privileges and system calls that the helper drops once its devices are open. */
#ifndef HELPER_SANDBOX_H
#define HELPER_SANDBOX_H

#include <stdbool.h>

/* Permanently drops all capabilities and the user ID of the program's file. Returns false if one of them remains. */
bool sandbox_drop_privileges(void);

/* Allows from now on only system calls on open descriptors and for memory: opening a file fails with EACCES, and any
 * other system call ends the process (SIGSYS). Returns false if the kernel has no such filter. */
bool sandbox_filter_calls(void);

#endif
