/* SPDX-License-Identifier: MIT */
/*
 * A session runs a scheduled plan over a backend: it saves every register that it will write, freezes, programs,
 * lets run, freezes, reads, and gives everything back. Time is the backend's.
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
 * Sessions that overlap on one processor do not know of each other: use one at a time. pmon_session_conflicts() of the
 * second shows the control registers that the first one holds. If it is started nevertheless, close it first: it
 * restores what it found.
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

/* What stands still while counters are programmed and read. */
enum pmon_freeze {
  PMON_FREEZE_BEST,   /* global where the platform has it; else ends where the plan's events need not take turns and
                         box where they do; none where nothing of the plan can be frozen */
  PMON_FREEZE_GLOBAL, /* all counters of a package at once (817509 1.10.5) */
  PMON_FREEZE_BOX,    /* those of each unit, one unit after the other (817509 1.4.0.1; 327043 2.1.2); of each hardware
                         thread (Montecito 3.3.4) */
  PMON_FREEZE_NONE,   /* nothing: counters are set and read as they run, and no freeze bit of anybody is touched */
  PMON_FREEZE_ENDS    /* each unit's while the session begins, and from the end of what is measured on; in between
                         counters are read as they run, which takes no access but the reads (327043 2.1.2 has them
                         frozen for each read, one box after the other). As box where events take turns */
};

struct pmon_session_options {
  size_t size;
  uint64_t packages;               /* bit n: package n; 0: all that the backend answers for */
  uint64_t slice_ns;               /* how long one round counts before the next takes its turn, after shorter
                                      turns at first; 0: a millisecond */
  const struct pmon_clock *clocks; /* clocks that run at another frequency than the facts say */
  uint32_t n_clocks;
  /* Called while time passes, about every tick_ns of the backend's clock (below); true ends pmon_session_run(). May be
   * NULL. */
  bool (*tick)(void *user, uint64_t now_ns);
  void *tick_user;
  /* A file that is written before the first register is, and removed when all of them are given back: after a session
   * that could not be closed, pmon_restore() does that. NULL: none. PMON_E_STATE of pmon_session_start(): it exists. */
  const char *journal;
  /*
   * With every_count not 0, pmon_session_run() also returns when the plan's event `every_event` has counted so often on
   * an instance since the run before: its counter overflows there, and that freezes the package (of Montecito the
   * thread). All counters of it then stand at that very moment; time goes on, unmeasured, until the overflow is seen,
   * every_poll_ns at most (0: a microsecond). Overflow bits that others left are cleared. One round only, and platforms
   * whose overflows freeze (not the E5-2600): else pmon_session_new() returns PMON_E_UNSUPPORTED; PMON_E_RANGE: more
   * than the counter holds, or no such event.
   */
  uint32_t every_event;
  uint64_t every_count, every_poll_ns;
  /* enum pmon_freeze. One that the platform does not have: PMON_E_UNSUPPORTED of pmon_session_new(). What has no freeze
   * bit (free-running counters, the UBox of the E5-2600) runs on while it is read. */
  uint32_t freeze;
  /* With every_count: what the processor's buffers are to catch meanwhile (pmon/sample.h), and who gets it at each
   * overflow; `sample` is the callee's during the call. Only the counter that overflowed begins anew then. Copied;
   * NULL: nothing is sampled. PMON_E_UNSUPPORTED of pmon_session_new(): the platform has no such buffer. */
  const struct pmon_sample_source *wanted;
  void (*sample)(void *user, const struct pmon_sample *sample);
  void *sample_user;
  uint64_t tick_ns; /* 0: a millisecond */
  /*
   * How often it is looked whether control registers still select what was programmed, which is an access for each:
   * with the first reading of the counters that is so long (on the backend's clock) after the look before. Besides
   * when the session begins, with the last reading of what ends, and at once where a counter shows less than before.
   * 0: with each reading; so it is, too, where events take turns or overflows end intervals. What was read since the
   * look before is known to be right only with the next one: pmon_session_verify().
   */
  uint64_t verify_ns;
  /* Rounds take turns in an order that changes all the time, by numbers that follow from this one: sessions with the
   * same number have the same order, repeated measurements are better given different ones. */
  uint64_t seed;
};

/* Whether a backend can count all that a scheduled plan wants, on one instance of each unit and on package 0. Those
 * that show registers can; one that counts by itself (pmon_backend_perf_open()) may have no way to select an event.
 * PMON_OK; PMON_E_NO_DEVICE (it has no such unit), PMON_E_UNSUPPORTED (not that event): *reason (may be NULL) says
 * which; PMON_E_STATE (the plan is not scheduled). */
PMON_API int pmon_plan_check(const struct pmon_plan *plan, struct pmon_backend *backend, struct pmon_reason *reason);

/* Makes a session, and reads what every register that it is going to write holds; it writes nothing yet. `plan` and
 * `backend` must outlive it; options may be NULL. An instance that the backend does not have (PMON_E_NO_DEVICE) is left
 * out, and its counts are unavailable.
 * PMON_E_STATE (the plan is not scheduled), PMON_E_NO_DEVICE (no instance is there at all), PMON_E_MEMORY, or the
 * backend's status; the text is in the context's error record. Closed with pmon_session_close(). */
PMON_API int pmon_session_new(struct pmon_plan *plan, struct pmon_backend *backend,
                              const struct pmon_session_options *options, struct pmon_session **ret_session);

/* Tells `sink` (may be NULL) each control register of the session that held a programmed event, or was enabled, before
 * it began: somebody else may be counting there. Returns how many there are. */
PMON_API uint32_t pmon_session_conflicts(const struct pmon_session *session, pmon_line_sink sink, void *user);

/* Programs the first round and lets it count (817509 1.10.4: freeze, program, reset, unfreeze). A session that
 * pmon_session_stop() stopped goes on where it stopped. PMON_E_STATE (it counts already), or the backend's status. */
PMON_API int pmon_session_start(struct pmon_session *session);

/* Lets time pass until `until_ns` on the backend's clock (UINT64_MAX: to the end of what is measured), changing
 * rounds on the way, and reads the counters (817509 1.10.5: frozen while they are read). Returns earlier when the
 * options' tick asks for it. PMON_E_STATE (not started), or the backend's status; what was measured before a failure
 * stays. */
PMON_API int pmon_session_run(struct pmon_session *session, uint64_t until_ns, bool *ret_ended);

/* Looks now whether the control registers of what counts still select what was programmed; the counts of those that do
 * not are no numbers from here back to the last mark, and pmon_session_describe() has their number. For those who chose
 * verify_ns, before they use the last counts. PMON_E_STATE (not started), or the backend's status. */
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

/* Begins a new interval: counts and seconds start again from the last reading, the counters run on. */
PMON_API void pmon_session_mark(struct pmon_session *session);

/* The backend's clock as of the last run, and the seconds that were measured since the start or the last mark. */
PMON_API uint64_t pmon_session_now_ns(const struct pmon_session *session);
PMON_API double pmon_session_seconds(const struct pmon_session *session);

/* How the counts since the start or the last mark were taken. Times are those of the backend's clock; time while
 * counters stand still for being read belongs to no interval. */
struct pmon_session_info {
  size_t size;
  uint32_t freeze;          /* what is done: enum pmon_freeze, never PMON_FREEZE_BEST */
  uint64_t hold_ns;         /* from deciding to read until all stood still, the longest; 0 where nothing does */
  uint64_t skew_ns;         /* between the first and the last read that belong together, the longest */
  uint64_t longest_ns;      /* counters are read at least this often, whatever the intervals are: half of the time in
                               which the first of them can wrap at its event's highest rate */
  uint32_t changed;         /* control registers that were found to select something else than was programmed, */
  uint64_t changed_from_ns; /* which may be so since then, the look before */
};

/* PMON_OK. */
PMON_API int pmon_session_describe(const struct pmon_session *session, struct pmon_session_info *info);

/* The longest time, in seconds, between two reads of the event's counters within which they cannot wrap twice unseen:
 * 2^width counts at the highest rate: its largest increment in each cycle of its unit's clock, 1024 where the guide has
 * none (817509 names none). PMON_OK; PMON_E_RANGE (no such event); PMON_E_NO_DATA (that clock's frequency is not
 * known). */
PMON_API int pmon_session_longest(const struct pmon_session *session, uint32_t event, double *ret_seconds);

/* Which instances a value is about. */
#define PMON_ALL UINT32_MAX
struct pmon_scope {
  uint32_t package, instance;
}; /* PMON_ALL: all of them */

/* Which packages a session measures (bit n: package n). */
PMON_API uint64_t pmon_session_packages(const struct pmon_session *session);

/* The count of the plan's event, summed over the scope. PMON_OK (a count that is not to be had is a value without
 * number, with its reason); PMON_E_RANGE (no such event, or the scope holds none of its instances). */
PMON_API int pmon_session_event(const struct pmon_session *session, uint32_t event, const struct pmon_scope *scope,
                                struct pmon_value *ret_value);

/* The plan's metric over the scope: its events are summed over the scope's instances first (`combine sum`), or it is
 * computed for each instance and averaged. PMON_OK, PMON_E_RANGE as above, PMON_E_MEMORY. */
PMON_API int pmon_session_metric(const struct pmon_session *session, uint32_t metric, const struct pmon_scope *scope,
                                 struct pmon_value *ret_value);

/* Gives back every register that was written, whatever state the session is in; what cannot be written is tried
 * again, the rest is restored nevertheless, and the error record lists what could not be. Frees the session. NULL is
 * fine. PMON_OK, or the status of the first register that could not be restored. */
PMON_API int pmon_session_close(struct pmon_session *session);

/* Gives back, through a backend, what the journal at `path` says the registers held, in the order in which a session
 * does, and removes the file. A journal that breaks off was written by a session that had not written any register.
 * *ret_registers: how many were written. PMON_OK; PMON_E_IO; PMON_E_SYNTAX (file and line are in the error record, and
 * nothing is written); PMON_E_UNKNOWN (its platform is); the backend's status: the file stays. */
PMON_API int pmon_restore(struct pmon_context *context, struct pmon_backend *backend, const char *path,
                          uint32_t *ret_registers);

PMON_END_DECLS

#endif
