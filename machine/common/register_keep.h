/* SPDX-License-Identifier: MIT */
/*
 * Makes the compiler hold a value in a register from here on. Without this, gcc recomputes a value that is only a
 * multiplication or a shift at each use, or folds it into more instructions than it takes.
 */
#ifndef MACHINE_COMMON_REGISTER_KEEP_H
#define MACHINE_COMMON_REGISTER_KEEP_H

#define REGISTER_KEEP(value) __asm__("" : "+r"(value))
/* Makes the compiler write a value to memory here. */
#define MEMORY_KEEP(value) __asm__("" : "+m"(value))

#endif
