/* SPDX-License-Identifier: MIT */
/*
 * The front end's queues (2.3, 4.8.1, Tables 4-74, 4-75), for programs: the instruction buffer between front and back
 * end, the outstanding requests for lines, prefetch and streaming.
 */
#ifndef MACHINE_MONTECITO_FRONT_FRONT_H
#define MACHINE_MONTECITO_FRONT_FRONT_H

#include "machine/montecito/core/state.h"
#include "machine/montecito/monitors/monitors.h"

/* Ends a cycle in which bundles retire: they leave the buffer, and the front end delivers new ones. */
void front_retire(struct montecito_core *c);
/* Begins a stall. Returns the number of its cycles in which the front end still fills the buffer. */
uint64_t front_stall(struct montecito_core *c, unsigned reason, uint64_t cycles);
/* The front end loses a cycle. The back end stalls only if the buffer holds less than one cycle's delivery. */
void front_bubble(struct montecito_core *c, unsigned reason);
/* True if the branch closes a counted loop whose count the front end knows: perfect loop prediction. */
bool front_knows_count(const struct montecito_core *c, const struct montecito_instruction *v);
void front_branch(struct montecito_core *c, const struct montecito_instruction *v, const struct etb_event *e,
                  const struct montecito_prediction *is);
/* True if the demanded line is in flight, or has arrived and not yet moved to the L1I. *ret_left: cycles until it
 * arrives; 0: it has arrived. */
bool front_pending(struct montecito_core *c, uint64_t ip, uint32_t *ret_left);
/* True if an entry for a request is free, so that a prefetch of the line can be sent. Signals the stalls of the
 * prefetcher. */
bool front_accepts(struct montecito_core *c, uint64_t ip);
void front_request(struct montecito_core *c, uint64_t ip, uint32_t latency, bool prefetch);
/* front_has_half(): true if the other half of the L2I's line is in flight. front_arrives(): true if a line arrives in
 * this cycle or arrived in the previous one. */
bool front_has_half(struct montecito_core *c, uint64_t ip);
bool front_arrives(struct montecito_core *c);
/* front_has_line(): true if the line is in flight or has not yet moved to the L1I. front_moves(): true if a line moves
 * to the L1I in this cycle. */
bool front_has_line(const struct montecito_core *c, uint64_t ip);
bool front_moves(const struct montecito_core *c);
void front_levels(struct montecito_core *c);

#endif
