/* SPDX-License-Identifier: MIT */
/* The command on a system that is a tree of files with the machine behind it (tree.h): a small Emerald Rapids, or
 * Sapphire Rapids. */
#ifndef TESTS_HARDWARE_COMMAND_H
#define TESTS_HARDWARE_COMMAND_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/pmon.h>
#include "tests/hardware/kernel.h"

extern struct tree tree;
extern char output[1 << 18];

/* What the last command's process did of it: files below the tree that were opened, and accesses; and how many files
 * more were open at its end than at its beginning. In memory that processes share. */
struct made {
  uint64_t opens, accesses;
  int left_open;
};
extern struct made *made;

/* Makes the tree; with the kernel's PMUs beside the registers, without the unit `none` (NULL: with all). tree_end()
 * ends both. */
void begin(void);
void begin_kernel(const char *none);
void begin_as(const char *name);
void begin_kernel_as(const char *name, const char *none);

/* Runs the command, with `--root` behind the name of one that looks at the system, in a process of its own; its output,
 * errors too, in `output`.
 * `200 +` the exit code when a register was left otherwise than it was, `100 +` when privileges were given up more than
 * once. */
int run(const char *line);

/* The exit code of a measurement on the tree's registers: its clocks never advance, so that no counter has a value. */
enum { NO_VALUE = 3 };

/* The same, where a certain exit code and text are expected. */
void expect(const char *line, int code, const char *text);

#endif
