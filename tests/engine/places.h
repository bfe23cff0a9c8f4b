/* SPDX-License-Identifier: MIT */
/* Sessions that count nothing themselves: a test fills in slices and totals, and checks what the session computes from
 * them. The backend is a fake of Emerald Rapids. */
#ifndef TESTS_ENGINE_PLACES_H
#define TESTS_ENGINE_PLACES_H

#include "tests/engine/base.h"
#include "tests/engine/fake.h"
#include "src/session/counts.h"

extern struct fake places_fake; /* of the session that was opened last */

/* Returns a session of these events and metrics (NULL: none) that has run 0.9 ms. Fails the test unless the session has
 * `rounds` rounds, and `witnesses` witnesses that count in each round. */
struct pmon_session *places_open(const char *events, const char *metrics, uint32_t rounds, uint32_t witnesses);
/* Closes the session and frees its plan. */
void places_close(struct pmon_session *s);

#endif
