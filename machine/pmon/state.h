/* SPDX-License-Identifier: MIT */
/*
 * The state of the PMON hardware: counters in blocks, blocks in sockets. Private to machine/pmon/ and machine.c.
 *
 * Time. Register accesses happen at sync points (machine->now). Counters keep their programming between two sync
 * points; this interval is a window. A report within the window counts at once where the order of reports has no
 * effect. Counters with a threshold record the changes of their increment until the window ends. While some counter
 * could freeze the socket by overflowing, all reports are postponed, so that the freeze takes effect at the exact time
 * (freeze.c). Reports after the end of the window stay in `pending` and are delivered again when the next window opens.
 */
#ifndef MACHINE_PMON_STATE_H
#define MACHINE_PMON_STATE_H

#include <stddef.h>
#include "machine/pmon/block.h"
#include "machine/pmon/clock.h"
#include "machine/pmon/bus.h"
#include "machine/pmon/faults.h"
#include "machine/pmon/hardware.h"
#include "machine/pmon/overlay.h"
#include "machine/pmon/unit.h"
#include "machine/pmon/violation.h"

enum {
  CTL_EV_SEL = 0xff,
  CTL_EDGE = 1 << 18,
  CTL_INVERT = 1 << 23,
  CTL_THRESH_SHIFT = 24,
  FIXED_EN = 1 << 22,
  GLOBAL_FRZ = 1
};

/* In the increment of a gated counter, the event's part is above the occupancy's part. */
enum { GATE_SHIFT = 32 };

enum { BLOCK_VALUES = BLOCK_COUNTERS + 1 };

/* From cycle `cycle` on, the increment per cycle is greater by `delta`. */
struct change {
  uint64_t cycle;
  int64_t delta;
};
struct changes {
  struct change *at;
  size_t n, room;
  bool mixed;
}; /* mixed: not in order of cycles */

/* The remembered weight of reports with an attr. Few different attrs occur, each of them often. */
enum { WEIGHED_BITS = 4 };
struct weighed {
  uint64_t attr;
  uint32_t weight;
};

struct counter {
  uint64_t mask;      /* bits of the counter's value */
  bool direct;        /* adds the remembered weight for every thread and every cycle */
  bool weight_cached; /* the weight depends only on the control register and attr */
  struct weighed weights[1 << WEIGHED_BITS];
  uint64_t ctl;
  uint32_t thresh;
  bool invert, edge, occ_invert;  /* applied to the comparison */
  bool follows;                   /* counts the events of counter 0 */
  bool gated;                     /* counts an event while an occupancy passes its comparison (shape.c) */
  uint8_t codes[2], n_codes;      /* the event codes that it counts */
  bool stuck, twice, deaf, wraps; /* faults.h; deaf: its overflows are lost; wraps: after its next read */
  bool fixed, counting, shaped;   /* shaped: uses threshold, invert or edge detect */
  bool was;                       /* shaped: output of the comparison in the last compared cycle */
  uint64_t compared, sum;         /* shaped: the first cycle not yet compared; the increment in that cycle */
  uint64_t waiting;               /* shaped: occurrences that the cycles so far had no room for */
  uint8_t most, most_kind;        /* the event's struct unit_most; 0: no limit */
  struct changes changes;
};

/* own: a report for a counter without an event code; attr is the index of a free-running counter, or BLOCK_FREERUNNING
 * for the fixed counter's clock. */
struct report {
  fs_t from, to;
  uint64_t attr;
  uint32_t n;
  uint16_t tid;
  uint8_t code;
  bool pulse : 1, own : 1;
};
struct reports {
  struct report *at;
  size_t n, room;
};

struct level_change {
  fs_t at;
  uint32_t level;
};
struct level {
  uint64_t attr, latched; /* latched: further bits of attr, from pmon_unit.latch */
  uint8_t code;
  bool halved, own;
  uint32_t now, n, room;
  struct level_change *ahead;
};

struct block {
  struct block_head head;                         /* first: machine/pmon/block.h */
  uint64_t *value;                                /* the counters' values, a part of socket.values */
  bool unstoppable;                               /* counts although it is frozen: faults.h */
  bool frozen, silent;                            /* silent: overflows are not reported to the global control */
  bool ordered;                                   /* copy of the socket's flag for this window */
  uint16_t instance, status_position, n_counters; /* n_counters: including the fixed counter, which is the last one */
  struct clock clock;
  struct machine *machine;
  uint16_t counters_by_code[256]; /* by event code: a bit for each unfrozen counter that counts it */
  struct socket *socket;
  const struct pmon_unit *unit;
  const struct pmon_rules *rules;
  uint64_t box_ctl, filter[BLOCK_FILTERS]; /* box_ctl: the readable bits of the unit control */
  uint16_t message;                        /* counters that reported an overflow to the global control in this window */
  uint64_t status, tid;
  struct counter counters[BLOCK_COUNTERS + 1];
  uint64_t freerunning[BLOCK_FREERUNNING];
  struct reports pending, window;
  struct level *levels;
  uint32_t n_levels;
  fs_t levels_done;
};

struct socket {
  unsigned number;
  struct block *blocks;
  uint64_t *values; /* BLOCK_VALUES per block, adjacent because they are read one after another */
  unsigned n_blocks;
  bool frozen;           /* by frz_all or by an overflow */
  bool ordered, changed; /* ordered: some counter may freeze the socket; changed: `ordered` must be determined again */
  uint64_t global_status[2];
  uint64_t pmis;
  unsigned pmi_times;            /* number of times that each interrupt is sent: 1, or faults.h */
  fs_t froze_at;                 /* time of the last freeze by an overflow; UINT64_MAX: never */
  fs_t freeze_delay, freeze_due; /* freeze_due: when the pending freeze stops the socket; UINT64_MAX: none is pending */
  uint64_t *plain;               /* values of registers without effect, by row of the map */
};

struct machine_workload;
struct traffic;

enum { MAP_GLOBAL = UINT16_MAX };

struct reg {
  const struct reg_rows *rows;
  uint64_t base; /* address: MSR number, or offset in the device */
  uint32_t device;
  uint16_t block;        /* index in socket->blocks, or MAP_GLOBAL */
  uint8_t space, number; /* number: index among the row's registers */
};

struct reg_map {
  struct reg *regs;
  uint32_t n, room, mask; /* mask: number of slots - 1 */
  uint32_t *slots;        /* index + 1 */
};

/* The discovery page, one per socket. */
struct page {
  uint64_t *words;
  size_t n;
}; /* n words per socket */

struct violation_list {
  struct machine_violation *at;
  size_t n;
  uint64_t total;
};

/* An access that machine_read() or machine_write() refused. */
struct refused_access {
  struct pmon_address address;
  const char *why; /* NULL: none was refused yet */
  uint64_t bits;   /* those that are not writable; 0: does not apply */
};

struct machine {
  fs_t now;
  struct socket sockets[MACHINE_SOCKETS];
  unsigned n_sockets;
  struct machine_workload *workload;
  struct traffic *traffic;
  bool fresh, ended, out_of_memory;
  fs_t reached; /* set by the workload; 0: not set */
  bool rests;   /* set by the workload in its last run */
  struct reg_map map;
  const struct machine_platform *platform;
  struct page page;
  struct overlay overlay;
  struct faults faulty;
  uint8_t root_bus[MACHINE_SOCKETS][MACHINE_STACKS]; /* of each I/O stack; 0: the stack has none */
  struct violation_list violations;
  bool faults; /* MSRs refuse writes of reserved bits */
  machine_pmi_fn on_pmi;
  void *pmi_arg;
  struct refused_access refused; /* the last one */
  char error[256];
};

/* Sets which counters count `code` from now on, one bit per counter. */
static inline void block_enable_code(struct block *b, uint8_t code, unsigned counters)
{
  const uint64_t bit = UINT64_C(1) << code % 64;
  uint64_t *word = &b->head.enabled[code / 64];
  b->counters_by_code[code] = (uint16_t)counters;
  *word = counters ? *word | bit : *word & ~bit;
}

/* counter.c */
void counter_write(struct block *b, unsigned i, uint64_t ctl); /* the control register, without reserved bits */
void counter_refresh(struct block *b, unsigned i);             /* after any change that may stop or start it */
void counter_overflowed(struct block *b, unsigned i);
static inline void counter_add(struct block *b, unsigned i, uint64_t n)
{
  if ((b->value[i] += n) > b->counters[i].mask)
    counter_overflowed(b, i);
}
/* True if an overflow of this counter would freeze the socket now. */
bool counter_armed(const struct block *b, unsigned i);
uint64_t report_weight(const struct block *b, const struct counter *c, const struct report *r);
void counter_add_report(struct block *b, unsigned i, const struct report *r); /* r lies within the window */
/* True if the counter needs the report cycle by cycle. A counter that only unites cycles (MOST_UNITED) adds occurrences
 * when they happen. */
static inline bool counter_needs_cycles(const struct counter *c, const struct report *r)
{
  return c->shaped && (c->thresh || c->gated || !r->pulse);
}
/* Returns the index at which a counter remembers the weight of attr. */
static inline unsigned counter_weight_index(uint64_t attr)
{
  return (unsigned)(attr * UINT64_C(0x9e3779b97f4a7c15) >> (64 - WEIGHED_BITS));
}
static inline uint32_t counter_weight(const struct pmon_unit *u, struct counter *c, uint64_t attr)
{
  struct weighed *w = &c->weights[counter_weight_index(attr)];
  if (w->attr != attr)
    *w = (struct weighed){attr, u->weight(c->ctl, attr)};
  return w->weight;
}
bool reports_append(struct block *b, struct reports *list, const struct report *r);

/* changes.c */
void changes_push(struct block *b, struct changes *list, uint64_t cycle, int64_t delta);
void changes_pulse(struct block *b, struct changes *list, uint64_t cycle, int64_t n); /* in this cycle only */
void changes_sort(struct changes *list);

/* shape.c */
void shape_restart(struct block *b, struct counter *c);
void shape_add_report(struct block *b, struct counter *c, const struct report *r, uint64_t n);
/* Compares up to the beginning of cycle `end` and returns the amount to add. Stops after the cycle in which the sum
 * reaches `budget` and stores that cycle in ret_hit, else UINT64_MAX. With `keep` the state does not change. */
uint64_t shape_sweep(struct counter *c, uint64_t end, uint64_t budget, bool keep, uint64_t *ret_hit);

/* level.c */
void level_fixed(struct block *b, const struct unit_signal *s); /* from the unit's table */
void block_levels(struct block *b, fs_t until);                 /* delivers the levels since levels_done */
bool block_init(struct block *b);
void block_fini(struct block *b);

/* block.c */
uint64_t width_mask(uint8_t width_bits); /* 0: 48 bits */
void block_deliver(struct block *b, const struct report *r);
void block_open(struct block *b, fs_t horizon); /* starts a window: delivers pending reports */
void block_reset_counters(struct block *b);
void block_reset_controls(struct block *b);
void block_freeze(struct block *b, bool frozen);

/* freeze.c */
void socket_open(struct socket *s, fs_t horizon);
void socket_sync(struct socket *s, fs_t until); /* ends a window */
/* At the end of a run: counts what is still under way and that nothing waits for, such as the last answer to a device.
 * A window that goes beyond the end of the run has counted it at once, so that without this the counts would depend on
 * where windows end. Where the order of reports matters, what comes after the end is not counted in either case. */
void socket_count_rest(struct socket *s, fs_t now);
void socket_freeze(struct socket *s, bool frozen);
/* Makes a pending freeze stop the socket now: software's access to the global control takes longer than the freeze. */
void socket_let_freeze_arrive(struct socket *s, fs_t now);
bool socket_stepwise(const struct socket *s); /* some counter needs memory that grows with the length of the window */

#endif
