/* SPDX-License-Identifier: MIT */
/* The command on a system that is a tree of files backed by the machine (tree.h): a small Emerald Rapids, or Sapphire
 * Rapids. */
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

/* Statistics of the last command's process: files opened below the tree, and accesses; left_open: the difference in
 * open files between its end and its beginning. In memory shared between the processes. */
struct made {
  uint64_t opens, accesses;
  int left_open;
};
extern struct made *made;

/* Makes the tree; begin_kernel(): with the kernel's PMUs, too, except those of the unit `none` (NULL: all units).
 * tree_end() removes it. */
void begin(void);
void begin_kernel(const char *none);
void begin_as(const char *name);
void begin_kernel_as(const char *name, const char *none);

/* Runs the command in a process of its own, with `--root TREE` after the name of a command that looks at the system;
 * both output streams go to `output`. Returns the exit code, plus 200 if a register was left changed, else plus 100 if
 * privileges were given up more than once. */
int run(const char *line);

/* The exit code of a measurement on the tree's registers: its clocks never advance, so that no counter has a value. */
enum { NO_VALUE = 3 };

/* Runs the command; fails the test unless it ends with this exit code and prints this text. */
void expect(const char *line, int code, const char *text);

#endif
