/* SPDX-License-Identifier: MIT */
/*
 * What resctrl shows of a socket (Intel RDT; SDM volume 4, C8Dh): the bytes of the LLC that hold lines, and the bytes
 * that cores read from memory into their caches. All tasks are in the default group.
 */
#ifndef MACHINE_EMR_MONITORING_H
#define MACHINE_EMR_MONITORING_H

#include "machine/pmon/unit.h"

/* For pmon_unit.read and .write; software cannot write the values. */
uint64_t monitoring_read(struct traffic *t, const struct model_register *r);
void monitoring_write(struct traffic *t, const struct model_register *r, uint64_t value);

#endif
