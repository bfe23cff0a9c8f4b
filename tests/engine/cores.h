/* SPDX-License-Identifier: MIT */
/* Montecito's cores under a session: a machine that runs a text of bundles (docs/bundles.md). */
#ifndef TESTS_ENGINE_CORES_H
#define TESTS_ENGINE_CORES_H

#include "base.h"

struct montecito_machine;

/* The machine and its backend are the caller's; the text must outlive them. */
struct montecito_machine *cores_busy(const char *stream, struct pmon_backend **ret_backend);

#endif
