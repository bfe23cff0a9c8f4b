/* SPDX-License-Identifier: MIT */
/*
 * A session runs a scheduled plan on a backend: it saves every register that it will write, freezes, programs, lets
 * time pass, freezes, reads, and restores every register. Time is the backend's.
 *
 *   pmon_session_new(...); pmon_session_start(s);
 *   for (status = 0, ended = false; !status && !ended;)
 *     status = pmon_session_run(s, pmon_session_now_ns(s) + step_ns, &ended);
 *   pmon_session_event(...), pmon_session_metric(...);
 *   pmon_session_close(s);
 *
 * A program that measures itself calls pmon_session_read() where the loop above waits; pmon/set.h is the short way.
 *
 * Threads: a session, its plan, context and backend are used by one thread at a time, in every function of this header.
 * Different threads may use different sessions at the same time when these share none of the three.
 *
 * Several sessions of one backend, or of wrappers around it, may be open at the same time. Each has its own counters: a
 * new session takes free counters, and multiplexes its events if there are too few. Sessions share registers that
 * freeze, status registers, and filters that they set to the same contents. Sessions may close in any order; the last
 * one that uses a register restores it. A session whose overflows end its intervals (every_count) shares no package
 * with another; a backend without registers (pmon_backend_perf_open()) has one session at a time.
 *
 * One session may freeze counters of another. If it freezes all counters of the other session, the frozen time is not
 * part of that session's seconds. If it freezes some of them, their counts are scaled and flagged PMON_VALUE_SCALED. A
 * session that is stopped, or whose workload has ended, leaves no counter of a running session frozen.
 *
 * Montecito: a counter that is switched off while its thread runs loses its value (Table 3-5). If other sessions still
 * count on the thread when a session closes, the counters of the closed session that were off before it therefore end
 * at 0.
 *
 * If an access fails while counters are programmed, read, resumed or stopped, their state is not known. The call
 * returns the backend's status. The session has then failed: it still reports the values from before, but each further
 * start, run, read, reset, stop and check returns PMON_E_STATE. Close it, which restores the registers, and make a new
 * one. A device that disappears is no failure: its counts are flagged PMON_VALUE_VANISHED.
 *
 * Sessions of different backends, and those of other processes, do not coordinate: use one at a time.
 * pmon_session_conflicts() of the second session reports the control registers that the first one programmed. If the
 * second one is started nevertheless, close it first: it restores the contents that it found.
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
  PMON_FREEZE_BEST,   /* GLOBAL if the platform has it; else BOUNDARIES, or BOX if the plan's events are multiplexed;
                         NONE if no counter of the plan can be frozen */
  PMON_FREEZE_GLOBAL, /* all counters of a package at once (817509 1.10.5) */
  PMON_FREEZE_BOX, /* the counters of one unit after the other (817509 1.4.0.1; 327043 2.1.2), or of one hardware thread
                      (Montecito 3.3.4) */
  PMON_FREEZE_NONE,      /* no freeze: counters are programmed and read while they run, and no freeze bit is written */
  PMON_FREEZE_BOUNDARIES /* each unit's counters while the session starts, and after the workload has ended. In
                            between, counters are read while they run, which needs no further accesses (327043 2.1.2
                            freezes them for each read, box after box). Same as BOX if events are multiplexed */
};

struct pmon_session_options {
  size_t size;
  uint64_t packages;               /* bit n: package n; 0: all packages of the backend */
  uint64_t slice_ns;               /* length of a round's time slice; the first slices are shorter; 0: a millisecond,
                                      or 20 times the duration of a change of rounds if that is longer */
  const struct pmon_clock *clocks; /* clocks whose frequency differs from the facts, by their names in the facts; with a
                                      frequency of 0, metrics that need the clock have no number. On the library's
                                      backends of a host all clocks but `tsc` are 0 unless stated here. Another name:
                                      pmon_session_new() returns PMON_E_UNKNOWN */
  uint32_t n_clocks;
  /* Called at least about every tick_ns of the backend's clock while time passes; where events are multiplexed, also
   * when the round changes. Returning true ends pmon_session_run(). It may get values, which are those of the last
   * counter read, but must not run, read, mark, stop or close the session. May be NULL. */
  bool (*tick)(void *user, uint64_t now_ns);
  void *tick_user;
  /* The journal: a file that is written before the first register, and removed after all registers are restored. After
   * a session that was not closed, pmon_restore() restores the registers from the journal. NULL: no journal. A session
   * that only reads registers writes none. pmon_session_start() returns PMON_E_STATE if the file exists. */
  const char *journal;
  /*
   * Overflow mode, if every_count is not 0: pmon_session_run() also returns when event `every_event` of the plan has
   * counted every_count on an instance since the previous run. The counter then overflows, which freezes all counters
   * of the package (Montecito: of the thread) at that moment. Time until the overflow is observed, at most
   * every_poll_ns (0: a microsecond), is not measured. Overflow bits from before the session are cleared. The plan must
   * have one round and the platform must freeze on overflow (the E5-2600 does not); otherwise pmon_session_new()
   * returns PMON_E_UNSUPPORTED. PMON_E_RANGE: every_count exceeds the counter, or there is no such event.
   */
  uint32_t every_event;
  uint64_t every_count, every_poll_ns;
  /* enum pmon_freeze. pmon_session_new() returns PMON_E_UNSUPPORTED for a scope that the platform does not have, and
   * PMON_E_INVALID for a value that is no scope. Counters without a freeze bit (free-running counters, the UBox of the
   * E5-2600) run while they are read. */
  uint32_t freeze;
  /* With every_count: the sample source (pmon/sample.h), and the callback that receives its sample at each overflow;
   * `sample` is valid during the call. With a source, only the counter that overflowed restarts. Copied; NULL: no
   * samples. pmon_session_new() returns PMON_E_UNSUPPORTED if the platform has no such buffer, PMON_E_INVALID if the
   * kind is not in enum pmon_sample_source_kind. */
  const struct pmon_sample_source *source;
  void (*sample)(void *user, const struct pmon_sample *sample);
  void *sample_user;
  uint64_t tick_ns; /* 0: a millisecond */
  /*
   * The period, on the backend's clock, in which each control register is checked once. A check reads the register and
   * compares it with the programmed value. Each counter read checks the share of the registers that is due; a share
   * contains registers of all units. If one has changed, the same counter read checks all of them, and each later read
   * checks those that have changed. All are also checked at the start of the session and with the last counter read,
   * and those of a unit when one of its counters has decreased, has stopped counting, or counts faster than its clock.
   * 0: all with each counter read; this also applies to registers that multiplexing programs anew, and if overflows end
   * intervals. A count is confirmed by the next check only; pmon_session_verify() checks the registers that the last
   * counter read did not.
   */
  uint64_t verify_ns;
  /* Seed of the order in which rounds alternate, which is random. Sessions with the same seed have the same order. Use
   * different seeds for repeated measurements. */
  uint64_t seed;
  const struct pmon_limit *limits; /* limits of the machine; copied. Without a limit, bounds are those of the facts */
  uint32_t n_limits;
};

/*
 * Checks whether a backend can count all events of a scheduled plan, on one instance of each unit and on package 0. A
 * backend with registers can. A backend without registers (pmon_backend_perf_open()) may be unable to select an event.
 * PMON_OK; PMON_E_NO_DEVICE (no such unit) and PMON_E_UNSUPPORTED (not that event), with the reason in *reason (may be
 * NULL); PMON_E_STATE (the plan is not scheduled).
 */
PMON_API int pmon_plan_check(const struct pmon_plan *plan, struct pmon_backend *backend, struct pmon_reason *reason);

/*
 * Makes a session and saves the contents of every register that it will write. Writes nothing yet. `plan` and `backend`
 * must outlive the session; options may be NULL. An instance that the backend does not have (PMON_E_NO_DEVICE) is left
 * out, and its counts are unavailable. PMON_E_STATE (the plan is not scheduled), PMON_E_RANGE (none of the selected
 * packages exists), PMON_E_UNKNOWN (the platform has no clock of an option's name; the text lists its clocks),
 * PMON_E_NO_DEVICE (no instance exists), PMON_E_CONFLICT (other sessions of the backend have the
 * counters or filters that an event needs: the text names the register, the session, numbered in the order of creation,
 * and its event), PMON_E_MEMORY, or the backend's status; the text is in the context's error record. The caller closes
 * it with pmon_session_close().
 */
PMON_API int pmon_session_new(struct pmon_plan *plan, struct pmon_backend *backend,
                              const struct pmon_session_options *options, struct pmon_session **ret_session);

/* Reports to `sink` (may be NULL) each control register of the session that selected an event or was enabled before the
 * session: other software may be counting there. Returns the number of these registers. */
PMON_API uint32_t pmon_session_conflicts(const struct pmon_session *session, pmon_line_sink sink, void *user);

/* The number of samples of a session with a sample source since its start, and an estimate of the samples that it lost:
 * from an overflow until the session has observed it (options: every_poll_ns) and read the buffer, the thread's
 * monitors are frozen. The session knows the two polls between which the overflow occurred, or the backend wakes it at
 * the overflow. The estimate is therefore a range; it assumes that events are as frequent in the frozen time as in the
 * rest. It does not include events that the buffer itself skips because it follows one at a time (Montecito 3.3.9.1):
 * the event that counts the samples does not count those. */
struct pmon_sample_loss {
  size_t size;
  uint64_t samples;               /* overflows at which the buffer was read */
  double lost_low, lost_high;     /* samples lost in frozen time, at least and at most */
  double frozen_low, frozen_high; /* part of the sampled threads' time that was frozen, 0 to 1 */
};
/* Fills the caller's *ret_loss. PMON_OK; PMON_E_INVALID (the session has no sample source, or the size is not set). */
PMON_API int pmon_session_sample_loss(const struct pmon_session *session, struct pmon_sample_loss *ret_loss);

/* Reports to `sink` (may be NULL) each filter register of the session's units that was not neutral, that is restricted
 * counts, before the session. While the session counts, these registers contain only what its events require. Returns
 * the number of these registers. */
PMON_API uint32_t pmon_session_filters(const struct pmon_session *session, pmon_line_sink sink, void *user);

/* Programs the first round and starts counting (817509 1.10.4: freeze, program, reset, unfreeze). PMON_OK, PMON_E_STATE
 * (it counts already, has failed, is of a recording, or the journal exists), PMON_E_IO (the journal cannot be written),
 * PMON_E_MEMORY, or the backend's status. */
PMON_API int pmon_session_start(struct pmon_session *session);

/* Lets time pass until `until_ns` on the backend's clock (UINT64_MAX: to the end of the workload), alternates the
 * rounds, and reads the counters (817509 1.10.5: frozen while they are read). Returns earlier if the tick callback
 * requests it. *ret_ended: the workload has ended. If `until_ns` has passed already, nothing is read. PMON_OK,
 * PMON_E_STATE (not started, stopped, or failed), or the backend's status; counts from before a failure remain. */
PMON_API int pmon_session_run(struct pmon_session *session, uint64_t until_ns, bool *ret_ended);

/* Checks now whether the control registers still have their programmed values, and the filters that act on the events,
 * including filters that no event uses. If a register has changed, the counts of its events are invalid back to the
 * last mark; pmon_session_describe() has the number of their counters. A caller that sets verify_ns calls this function
 * before it uses the last counts. PMON_OK, PMON_E_STATE (not started, or failed), or the backend's status. */
PMON_API int pmon_session_verify(struct pmon_session *session);

/*
 * For a program that measures itself: pmon_session_read() reads the counters at once, without waiting, and lets them
 * run on. pmon_session_event() and pmon_session_metric() then return the counts from the start, or the last mark or
 * reset, up to this call. With one read at each point of interest, the counts between the points add up exactly to
 * those of the whole.
 *
 * The freeze scope of the options applies to this read (817509 1.10.5). If events are multiplexed, a call after the end
 * of a time slice also changes to the next round: call the function about once per slice_ns. Otherwise rounds without a
 * slice have no value, and those with a single slice are flagged PMON_VALUE_UNCERTAIN. If calls are more than twice
 * longest_ns (struct pmon_session_info) apart, a wrap may be missed: counts that the event's maximum rate leaves
 * ambiguous are then flagged PMON_VALUE_LOST. After pmon_session_stop(), and after a run that ended with its counters
 * frozen, a call changes nothing.
 *
 * PMON_OK; PMON_E_STATE (the session has not begun, or has failed); PMON_E_UNSUPPORTED (every_count: overflows end
 * intervals); or the backend's status: counts up to the previous call remain.
 *
 * pmon_session_reset() reads, and then begins a new interval: all counts and seconds are 0. Its statuses are the same.
 */
PMON_API int pmon_session_read(struct pmon_session *session);
PMON_API int pmon_session_reset(struct pmon_session *session);

/*
 * Reads the counters and stops: they remain frozen, or, if nothing freezes them (PMON_FREEZE_NONE, free-running
 * counters), what they count from here on is left out. Time stops, too: pmon_session_seconds() does not change.
 * pmon_session_start() resumes, and counts add up over the pauses. While the session is stopped, pmon_session_run()
 * returns PMON_E_STATE, and pmon_session_reset() sets counts to 0. PMON_OK; PMON_E_STATE (not started, stopped
 * already, or failed); PMON_E_UNSUPPORTED as for pmon_session_read(); or the backend's status.
 */
PMON_API int pmon_session_stop(struct pmon_session *session);

/* Starts a new interval: counts and seconds restart at 0; the counters keep running. */
PMON_API void pmon_session_mark(struct pmon_session *session);

/* Return the backend's clock at the last run, and the seconds measured since the start or the last mark. */
PMON_API uint64_t pmon_session_now_ns(const struct pmon_session *session);
PMON_API double pmon_session_seconds(const struct pmon_session *session);

/* Quality of the counts since the start or the last mark. Times are on the backend's clock. Time while counters are
 * frozen for a read belongs to no interval. */
struct pmon_session_info {
  size_t size;
  uint32_t freeze;     /* the scope in use: enum pmon_freeze, never PMON_FREEZE_BEST */
  uint64_t freeze_ns;  /* longest time from the decision to read until all counters were frozen; 0 without a freeze */
  uint64_t skew_ns;    /* longest time between the first and the last read of one set of counts */
  uint64_t longest_ns; /* maximum time between two counter reads, whatever the intervals are: half of the time in
                          which the first counter can wrap at its event's maximum rate */
  uint32_t changed;    /* counters whose control register, or a filter that acts on their event, no longer had its
                          programmed value */
  uint64_t changed_from_ns; /* the time of the previous check: the registers may have changed since then */
  uint32_t witnesses;       /* number of the plan's witnesses (pmon_plan_set_witness()) that the session counts */
};

/* Fills *info. PMON_OK. */
PMON_API int pmon_session_describe(const struct pmon_session *session, struct pmon_session_info *info);

/*
 * Returns in *ret_seconds the longest time, in seconds, between two reads of the event's counters within which a
 * counter cannot wrap twice: 2^width counts at the maximum rate. The maximum rate is the event's largest increment in
 * each cycle of its unit's clock: 1 if the event is compared with a threshold; else the guide's; where the guide has
 * none (817509 has few), what the widest event of the unit can add, by the width of the threshold (511 for a threshold
 * of 8 bits), but at most 1024 unless the event counts states; 1024 for a register without threshold. PMON_OK;
 * PMON_E_RANGE (no such event); PMON_E_NO_DATA (the frequency of that clock is unknown).
 */
PMON_API int pmon_session_longest(const struct pmon_session *session, uint32_t event, double *ret_seconds);

/* The instances that a value covers. */
#define PMON_ALL UINT32_MAX
struct pmon_scope {
  uint32_t package, instance;
}; /* PMON_ALL: all of them */

/* The packages that a session measures (bit n: package n). */
PMON_API uint64_t pmon_session_packages(const struct pmon_session *session);

/* Returns in *ret_value the count of the plan's event, summed over the scope. PMON_OK (an unavailable count is a value
 * without number, with its reason); PMON_E_RANGE (no such event, or no instance of it in the scope). */
PMON_API int pmon_session_event(const struct pmon_session *session, uint32_t event, const struct pmon_scope *scope,
                                struct pmon_value *ret_value);

/*
 * The scaling of a count. The count of a multiplexed event is scaled to the whole time: count / share. Scaled by time,
 * the share is the part of the time in which the event had a counter (`fraction` of struct pmon_value). With flag
 * PMON_VALUE_WITNESS it is a part of the count of another event, a witness that has a counter all the time and whose
 * activity the events of the unit follow: the part that fell into the event's time slices. The session chooses the
 * method for all events of a unit that count in the same rounds of a package together, so that their counts keep their
 * ratio; all instances in a package have the same share. Clocks are scaled by time.
 */
struct pmon_scaling {
  size_t size;
  double count;   /* sum of the counters of the scope, as they were read */
  double share;   /* number * share == count; 1: the event had a counter all the time */
  double seconds; /* time in which it had a counter; of several instances, the shortest */
};
/* Fills *ret_scaling. PMON_OK; PMON_E_RANGE (as pmon_session_event()); PMON_E_NO_DATA (the value has no number);
 * PMON_E_INVALID (the size is not set). */
PMON_API int pmon_session_scaling(const struct pmon_session *session, uint32_t event, const struct pmon_scope *scope,
                                  struct pmon_scaling *ret_scaling);

/* Returns in *ret_value the plan's metric over the scope. Its events are first summed over the instances of the scope
 * (`combine sum`), or the metric is computed per instance and then averaged or added. PMON_OK, PMON_E_RANGE as above,
 * PMON_E_MEMORY. */
PMON_API int pmon_session_metric(const struct pmon_session *session, uint32_t metric, const struct pmon_scope *scope,
                                 struct pmon_value *ret_value);

/* Restores every written register in any state of the session, and frees the session. A failed write is retried; the
 * other registers are restored nevertheless, and the error record lists the failures. NULL is allowed. PMON_OK, or the
 * status of the first register that could not be restored. */
PMON_API int pmon_session_close(struct pmon_session *session);

/*
 * A journal of a session that was not closed. pmon_journal_open() does not trust the file: it opens it once, not
 * through a symbolic link, and requires a regular file that belongs to the caller or root and that no other user may
 * write. The file names a compiled-in platform, or, by its content, a platform that the context has loaded; no other
 * file is opened. The caller closes the journal with pmon_journal_close(). PMON_OK; PMON_E_IO; PMON_E_PERMISSION (the
 * file does not meet the requirements); PMON_E_STATE (its session is running, which the error record names; or the
 * session has ended and removed the file meanwhile; or the host has been rebooted since); PMON_E_SYNTAX (the error
 * record has file and line); PMON_E_UNKNOWN (an unknown platform); PMON_E_MEMORY.
 */
struct pmon_journal;
PMON_API int pmon_journal_open(struct pmon_context *context, const char *path, struct pmon_journal **ret_journal);

/* Returns the platform whose registers the journal lists, owned by the context; NULL: the journal is incomplete. */
PMON_API const struct pmon_platform *pmon_journal_platform(const struct pmon_journal *journal);

/*
 * Restores the registers through a backend, in the order of a session's close, and removes the file. A backend for a
 * host's registers must permit each write on this processor before the first one is made. An incomplete journal belongs
 * to a session that had not written any register. *ret_registers: the number of written registers. PMON_OK; PMON_E_IO;
 * PMON_E_PERMISSION (a register that may not be written); PMON_E_STATE (another process has the host's registers); the
 * backend's status: the file remains.
 */
PMON_API int pmon_journal_restore(struct pmon_journal *journal, struct pmon_backend *backend, uint32_t *ret_registers);

/* Closes a journal. NULL is allowed. */
PMON_API void pmon_journal_close(struct pmon_journal *journal);

/*
 * Opens, restores and closes the journal at `path`. *ret_registers: the number of written registers. Statuses as
 * pmon_journal_open() and pmon_journal_restore().
 */
PMON_API int pmon_restore(struct pmon_context *context, struct pmon_backend *backend, const char *path,
                          uint32_t *ret_registers);

PMON_END_DECLS

#endif
