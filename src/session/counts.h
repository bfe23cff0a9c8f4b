/* SPDX-License-Identifier: MIT */
/* The counts of a session: cells of items on instances, their sums over instances, parts of events, regions. */
#ifndef SRC_SESSION_COUNTS_H
#define SRC_SESSION_COUNTS_H

#include "src/session/session.h"

/* Makes a cell for every item on every instance. PMON_E_MEMORY. */
int session_make_cells(struct pmon_session *s);

/* Allocates `missed` (NULL: no memory); computes it from the counts so far (items.c, bursts.c). */
double *session_missed_new(const struct pmon_session *s);
void session_find_bursts(struct pmon_session *s);

/* Witnesses (witness.c): allocates their counts (PMON_E_MEMORY); computes the part of the activity that each item's
 * slices did not see; true if there is a witness. */
int session_make_witnesses(struct pmon_session *s);
void session_find_unseen(struct pmon_session *s);
bool session_has_witness(const struct pmon_session *s);

/* Scaling by witnesses (ratio.c): finds the witnesses, and the groups of items that are scaled alike (PMON_E_MEMORY);
 * notes the witnesses' counts in the slice that ends, before it is added to the sums; decides how each sum is scaled;
 * returns the factor of an item on a package's instances, 1 where it is scaled by time. */
int session_make_ratios(struct pmon_session *s);
void session_note_witnesses(const struct pmon_session *s, struct session_sum *sums);
void session_find_ratios(struct pmon_session *s);
double session_times(const struct pmon_session *s, uint32_t item, uint32_t package);

/* The end of the measurement (ends.c): allocates the witnesses' counts (PMON_E_MEMORY); clears them; notes the slice
 * that ends, before it is added to the sums; true if the few counts of a round do not represent what came after its
 * last slice; computes how far the numbers of sums may be off because the last cycle is not complete. */
int session_make_ends(struct pmon_session *s);
void session_clear_ends(struct pmon_session *s);
void session_note_ends(struct pmon_session *s);
bool session_missed_end(const struct pmon_session *s, const struct sample_total *t);
void session_find_ends(struct pmon_session *s);

/* Parts of events (parts.c): finds the parts that the plan's metrics need; assigns them to the metrics; adds a use of a
 * part (PMON_E_MEMORY); frees them. An item is an event or a part: the number of items, the event of an item, and the
 * item that a metric uses for an event. */
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

/* The sums over instances (sums.c): allocates them, for sessions with multiplexed events (PMON_E_MEMORY); adds a run's
 * count of a slice to its cell and sums; ends the slice. */
int session_make_sums(struct pmon_session *s);
void session_count(struct pmon_session *s, const struct session_run *run, uint64_t delta, double seconds,
                   uint32_t flags);
void session_end_sums(struct pmon_session *s);
/* Returns the item's sums, per package and then of all, among `sums`, which are the session's or a region's. The number
 * of all sums; clears the session's sums. */
struct session_sum *session_sums_of(const struct pmon_session *s, struct session_sum *sums, uint32_t item);
size_t session_count_sums(const struct pmon_session *s);
void session_clear_sums(struct pmon_session *s);
/* The counts per round of runs that count in every round: allocates them, once all runs exist (PMON_E_MEMORY); clears
 * them; returns the count of a run in a round in which it counts. */
int session_make_round_counts(struct pmon_session *s);
void session_clear_round_counts(struct pmon_session *s);
double session_round_count(const struct pmon_session *s, const struct session_run *run, uint32_t round);
/* Returns the sum of an item over a package's instances, or over all (PMON_ALL); NULL: there is none, or its instances
 * count in different slices. */
struct sample_total *session_sum(const struct pmon_session *s, uint32_t item, uint32_t package);

/* Regions (region.c): frees them; adds a slice of time to all open regions. */
void session_free_regions(struct pmon_session *s);
void session_region_slice(struct pmon_session *s, uint64_t slice_ns);

/* Gauges (gauge.c): the bits in which the event's counter shows a state; 0: it counts. *ret_count: what a read adds,
 * state times microseconds. Returns flags as sample_delta(). */
uint64_t session_gauge_bits(const struct pmon_session *s, const struct pmon_event *event,
                            const struct pmon_register_id *counter);
uint32_t session_gauge(const struct session_run *run, const struct sample_reading *reading, uint64_t *ret_count);
/* Returns what a state adds. */
uint64_t session_gauge_count(uint64_t state, double seconds);

/* For an event that counts energy, sets the run's shift and maximum rate from the unit that the package's register
 * states. Returns a status; the error record has the text. */
int session_find_energy(struct pmon_session *s, const struct pmon_event *event, uint32_t package,
                        struct session_run *run);

#endif
