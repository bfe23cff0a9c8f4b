/* SPDX-License-Identifier: MIT */
/*
 * Starts a program under QEMU's user-mode emulation with the trace plugin.
 */
#ifndef MACHINE_TRACE_LAUNCHER_H
#define MACHINE_TRACE_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "src/base/signals.h"

/* The instructions of each thread that are traced in full: the first `whole` ones, and after them, in each `period`, an
 * interval of `detail` instructions at a position derived from the seed; the first `settle` of an interval are not
 * measured. period 0: all instructions. Otherwise settle < detail < period < 2^31. */
struct launch_sampling {
  uint64_t whole, period, detail, settle, seed;
};

struct launch_options {
  char *const *argv;   /* the command, NULL at the end; argv[0] is searched in PATH as a shell does */
  const char *qemu;    /* the emulator; NULL: qemu-ARCH for the program's architecture, from PATH */
  const char *plugin;  /* the plugin's file; NULL: next to this program's file, or installed */
  unsigned line_bytes; /* split block records at lines of this many bytes; 0: do not split */
  struct launch_sampling sampling;
  int shm_fd;   /* descriptor of the shared memory */
  int setup_fd; /* descriptor of the plugin's setup (machine/trace/ring.h) */
};

/* The command to run: the emulator and its arguments. launch_resolve() fills it, launch_fini() frees it. */
struct launch_command {
  char **argv;
  size_t n, room;
  size_t emulator_words; /* number of words of argv that belong to the emulator; the program's words follow */
  const struct signal_settings *signals; /* with which the program starts; NULL: this process's */
};

/* Finds the trace plugin's file: `given`; for NULL, next to this program's own file, next to the library that contains
 * this code, or in the installation folder. Writes the name to `path` and returns it; NULL: none is readable. */
const char *launch_plugin(const char *given, char *path, size_t path_size);
/* Finds program, interpreter (`#!`), emulator and plugin. PMON_E_UNKNOWN: no such command; PMON_E_PERMISSION: it is
 * not executable; PMON_E_UNSUPPORTED: it cannot be emulated; PMON_E_NO_DEVICE: no emulator or no plugin. The text in
 * error names the remedy. */
int launch_resolve(const struct launch_options *options, char *error, size_t error_size, struct launch_command *ret);
void launch_fini(struct launch_command *command);

/* Starts the command with this process's standard input, output and error. The emulator is terminated with the
 * calling thread. Address randomization is disabled, so that runs are reproducible. PMON_E_IO with the text in
 * error. */
int launch_start(const struct launch_command *command, int shm_fd, char *error, size_t error_size, pid_t *ret_pid);

#endif
