/* SPDX-License-Identifier: MIT */
/* The reader's view of the shared memory of machine/trace/ring.h. */
#ifndef MACHINE_TRACE_AREA_H
#define MACHINE_TRACE_AREA_H

#include "machine/trace/ring.h"

/* Creates the shared memory and its descriptor (closed on exec). PMON_E_IO, PMON_E_MEMORY with errno set; after a
 * failure only *ret_fd must be closed, unless it is -1. */
int ring_area_new(int *ret_fd, struct ring_area **ret_area);
void ring_area_free(int fd, struct ring_area *area);
/* The first `read` words are free. Notifies the producer when it waits or when enough space has accumulated. */
void ring_give_room(struct ring *r, uint64_t read);

#endif
