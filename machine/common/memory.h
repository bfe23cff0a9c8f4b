/* SPDX-License-Identifier: MIT */
/* Memory channels: queues, banks and power. */
#ifndef MACHINE_COMMON_MEMORY_H
#define MACHINE_COMMON_MEMORY_H

#include "machine/common/state.h"

/* Events in a memory channel; each platform has a table of their names. */
enum memory_event {
  MEM_ACT_READ,
  MEM_ACT_WRITE,
  MEM_ACT_UNDERFILL,
  MEM_PRE_READ,
  MEM_PRE_WRITE,
  MEM_PRE_UNDERFILL,
  MEM_PRE_IDLE,
  MEM_PRE_ALL,
  MEM_REFRESH,
  MEM_CAS_READ,
  MEM_CAS_READ_PRE,
  MEM_CAS_WRITE,
  MEM_CAS_WRITE_PRE,
  MEM_CAS_READ_LEN,
  MEM_CAS_WRITE_LEN,
  MEM_CAS_UNDERFILL_LEN,
  MEM_CAS_UNDERFILL_PRE,
  MEM_CAS_READ_RMM,
  MEM_CAS_READ_WMM,
  MEM_CAS_WRITE_RMM,
  MEM_CAS_WRITE_WMM,
  MEM_RPQ_INSERTS,
  MEM_RPQ_OCCUPANCY,
  MEM_RPQ_NE,
  MEM_RPQ_FULL,
  MEM_RDB_INSERTS,
  MEM_RDB_OCCUPANCY,
  MEM_RDB_NE,
  MEM_WPQ_INSERTS,
  MEM_WPQ_OCCUPANCY,
  MEM_WPQ_NE,
  MEM_WPQ_FULL,
  MEM_WPQ_READ_HIT,
  MEM_WPQ_WRITE_HIT,
  MEM_TO_WRITE_MODE,
  MEM_TO_READ_MODE,
  MEM_CAS_UNDERFILL,
  MEM_CAS_WRITE_IDLE,
  MEM_REFRESH_PANIC,
  MEM_PARTIAL_MODE,
  MEM_ISOCH_MODE,
  MEM_ECC,
  MEM_DLL_OFF,
  MEM_READ_PAST_READ,
  MEM_READ_PAST_WRITE,
  MEM_SELF_REFRESH,
  MEM_THROTTLE,
  MEM_CRITICAL,
  MEM_READ_MODE,
  MEM_WRITE_MODE,
  MEM_POWER_DOWN,
  MEM_CKE_ON,
  /* by enum urgency, which is added */
  MEM_ACT_READ_PRIO,
  MEM_ACT_WRITE_PRIO = MEM_ACT_READ_PRIO + 3,
  MEM_CAS_READ_PRIO = MEM_ACT_WRITE_PRIO + 3,
  MEM_CAS_WRITE_PRIO = MEM_CAS_READ_PRIO + 3,
  /* by enum importance, which is added */
  MEM_RPQ_PRIO = MEM_CAS_WRITE_PRIO + 3,
  MEM_WPQ_PRIO = MEM_RPQ_PRIO + 4,
  MEM_MINOR_READ = MEM_WPQ_PRIO + 4,
  MEM_MINOR_WRITE,
  MEM_READS_STARVED_MODE,
  MEM_WRITES_STARVED_MODE,
  /* changes of major mode by starvation: of starved reads (SR) or writes (SW), from and to the preferred ones (PR,
   * PW) */
  MEM_PR_TO_SW,
  MEM_SW_TO_PR,
  MEM_SW_TO_PW,
  MEM_SR_TO_PR,
  MEM_SR_TO_PW,
  MEM_PW_TO_SR,
  MEM_MODE_ALONE,
  MEM_READ_DEFERRED,
  MEM_WRITE_DEFERRED,
  MEM_ACTIVATE_DEFERRED,
  MEM_READ_PUSHED_OUT,
  MEM_WRITE_PUSHED_OUT,
  MEMORY_EVENTS
};
/* Free-running counters of a controller (817509 Table 1-12): index for block_freerunning_*(). */
enum memory_freerunning {
  IMC_FREERUNNING_DCLK,
  IMC_FREERUNNING_RPQ_CYCLES,
  IMC_FREERUNNING_WPQ_CYCLES,
  IMC_FREERUNNING_N
};
/* Urgency of a request to the scheduler of a memory channel. Critical: a read of a line that has a write in the queue,
 * and this write. Starved: the request has waited too long. Importance: the priority that the sender gives a
 * request. */
enum urgency { URGENCY_NORMAL, URGENCY_CRITICAL, URGENCY_STARVED };
enum importance { IMPORTANCE_LOW, IMPORTANCE_MEDIUM, IMPORTANCE_HIGH, IMPORTANCE_CRITICAL };

/* dram.c */
struct dram_request {
  uint64_t line;
  const struct dram_place *place;
  enum importance importance;
};
void dram_init(struct traffic *t, struct socket *s);
fs_t dram_read(struct traffic *t, struct socket *s, const struct dram_request *r, fs_t at);
/* Returns the time at which the queue takes the write. */
fs_t dram_write(struct traffic *t, struct socket *s, const struct dram_request *r, fs_t at);
/* Reads a line that a write fills only in part. The read lets others go first, but only for a limited time. Returns the
 * time at which the whole line can be written. */
fs_t dram_underfill(struct traffic *t, struct socket *s, const struct dram_place *place, fs_t at);
void dram_advance(struct traffic *t, struct socket *s, fs_t until);

/* dram_bank.c: bank_access() books the command sequence of one access and returns the time at which its data begin on
 * the bus. */
struct dram_access {
  struct channel *channel;
  unsigned pch;
  uint32_t row;
  uint8_t bank;
  bool write, underfill;
  enum urgency urgency;
  fs_t at, from; /* earliest time of row commands, and of its column command */
};
fs_t bank_access(struct traffic *t, struct socket *s, const struct dram_access *a);
void bank_refresh(struct traffic *t, struct socket *s, struct channel *c, unsigned p, fs_t until);
void bank_idle(struct traffic *t, struct socket *s, struct channel *c, unsigned p, fs_t until);

/* dram_writes.c: issues writes that wait in the sub-channel, from `from->at` on, until `leave` are left. */
void writes_drain(struct traffic *t, struct socket *s, const struct dram_access *from, uint32_t leave);
/* Issues the write of a queue entry out of order. Returns the time at which a read may follow. */
fs_t writes_force(struct traffic *t, struct socket *s, const struct dram_access *place, uint32_t entry);
/* Performs the drains of both sub-channels, which sleep and wake together, in order of time: those of enough gathered
 * writes that are due by `due`, and those of writes left alone by `idle`. The times differ because writes arrive later
 * than the requests that are simulated with them: requests still to come may be earlier. */
void writes_pass_due(struct traffic *t, struct socket *s, struct channel *c, fs_t due, fs_t idle);
static inline void writes_pass_time(struct traffic *t, struct socket *s, struct channel *c, fs_t due, fs_t idle)
{
  if (c->pch[0].n_writes | c->pch[1].n_writes || c->pch[0].due | c->pch[1].due)
    writes_pass_due(t, s, c, due, idle);
}
/* write_enter(): a write takes a queue entry, as soon as it has arrived and one is free. writes_added(): called after a
 * write has been added to `write` of the sub-channel. */
void write_enter(const struct traffic *t, struct channel *c, unsigned pch, struct queued_write *w);
void writes_added(struct traffic *t, struct socket *s, struct channel *c, unsigned pch);
/* Issues the writes that have waited too long by `at`. */
void writes_starved(struct traffic *t, struct socket *s, struct channel *c, unsigned pch, fs_t at);
/* Reports the occupancy of the write queue up to `until`, before which no further write leaves it. */
void writes_pass(struct traffic *t, struct channel *c, unsigned p, fs_t until);
/* Reports the mode in which the channel continued after a drain that is over by `at`. */
void modes_settle(const struct traffic *t, struct channel *c, unsigned pch, fs_t at);
/* Reports a read that a drain has kept waiting too long, and whose column command is at `column`. */
void modes_starved(struct traffic *t, struct channel *c, unsigned pch, fs_t column);
/* Reports a time in a major mode other than reading, and the read mode before it. */
void mode_pass(struct traffic *t, struct channel *c, unsigned pch, enum memory_event mode, const fs_t span[2]);

/* dram_active.c: active_add(): a queue of the controller was not empty from `from` to `until`. active_advance(): no
 * earlier time than `until` follows. NULL: not counted. */
void active_add(struct active_times *a, fs_t from, fs_t until);
void active_advance(struct active_times *a, fs_t until);

/* dram_power.c: powers an idle channel down until `at`, the time of its next access or report. */
void power_pass(struct traffic *t, struct channel *c, fs_t at);
/* Returns the time at which a channel is awake for an access at `at`. */
fs_t power_wake(const struct traffic *t, const struct channel *c, fs_t at);
/* Returns the time at which the channel enters self-refresh if it stays idle. power_self_refresh(): true if it is in
 * self-refresh at `at`. */
fs_t power_self_refresh_begin(const struct traffic *t, const struct channel *c);
static inline bool power_self_refresh(const struct traffic *t, const struct channel *c, fs_t at)
{
  return at >= power_self_refresh_begin(t, c);
}
/* dram_limits.c: returns the time at which limits by heat and power let an access of the rank continue. */
fs_t limits_pass(const struct traffic *t, const struct channel *c, unsigned rank, fs_t at);

/* True if the platform has this event. */
static inline bool mem_reported(const struct traffic *t, enum memory_event e)
{
  return t->uncore->memory[e][0].reported;
}

/* Reports `n` events at `at`. The six parameters stay in registers, like those of block_pulse(). */
static inline void mem_pulses(const struct traffic *t, struct channel *c, enum memory_event e, unsigned pch, fs_t at,
                              uint32_t n)
{
  const struct event_name *name = &t->uncore->memory[e][pch];
  if (name->reported)
    block_pulse(c->block, name->code, name->attr, 0, at, n);
}

/* True if a pulse at `at`, or before, can have an effect. */
static inline bool mem_wanted(const struct traffic *t, const struct channel *c, enum memory_event e, unsigned pch,
                              fs_t at)
{
  const struct event_name *name = &t->uncore->memory[e][pch];
  return name->reported && block_wants_report(c->block, name->code, at);
}

static inline void mem_pulse(const struct traffic *t, struct channel *c, enum memory_event e, unsigned pch, fs_t at)
{
  mem_pulses(t, c, e, pch, at, 1);
}

static inline void mem_span(struct channel *c, const struct event_name *name, fs_t from, fs_t to)
{
  if (name->reported)
    block_span(c->block, name->code, name->attr, 0, from, to, 1);
}

/* Reports the part of `span` after *until, the end of the last reported interval. */
static inline void mem_state_span(struct channel *c, const struct event_name *name, fs_t *until, const fs_t span[2])
{
  const fs_t from = fs_later(span[0], *until);
  if (span[1] <= from)
    return;
  mem_span(c, name, from, span[1]);
  *until = span[1];
}

#endif
