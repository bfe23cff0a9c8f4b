/* SPDX-License-Identifier: MIT */
/* The monitoring hardware of Emerald Rapids as tables: the machine's own transcription of the guide (817509). */
#ifndef MACHINE_EMR_UNITS_H
#define MACHINE_EMR_UNITS_H

#include "machine/pmon/hardware.h"

extern const struct pmon_unit emr_units[]; /* ends with name NULL */
/* Registers of the socket that belong to no block: global control and status. */
extern const struct reg_rows emr_globals[]; /* ends with name NULL */
/* MMIO indexes of the discovery page's BAR and of the BAR with the CXL units; the guide leaves the latter to
 * discovery. */
enum { EMR_BAR_DISCOVERY = 16, EMR_BAR_CXL = 17 };

struct processor_model; /* machine/common/model.h */
struct uncore;          /* machine/common/state.h */
extern const struct processor_model emr_model;
extern const struct processor_model spr_model; /* Sapphire Rapids: the same uncore */
extern const struct uncore emr_uncore;

#endif
