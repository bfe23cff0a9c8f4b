/* SPDX-License-Identifier: MIT */
/*
 * A PMON block as the rest of the machine sees it: the place where a unit's events arrive.
 *
 * Units report what happens to them; the block's counters, if programmed for it, count. An event is named as the
 * hardware's own bus would carry it: its event code, and `attr`, the bits of a control register that would select it
 * (umask at 15:8, extended umask at 63:32, IIO's channel and flow-class masks at their places; machine/emr/attr.h).
 * How a control register's bits are compared with `attr` is the unit's own matter (machine/emr/), not the encoder's.
 *
 * Time is simulated femtoseconds since reset. A block knows its clock, and counts cycles of it: a pulse belongs to
 * the cycle that holds it, a span to the cycles whose end lies after `from` and not after `to`, so that a span cut into
 * pieces counts what it counted whole.
 *
 * Reports come in any order, and may lie ahead of the time reached: they take effect when their time comes, whatever
 * the counters are programmed for by then. They must not lie before the last sync point (machine_now_fs()).
 */
#ifndef MACHINE_PMON_BLOCK_H
#define MACHINE_PMON_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct block; /* opaque, apart from `head` below */
struct machine;
typedef uint64_t fs_t; /* simulated femtoseconds */

/* First member of struct block, within one line of the host's memory: nearly every report ends here. A bit of `heard`
 * for each event code that some counter counts which is not frozen; what ends beyond `horizon`, the next sync point, is
 * of interest in any case: it waits for its time. */
struct block_head {
  fs_t horizon;
  uint64_t heard[256 / 64];
};

/* Whether some counter of the block counts that code now. */
static inline bool block_heard(const struct block *b, uint8_t code)
{
  const struct block_head *head = (const struct block_head *)(const void *)b;
  return head->heard[code / 64] >> code % 64 & 1;
}
/* Whether a report of that code would get anywhere: what ends at `end` at the latest. For leaving out what it takes to
 * make one. */
static inline bool block_takes(const struct block *b, uint8_t code, fs_t end)
{
  const struct block_head *head = (const struct block_head *)(const void *)b;
  return block_heard(b, code) || end >= head->horizon;
}
/* Whether no report that ends before `end` or then would get anywhere. */
static inline bool block_silent(const struct block *b, fs_t end)
{
  const struct block_head *head = (const struct block_head *)(const void *)b;
  return !(head->heard[0] | head->heard[1] | head->heard[2] | head->heard[3]) && end < head->horizon;
}

void block_pulse_heard(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t at, uint32_t n);
void block_span_heard(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t from, fs_t to, uint32_t n);

/* One occurrence of what a control register `ctl` selects, with the block's filter registers (BLOCK_FILTERS of unit.h)
 * at `filter`: of one kind, so that of counters for parts of a sum one counts it. False: no occurrence makes such a
 * counter count, for want of a filter's value or of a part that says what. */
bool block_occurrence(const struct block *b, const uint64_t *filter, uint64_t ctl, uint64_t *ret_attr);

/* A state that lasts (cores in C0, a link in L0): `level` from `at` on, until set anew for that code and attr.
 * Counted once a cycle. `at` may lie ahead; one signal's changes may come in any order of time. */
void block_level_set(struct block *b, uint8_t code, uint64_t attr, fs_t at, uint32_t level);

/* `n` occurrences at `at`. `tid` is core << 3 | thread, for units that can filter by it. */
static inline void block_pulse(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t at, uint32_t n)
{
  if (block_takes(b, code, at))
    block_pulse_heard(b, code, attr, tid, at, n);
}

/* `n` entries (of a queue, a tracker) occupied in every cycle from `from` to before `to`. */
static inline void block_span(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t from, fs_t to,
                              uint32_t n)
{
  const struct block_head *head = (const struct block_head *)(const void *)b;
  if (block_heard(b, code) || to > head->horizon)
    block_span_heard(b, code, attr, tid, from, to, n);
}

/* The same for free-running counter `index` of the block (enum emr_imc_free, emr_iio_free): they never stop. A pulse
 * adds n, a span n a cycle. Those that count clocks count by themselves. */
void block_free_pulse(struct block *b, unsigned index, fs_t at, uint32_t n);
void block_free_span(struct block *b, unsigned index, fs_t from, fs_t to, uint32_t n);
/* ... and counts `level` each cycle from `at` on. */
void block_free_level_set(struct block *b, unsigned index, fs_t at, uint32_t level);

/* Block `instance` of `unit` ("cha", "imc": one a channel, "upi" ...) of a socket; NULL when the machine has none. */
struct block *machine_block(struct machine *m, unsigned socket, const char *unit, unsigned instance);
/* The block's clock from now on (a sync point), in Hz; machine_set_clock() for all blocks of a socket on `clock`
 * ("uclk", "dclk", "upi", "ioclk", "pclk", "lfclk"). At most 1 THz. */
void block_set_clock(struct block *b, uint64_t hz);
void machine_set_clock(struct machine *m, unsigned socket, const char *clock, uint64_t hz);

#endif
