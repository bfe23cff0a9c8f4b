/* SPDX-License-Identifier: MIT */
/*
 * Several sessions on one backend. Counters and their controls belong to one session at a time. Registers that freeze,
 * filters and status registers may be shared: all sessions then know the same original contents and the same last
 * value, and the last session to close restores them.
 */
#ifndef PMON_SESSION_OVERLAP_H
#define PMON_SESSION_OVERLAP_H

#include "src/session/session.h"

/* Before anything is laid out: PMON_E_CONFLICT when the backend counts by itself and has a session, or when overflows
 * end the intervals of the new session or of one that shares a package with it. */
int overlap_check(struct pmon_session *s);

/* Fills s->schedule: the plan's, or one that avoids the counters of other sessions. PMON_E_CONFLICT: there is none;
 * PMON_E_MEMORY. */
int overlap_schedule(struct pmon_session *s);

/* Whether another session counts on that unit. */
bool overlap_has_unit(const struct pmon_session *s, uint32_t unit);

/* After the registers are laid out: PMON_E_CONFLICT when a counter or a control of `s` belongs to another session, or
 * a filter needs another value there. Other sessions give up witnesses that are in the way. */
int overlap_check_registers(struct pmon_session *s);

/* Registers that another session has too: their original contents and last value come from that session. */
void overlap_adopt(struct pmon_session *s);

/* The backend's list of sessions; leaving it is allowed for a session that never joined. */
void overlap_join(struct pmon_session *s);
void overlap_leave(struct pmon_session *s);

/* `r` of `s` was written: sessions that share the register take over its value. */
void overlap_note_write(struct pmon_session *s, const struct session_register *r);

/* Whether an event of another session asks for contents of the filter `r`. */
bool overlap_uses(const struct pmon_session *s, const struct session_register *r);

/* Counters were frozen, or run again: times of other sessions leave out what lies between. */
void overlap_frozen(struct pmon_session *s);
void overlap_unfrozen(struct pmon_session *s);

/* Before counts of `s` are read up to now_ns: its counters may be frozen by another session since some time. */
void overlap_settle(struct pmon_session *s);

/* Where the freeze of `s` stops counters of sessions that are running: lets them run on, and returns true. */
bool overlap_yield(struct pmon_session *s);

/* Whether another session has the register and will restore it. */
bool overlap_hand_over(struct pmon_session *s, const struct session_register *r);

#endif
