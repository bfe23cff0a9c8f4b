/* SPDX-License-Identifier: MIT */
/*
 * Event codes of Emerald Rapids, and the bits of `attr` that describe one occurrence when a unit reports it to its PMON
 * block. They are transcribed from the guide (817509) independently of the fact files, so that tests that compare the
 * two find a slip in either.
 *
 *
 * `attr` has the layout of a control register. A report sets every bit that is true of the occurrence; the unit's
 * matcher (machine/emr/match.c) decides whether a counter that is programmed with other bits counts it.
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
