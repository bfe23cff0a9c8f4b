/* SPDX-License-Identifier: MIT */
/*
 * The state of the cores and of their threads' monitors. Private to machine/montecito/.
 *
 * A core's time advances in stretches: one cycle in which bundles retire, or several cycles without a change (a stall).
 * During a stretch, signals add up in each counter that selects them. montecito_commit_stretch() ends the stretch, adds
 * the sums to the counters, and finds the cycle in which an overflow froze a thread's monitors.
 * Functions that run for most bundles have the attribute `hot`: together, their code has to fit into the host's
 * first-level instruction cache (docs/design/022-montecito-speed.md).
 */
#ifndef MACHINE_MONTECITO_CORE_STATE_H
#define MACHINE_MONTECITO_CORE_STATE_H

#include <signal.h>
#include "machine/montecito/config.h"
#include "machine/montecito/machine.h"
#include "machine/montecito/core/stall.h"
#include "machine/montecito/events/events.h"
#include "machine/montecito/memory/bus.h"
#include "machine/montecito/memory/memory.h"
#include "machine/montecito/memory/queues.h"
#include "machine/montecito/pipeline/scoreboard.h"
#include "machine/montecito/stream/record.h"

enum {
  PMC_N = 43,
  PMD_N = 64,
  COUNTERS_MASK = 0xfff0,
  PMC_OPCODE0 = 32,
  PMC_OPCODE_CONFIG = 36,
  PMC_IEAR = 37,
  PMC_IRANGE = 38,
  PMC_ETB = 39,
  PMC_DEAR = 40,
  PMC_DRANGE = 41,
  PMC_IPEAR = 42,
  PMD_DEAR_ADDRESS = 32,
  PMD_DEAR_LATENCY = 33,
  PMD_IEAR_ADDRESS = 34,
  PMD_IEAR_LATENCY = 35,
  PMD_DEAR_IP = 36,
  PMD_ETB_INDEX = 38,
  PMD_ETB_EXTENSION = 39,
  PMD_ETB = 48,
  ETB_ENTRIES = 16
};
#define COUNT_MASK ((UINT64_C(1) << 47) - 1)
enum { PULSE_NONE = 0, PULSE_MANY = 255 };

/* The tags of a signal; bit NEED_x is set when the need is met. */
#define TAGS_ALL 0xffu

/* Summary of a thread's filter registers, updated when they change. */
struct montecito_filters {
  bool trivial; /* every instruction has all tags */
  bool opcode_trivial;
};

struct montecito_etb {
  bool target_pending;             /* a captured source has no target entry yet */
  uint64_t target;                 /* the address at which execution continued; 0: not yet known */
  uint64_t due_cycle;              /* the cycle after the source's cycle */
  uint64_t last_cycle;             /* IP-EAR: cycle of the previous entry */
  bool flushed, stopping, stopped; /* IP-EAR: a flush since the previous entry; the delay is running; the delay has
                                    * ended */
  uint32_t remaining;
};

struct montecito_thread {
  uint64_t pmc[PMC_N], pmd[PMD_N];
  uint64_t state[MONTECITO_THREAD_REGISTERS];
  uint64_t saved_psr[8]; /* saved by interruptions that have not ended */
  uint8_t n_saved;
  bool changed; /* before the next cycle counts, the rules are checked and the counters prepared */
  bool warned;  /* rules_check_banked() has reported since the last change */
  bool ears_on, etb_on;
  uint16_t counting; /* enabled counters (3.3.1) */
  uint64_t pins, interrupts;
  bool interrupted; /* accepted the pending interrupt */
  struct montecito_filters filters;
  struct montecito_etb etb;
  uint64_t dear_busy_until, dear_last; /* end of the monitored load; cycle of the last captured miss */
  bool dear_captured;
  uint64_t retired_cycle;         /* last cycle with a retired instruction of this thread */
  uint8_t rse_current, rse_dirty; /* registers on the register stack */
};

/* The signals that a counter counts: one umask bit and one tag bit must match, and one mesi bit. */
struct montecito_selection {
  uint16_t umask;
  uint8_t need, threshold, mesi, max;
  bool all : 1, causal : 1, not_in_dead_cycle : 1;
};

struct montecito_pending_stall {
  uint8_t reason;
  uint32_t cycles;
};
enum { MONTECITO_PENDING_STALLS = 8 };

/* The amount that a stall cycle adds to each counter, computed once per selection (stall.c): sum is the amount
 * before, step the amount after threshold and maximum. */
struct montecito_stall_profile {
  bool known;
  uint8_t n;
  struct {
    uint64_t *value;
    uint32_t step;
    uint8_t i, sum;
  } of[2 * MONTECITO_COUNTERS]; /* i: index in selection */
};

/* Switching between a core's threads (urgency.c). wanted: enum montecito_switch, or SWITCH_N. */
struct montecito_sharing {
  bool both; /* both threads run programs */
  uint8_t urgency[2], wanted;
  uint8_t policy, holder; /* enum montecito_policy, and the thread that has set it */
  uint64_t since;         /* cycle in which the active thread got the core */
  uint16_t space[2];      /* address space of each thread */
};

/* A bundle whose wait was interrupted: the thread was switched out before its slots from `from` on could issue. */
struct montecito_waiting {
  bool valid, predicted; /* predicted: bundle_predicted of the core */
  uint8_t from;
  struct montecito_bundle bundle;
};

struct montecito_core {
  struct montecito_machine *machine;
  const struct montecito_config *config;
  uint8_t number, active;          /* active: which of its two threads, 0 or 1 */
  struct montecito_thread *thread; /* its two threads */
  uint64_t cycle;
  bool halted;          /* in low power */
  bool switching;       /* a thread switch is in progress */
  bool open;            /* the cycle of a bundle is open for a second bundle */
  bool modelled;        /* the machine adds stalls of its own */
  uint64_t window;      /* address of the first bundle of the cycle */
  uint64_t psr_next[2]; /* takes effect at the end of the open cycle */
  uint8_t psr_pending;
  uint8_t window_bundles, window_long, window_syllables; /* of the open cycle */
  uint8_t window_earlier; /* syllables of the first bundle that were dispersed in the previous cycle */
  uint8_t window_cut;     /* slots of the last bundle that do not retire: after a taken branch, a fault, the exit */
  bool window_stop, window_taken, window_qualified, window_rse;
  uint64_t stack_ip; /* the instruction that caused the last loads and stores of the register stack */
  uint8_t stack_channels;
  bool stack_caused, fetch_again; /* fetch_again: a branch was taken since the last fetch */
  bool window_split;              /* the cycle ends within its last bundle: at a stop, or for lack of ports */
  bool window_ports;              /* window_split: for lack of ports */
  bool bundle_predicted;          /* a branch of the retiring bundle was predicted taken */
  struct montecito_pending_stall pending[MONTECITO_PENDING_STALLS]; /* stalls that follow the open cycle */
  unsigned n_pending;
  /* Signals: bit thread * 12 + counter - 4. */
  uint32_t selected[256], touched;
  uint32_t pulse[256];                  /* counters that select signals without constraints other than umasks */
  uint16_t pulse_umasks[256];           /* the umask bits that one of these counters counts */
  uint8_t pulse_to[256];                /* PULSE_NONE, PULSE_MANY, or 1 + the index of the only such counter */
  uint32_t sum[2 * MONTECITO_COUNTERS]; /* 0 where touched is 0 */
  struct montecito_selection selection[2 * MONTECITO_COUNTERS];
  struct montecito_stall_profile stalls[2 * STALL_N]; /* the second half: while the front end waits as well */
  bool serial[256];        /* limited to one per cycle; more signals wait for the next cycle: events of caches and
                            * bus */
  uint64_t serial_at[256]; /* the first free cycle */
  bool dead;               /* the last cycle of the active thread before a switch */
  struct montecito_deferred *deferred; /* in order of time from `first_deferred` to `end_deferred` - 1 */
  unsigned first_deferred, end_deferred, deferred_size;
  struct montecito_queue queue[QUEUE_N];
  bool queues_observed; /* a counter selects the occupancy of queues, or an event of requests that leave them */
  uint64_t observed_at; /* cycle of the first deferred event or, if earlier, of the first observed request to leave a
                         * queue; UINT64_MAX: neither */
  uint64_t delivered;   /* deferred events due before this cycle have been delivered; requests due before it count as
                         * gone from their queues */
  uint16_t filling[FILL_COUNTS];                 /* fills in flight, by the low bits of the line's number */
  bool any_selected, bus_selected, ozq_selected; /* any counter selects an event; a bus event; one of the L2D's queue */
  bool levels_selected;                          /* some counter selects a queue level or bus clocks */
  uint64_t bus_busy;                             /* the bus is reserved for data up to this cycle */
  uint64_t fetch_line;                           /* number of the last fetched 32-byte block */
  struct montecito_memory memory;
  struct montecito_coalescing coalescing;
  struct montecito_ozq ozq;
  struct montecito_conflicts conflicts;
  struct montecito_front front;
  struct montecito_account totals;
  struct montecito_scoreboard scoreboard[2]; /* of each thread */
  struct montecito_sharing sharing;
  struct montecito_waiting waiting[2]; /* of each thread */
  uint32_t access_latency;             /* cycles from the last access's issue to its result */
};

struct montecito_machine {
  struct montecito_config config;
  struct montecito_thread threads[MONTECITO_THREADS];
  struct montecito_core cores[MONTECITO_CORES];
  struct montecito_source *source;
  bool ended, out_of_memory;
  bool castouts;               /* clean lines that leave the L3 are announced on the bus */
  bool coherent;               /* programs run on both cores, and their caches snoop one another */
  bool stops_at_freeze, froze; /* froze: an overflow has frozen a thread during this run, which therefore stops */
  bool has_held;               /* `held` is the next record of the source, and waits for the next run */
  struct montecito_record held;
  volatile sig_atomic_t interrupted; /* set by montecito_machine_interrupt() */
  struct machine_violation *violations;
  size_t n_violations;
  uint64_t total_violations;
  montecito_access_fn on_access;
  void *access_arg;
  montecito_interrupt_fn on_interrupt;
  void *interrupt_arg;
  uint64_t unmet; /* failed expectations of the stream, and the text of the first one */
  char unmet_text[160];
  char error[256];
};

/* Returns the value of a parameter. */
static inline uint32_t core_parameter(const struct montecito_core *c, enum montecito_config_id id)
{
  return c->config->value[id];
}

/* An instruction in execution: its bundle, its slot and its tags. */
struct montecito_instruction {
  uint64_t ip;
  const struct montecito_slot *s;
  uint8_t slot, tags, channels;
};

/* machine.c: reports a register access of the stream to the callback. */
void montecito_report_access(struct montecito_machine *m, bool write, const struct pmon_address *a, uint64_t value);

#endif
