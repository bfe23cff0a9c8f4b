/* SPDX-License-Identifier: MIT */
/*
 * A PMON block as the rest of the machine sees it: the place where a unit's events arrive.
 *
 * Units report what happens to them; the block's counters, if programmed for it, count. An event is named as the
 * hardware's own bus would carry it: its event code, and `attr`, the bits of a control register that would select it
 * (umask at 15:8, extended umask at 63:32, IIO's channel and flow-class masks at their places). How a control
 * register's bits are compared with `attr` is the unit's own matter (machine/emr/), not the encoder's.
 *
 * Time is simulated femtoseconds since reset. A block knows its clock, and counts cycles of it.
 */
#ifndef MACHINE_PMON_BLOCK_H
#define MACHINE_PMON_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct block;                            /* opaque, apart from `listen` below */
typedef uint64_t fs_t;                   /* simulated femtoseconds */

/* First member of struct block: bit i of listen[code] is set when counter i counts that code and is not frozen. */
struct block_head { uint16_t listen[256]; };

void block_pulse_heard(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t at, uint32_t n);
void block_span_heard(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t from, fs_t to, uint32_t n);
void block_level_set(struct block *b, uint8_t code, uint64_t attr, fs_t at, uint32_t level);

/* `n` occurrences in the cycle that holds `at`. */
static inline void block_pulse(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t at, uint32_t n)
{
  if (((const struct block_head *)(const void *)b)->listen[code])
    block_pulse_heard(b, code, attr, tid, at, n);
}

/* `n` entries (of a queue, a tracker) occupied in every cycle from `from` to before `to`. */
static inline void block_span(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t from, fs_t to, uint32_t n)
{
  if (((const struct block_head *)(const void *)b)->listen[code])
    block_span_heard(b, code, attr, tid, from, to, n);
}
/* A state that lasts (cores in C0, a link in L0, a clock: level 1): block_level_set() from `at` on until set anew. */

#endif
