/* SPDX-License-Identifier: MIT */
/*
 * Finds which of many descriptors are readable. A guest has hundreds of functions: with poll(2), most of the time of
 * each answer would be spent on the other descriptors.
 */
#ifndef VM_READY_H
#define VM_READY_H

#include <stdbool.h>

/* Returns a descriptor, to be closed, that watches the n given ones (those below 0 are ignored) until they are closed.
 * -1 with errno set. */
int ready_open(const int *fd, unsigned n);
/* Waits until one of them is readable, at most so many milliseconds, and sets ret[i] for those of the n that are. False
 * with errno set; an interrupting signal counts as a time-out. */
bool ready_wait(int all, int timeout_ms, bool *ret, unsigned n);

#endif
