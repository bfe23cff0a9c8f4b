/* SPDX-License-Identifier: MIT */
/*
 * The MSRs that a server processor of Intel has beside those of its uncore and its counters (SDM4): a guest's access to
 * one of them is no error, whether or not the processor that QEMU emulates gives it a meaning.
 */
#ifndef VM_MSR_NAMES_H
#define VM_MSR_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/* recent: the processor has those that cores have since Haswell, too. */
bool msr_is_own(uint32_t msr, bool recent);

#endif
