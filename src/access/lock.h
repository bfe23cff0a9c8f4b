/* SPDX-License-Identifier: MIT */
/* A lock on an open file. */
#ifndef PMON_ACCESS_LOCK_H
#define PMON_ACCESS_LOCK_H

#include <pmon/hardware.h>

/* Locks the file through a new descriptor, *ret_fd, which the caller closes; -1 if the file system has no locks.
 * PMON_OK; PMON_E_STATE, with the process that has the lock in *reason; PMON_E_IO. */
int lock_file(int fd, struct pmon_reason *reason, int *ret_fd);

#endif
