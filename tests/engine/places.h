/* SPDX-License-Identifier: MIT */
/* Sessions that only give counts their places: a test makes the slices and totals itself, and looks at what the session
 * makes of them. The backend is a fake of Emerald Rapids. */
#ifndef TESTS_ENGINE_PLACES_H
#define TESTS_ENGINE_PLACES_H

#include "base.h"
#include "fake.h"
#include "src/session/counts.h"

extern struct fake places_fake; /* of the session that was opened last */

/* A session of these events and metrics (NULL: none) that has run 0.9 ms. Fails the test unless it has so many rounds,
 * and witnesses that count in each of them. */
struct pmon_session *places_open(const char *events, const char *metrics, uint32_t rounds, uint32_t witnesses);
/* Closes it and frees its plan. */
void places_close(struct pmon_session *s);

#endif
