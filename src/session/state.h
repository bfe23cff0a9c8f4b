/* SPDX-License-Identifier: MIT */
/*
 * The internal state of a session. Everything is laid out when the session is made: the registers that it touches,
 * their saved contents, and a `run` for every counter that it will read. Nothing is allocated while it counts.
 */
#ifndef PMON_SESSION_STATE_H
#define PMON_SESSION_STATE_H

#include <pmon/sample.h>
#include <pmon/session.h>
#include "src/base/random.h"
#include "src/sample/sample.h"
#include "src/plan/plan.h"

/* The order in which registers are restored, with all counters frozen: registers that select events, the counters,
 * status registers, and last the registers that let the counters run. */
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
  uint64_t saved; /* contents before the session */
  uint64_t now;   /* last value written */
  uint64_t writable;
  uint64_t selects;       /* bits that enable counting or select an event; of a filter: privilege levels */
  uint64_t stable;        /* bits that keep a written value: not reset bits, and not bits that writing 1 clears */
  uint64_t freeze;        /* freeze bit of a unit or global control */
  uint64_t freeze_enable; /* freeze-enable bit, without which the unit ignores the freeze bit; 0: none */
  uint8_t phase;
  uint64_t overflow_mask; /* overflow status bits, in overflow mode */
  uint64_t overflowed;    /* overflow status bits set at the last read */
  uint64_t seen;          /* value read in the last sweep, valid if seen_status is 0 */
  int seen_status;
  bool listed;              /* in the list for the next sweep */
  bool filter;              /* a filter of its unit's events (filter.c) */
  bool latched;             /* takes effect later than it is written */
  bool changed;             /* filter: the current round has other contents than the previous one */
  bool optional;            /* used only if it can be read: no event requires it */
  uint64_t neutral, wanted; /* filter: the neutral contents, which let everything pass; the contents for the next
                               round */
  uint32_t in_round;        /* control: the last round that programmed it */
  bool written;
  bool adopted; /* `saved` comes from another session: the register may have had other contents since */
  bool missing; /* the backend has no such register */
  bool lost;    /* it disappeared during the measurement */
};

struct session_write {
  uint32_t reg;
  bool quiet; /* not checked: Montecito's seven filters belong to one thread, and only that thread's software can set
                 them */
  uint64_t value, mask;
};

/* Maximum of writes of a run. Filters that are not in an event's image can act on the event: Montecito has seven
 * besides breakpoint registers. */
enum { SESSION_WRITES = PMON_IMAGE_REGISTERS + 8 };

/* Writes of several runs. Most runs have one to three, so that runs do not have room for the maximum each. */
struct session_writes {
  struct session_writes *next;
  uint32_t n;
  struct session_write writes[512];
};

/* One event on one counter of one instance in one round. */
struct session_run {
  uint32_t event, cell, round;  /* round UINT32_MAX: in every round */
  uint32_t counter;             /* index of the counter's register */
  uint32_t n_writes, n_neutral; /* the first n_neutral: filters that act on the event although its image does not
                                   have them (filter.c) */
  struct session_write *writes; /* the last one is the control's; in the session's `writes` */
  uint32_t width_bits;
  bool gone;                          /* its instance is missing */
  bool own;                           /* the counter may be written (free-running ones may not) */
  bool extended;                      /* reads are sign-extended: all ones are a count (Montecito Table 3-7) */
  bool freezable;                     /* the session's freeze stops its counter */
  bool counted;                       /* the last read found a count above 0 */
  bool odd;                           /* the last count is a reason to check its unit's controls */
  bool due;                           /* its control and its event's filters are due for a check */
  bool changed;                       /* the last check found one of these changed */
  bool paused;                        /* another session has frozen its counter, since paused_from_ns */
  uint32_t number;                    /* number of the counter in its instance */
  uint32_t shift;                     /* energy: left shift from the register's unit to that of counts (energy.c) */
  uint64_t paused_from_ns, paused_ns; /* paused_ns: frozen time within the current slice */
  uint64_t before;
  uint64_t verified_ns; /* when its control was last programmed or checked */
  uint64_t first;       /* initial value of the counter */
  uint64_t gauge;       /* gauge: the bits of the register that show a state; its count is state times microseconds
                           (gauge.c). Not 0 for a backend's level, too */
  uint64_t check;       /* bits of the last write that a check compares */
  double rate_max;
  double count; /* count of this run alone since the start or the last mark, as it was read */
  uint32_t slices, flags;
};

/* What a witness counted in the slices of an item (ratio.c): the sum; over neighbouring slices, the sum of squared
 * differences and the sum of products with the item's differences; and the previous slice. */
enum { SESSION_WITNESSES = 4 };
struct session_witness_sums {
  double seen, ww, cw, last;
};

/* An event's count summed over several instances, slice by slice. Opposite deviations of two instances cancel in the
 * sum. */
struct session_sum {
  struct sample_total total;
  struct sample_peak slice; /* the slice that is being read */
  bool open;                /* `slice` has counts */
  bool uneven;              /* its instances count in different slices: the sum is not used */
  bool lost;                /* a slice was counted in part only */
  struct session_witness_sums by_witness[SESSION_WITNESSES]; /* witnesses in the same package */
};

/*
 * A part of an event's counts (parts.c): the counts of the rounds in which all operands of a metric count. An item is
 * an event of the plan or a part; parts are numbered after the events. Cells, sums and shares exist for each item.
 */
enum { PARTS_OF_AN_EVENT = 8 }; /* maximum number of parts per event, on average */
struct session_part {
  uint32_t event;
  uint32_t next; /* next part of this event; UINT32_MAX: none */
  bool *rounds;
};

/* Metrics whose operands are these events ("3,7") use part `part` of event `event`. */
struct session_part_use {
  char *operands;
  uint32_t event, part;
};

/* A region of one thread, or of all threads together (src/session/region.c). */
struct session_region {
  char *name;
  uint64_t thread;
  uint32_t depth; /* one thread: begins without an end; all threads: number of threads in it */
  uint64_t calls, missing_ends, missing_begins;
  uint64_t time_ns;
  uint64_t freeze_ns, skew_ns; /* longest times of the counter reads at its begins and ends, and in between */
  bool ran;                    /* as in the session, for these reads */
  bool carried;                /* it has been open since before the last counter read */
  struct sample_total *cells;  /* as in the session */
  struct session_sum *sums;
  double *missed;
  struct pmon_session *view; /* the session that a caller reads it through */
};

/* How a session counts: through registers, or through a backend that counts by itself. Each function returns a status,
 * with the text in the context's error record. */
struct session_driver {
  /* Fills the registers and runs from the plan, and checks which of them exist. Changes no register. */
  int (*lay_out)(struct pmon_session *s);
  /* Starts the first round. If that takes time, resume_ns is set to the time at which counting began. */
  int (*begin)(struct pmon_session *s);
  /* Adds the counts of the last `seconds` to the cells and starts round `next`, which may be the same one. If that
   * takes time, now_ns and resume_ns are set to the times at which counting ended and resumed. */
  int (*end_slice)(struct pmon_session *s, double seconds, uint32_t next);
  /* Resumes counting after a pause. What counters did during the pause is not part of any count. The pause itself
   * begins with end_slice() for the same round while `ended` is set. */
  int (*resume)(struct pmon_session *s);
  /* Stops counting, and restores every register. */
  int (*restore)(struct pmon_session *s);
};
extern const struct session_driver session_registers, session_counting;

/* Overflows of a package at which samples were taken, and the bounds of the time for which they froze its monitors. */
enum { SESSION_PACKAGES = 64 };
struct session_loss {
  uint64_t samples, frozen_least_ns, frozen_most_ns;
};

struct pmon_session {
  const struct session_driver *driver;
  struct pmon_plan *plan;
  struct pmon_backend *backend;
  uint64_t packages;
  uint32_t n_packages;

  /* Other sessions of the backend (overlap.c). */
  struct pmon_session *next;            /* next of the backend's sessions (overlap.h) */
  uint32_t number;                      /* number among the backend's sessions, from 1 */
  const struct schedule_plan *schedule; /* the plan's, or own_schedule, which avoids counters of other sessions */
  struct schedule_plan own_schedule;
  bool no_witness;   /* the witnesses' counters were given to another session */
  uint64_t pause_ns; /* time since resume_ns for which other sessions had frozen all counters */

  /* The hardware, as the options or a recording state it. */
  struct pmon_clock *clocks;
  uint32_t n_clocks;
  struct pmon_limit *limits;
  uint32_t n_limits;
  /* Of a recorded session: how many hardware threads a core had, and, for each event and package (of 64), how many PMUs
   * or CPUs its count is the sum of. 0 and NULL: not stated. */
  double recorded_threads, *recorded_parts;

  /* Registers, and the counters among them. */
  struct session_register *regs;
  uint32_t n_regs, cap_regs;
  uint32_t *reg_index, reg_index_size; /* open addressing: register number + 1 by address */
  struct pmon_read *reads;             /* reads of the next sweep, and the register of each */
  uint32_t *read_regs, n_reads;
  struct session_run *runs;
  uint32_t n_runs, cap_runs;
  uint32_t n_placed; /* of the view of a region, which has no runs of its own: the session's n_runs */
  struct session_writes *writes;
  uint32_t freeze; /* enum pmon_freeze: first the requested scope, then the chosen one */

  /* Counts. A cell is one item on one instance: cell_of[item] + package * instances + instance. */
  struct sample_total *cells;
  uint32_t *cell_of, n_cells;
  uint32_t *cell_clock; /* for each cell: the cell that counts the clock of the same instance; UINT32_MAX: none */
  bool *cell_shared;    /* an instance with a lower number reads the same counter */
  uint8_t *presence;    /* enum session_presence of each cell; NULL: no presence is known */
  char **absent;        /* for each event: why it counts on no instance (absent.h); NULL: no cause is known */
  uint32_t n_absent;
  struct session_sum *sums; /* sums of each item: per package, then of all; NULL when nothing is multiplexed */

  /* Parts of events, and the metrics that use them (parts.c). */
  struct session_part *parts;
  uint32_t n_parts, cap_parts, *first_part; /* first_part of each event; NULL: there are no parts */
  struct session_part_use *part_uses;
  uint32_t n_part_uses, cap_part_uses;
  struct session_metric_part *metric_parts; /* the uses by metric of the plan */
  uint32_t n_metric_parts, cap_metric_parts;

  /* Rounds, and the order and length of their slices (rounds.c). */
  uint32_t round, rounds;
  uint32_t slice_number, first_round; /* of the current slice, from 0; the round that began the current cycle */
  uint32_t *first_cycle;              /* order of rounds in the first cycle; NULL: ascending from first_round */
  uint32_t read_slice_number;         /* of the slice that is being read */
  struct random random;
  uint64_t slice_ns, limit_ns;
  bool slice_given;     /* slice_ns is the caller's */
  uint64_t change_ns;   /* duration of the last change of rounds */
  double *round_counts; /* counts per round since the mark, of runs that count in every round */
  bool *in_round;       /* rounds in which each item counts (witness.c) */
  uint32_t *group_of;   /* first item of each item's group */

  /* What multiplexed events missed, by the evidence of other events. */
  uint32_t witnesses[SESSION_WITNESSES], n_witnesses; /* events by which counts may be scaled (ratio.c) */
  double *witnessed;                                  /* counts of witnesses in each round */
  struct session_vote *votes;
  struct session_end *ends; /* for each round and witness (ends.c) */
  double *missed;           /* for each item: the part of the activity that only other rounds saw (bursts.c);
                               allocated with sums */

  /* Regions of the measured program (region.c). */
  struct session_region **regions; /* grouped by name: the result of all threads, then those of each thread */
  uint32_t n_regions, cap_regions;
  struct session_region **open; /* open regions: n_open, with room for cap_regions */
  uint32_t n_open;

  /* Times, on the backend's clock. */
  uint64_t now_ns;    /* time of the last counter read, or of the last wait */
  uint64_t from_ns;   /* start of the slice that is being read */
  uint64_t resume_ns; /* start of the current slice */
  uint64_t round_ns, mark_ns, start_ns;
  uint64_t freeze_ns, skew_ns;           /* longest since the mark */
  uint64_t last_freeze_ns, last_skew_ns; /* of the last counter read */
  uint64_t gap_ns;                       /* time for which counters were frozen around the last read */
  bool last_ran;
  bool ran; /* since the mark, counters that could have been frozen were read while they ran */

  /* Checks whether other software has changed registers (verify.c). */
  uint64_t verify_ns;   /* period in which each control is checked */
  uint64_t shared_ns;   /* time up to which shares of the controls have been checked */
  uint32_t *controlled; /* runs that are checked in shares; the last one checked, and the step to the next */
  uint32_t n_controlled, verify_next, verify_step;
  uint32_t changed; /* runs whose control or filters were found changed since the mark */
  uint64_t changed_from_ns;

  /* Protection of the original contents (lock.c, journal.c). */
  bool locked;   /* the host's registers are locked, by access_lock() */
  char *journal; /* path, NULL: none */
  bool journal_written;
  int journal_fd; /* descriptor of the written journal, which keeps the file locked; -1: none */

  /* Intervals that an overflow ends (overflow.c). */
  uint32_t every_event;
  uint64_t every_count, every_poll_ns;
  bool passed;        /* an interval ended when the tick callback requested a stop: the next run ends at once */
  uint64_t looked_ns; /* time of the last poll of the overflow status before the one that found the overflow */

  /* Sample buffers (sample_buffer.c, counted_buffers.c, sample_loss.c). */
  struct session_sample *buffers; /* one for each sampled package */
  uint32_t n_buffers;
  bool counts_buffers; /* events count the samples of buffers, and the session has no sample source */
  bool buffers_saved;  /* their contents have been saved, which needs a freeze */
  struct pmon_sample_source source;
  uint64_t n_samples;
  struct session_loss losses[SESSION_PACKAGES]; /* by package */
  void (*sample)(void *user, const struct pmon_sample *sample);
  void *sample_user;

  /* The caller's function that is called while time passes. */
  bool (*tick)(void *user, uint64_t now_ns);
  void *tick_user;
  uint64_t tick_ns;

  /* What the session is doing. */
  bool started, frozen;
  bool failed;   /* an access failed while counters were programmed, read or resumed: their state is not known, and
                    nothing more is counted */
  bool ended;    /* the workload has ended: counters keep their values */
  bool released; /* it left its counters frozen, and another session unfroze them */
  bool stopped;  /* by pmon_session_stop(): nothing is counted until pmon_session_start() */
};

#endif
