/* SPDX-License-Identifier: MIT */
/*
 * A value that the compiler has in a register from here on. Without it gcc works out again at each use what is a
 * multiplication or a shift only, or folds it into more instructions than it takes.
 */
#ifndef MACHINE_COMMON_REGISTER_KEEP_H
#define MACHINE_COMMON_REGISTER_KEEP_H

#define REGISTER_KEEP(value) __asm__("" : "+r"(value))

#endif
