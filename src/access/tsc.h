/* SPDX-License-Identifier: MIT */
/* The frequency of the time stamp counter, which a processor's registers do not state. */
#ifndef PMON_ACCESS_TSC_H
#define PMON_ACCESS_TSC_H

#include <stdint.h>

struct system;

/* Returns the frequency of this CPU's time stamp counter in Hz, to some millionths, by the kernel's clock; 0: it has
 * none. Takes 5 ms. */
uint64_t tsc_measure(void);

/* Returns the frequency on the system whose registers are accessed; 0: not known, for a copied tree of files, and in a
 * virtual machine, which may give its guests another counter than the one that its registers count with. */
uint64_t tsc_of_system(const struct system *s);

#endif
