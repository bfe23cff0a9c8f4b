/* SPDX-License-Identifier: MIT */
/*
 * Starts a program under QEMU's user-mode emulation with the trace plugin in it.
 */
#ifndef MACHINE_TRACE_LAUNCHER_H
#define MACHINE_TRACE_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct launch_options {
  char *const *argv;   /* the command, NULL at the end; argv[0] is searched in PATH as a shell does */
  const char *qemu;    /* the emulator; NULL: qemu-ARCH for the program's architecture, from PATH */
  const char *plugin;  /* the plugin's file; NULL: beside this program's own file, or where it is installed */
  unsigned line_bytes; /* split block records at lines of so many bytes; 0: not */
  int shm_fd;          /* shared memory to hand over */
};

/* What will be run: the emulator and its arguments. Filled by launch_resolve(), emptied by launch_fini(). */
struct launch_command {
  char **argv;
  size_t n, room;
  size_t emulator_words; /* of argv: what is the emulator's own, before the program's */
};

/* The file of the trace plugin: `given`, or with NULL the one beside this program's own file or where it is installed,
 * then written to `path`. NULL: it cannot be read. */

const char *launch_plugin(const char *given, char *path, size_t path_size);
/* Finds program, interpreter (`#!`), emulator and plugin. PMON_E_UNKNOWN: no such command; PMON_E_PERMISSION: it is not
 * executable; PMON_E_UNSUPPORTED: not a program that can be emulated; PMON_E_NO_DEVICE: no emulator or no plugin; the
 * text with the remedy is put into error. */
int launch_resolve(const struct launch_options *options, char *error, size_t error_size, struct launch_command *ret);
void launch_fini(struct launch_command *command);

/* Starts it with this process's standard input, output and error. The emulator dies with the calling thread. Addresses
 * are not randomised, so that one run is like the next. PMON_E_IO with the text in error. */
int launch_start(const struct launch_command *command, int shm_fd, char *error, size_t error_size, pid_t *ret_pid);

#endif
