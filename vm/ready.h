/* SPDX-License-Identifier: MIT */
/*
 * Which of many descriptors have something to be read. A guest has hundreds of functions, and with poll(2) most of the
 * time of each answer would go to looking at the others.
 */
#ifndef VM_READY_H
#define VM_READY_H

#include <stdbool.h>

/* A descriptor, to be closed, that watches the n given ones (those below 0: not) until they are closed. -1 with errno
 * set. */
int ready_open(const int *fd, unsigned n);
/* Waits until one of them has something, at most so many milliseconds, and sets ret[i] of those n that have. False with
 * errno set; a signal that comes in between is as if nothing came. */
bool ready_wait(int all, int timeout_ms, bool *ret, unsigned n);

#endif
