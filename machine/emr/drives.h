/* SPDX-License-Identifier: MIT */
#ifndef MACHINE_EMR_DRIVES_H
#define MACHINE_EMR_DRIVES_H

#include "machine/pmon/coverage.h"

/* The reports of Emerald Rapids' traffic, the part of the machine that makes each, and why other reports are not
 * made. */
extern const struct machine_report emr_reports[];
extern const struct machine_drive emr_drives[];
extern const struct machine_reason emr_reasons[];

#endif
