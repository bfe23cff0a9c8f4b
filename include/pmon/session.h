/* SPDX-License-Identifier: MIT */
/*
 * A session runs a scheduled plan over a backend: it saves every register that it will write, freezes, programs,
 * lets time pass, freezes, reads, and restores every register. Time is the backend's.
 *
 *   pmon_session_new(...); pmon_session_start(s);
 *   do pmon_session_run(s, until, &ended); while (!ended);
 *   pmon_session_event(...), pmon_session_metric(...);
 *   pmon_session_close(s);
 *
 * A program that measures itself calls pmon_session_read() where the loop above waits; pmon/set.h is the short way.
 *
 * Threads: a session, its plan, context and backend are used by one thread at a time, in every function of this header.
 * Different threads may use different sessions at the same time when these share none of the three.
 *
 * Several sessions of one backend, or of wrappers around it, may be open at the same time. Each has its own counters: a
 * new session takes those that are free, and multiplexes its events if these are few. Registers that freeze, status
 * registers, and filters of which both want the same are shared. Sessions may close in any order; the last one that
 * uses a register restores it. A session whose overflows end its intervals (every_count) shares no package with
 * another; a backend without registers (pmon_backend_perf_open()) has one session at a time.
 *
 * One session may freeze counters of another. If it freezes all counters of the other session, the frozen time is not
 * part of that session's seconds. If it freezes some of them, their counts are scaled and flagged PMON_VALUE_SCALED. A
 * session that is stopped, or whose workload has ended, leaves no counter of a running session frozen.
 *
 * Montecito: a counter that is switched off while its thread runs loses its value (Table 3-5). If other sessions go on
 * counting on the thread, the counters of a closed session that were off before it therefore end at 0.
 *
 * Sessions of different backends, and those of other processes, do not know of each other: use one at a time.
 * pmon_session_conflicts() of the second shows the control registers that the first one programmed. If it is started
 * nevertheless, close it first: it restores the contents that it found.
 */
#ifndef PMON_SESSION_H
#define PMON_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmon/access.h>
#include <pmon/api.h>
#include <pmon/plan.h>
#include <pmon/value.h>

PMON_BEGIN_DECLS

struct pmon_reason;
struct pmon_sample_source;
struct pmon_sample;
struct pmon_session;

struct pmon_clock {
  const char *name;
  uint64_t hz;
};

/* The freeze scope while counters are programmed and read. */
enum pmon_freeze {
  PMON_FREEZE_BEST, /* GLOBAL if the platform has it; else BOUNDARIES, or BOX if the plan's events are multiplexed; NONE
                       if nothing of the plan can be frozen */
  PMON_FREEZE_GLOBAL, /* all counters of a package at once (817509 1.10.5) */
  PMON_FREEZE_BOX, /* the counters of one unit after the other (817509 1.4.0.1; 327043 2.1.2), or of one hardware thread
                      (Montecito 3.3.4) */
  PMON_FREEZE_NONE,      /* no freeze: counters are programmed and read while they run, and no freeze bit is written */
  PMON_FREEZE_BOUNDARIES /* each unit's counters while the session starts, and after the workload has ended. Between
                            these, counters are read while they run, which needs no further accesses (327043 2.1.2
                            freezes them for each read, box after box). Same as BOX if events are multiplexed */
};

struct pmon_session_options {
  size_t size;
  uint64_t packages;               /* bit n: package n; 0: all packages of the backend */
  uint64_t slice_ns;               /* length of a round's time slice; the first slices are shorter; 0: a millisecond, or
                                      20 times as long as a change of rounds takes if that is more */
  const struct pmon_clock *clocks; /* clocks whose frequency differs from the facts */
  uint32_t n_clocks;
  /* Called at least about every tick_ns of the backend's clock while time passes; where events are multiplexed, also
   * when the round changes. Returning true ends pmon_session_run(). May be NULL. */
  bool (*tick)(void *user, uint64_t now_ns);
  void *tick_user;
  /* The journal: a file that is written before the first register, and removed after all registers are restored. After
   * a session that could not be closed, pmon_restore() restores them from the journal. NULL: no journal.
   * pmon_session_start() returns PMON_E_STATE if the file exists. */
  const char *journal;
  /*
   * Overflow mode, if every_count is not 0: pmon_session_run() also returns when event `every_event` of the plan has
   * counted every_count on an instance since the previous run. Its counter then overflows, which freezes all counters
   * of the package (Montecito: of the thread) at that moment. Time passes unmeasured until the overflow is observed, at
   * most every_poll_ns (0: a microsecond). Overflow bits from before the session are cleared. The plan must have one
   * round and the platform must freeze on overflow (the E5-2600 does not); otherwise pmon_session_new() returns
   * PMON_E_UNSUPPORTED. PMON_E_RANGE: every_count exceeds the counter, or there is no such event.
   */
  uint32_t every_event;
  uint64_t every_count, every_poll_ns;
  /* enum pmon_freeze. pmon_session_new() returns PMON_E_UNSUPPORTED for a scope that the platform does not have, and
   * PMON_E_INVALID for a value that is no scope. Counters without a freeze bit (free-running counters, the UBox of the
   * E5-2600) run while they are read. */
  uint32_t freeze;
  /* With every_count: the sample source (pmon/sample.h), and the callback that receives its sample at each overflow;
   * `sample` is valid during the call. Only the counter that overflowed restarts then. Copied; NULL: no samples.
   * pmon_session_new() returns PMON_E_UNSUPPORTED if the platform has no such buffer, PMON_E_INVALID if the kind is
   * none of enum pmon_sample_source_kind. */
  const struct pmon_sample_source *source;
  void (*sample)(void *user, const struct pmon_sample *sample);
  void *sample_user;
  uint64_t tick_ns; /* 0: a millisecond */
  /*
   * The time in which each control register is checked once, on the backend's clock. A check reads the register and
   * compares it with the programmed value. Each counter read checks the share of the registers that is due; a share has
   * registers of all units. If one has changed, all are checked with the same read, and those that have changed with
   * each later one. All are also checked at the start of the session and with the last counter read, and those of a
   * unit when one of its counters has decreased, counts nothing though it counted before, or counts faster than its
   * clock. 0: all with each read; this also applies to registers that multiplexing programs anew, and if overflows end
   * intervals. Counts are confirmed by the next check only; pmon_session_verify() checks what the last read did not.
   */
  uint64_t verify_ns;
  /* Seed of the order in which rounds alternate, which changes all the time. Sessions with the same seed have the same
   * order. Use different seeds for repeated measurements. */
  uint64_t seed;
  const struct pmon_limit *limits; /* of the machine; copied. Without a limit, bounds are those of the facts */
  uint32_t n_limits;
};

/*
 * Whether a backend can count all events of a scheduled plan, on one instance of each unit and on package 0. A backend
 * with registers can. A backend without registers (pmon_backend_perf_open()) may be unable to select an event. PMON_OK;
 * PMON_E_NO_DEVICE (no such unit) and PMON_E_UNSUPPORTED (not that event), with the reason in *reason (may be NULL);
 * PMON_E_STATE (the plan is not scheduled).
 */
PMON_API int pmon_plan_check(const struct pmon_plan *plan, struct pmon_backend *backend, struct pmon_reason *reason);

/*
 * Makes a session and saves the contents of every register that it will write. Writes nothing yet. `plan` and `backend`
 * must outlive the session; options may be NULL. An instance that the backend does not have (PMON_E_NO_DEVICE) is left
 * out, and its counts are unavailable. PMON_E_STATE (the plan is not scheduled), PMON_E_RANGE (none of the selected
 * packages exists), PMON_E_NO_DEVICE (no instance exists), PMON_E_CONFLICT (other sessions of the backend have the
 * counters or filters that an event needs: the text names the register, the session, numbered in the order of creation,
 * and its event), PMON_E_MEMORY, or the backend's status; the text is in the context's error record. The caller closes
 * it with pmon_session_close().
 */
PMON_API int pmon_session_new(struct pmon_plan *plan, struct pmon_backend *backend,
                              const struct pmon_session_options *options, struct pmon_session **ret_session);

/* Reports to `sink` (may be NULL) each control register of the session that selected an event or was enabled before the
 * session: other software may be counting there. Returns the number of these registers. */
PMON_API uint32_t pmon_session_conflicts(const struct pmon_session *session, pmon_line_sink sink, void *user);

/* The samples of a session with a sample source, since its start, and an estimate of those that it did not take: from
 * an overflow until the session has noticed it (options: every_poll_ns) and read the buffer, the thread's monitors are
 * frozen. The session knows between which two looks the overflow came, or is woken by the backend when it comes: the
 * estimate is therefore a range, for events that are as frequent in this time as in the rest. Samples of events that
 * the buffer itself passes over, because it follows one at a time (Montecito 3.3.9.1), are not among them: the event
 * that counts the samples does not count those. */
struct pmon_sample_loss {
  size_t size;
  uint64_t samples;               /* overflows at which the buffer was read */
  double lost_low, lost_high;     /* samples that the frozen time cost, at least and at most */
  double frozen_low, frozen_high; /* part of the sampled threads' time that was frozen, 0 to 1 */
};
/* Fills the caller's *ret_loss. PMON_OK; PMON_E_INVALID (the session has no sample source, or the size is not set). */
PMON_API int pmon_session_sample_loss(const struct pmon_session *session, struct pmon_sample_loss *ret_loss);

/* Reports to `sink` (may be NULL) each filter register of the session's units that did not let everything pass before
 * the session. While the session counts, these registers contain what its events ask for and nothing else. Returns the
 * number of these registers. */
PMON_API uint32_t pmon_session_filters(const struct pmon_session *session, pmon_line_sink sink, void *user);

/* Programs the first round and starts counting (817509 1.10.4: freeze, program, reset, unfreeze). PMON_OK,
 * PMON_E_STATE, or the backend's status. */
PMON_API int pmon_session_start(struct pmon_session *session);

/* Lets time pass until `until_ns` on the backend's clock (UINT64_MAX: to the end of the workload), alternates rounds
 * meanwhile, and reads the counters (817509 1.10.5: frozen while they are read). Returns earlier if the tick callback
 * requests it. PMON_OK, PMON_E_STATE (not started), or the backend's status; counts from before a failure remain. */
PMON_API int pmon_session_run(struct pmon_session *session, uint64_t until_ns, bool *ret_ended);

/* Checks now whether the control registers, and the filters that act on events (whether these ask for them or not),
 * still have their programmed values. Counts of events whose registers do not are invalid back to the last mark;
 * pmon_session_describe() has the number of their counters. A caller that sets verify_ns uses this before using the
 * last counts. PMON_OK, PMON_E_STATE (not started), or the backend's status. */
PMON_API int pmon_session_verify(struct pmon_session *session);

/*
 * For a program that measures itself: reads the counters at once, without waiting, and lets them run on. What
 * pmon_session_event() and pmon_session_metric() give then are the counts from the start, or the last mark or reset, up
 * to this call. With one reading for each point of interest the counts between two points add up exactly to those of
 * the whole.
 *
 * Counters are frozen as the options say while they are read (817509 1.10.5). Where events are multiplexed, a call
 * after the end of a time slice also gives the next round its turn: call it about once for each slice_ns, or rounds
 * that had no turn have no value, and those that had only one are flagged PMON_VALUE_UNCERTAIN. Calls that lie further
 * apart than longest_ns (struct pmon_session_info) may miss a wrap: counts are then flagged PMON_VALUE_LOST. After
 * pmon_session_stop(), and after a run that ended with its counters frozen, it changes nothing.
 *
 * PMON_OK; PMON_E_STATE (the session has not begun); PMON_E_UNSUPPORTED (every_count: overflows end intervals); or the
 * backend's status: counts up to the call before stay.
 *
 * pmon_session_reset() reads, and then begins a new interval: all counts and seconds are 0. Statuses are the same.
 */
PMON_API int pmon_session_read(struct pmon_session *session);
PMON_API int pmon_session_reset(struct pmon_session *session);

/*
 * Reads the counters and stops: they stay frozen, or, where nothing freezes them (PMON_FREEZE_NONE, free-running
 * counters), what they count from here on is left out. Time does not count either: pmon_session_seconds() stays.
 * pmon_session_start() resumes, and counts add up over the pauses. While it is stopped, pmon_session_run() returns
 * PMON_E_STATE, and pmon_session_reset() sets counts to 0.
 * PMON_OK; PMON_E_STATE (not started, or stopped already); PMON_E_UNSUPPORTED as above; or the backend's status: the
 * session then counts on as far as it can, and is best closed.
 */
PMON_API int pmon_session_stop(struct pmon_session *session);

/* Starts a new interval: counts and seconds restart at 0; the counters keep running. */
PMON_API void pmon_session_mark(struct pmon_session *session);

/* The backend's clock at the last run, and the seconds measured since the start or the last mark. */
PMON_API uint64_t pmon_session_now_ns(const struct pmon_session *session);
PMON_API double pmon_session_seconds(const struct pmon_session *session);

/* Quality of the counts since the start or the last mark. Times are on the backend's clock. Time while counters are
 * frozen for a read belongs to no interval. */
struct pmon_session_info {
  size_t size;
  uint32_t freeze;     /* the scope in use: enum pmon_freeze, never PMON_FREEZE_BEST */
  uint64_t freeze_ns;  /* longest time from the decision to read until all counters were frozen; 0 without a freeze */
  uint64_t skew_ns;    /* longest time between the first and the last read of one set of counts */
  uint64_t longest_ns; /* counters are read at least this often, whatever the intervals are: half of the time in which
                          the first counter can wrap at its event's maximum rate */
  uint32_t changed;    /* counters whose control register, or a filter that acts on their event, no longer had its
                          programmed value */
  uint64_t changed_from_ns; /* the time of the previous check: they may have changed since then */
  uint32_t witnesses;       /* of the plan's (pmon_plan_set_witness()), those that the session counts */
};

/* Fills *info. PMON_OK. */
PMON_API int pmon_session_describe(const struct pmon_session *session, struct pmon_session_info *info);

/*
 * The longest time, in seconds, between two reads of the event's counters within which a counter cannot wrap twice:
 * 2^width counts at the maximum rate. The maximum rate is the event's largest increment in each cycle of its unit's
 * clock, 1024 where the guide has none (817509 has none). PMON_OK; PMON_E_RANGE (no such event); PMON_E_NO_DATA (the
 * frequency of that clock is unknown).
 */
PMON_API int pmon_session_longest(const struct pmon_session *session, uint32_t event, double *ret_seconds);

/* The instances that a value covers. */
#define PMON_ALL UINT32_MAX
struct pmon_scope {
  uint32_t package, instance;
}; /* PMON_ALL: all of them */

/* The packages that a session measures (bit n: package n). */
PMON_API uint64_t pmon_session_packages(const struct pmon_session *session);

/* The count of the plan's event, summed over the scope. PMON_OK (an unavailable count is a value without number, with
 * its reason); PMON_E_RANGE (no such event, or no instance of it in the scope). */
PMON_API int pmon_session_event(const struct pmon_session *session, uint32_t event, const struct pmon_scope *scope,
                                struct pmon_value *ret_value);

/*
 * How the number of a count follows from what was counted. A count of events that are multiplexed is scaled to the
 * whole time: count / share. The share is the part of the time in which the event had a counter (`fraction` of struct
 * pmon_value) or, with flag PMON_VALUE_WITNESS, the part of another event's count that fell into the same time slices:
 * one that has a counter all the time, and with which the events of the unit rise and fall. The session decides so for
 * all events of a unit that count in the same rounds of a package, so that their counts keep their ratio; the
 * instances of a package have its share. Clocks are scaled by time.
 */
struct pmon_scaling {
  size_t size;
  double count;   /* what the counters of the scope counted, as they were read */
  double share;   /* number * share == count; 1: it had a counter all the time */
  double seconds; /* for how long it had one; of several instances, the least */
};
/* Fills *ret_scaling. PMON_OK; PMON_E_RANGE (as pmon_session_event()); PMON_E_NO_DATA (the value has no number);
 * PMON_E_INVALID (the size is not set). */
PMON_API int pmon_session_scaling(const struct pmon_session *session, uint32_t event, const struct pmon_scope *scope,
                                  struct pmon_scaling *ret_scaling);

/* The value of the plan's metric over the scope. Its events are summed over the instances of the scope first (`combine
 * sum`), or it is computed per instance and averaged or added. PMON_OK, PMON_E_RANGE as above, PMON_E_MEMORY. */
PMON_API int pmon_session_metric(const struct pmon_session *session, uint32_t metric, const struct pmon_scope *scope,
                                 struct pmon_value *ret_value);

/* Restores every written register, whatever the state of the session. A failed write is retried; the other registers
 * are restored nevertheless, and the error record lists the failures. Frees the session. NULL is allowed. PMON_OK, or
 * the status of the first register that could not be restored. */
PMON_API int pmon_session_close(struct pmon_session *session);

/*
 * A journal of a session that could not be closed. The file may come from anybody: it is opened once, not through a
 * symbolic link, and must be a regular file of the caller's or root's that no other user may write. It names a platform
 * that is compiled in, or by its content one that the context has loaded; no other file is opened. Owned by the caller:
 * pmon_journal_close(). PMON_OK; PMON_E_IO; PMON_E_PERMISSION (not such a file); PMON_E_STATE (its session is running,
 * which the error record names, or has ended and removed the file meanwhile, or the computer was started since);
 * PMON_E_SYNTAX (the error record has file and line); PMON_E_UNKNOWN (an unknown platform); PMON_E_MEMORY.
 */
struct pmon_journal;
PMON_API int pmon_journal_open(struct pmon_context *context, const char *path, struct pmon_journal **ret_journal);

/* The platform whose registers it lists, owned by the context; NULL: the journal is incomplete. */
PMON_API const struct pmon_platform *pmon_journal_platform(const struct pmon_journal *journal);

/*
 * Restores the registers through a backend, in the order of a session's close, and removes the file. Nothing is written
 * unless the backend of a host's registers permits each write on this processor. An incomplete journal belongs to a
 * session that had not written any register. *ret_registers: the number of written registers. PMON_OK; PMON_E_IO;
 * PMON_E_PERMISSION (a register that may not be written); PMON_E_STATE (another process has the host's registers); the
 * backend's status: the file remains.
 */
PMON_API int pmon_journal_restore(struct pmon_journal *journal, struct pmon_backend *backend, uint32_t *ret_registers);

/* Closes a journal. NULL is allowed. */
PMON_API void pmon_journal_close(struct pmon_journal *journal);

/*
 * Opens, restores and closes the journal at `path`. *ret_registers: the number of written registers. Statuses as
 * pmon_journal_open() and pmon_journal_restore(), of which it is made.
 */
PMON_API int pmon_restore(struct pmon_context *context, struct pmon_backend *backend, const char *path,
                          uint32_t *ret_registers);

PMON_END_DECLS

#endif
