/* SPDX-License-Identifier: MIT */
/*
 * Register states as text (docs/logs.md), for any machine that can list its registers by name. A line has a package
 * (socket or hardware thread), a register, its value, and optionally the word `frozen`. The last line, `end N`, has the
 * number of registers: a truncated file is refused.
 */
#ifndef MACHINE_PMON_STATE_TEXT_H
#define MACHINE_PMON_STATE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { STATE_NAME = 64 };

/* A register of states; all packages have the same registers. */
struct state_register {
  char name[STATE_NAME];
  uint64_t bits;
  bool freezes;
}; /* freezes: its line may have `frozen` */

struct state_table {
  const char *platform, *package; /* package: the word for a package in errors, "socket" */
  uint32_t packages, n;
  const struct state_register *registers;
};

struct state_value {
  uint64_t value;
  bool given, frozen;
};

/* Write the header; one register of a package; the end, after `n` registers. */
void state_write_head(FILE *f, const char *platform);
void state_write(FILE *f, uint32_t package, const char *name, const struct state_value *v);
void state_write_end(FILE *f, uint32_t n);

/* Reads `text` of `n` bytes into values[package * table->n + register]; registers that it omits stay not given.
 * PMON_E_SYNTAX, PMON_E_UNKNOWN (no such package or register), PMON_E_RANGE (bits that the register does not have),
 * PMON_E_CONFLICT (of another platform), with line and reason in error; PMON_E_MEMORY. */
int state_read(const struct state_table *table, const char *text, size_t n, struct state_value *values, char *error,
               size_t error_size);

#endif
