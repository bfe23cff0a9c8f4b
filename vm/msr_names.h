/* SPDX-License-Identifier: MIT */
/*
 * The MSRs that an Intel server processor has besides those of its uncore and its counters (SDM4): a guest's access to
 * one of them is no error, whether or not the processor that QEMU emulates implements it.
 */
#ifndef VM_MSR_NAMES_H
#define VM_MSR_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/* True if the processor has the MSR. recent: it also has the MSRs that cores have since Haswell. */
bool msr_is_own(uint32_t msr, bool recent);

#endif
