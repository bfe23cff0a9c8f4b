/* SPDX-License-Identifier: MIT */
/* Sessions on Montecito's cores: a machine that runs bundles from a text (docs/bundles.md). */
#ifndef TESTS_ENGINE_CORES_H
#define TESTS_ENGINE_CORES_H

#include "tests/engine/base.h"

struct montecito_machine;

/* The caller owns the machine and its backend; the text must outlive them. */
struct montecito_machine *cores_busy(const char *stream, struct pmon_backend **ret_backend);

#endif
