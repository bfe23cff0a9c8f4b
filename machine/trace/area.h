/* SPDX-License-Identifier: MIT */
/* The reader's side of the shared memory of machine/trace/ring.h. */
#ifndef MACHINE_TRACE_AREA_H
#define MACHINE_TRACE_AREA_H

#include "machine/trace/ring.h"

/* Makes the memory and its descriptor (closed on exec). PMON_E_IO, PMON_E_MEMORY with errno set; then there is nothing
 * to be freed but what *ret_fd names, if not -1. */
int ring_area_new(int *ret_fd, struct ring_area **ret_area);
void ring_area_free(int fd, struct ring_area *area);
/* The first `read` words are taken: gives their room back to the producer, if it waits or much has come together. */
void ring_give_room(struct ring *r, uint64_t read);

#endif
