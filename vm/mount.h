/* SPDX-License-Identifier: MIT */
/*
 * The emulated machine's registers as files, by FUSE: the files of Linux's msr module in /dev/cpu, and of PCI in /sys,
 * for tools that use these files, without a kernel between them and the machine (docs/vm.md).
 *
 *   N/msr   for each processor: 8 bytes at the offset that is the register's number, as in msr(4)
 *   time    reads as the nanoseconds since reset; a number written advances time by that many, `end` to the end of the
 *           workload
 *   dev/cpu/N/msr, sys/bus/pci/devices/FUNCTION/config and their description, sys/devices/system/cpu, proc/cpuinfo:
 *           a root for tools that take one. Registers in memory are not there: FUSE's files of devices cannot be
 *           mapped.
 */
#ifndef VM_MOUNT_H
#define VM_MOUNT_H

#include <stddef.h>
#include <pmon/access.h>
#include "machine/machine.h"
#include "src/base/signals.h"

struct mount_options {
  struct machine *machine;             /* for its time */
  struct pmon_backend *backend;        /* for its registers, and to advance time */
  const char *platform;                /* the machine's: emr, snbep */
  unsigned sockets, cores;             /* processors are numbered through all sockets */
  const struct machine_config *config; /* of the machine */
  const char *folder;                  /* an empty one, or one to be hidden behind the files */
  char *const *argv;                   /* a command to run while they are mounted; NULL: until a signal */
  /* The command's signal settings; NULL: unchanged. */
  const struct signal_settings *signals;
};

/* Shows the files until the command ends, or until SIGINT, SIGTERM, SIGHUP or an unmount. PMON_OK with the command's
 * exit code (128 and the signal that ended it; 0 without one); PMON_E_UNSUPPORTED: built without libfuse3;
 * PMON_E_INVALID: that is no folder; PMON_E_NO_DEVICE: it cannot be mounted on; PMON_E_IO; with the reason in error. */
int mount_run(const struct mount_options *o, char *error, size_t error_size, int *ret_exit_code);

#endif
