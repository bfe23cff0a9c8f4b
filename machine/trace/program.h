/* SPDX-License-Identifier: MIT */
/*
 * What an executable file is, as the kernel looks at it: an ELF program of some architecture, or a script whose
 * interpreter takes its place. The launcher asks this for the command, the plugin for what the command executes.
 */
#ifndef MACHINE_TRACE_PROGRAM_H
#define MACHINE_TRACE_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum { PROGRAM_SCRIPTS = 4 }; /* interpreters in a row that are scripts themselves, at most */

/* One for each architecture that can be emulated. */
struct program_arch {
  const char *name; /* QEMU's: of its targets, and behind `qemu-` */
  const char *cpu;  /* of QEMU's -cpu; NULL: its default */
  unsigned pointer_bytes;
};

struct program {
  char path[PATH_MAX]; /* of the ELF file */
  const struct program_arch *arch;
  /* Words that `#!` lines put before the caller's arguments, outermost interpreter first; none for an ELF file. */
  char word[2 * PROGRAM_SCRIPTS + 1][PATH_MAX];
  size_t words;
};

/* Searches PATH as a shell does; false when nothing executable has that name. */
bool program_find_in_path(const char *name, char *path, size_t path_size);

/* What is executed when `path` is: fills *ret. PMON_E_UNKNOWN: an interpreter is not there; PMON_E_PERMISSION: the file
 * cannot be read; PMON_E_UNSUPPORTED: it is no program that can be emulated. The text is put into error. */
int program_resolve(const char *path, struct program *ret, char *error, size_t error_size);

/* Writes why something cannot be run into error; returns the status. */
int program_refuse(char *error, size_t error_size, int status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
