/* SPDX-License-Identifier: MIT */
/*
 * Several sessions on one backend. Counters and their controls belong to one session at a time. Registers that freeze,
 * filters and status registers may be shared: all sessions that share one have the same saved contents and the same
 * last value of it, and the last session to close restores it.
 */
#ifndef PMON_SESSION_OVERLAP_H
#define PMON_SESSION_OVERLAP_H

#include "src/session/session.h"

/* ---- overlap.c ---- */

/* Iterate over the other sessions of the backend; NULL: no more. */
struct pmon_session *overlap_first(const struct pmon_session *s);
struct pmon_session *overlap_next(const struct pmon_session *s, const struct pmon_session *other);

/* Add the session to the backend's list, and remove it. A session that never joined may leave. */
void overlap_join(struct pmon_session *s);
void overlap_leave(struct pmon_session *s);

/* Called before anything is laid out. PMON_E_CONFLICT: the backend counts by itself and has a session, or overflows end
 * the intervals of the new session or of one that shares a package with it. */
int overlap_check(struct pmon_session *s);

/* Sets s->schedule: the plan's schedule, or one that avoids the counters of other sessions. PMON_E_CONFLICT: there is
 * none; PMON_E_MEMORY. */
int overlap_schedule(struct pmon_session *s);

/* True if another session counts on that unit. */
bool overlap_has_unit(const struct pmon_session *s, uint32_t unit);

/* Called after the registers are laid out. PMON_E_CONFLICT: a counter or a control of `s` belongs to another session,
 * or a filter needs another value there. Other sessions give up witnesses that are in the way. */
int overlap_check_registers(struct pmon_session *s);

/* ---- overlap_registers.c ---- */

/* Takes over saved contents and last value of registers that another session has, too. */
void overlap_adopt(struct pmon_session *s);

/* Notes in the sessions that share `r` the value that `s` writes into it. */
void overlap_note_write(struct pmon_session *s, const struct session_register *r);

/* True if an event of another session uses the filter `r`. */
bool overlap_uses(const struct pmon_session *s, const struct session_register *r);

/* Hands the register over to another session that has it and will restore it. False: there is none. */
bool overlap_hand_over(struct pmon_session *s, const struct session_register *r);

/* ---- overlap_freeze.c ---- */

/* Called when counters were frozen, and when they run again: the times of other sessions exclude the interval
 * between. */
void overlap_frozen(struct pmon_session *s);
void overlap_unfrozen(struct pmon_session *s);

/* Called before counts of `s` are read up to now_ns: adds the time for which another session has frozen its
 * counters. */
void overlap_add_pauses(struct pmon_session *s);

/* If the freeze of `s` stops counters of running sessions, unfreezes these and returns true. */
bool overlap_yield(struct pmon_session *s);

#endif
