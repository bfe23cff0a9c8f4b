/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The producer's side of the rings. trace.h has the functions that other files of the plugin use. */
#ifndef PLUGIN_PRODUCER_H
#define PLUGIN_PRODUCER_H

#include <stdint.h>
#include "machine/trace/ring.h"

/* Takes the records of threads without a slot, and all records after the reader has terminated; never read. */
extern struct ring *ring_spill;
extern int ring_wake_fd;     /* eventfd that is signalled together with the bell; -1: none */
extern int32_t ring_process; /* this process */

/* Maps the shared memory of descriptor `fd`, which is closed, and creates ring_spill. Returns NULL, or the reason of
 * the failure. */
const char *rings_map(int fd);
/* Reads `setup` from a file that is sealed. Returns NULL, or the reason of the failure. */
const char *setup_read(const char *path);
/* Claims a ring for this thread; ring_spill when all slots are in use or the reader has terminated. */
struct ring *ring_attach(void);
/* Sets the position at which the producer has to publish or to wait. */
void ring_set_limit(struct ring *r);
/* Sets the position at which the producer has to publish or wait. */
void ring_set_state(struct ring *r, uint32_t state);
/* Ends the rings of all threads of this process, when it exits or executes another program. */
void rings_end(void);

#endif
