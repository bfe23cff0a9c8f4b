/* SPDX-License-Identifier: MIT */
/* Why an event has no counts at all: the backend's error text about its units when the session was made. */
#ifndef PMON_SRC_SESSION_ABSENT_H
#define PMON_SRC_SESSION_ABSENT_H

#include <pmon/value.h>

struct pmon_session;

/* Notes the cause for an event, unless one is noted already. Without memory, none is noted. */
void session_note_absent(struct pmon_session *s, uint32_t event, const char *text);

/* Forgets the causes of events that count on some instance: each instance may have a cause of its own. */
void session_forget_absent(struct pmon_session *s);

/* For each event that counts on no instance, reads one of its missing registers again to get the cause. */
void session_find_absent(struct pmon_session *s);

/* Whether the discovery page lists a unit whose MSRs cannot be read. An unlisted unit is not part of the processor; a
 * listed one is missing in each total. Without a page, a unit is in the range of those that exist if one with
 * the same or a higher number can be read, on any package; totals without it are flagged. */
enum session_presence { PRESENCE_UNKNOWN, PRESENCE_UNLISTED, PRESENCE_UNREADABLE, PRESENCE_IN_RANGE };
enum session_presence session_presence(const struct pmon_session *s, uint32_t cell);
/* Finds the presence of units whose MSRs cannot be read. PMON_E_IO: the page breaks off. PMON_E_MEMORY. */
int session_find_presence(struct pmon_session *s);

/* Fails with PMON_E_NO_DEVICE, since none of the plan's units can be read: if the discovery page lists none of them,
 * the message names the units that it lists. Else the statuses of session_find_presence(). */
__attribute__((cold)) int session_fail_absent(struct pmon_session *s);

/* Adds the cause to the reason of a value of the event that could never be read; for a unit that the processor does not
 * have, this is the reason. */
void session_explain_absent(const struct pmon_session *s, uint32_t event, uint32_t cell, struct pmon_value *value);

void session_free_absent(struct pmon_session *s);

#endif
