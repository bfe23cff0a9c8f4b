/* SPDX-License-Identifier: MIT */
/* The processor model of Montecito: cores and monitors of its own, fed by retired bundles. */
#include "machine/common/model.h"
#include "machine/montecito/events.h"

const struct processor_model montecito_model = {
    .name = "montecito", .inputs = MODEL_BUNDLES, .coverage = montecito_coverage};
