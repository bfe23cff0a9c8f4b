/* SPDX-License-Identifier: MIT */
/*
 * What the events of Emerald Rapids are called on the way from a unit to its PMON block: event codes, and the bits
 * of `attr` that describe one occurrence. Typed from the guide (817509) on their own, not from the fact files: a slip
 * in either shows where the two meet.
 *
 * `attr` has the form of a control register: a report sets every bit that is true of what happened, and the matcher
 * of the unit (machine/emr/match.c) decides whether a counter that is programmed with other bits wants it.
 */
#ifndef MACHINE_EMR_ATTR_H
#define MACHINE_EMR_ATTR_H

#include "machine/emr/attr_bits.h"
#include "machine/emr/attr_cha.h"
#include "machine/emr/attr_io.h"
#include "machine/emr/attr_links.h"
#include "machine/emr/attr_memory.h"
#include "machine/emr/attr_pcu.h"

#endif
