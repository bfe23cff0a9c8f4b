/* SPDX-License-Identifier: MIT */
/* The processor model of Montecito: it has its own cores and monitors, which retired bundles drive. */
#include "machine/common/model.h"
#include "machine/montecito/config.h"
#include "machine/montecito/events/events.h"

/* Data EAR, instruction EAR, execution trace buffer, and its IP-EAR mode (3.3.8 to 3.3.10). */
enum {
  SOURCES = 1 << PMON_SOURCE_DATA_CACHE | 1 << PMON_SOURCE_DATA_TLB | 1 << PMON_SOURCE_ALAT |
            1 << PMON_SOURCE_CODE_CACHE | 1 << PMON_SOURCE_CODE_TLB | 1 << PMON_SOURCE_BRANCHES |
            1 << PMON_SOURCE_ADDRESSES
};

const struct processor_model montecito_model = {
    .name = "montecito",
    .inputs = MODEL_BUNDLES | MODEL_CODE,
    .parameters = &montecito_parameters,
    .coverage = montecito_coverage,
    .sources = SOURCES,
};
