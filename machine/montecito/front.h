/* SPDX-License-Identifier: MIT */
/*
 * The front end's queues (2.3, 4.8.1, Tables 4-74, 4-75), for programs: the instruction buffer between front and back
 * end, the lines that were asked for, prefetch and streaming.
 */
#ifndef MACHINE_MONTECITO_FRONT_H
#define MACHINE_MONTECITO_FRONT_H

#include "machine/montecito/parts.h"

/* A cycle in which bundles retire ends. */
void front_retire(struct montecito_core *c);
/* A stall begins: how many of its cycles the front end still fills the buffer in. */
uint64_t front_stall(struct montecito_core *c, unsigned reason, uint64_t cycles);
/* The front end loses a cycle. The back end notices it only if the buffer is empty. */
void front_bubble(struct montecito_core *c, unsigned reason);
/* Whether the branch ends a counted loop whose count the front end knows: perfect loop prediction. */
bool front_knows_count(const struct montecito_core *c, const struct montecito_instruction *v);
void front_branch(struct montecito_core *c, const struct montecito_instruction *v, const struct etb_event *e,
                  const struct montecito_prediction *is);
/* What the demand for a line finds: whether it is on its way, with the cycles that are left; 0 left: it is just there.
 */
bool front_pending(struct montecito_core *c, uint64_t ip, uint32_t *ret_left);
/* Whether a prefetch of the line can be sent, or must wait. */
bool front_accepts(struct montecito_core *c, uint64_t ip);
void front_request(struct montecito_core *c, uint64_t ip, uint32_t latency, bool prefetch);
/* Whether the other half of the L2I's line is on its way; whether a line arrives in this cycle. */
bool front_has_half(struct montecito_core *c, uint64_t ip);
bool front_arrives(struct montecito_core *c);
/* Whether this line is on its way; whether one moves to the L1I in this cycle. */
bool front_has_line(const struct montecito_core *c, uint64_t ip);
bool front_moves(const struct montecito_core *c);
void front_levels(struct montecito_core *c);

#endif
