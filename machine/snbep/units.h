/* SPDX-License-Identifier: MIT */
/* The monitoring hardware of the E5-2600 as tables: the machine's own transcription of the guide (327043-001). */
#ifndef MACHINE_SNBEP_UNITS_H
#define MACHINE_SNBEP_UNITS_H

#include "machine/pmon/hardware.h"

/* A function of the uncore bus: 63 (3Fh) of each socket. */
enum { SNBEP_BUS = 63 };
#define SNBEP_DEVICE(dev, fn) (SNBEP_BUS << 8 | (dev) << 3 | (fn))

extern const struct pmon_unit snbep_units[]; /* ends with name NULL */
/* increments.c: the largest increments of each unit's events in a cycle; end with most 0 */
extern const struct unit_most snbep_ubox_most[], snbep_cbo_most[], snbep_ha_most[], snbep_imc_most[], snbep_pcu_most[],
    snbep_qpi_most[], snbep_r2_most[], snbep_r3_most[];
bool snbep_info(const struct machine *m, const struct pmon_address *a, uint64_t *ret_value);

struct processor_model; /* machine/common/model.h */
struct uncore;          /* machine/common/state.h */
extern const struct processor_model snbep_model;
extern const struct uncore snbep_uncore;

#endif
