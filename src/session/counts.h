/* SPDX-License-Identifier: MIT */
/* What a session counted: cells of items on instances, their sums over instances, parts of events, regions. */
#ifndef SRC_SESSION_COUNTS_H
#define SRC_SESSION_COUNTS_H

#include "src/session/session.h"

/* Makes a cell for every item on every instance. PMON_E_MEMORY. */
int session_make_cells(struct pmon_session *s);

/* Room for `missed` (NULL: no memory), and what it is by what was counted so far (bursts.c). */
double *session_missed_new(const struct pmon_session *s);
void session_find_bursts(struct pmon_session *s);

/* Witnesses (witness.c): room for what they counted (PMON_E_MEMORY); what each item's slices did not see; whether there
 * are any. */
int session_make_witnesses(struct pmon_session *s);
void session_find_unseen(struct pmon_session *s);
bool session_has_witness(const struct pmon_session *s);

/* Numbers by witnesses (ratio.c): finds who is one and who is scaled alike (PMON_E_MEMORY); notes what they counted in
 * the slice that ends, before it is added to the sums; decides by what each sum is scaled; the factor of an item on a
 * package's instances, 1 where it is scaled by time. */
int session_make_ratios(struct pmon_session *s);
void session_note_witnesses(const struct pmon_session *s, struct session_sum *sums);
void session_find_ratios(struct pmon_session *s);
double session_times(const struct pmon_session *s, uint32_t item, uint32_t package);

/* The end of the measurement (ends.c): room for what witnesses count there (PMON_E_MEMORY); begins anew; notes the
 * slice that ends, before it is added to the sums; whether few counts of a round say nothing of what came after it; how
 * far the numbers of sums may be off since the last cycle is not complete. */
int session_make_ends(struct pmon_session *s);
void session_clear_ends(struct pmon_session *s);
void session_note_ends(struct pmon_session *s);
bool session_missed_end(const struct pmon_session *s, const struct sample_total *t);
void session_find_ends(struct pmon_session *s);

/* Parts of events (parts.c): finds those that the plan's metrics need, and which metric uses which; frees them; adds
 * one, or finds it (PMON_E_MEMORY). An item is an event or a part: how many there are, the event of one, and the one
 * that a metric uses of an event. */
int session_find_parts(struct pmon_session *s);
int session_use_parts(struct pmon_session *s);
int session_add_part_use(struct pmon_session *s, const char *operands, uint32_t event, uint32_t part);
void session_free_parts(struct pmon_session *s);
static inline uint32_t session_items(const struct pmon_session *s)
{
  return s->plan->n_events + s->n_parts;
}
static inline uint32_t session_item_event(const struct pmon_session *s, uint32_t item)
{
  return item < s->plan->n_events ? item : s->parts[item - s->plan->n_events].event;
}
uint32_t session_item_of(const struct pmon_session *s, const struct metric *metric, uint32_t event);

/* The sums over instances (sums.c): makes them, for sessions with multiplexed events (PMON_E_MEMORY); adds what a
 * run counted in a slice, to its cell too; ends the slice; begins anew. */
int session_make_sums(struct pmon_session *s);
void session_count(struct pmon_session *s, const struct session_run *run, uint64_t delta, double seconds,
                   uint32_t flags);
void session_end_sums(struct pmon_session *s);
/* The item's sums, of each package, then of all, among `sums`, which are the session's or a region's. */
struct session_sum *session_sums_of(const struct pmon_session *s, struct session_sum *sums, uint32_t item);
size_t session_count_sums(const struct pmon_session *s);
void session_clear_sums(struct pmon_session *s);
/* What a run counted in one of several rounds, though it counts in all: makes room for that, once there are all runs
 * (PMON_E_MEMORY); begins anew; the count, of any run that counts in the round. */
int session_make_round_counts(struct pmon_session *s);
void session_clear_round_counts(struct pmon_session *s);
double session_round_count(const struct pmon_session *s, const struct session_run *run, uint32_t round);
/* The sum of an item over a package's instances, or all (PMON_ALL); NULL: there is none that says anything. */
struct sample_total *session_sum(const struct pmon_session *s, uint32_t item, uint32_t package);

/* Regions (region.c): frees them; a slice of time ends, which was measured in all that are open. */
void session_free_regions(struct pmon_session *s);
void session_region_slice(struct pmon_session *s, uint64_t slice_ns);

/* The bits in which the event's counter shows a state; 0: it counts. What a reading of it adds: state times
 * microseconds. Flags as sample_delta(). */
uint64_t session_gauge_bits(const struct pmon_session *s, const struct pmon_event *event,
                            const struct pmon_register_id *counter);
uint32_t session_gauge(const struct session_run *run, const struct sample_reading *reading, uint64_t *ret_count);

/* Of an event that counts energy, what scales its counts, by the unit that the package's register states. A status,
 * with its text. */
int session_find_energy(struct pmon_session *s, const struct pmon_event *event, uint32_t package,
                        struct session_run *run);

#endif
