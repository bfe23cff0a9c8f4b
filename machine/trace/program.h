/* SPDX-License-Identifier: MIT */
/*
 * The kind of an executable file, as the kernel determines it: an ELF program of some architecture, or a script that
 * its interpreter runs. The launcher uses it for the command, the plugin for the programs that the command executes.
 */
#ifndef MACHINE_TRACE_PROGRAM_H
#define MACHINE_TRACE_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum { PROGRAM_SCRIPTS = 4 }; /* maximum nesting of interpreters that are scripts */

/* An architecture that can be emulated. */
struct program_arch {
  const char *name; /* QEMU's name of the target, as in `qemu-NAME` */
  const char *cpu;  /* for QEMU's -cpu; NULL: its default */
  unsigned pointer_bytes;
};

struct program {
  char path[PATH_MAX]; /* of the ELF file */
  const struct program_arch *arch;
  /* Words from `#!` lines that come before the caller's arguments, outermost interpreter first; none for an ELF
   * file. */
  char word[2 * PROGRAM_SCRIPTS + 1][PATH_MAX];
  size_t words;
};

/* Searches PATH as a shell does; false when no executable has that name. */
bool program_find_in_path(const char *name, char *path, size_t path_size);

/* Determines the program that executing `path` runs, and fills *ret. PMON_E_UNKNOWN: an interpreter is missing;
 * PMON_E_PERMISSION: the file cannot be read; PMON_E_UNSUPPORTED: it cannot be emulated. The text is in error. */
int program_resolve(const char *path, struct program *ret, char *error, size_t error_size);

/* Formats into error why a program cannot be run; returns the status. */
int program_refuse(char *error, size_t error_size, int status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
