/* SPDX-License-Identifier: MIT */
/*
 * A program for the guest that only yields its time slice.
 *
 * With a clock that goes by instructions, one thread of QEMU's runs the guest's processors up to the clock's next
 * event, which the first that runs uses up wholly: the others starve, unless it rests or executes PAUSE. While Linux
 * waits for a processor that it starts, it does neither; with this program running as well, the other processor gets
 * time slices.
 */
#ifndef VM_YIELD_H
#define VM_YIELD_H

#include <stddef.h>

enum { YIELD_SIZE = 64 + 56 + 4 }; /* an ELF header, one segment's, and two instructions */

/* Writes the program, a static x86-64 one without a library. */
void yield_make(unsigned char ret[YIELD_SIZE]);

#endif
