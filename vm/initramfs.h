/* SPDX-License-Identifier: MIT */
/*
 * The guest's userland: programs of this host with the libraries they load, busybox for all else, kernel modules, the
 * command to be run, and an init that runs it.
 *
 * init talks over the first serial line in lines that begin with GUEST_MARK, and waits for a line after some of them:
 *
 *   ready         `find DEVICE...`: the guest was saved while it waited; it looks for the uncore's functions and
 *                 enables those DEVICEs (as Linux names them), after which it is `found`. It loads the driver after
 *                 `load BYTES`, which it takes from so many bytes that QEMU has for it.
 *   found         `load BYTES`
 *   loaded N      insmod's exit code. It runs the command after `go BYTES OVER LINES SECTIONS`: it unpacks the archive
 *                 behind the first OVER of BYTES that QEMU has for it, and reads so many lines, which are its command.
 *   section FILE ADDRESS    of /sys/module, if SECTIONS is `sections`: before the command and when it has ended
 *   exit N        a line answers it that names the addresses of which it sends lines
 *   symbol ...    of /proc/kallsyms; then it ends the guest.
 *
 * The command's output comes over the second line, its errors over the third.
 */
#ifndef VM_INITRAMFS_H
#define VM_INITRAMFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "vm/kernel.h"

#define GUEST_MARK "@pmon-vm "
/* Memory that the kernel of a guest of a snapshot leaves alone, in megabytes: a page with the words for QEMU's fw_cfg
 * (a transfer of its item 12h, the initial file system), then that item: the driver that the user gives, and an archive
 * of the guest's other files. */
#define GUEST_FILES_MB_TEXT "256"
enum { GUEST_FILES_MB = 256, GUEST_FILES_MOST_MB = 31 };
/* Bytes that the guest's terminal is given at once, which keeps 4095. */
enum { INITRAMFS_TYPED = 3000 };

struct initramfs_options {
  const struct kernel *kernel; /* for its modules */
  const char *const *argv;     /* the command, NULL at the end */
  const struct file *driver;   /* the uncore driver's module, in place of the kernel's; NULL: the kernel's */
  const char *const *programs; /* in addition to the default ones; a missing program is an error */
};

/* Module `i` of those that init loads: the driver that the user gives takes the place of the kernel's. False: there is
 * none, or no memory. To be freed. */
enum { INITRAMFS_MODULES = 2 };
bool initramfs_module(const struct initramfs_options *o, unsigned i, struct file *ret);

/* All of it; what any command needs; or the rest: the command, its programs and the driver that the user gives. */
enum initramfs_part { INITRAMFS_ALL, INITRAMFS_BASE, INITRAMFS_REST };

struct initramfs {
  int fd;       /* the archive, an unnamed file; -1: none */
  uint64_t key; /* INITRAMFS_REST: of the base beside it, which is not written */
  char *line;   /* INITRAMFS_REST: the command as text for the guest's terminal, if it is short, and all that there is
                   besides the driver; else NULL */
  uint64_t driver_n; /* INITRAMFS_REST: bytes before the archive, the driver that the user gives; 0: none */
};

/* Makes a part, to be freed. PMON_OK; PMON_E_NO_DEVICE: there is no busybox; PMON_E_INVALID: one of the programs is not
 * there, or they are too many files; PMON_E_IO; with the reason in error, and nothing to be freed. */
int initramfs_make(const struct initramfs_options *o, enum initramfs_part part, char *error, size_t error_size,
                   struct initramfs *ret);
void initramfs_free(struct initramfs *a);

#endif
