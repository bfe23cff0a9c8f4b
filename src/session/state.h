/* SPDX-License-Identifier: MIT */
/*
 * What a session inside the library consists of. Everything is laid out when it is made: which registers it touches,
 * what they held, and for every counter that it will read a `run`. Nothing is allocated while it counts.
 */
#ifndef PMON_SESSION_STATE_H
#define PMON_SESSION_STATE_H

#include <pmon/sample.h>
#include <pmon/session.h>
#include "src/base/random.h"
#include "src/sample/sample.h"
#include "src/plan/plan.h"

/* The order in which registers are restored, all counters frozen: what selects events, then the counts, then status,
 * then what lets them run. */
enum session_phase {
  PHASE_CTL,
  PHASE_FILTER,
  PHASE_SAMPLE,
  PHASE_CTR,
  PHASE_STATUS,
  PHASE_UNIT_CTL,
  PHASE_GLOBAL_CTL,
  PHASE_N
};

struct session_register {
  struct pmon_address address;
  struct pmon_register_id id;
  uint64_t saved; /* what it held */
  uint64_t now;   /* what was written last */
  uint64_t writable;
  uint64_t stable;        /* bits that keep what is written: no resets, none that a one clears */
  uint64_t freeze;        /* the freeze bit, of unit and global controls */
  uint64_t freeze_enable; /* the bit without which the unit ignores it; 0: none */
  uint8_t phase;
  uint64_t overflow_mask; /* overflow status bits, in overflow mode */
  uint64_t overflowed;    /* those that were set at the last read */
  uint64_t seen;          /* in the last sweep, unless seen_status says why not */
  int seen_status;
  bool listed;              /* for the next one */
  bool filter;              /* narrows counts of its unit (filter.c) */
  bool latched;             /* in effect later than it is written */
  bool changed;             /* of a filter: the round has other contents than the one before */
  bool optional;            /* it takes part if it can be read: no event asks for it */
  uint64_t neutral, wanted; /* of a filter: the contents that let everything pass; those of the next round */
  uint32_t in_round;        /* of a control: the round that programmed it last */
  bool written;
  bool adopted; /* `saved` is what another session found: it may hold something else now */
  bool missing; /* the backend has no such register, */
  bool lost;    /* not any more, while it was measured */
};

struct session_write {
  uint32_t reg;
  uint64_t value, mask;
  bool quiet; /* not read again: Montecito's seven filters are of one thread, whose own software alone can set them */
};

/* Filters act on an event that its image does not have: Montecito has seven besides breakpoint registers. */
enum { SESSION_WRITES = PMON_IMAGE_REGISTERS + 8 };

/* One event on one counter of one instance in one round. */
struct session_run {
  uint32_t event, cell, round;  /* round UINT32_MAX: in every one */
  uint32_t counter;             /* its register */
  uint32_t n_writes, n_neutral; /* the first n_neutral: filters that act on the event without its asking (filter.c) */
  struct session_write writes[SESSION_WRITES]; /* the last one: its control */
  uint32_t width_bits;
  bool gone;                      /* its instance is missing */
  bool own;                       /* the counter may be written (free-running ones may not) */
  bool extended;                  /* it reads with its upper bit repeated: all ones are a count (Montecito Table 3-7) */
  bool still;                     /* freezing holds its counter */
  bool counted;                   /* something, at the last reading */
  bool odd;                       /* what it counted then gives reason to look at its unit's controls */
  bool due;                       /* its control, and its event's filters, are to be looked at */
  bool changed;                   /* one of these was, at the last look */
  bool held;                      /* another session has frozen its counter, since held_from_ns */
  uint32_t number;                /* of the counter in its instance */
  uint64_t held_from_ns, held_ns; /* held_ns: how long, of the slice that is being counted */
  uint64_t before;
  uint64_t verified_ns; /* when its control was programmed, or looked at */
  uint64_t first;       /* what the counter begins with */
  uint64_t gauge;       /* the bits in which the register shows a state: it counts that times microseconds (gauge.c) */
  uint32_t shift;       /* of an energy: a count is so many bits below one of the register's (energy.c) */
  uint64_t check;       /* bits of the last write that must still be there when it is read */
  double rate_max;
  double count; /* of this run alone since the start or the last mark, as it was read */
  uint32_t slices, flags;
};

/* What a witness counted in the slices of an item (ratio.c): their sum, and of neighbours the squares of differences,
 * and the products of these with the item's. */
enum { SESSION_WITNESSES = 4 };
struct session_beside {
  double seen, ww, cw, last;
};

/* An event's count over several instances, slice by slice: what deviates in one way here and in the other there
 * deviates less in the sum. */
struct session_sum {
  struct sample_total total;
  struct sample_peak slice; /* that is being read */
  bool open;                /* there is something in it */
  bool uneven;              /* its instances do not count in the same slices: the sum says nothing */
  bool lost;                /* some of it may be: of a slice not everything was counted */
  struct session_beside beside[SESSION_WITNESSES]; /* in the same package */
};

/*
 * A part of an event's counts (parts.c): those of the rounds in which all operands of a metric count. Items are the
 * plan's events, and after them the parts: cells, sums and shares are of items.
 */
enum { PARTS_OF_AN_EVENT = 8 }; /* most of them, on average */
struct session_part {
  uint32_t event;
  uint32_t next; /* the next part of this event; UINT32_MAX: there is none */
  bool *rounds;
};

/* The metrics whose operands are these events ("3,7") take this part of one of them. */
struct session_part_use {
  char *operands;
  uint32_t event, part;
};

/* A region of one thread, or of all (src/session/region.c). */
struct session_region {
  char *name;
  uint64_t thread;
  uint32_t depth; /* begins without an end: of one thread; of all: threads that are in it */
  uint64_t calls, missing_ends, missing_begins;
  uint64_t time_ns;
  uint64_t freeze_ns, skew_ns; /* the longest of the readings at its begins, its ends, and between */
  bool ran;                    /* as the session's, of these readings */
  bool carried;                /* it was open before the last reading, and is since */
  struct sample_total *cells;  /* as the session's */
  struct session_sum *sums;
  double *missed;
  struct pmon_session *view; /* what a caller reads it by */
};

/* How a session counts: through registers, or through a backend that counts by itself. Each returns a status, with the
 * text in the context's error record. */
struct session_driver {
  /* Fills what is counted with, from the plan, and looks whether it is there; it changes nothing yet. */
  int (*lay_out)(struct pmon_session *s);
  /* Lets the first round count. Where that takes time, resume_ns says when it was done. */
  int (*begin)(struct pmon_session *s);
  /* Takes what was counted in the last `seconds` into the cells; then round `next` counts, which may be the same. Where
   * that takes time, now_ns and resume_ns say when counting ended and when it began again. */
  int (*turn)(struct pmon_session *s, double seconds, uint32_t next);
  /* Counts again after a pause, during which nothing that counters did is part of any count. The pause itself is a turn
   * that goes to no other round while `ended` is set. */
  int (*resume)(struct pmon_session *s);
  /* Stops counting, and restores every register. */
  int (*restore)(struct pmon_session *s);
};
extern const struct session_driver session_registers, session_counting;

/* Overflows of a package at which samples were taken, and for how long its monitors were frozen by them. */
enum { SESSION_PACKAGES = 64 };
struct session_loss {
  uint64_t samples, frozen_least_ns, frozen_most_ns;
};

struct pmon_session {
  const struct session_driver *driver;
  struct pmon_plan *plan;
  struct pmon_backend *backend;
  struct pmon_session *next;            /* of the backend's sessions (overlap.h) */
  uint32_t number;                      /* among them, from 1 */
  const struct schedule_plan *schedule; /* the plan's, or own_schedule, which avoids counters of other sessions */
  struct schedule_plan own_schedule;
  bool no_witness;   /* another session needed its counter */
  uint64_t pause_ns; /* all counters were frozen by other sessions so long since resume_ns */
  struct pmon_clock *clocks;
  uint32_t n_clocks;
  struct pmon_limit *limits;
  uint32_t n_limits;
  uint64_t packages, slice_ns, limit_ns;
  struct session_register *regs;
  uint32_t n_regs, cap_regs;
  uint32_t *reg_index, reg_index_size; /* open addressing: register number + 1 by address */
  struct pmon_read *reads;             /* of the next sweep, and which registers they are of */
  uint32_t *read_regs, n_reads;
  struct session_run *runs;
  uint32_t n_runs, cap_runs;
  double *round_counts; /* what each run counted in each round since the mark, for runs that count in every one */
  bool *in_round;       /* of each item, the rounds in which it counts (witness.c) */
  double *witnessed;    /* what witnesses counted in each round */
  uint32_t witnesses[SESSION_WITNESSES], n_witnesses; /* events by which numbers may be scaled (ratio.c) */
  uint32_t *group_of;                                 /* of each item, the first one of its group */
  struct session_vote *votes;
  struct session_end *ends; /* of each round and witness (ends.c) */
  uint32_t freeze;          /* enum pmon_freeze: first as requested, then as done */
  /* A cell is one item on one instance: cell_of[item] + package * instances + instance. */
  struct sample_total *cells;
  uint32_t *cell_of, n_cells;
  struct session_part *parts;
  uint32_t n_parts, cap_parts, *first_part; /* first_part of each event; NULL: there are no parts */
  struct session_part_use *part_uses;
  uint32_t n_part_uses, cap_part_uses;
  struct session_metric_part *metric_parts; /* the same by the plan's metrics */
  uint32_t n_metric_parts, cap_metric_parts;
  struct session_sum *sums; /* of each item: of each package, then of all; NULL when nothing is multiplexed */
  double *missed;           /* of each item: which part of what happened other rounds alone saw (bursts.c); as sums */
  uint32_t n_packages;
  struct session_region **regions; /* of each name all threads', then each thread's */
  uint32_t n_regions, cap_regions;
  struct session_region **open; /* those that are open: n_open of cap_regions */
  uint32_t n_open;
  uint32_t *cell_clock; /* cell of the event that counts the clock of the same instance; UINT32_MAX: none does */
  char **absent;        /* of each event, why it counts nowhere (absent.h); NULL: no cause is known */
  uint32_t n_absent;
  bool *cell_shared; /* another instance, with a lower number, reads the same counter */
  uint32_t round, rounds;
  uint32_t turns, first_round; /* turns taken; the round with which the last rounds' turns began */
  uint32_t *first_cycle;       /* the order of the rounds in it; NULL: from first_round on */
  uint32_t slice_turn;         /* the turn of the slice that is being read */
  struct random random;
  uint64_t now_ns;    /* when the last counts were taken, or time last passed */
  uint64_t from_ns;   /* since when the counters ran that are being read */
  uint64_t resume_ns; /* since when they run now */
  uint64_t round_ns, mark_ns, start_ns;
  uint64_t freeze_ns, skew_ns;           /* the longest since the mark */
  uint64_t last_freeze_ns, last_skew_ns; /* of the last reading */
  uint64_t gap_ns;                       /* for which counters were frozen so long */
  uint64_t change_ns;                    /* that the last change of rounds took */
  bool slice_given;                      /* slice_ns is the caller's */
  bool last_ran;
  bool ran;             /* since the mark counters were read as they ran, though they could have been frozen */
  uint64_t verify_ns;   /* in which time each control is looked at, */
  uint64_t shared_ns;   /* and until when shares of it have had theirs (look.c) */
  uint32_t *controlled; /* the runs that are looked at in shares; the last one, and the step to the next */
  uint32_t n_controlled, look_next, look_step;
  uint32_t changed; /* runs whose control or filters were found changed since the mark, maybe since */
  uint64_t changed_from_ns;
  char *journal; /* path, NULL: none */
  bool journal_written;
  int journal_fd; /* of the journal that was written, which it keeps locked; -1: none */
  bool locked;    /* the host's registers, by access_lock() */
  uint32_t every_event;
  uint64_t every_count, every_poll_ns;
  bool passed;                    /* an interval ended when a stop was asked for: the next run ends at once */
  struct session_sample *buffers; /* of each package that is sampled */
  uint32_t n_buffers;
  bool counts_buffers; /* events count what buffers sample, and the session samples none */
  bool buffers_saved;  /* what they held is known: they can be read under a freeze only */
  struct pmon_sample_source source;
  uint64_t n_samples;
  struct session_loss losses[SESSION_PACKAGES]; /* of each package */
  uint64_t looked_ns;                           /* the last look at the overflow status before the one that found it */
  void (*sample)(void *user, const struct pmon_sample *sample);
  void *sample_user;
  bool started, frozen;
  bool ended;    /* the workload has ended: counters keep their values */
  bool released; /* it left its counters frozen, and another session let them run on */
  bool stopped;  /* by pmon_session_stop(): nothing is counted until pmon_session_start() */
  bool (*tick)(void *user, uint64_t now_ns);
  void *tick_user;
  uint64_t tick_ns;
};

#endif
