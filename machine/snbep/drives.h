/* SPDX-License-Identifier: MIT */
#ifndef MACHINE_SNBEP_DRIVES_H
#define MACHINE_SNBEP_DRIVES_H

#include "machine/pmon/coverage.h"

/* The reports of an E5-2600's traffic, the part of the machine that makes each, and why other reports are not made. */
extern const struct machine_report snbep_reports[];
extern const struct machine_drive snbep_drives[];
extern const struct machine_reason snbep_reasons[];

#endif
