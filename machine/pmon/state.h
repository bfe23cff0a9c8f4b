/* SPDX-License-Identifier: MIT */
/*
 * The PMON hardware's state: counters in blocks, blocks in sockets. Private to machine/pmon/ and machine.c.
 *
 * How time is kept. Register accesses happen at sync points (machine->now). Between two of them, counters keep their
 * programming. What is reported within such a window counts at once where order does not matter; counters with a
 * threshold keep the changes of their increment until the window ends; and while some counter could freeze the socket
 * by overflowing, all reports wait, so that the freeze can be put where it belongs (freeze.c). What lies beyond the
 * window waits in `pending` and is delivered again when the next window opens.
 */
#ifndef MACHINE_PMON_STATE_H
#define MACHINE_PMON_STATE_H

#include <stddef.h>
#include "machine/pmon/block.h"
#include "machine/pmon/clock.h"
#include "machine/machine.h"
#include "machine/platform.h"
#include "machine/pmon/overlay.h"
#include "machine/pmon/unit.h"
#include "machine/violation.h"

enum {
  CTL_EV_SEL = 0xff,
  CTL_EDGE = 1 << 18,
  CTL_INVERT = 1 << 23,
  CTL_THRESH_SHIFT = 24,
  FIXED_EN = 1 << 22,
  GLOBAL_FRZ = 1
};

/* In the increments of a gated counter, the event's own stand above the occupancy's. */
enum { GATE_SHIFT = 32 };

enum { BLOCK_VALUES = BLOCK_COUNTERS + 1 };

/* From cycle `cycle` on, the increment a cycle is greater by `delta`. */
struct change {
  uint64_t cycle;
  int64_t delta;
};
struct changes {
  struct change *at;
  size_t n, room;
  bool mixed;
}; /* mixed: not in order of their cycles */

/* What a report counts by its attr: few different ones come, again and again. */
enum { WEIGHED_BITS = 4 };
struct weighed {
  uint64_t attr;
  uint32_t weight;
};

struct counter {
  uint64_t mask;  /* of the value's bits */
  bool direct;    /* adds what it remembers, whoever caused it and in whichever cycle */
  bool remembers; /* weights depend on its control and attr alone */
  struct weighed weighed[1 << WEIGHED_BITS];
  uint64_t ctl;
  uint32_t thresh;
  bool invert, edge, occ_invert; /* of what is compared */
  bool follows;                  /* takes what counter 0 takes */
  bool gated;                    /* an event while an occupancy passes its comparison (shape.c) */
  uint8_t heard[2], n_heard;     /* event codes it listens to */
  bool fixed, counting, shaped;  /* shaped: through threshold, invert, edge detect */
  bool was;                      /* shaped: output of the comparison in the last cycle */
  uint64_t swept, sum;           /* shaped: cycles before this one are done; the increment there */
  struct changes changes;
};

/* own: what never stops; attr is then the index of a free-running counter, or BLOCK_FREE: the fixed counter's clock. */
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
  uint64_t attr;
  uint8_t code;
  bool halved, own;
  uint32_t now, n, room;
  struct level_change *ahead;
};

struct block {
  struct block_head head;                         /* first: machine/pmon/block.h */
  uint64_t *value;                                /* of the counters; in the socket's values */
  bool frozen, silent;                            /* silent: overflows are not told to the global control */
  bool ordered;                                   /* as the socket, in this window */
  uint16_t instance, status_position, n_counters; /* n_counters: with the fixed one, which is the last */
  struct clock clock;
  struct machine *machine;
  uint16_t listen[256]; /* by event code: a bit for each counter that counts it and is not frozen */
  struct socket *socket;
  const struct pmon_unit *unit;
  const struct pmon_rules *rules;
  uint64_t box_ctl, filter[BLOCK_FILTERS]; /* what reads back of the unit control; filter registers */
  uint16_t message;                        /* counters that told the global control in this window */
  uint64_t status, tid;
  struct counter counters[BLOCK_COUNTERS + 1];
  uint64_t free[BLOCK_FREE];
  struct reports pending, window;
  struct level *levels;
  uint32_t n_levels;
  fs_t levels_done;
};

struct socket {
  unsigned number;
  struct block *blocks;
  uint64_t *values; /* BLOCK_VALUES a block: side by side, as they are read one after another */
  unsigned n_blocks;
  bool frozen;           /* by frz_all, or by an overflow */
  bool ordered, changed; /* ordered: some counter may freeze; changed: find out again */
  uint64_t global_status[2];
  uint64_t pmis;
  fs_t froze_at;   /* when an overflow last froze it; UINT64_MAX: never */
  uint64_t *plain; /* values of registers without behaviour, by row of the map */
};

struct machine_workload;
struct traffic;

enum { MAP_GLOBAL = UINT16_MAX };

struct reg {
  const struct reg_rows *rows;
  uint64_t base; /* of the address: MSR number, or offset in the device */
  uint32_t device;
  uint16_t block;        /* index in socket->blocks, or MAP_GLOBAL */
  uint8_t space, number; /* number: which of the row's registers */
};

struct reg_map {
  struct reg *regs;
  uint32_t n, room, mask; /* mask: of slots */
  uint32_t *slots;        /* index + 1 */
};

/* The discovery page, one a socket. */
struct page {
  uint64_t *words;
  size_t n;
}; /* n words a socket */

struct violation_list {
  struct machine_violation *at;
  size_t n;
  uint64_t total;
};

struct machine {
  fs_t now;
  struct socket sockets[8];
  unsigned n_sockets;
  struct machine_workload *workload;
  struct traffic *traffic;
  bool fresh, ended, out_of_memory;
  fs_t reached; /* told by the workload; 0: nothing told */
  bool rests;   /* told by the workload in its last run */
  struct reg_map map;
  const struct machine_platform *platform;
  struct page page;
  struct overlay overlay;
  struct violation_list violations;
  machine_pmi_fn on_pmi;
  void *pmi_arg;
  char error[256];
};

/* The counters that count `code` from now on, a bit each. */
static inline void block_listen(struct block *b, uint8_t code, unsigned counters)
{
  const uint64_t bit = UINT64_C(1) << code % 64;
  uint64_t *heard = &b->head.heard[code / 64];
  b->listen[code] = (uint16_t)counters;
  *heard = counters ? *heard | bit : *heard & ~bit;
}

/* counter.c */
void counter_write(struct block *b, unsigned i, uint64_t ctl); /* its control register, reserved bits gone */
void counter_refresh(struct block *b, unsigned i);             /* after anything that may stop or start it */
void counter_overflowed(struct block *b, unsigned i);
static inline void counter_add(struct block *b, unsigned i, uint64_t n)
{
  if ((b->value[i] += n) > b->counters[i].mask)
    counter_overflowed(b, i);
}
/* Whether overflow of this counter would freeze the socket now. */
bool counter_armed(const struct block *b, unsigned i);
uint64_t report_weight(const struct block *b, const struct counter *c, const struct report *r);
void counter_take(struct block *b, unsigned i, const struct report *r); /* r within the window */
/* Where a counter remembers what attr weighs. */
static inline unsigned counter_weighed(uint64_t attr)
{
  return (unsigned)(attr * UINT64_C(0x9e3779b97f4a7c15) >> (64 - WEIGHED_BITS));
}
static inline uint32_t counter_weight(const struct pmon_unit *u, struct counter *c, uint64_t attr)
{
  struct weighed *w = &c->weighed[counter_weighed(attr)];
  if (w->attr != attr)
    *w = (struct weighed){attr, u->weight(c->ctl, attr)};
  return w->weight;
}
bool reports_push(struct block *b, struct reports *list, const struct report *r);

/* changes.c */
void changes_push(struct block *b, struct changes *list, uint64_t cycle, int64_t delta);
void changes_pulse(struct block *b, struct changes *list, uint64_t cycle, int64_t n); /* in this one cycle */
void changes_sort(struct changes *list);

/* shape.c */
void shape_restart(struct block *b, struct counter *c);
void shape_take(struct block *b, struct counter *c, const struct report *r, uint64_t n);
/* Compares up to the beginning of cycle `end`; returns what is to be added. Stops behind the cycle in which the sum
 * reaches `budget` and puts that cycle into ret_hit, else UINT64_MAX. With `keep` nothing is consumed. */
uint64_t shape_sweep(struct counter *c, uint64_t end, uint64_t budget, bool keep, uint64_t *ret_hit);

/* level.c */
void level_fixed(struct block *b, const struct unit_signal *s); /* of the unit's table */
void block_levels(struct block *b, fs_t until);                 /* delivers what lasted since levels_done */
bool block_init(struct block *b);
void block_fini(struct block *b);

/* block.c */
uint64_t width_mask(uint8_t width_bits); /* 0: 48 */
void block_deliver(struct block *b, const struct report *r);
void block_open(struct block *b, fs_t horizon); /* a window begins: pending reports */
void block_reset_counters(struct block *b);
void block_reset_controls(struct block *b);
void block_freeze(struct block *b, bool frozen);

/* freeze.c */
void socket_open(struct socket *s, fs_t horizon);
void socket_sync(struct socket *s, fs_t until); /* a window ends */
void socket_freeze(struct socket *s, bool frozen);
bool socket_stepwise(const struct socket *s); /* long windows would cost memory */

#endif
