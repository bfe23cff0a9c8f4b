/* SPDX-License-Identifier: MIT */
/*
 * Regions of a command that runs on the real host: the measuring side of pmon/region_channel.h. The other side may be
 * any program, and may do anything with the shared memory and the socket. Each value is copied before it is checked;
 * the memory cannot change its size; no call waits for the other side.
 */
#ifndef CLI_STAT_REGION_CHANNEL_H
#define CLI_STAT_REGION_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>
#include "cli/target/target.h"

struct region_channel;

/* Makes the memory and the socket before the command is started. 0, or an errno. */
int region_channel_new(struct region_channel **ret_channel);
/* Marks it closed, so that no thread waits any longer. NULL is allowed. */
void region_channel_free(struct region_channel *c);

/* In the command's process, before it is executed: leaves the descriptors to it. */
void region_channel_pass(const struct region_channel *c);
/* In the measuring process, afterwards: closes the command's ends. */
void region_channel_close_passed(struct region_channel *c);

/* Becomes readable when a thread waits for a reading; -1: not any more. */
int region_channel_fd(const struct region_channel *c);

/* The next begin or end, which waits until it is acknowledged; or the end of a thread, which does not. The name is
 * valid until the next call. */
bool region_channel_next(struct region_channel *c, struct target_mark *ret_mark);
void region_channel_acknowledge(struct region_channel *c);

/* Begins and ends that could not be taken: no free slot, too many threads. */
uint64_t region_channel_lost(const struct region_channel *c);

#endif
