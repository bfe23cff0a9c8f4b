/* SPDX-License-Identifier: MIT */
/*
 * The interface of a PMON block to the rest of the machine: the destination of a unit's events.
 *
 * Units report their events to the block; each counter that is programmed for an event counts it. A report identifies
 * its event by the event code and by `attr`, the bits of a control register that would select it (umask at 15:8,
 * extended umask at 63:32, IIO's channel and flow-class masks at their positions; machine/emr/attr.h). The unit's own
 * code (machine/emr/) compares a control register with `attr`; the library's encoder is not used.
 *
 * Time is in simulated femtoseconds since reset. A block counts cycles of its own clock. A pulse belongs to the cycle
 * that contains it. A span belongs to the cycles whose end lies after `from` and not after `to`; a span that is cut
 * into pieces therefore counts the same as the whole span.
 *
 * Reports may come in any order and may lie in the future: they take effect when their time comes, under the
 * programming of that time. They must not lie before the last sync point (machine_now_fs()).
 */
#ifndef MACHINE_PMON_BLOCK_H
#define MACHINE_PMON_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct block; /* opaque, except for `head` below */
struct machine;
typedef uint64_t fs_t; /* simulated femtoseconds */

/* First member of struct block, within one cache line of the host because nearly every report reads it. `enabled`
 * has a bit for each event code that some unfrozen counter counts. A report that ends after `horizon`, the next sync
 * point, is always kept: the counters may be programmed for it by then. */
struct block_head {
  fs_t horizon;
  uint64_t enabled[256 / 64];
};

/* Returns the next sync point: nothing reads counts before it. */
static inline fs_t block_horizon(const struct block *b)
{
  return ((const struct block_head *)(const void *)b)->horizon;
}
/* Makes the machine's next run fail, because something about the block could not be stored. */
void block_out_of_memory(struct block *b);
/* True if some counter of the block counts the code now. */
static inline bool block_code_enabled(const struct block *b, uint8_t code)
{
  const struct block_head *head = (const struct block_head *)(const void *)b;
  return head->enabled[code / 64] >> code % 64 & 1;
}
/* True if a report of the code that ends at `end` can have an effect. Callers skip the preparation of reports that
 * cannot. */
static inline bool block_wants_report(const struct block *b, uint8_t code, fs_t end)
{
  const struct block_head *head = (const struct block_head *)(const void *)b;
  return block_code_enabled(b, code) || end >= head->horizon;
}
/* True if no report that ends at `end` or earlier can have an effect. */
static inline bool block_ignores_reports(const struct block *b, fs_t end)
{
  const struct block_head *head = (const struct block_head *)(const void *)b;
  return !(head->enabled[0] | head->enabled[1] | head->enabled[2] | head->enabled[3]) && end < head->horizon;
}

/* The slow parts of block_pulse() and block_span(), with the same parameters. */
void block_pulse_report(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t at, uint32_t n);
/* See block_pulse_report() for its parameters. */
void block_span_report(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t from, fs_t to, uint32_t n);

/* Finds an occurrence that a control register `ctl` selects, with the block's filter registers (BLOCK_FILTERS of
 * unit.h) in `filter`. The occurrence is of one kind: where several counters count the parts of a sum, only one of them
 * counts it. Returns false if no occurrence makes such a counter count, because a filter value or a umask bit is
 * missing. */
bool block_occurrence(const struct block *b, const uint64_t *filter, uint64_t ctl, uint64_t *ret_attr);
/* Returns the thread of such an occurrence: the one that the filter selects; 0 for a control that counts all
 * threads. */
uint16_t block_thread(const struct block *b, const uint64_t *filter, uint64_t ctl);

/* A state that lasts (cores in C0, a link in L0): `level` from `at` on, until the next call for that code and attr.
 * It counts once per cycle. `at` may lie in the future; the changes of one signal may come in any order. */
void block_level_set(struct block *b, uint8_t code, uint64_t attr, fs_t at, uint32_t level);

/* `n` occurrences at `at`. Nearly every report ends in the test below: its six or seven parameters stay in registers,
 * where a struct would be written to memory first. `tid` is core << 3 | thread, for units that can filter by it. */
static inline void block_pulse(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t at, uint32_t n)
{
  if (block_wants_report(b, code, at))
    block_pulse_report(b, code, attr, tid, at, n);
}

/* `n` entries (of a queue, a tracker) that are occupied in every cycle from `from` to before `to`; the other parameters
 * are those of block_pulse(). */
static inline void block_span(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t from, fs_t to,
                              uint32_t n)
{
  const struct block_head *head = (const struct block_head *)(const void *)b;
  if (block_code_enabled(b, code) || to > head->horizon)
    block_span_report(b, code, attr, tid, from, to, n);
}

/* As block_pulse() and block_span(), for free-running counter `index` of the block (enum memory_freerunning,
 * emr_iio_free), which never stops. A pulse adds n, a span adds n per cycle. Free-running clock counters need no
 * reports. */
void block_freerunning_pulse(struct block *b, unsigned index, fs_t at, uint32_t n);
void block_freerunning_span(struct block *b, unsigned index, fs_t from, fs_t to, uint32_t n);
/* The counter counts `level` per cycle from `at` on. */
void block_freerunning_level_set(struct block *b, unsigned index, fs_t at, uint32_t level);

/* Block `instance` of `unit` ("cha", "imc": one per channel, "upi" ...) of a socket; NULL when the machine has none. */
struct block *machine_block(struct machine *m, unsigned socket, const char *unit, unsigned instance);

#endif
