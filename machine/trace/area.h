/* SPDX-License-Identifier: MIT */
/* The reader's access to the shared memory of machine/trace/ring.h. */
#ifndef MACHINE_TRACE_AREA_H
#define MACHINE_TRACE_AREA_H

#include <stddef.h>
#include "machine/trace/ring.h"

/* Creates the shared memory and its descriptor (closed on exec). PMON_E_IO, PMON_E_MEMORY with errno set; after a
 * failure only *ret_fd must be closed, unless it is -1. */
int ring_area_new(int *ret_fd, struct ring_area **ret_area);
void ring_area_free(int fd, struct ring_area *area);
/* Creates a file in memory for a struct ring_setup (closed on exec); -1 with errno set. */
int ring_setup_new(void);
/* Writes the setup and seals the file against changes. PMON_E_IO with errno set. */
int ring_setup_write(int fd, const struct ring_setup *setup);
/* Copies the words from position `from` to before `end`, at most `room` of them, out of the ring, and returns their
 * number. Negative: the range exceeds the ring's capacity, or contains a word that no producer writes. A process with
 * access to the memory has then damaged it, and nothing of the ring can be used. */
ptrdiff_t ring_copy(const struct ring *r, uint64_t from, uint64_t end, uint64_t *to, size_t room);
/* Frees the words before position `read`. Notifies the producer when it waits or when enough space has accumulated. */
void ring_give_room(struct ring *r, uint64_t read);

#endif
