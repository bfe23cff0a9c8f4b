/* SPDX-License-Identifier: MIT */
/*
 * The guest's userland: programs of this host with the libraries they load, busybox for all else, kernel modules, the
 * command to run, and an init that runs it.
 *
 * init writes lines that begin with GUEST_MARK to the first serial line, and waits for an answer after some of them:
 *
 *   ready         answer `find DEVICE...`, if the guest was saved while it waited: it scans for the uncore's functions,
 *                 enables those DEVICEs (as Linux names them), and reports `found`. Answer `load BYTES`: it loads the
 *                 driver, which it takes from so many bytes that QEMU has for it.
 *   found         answer `load BYTES`
 *   loaded N      insmod's exit code. Answer `go BYTES OVER LINES SECTIONS`: it unpacks the archive that follows the
 *                 first OVER of BYTES that QEMU has for it, reads so many lines, which are its command, and runs it.
 *   section FILE ADDRESS    of /sys/module, if SECTIONS is `sections`: before the command and after it
 *   exit N        the command's exit code. Answer: a line with the addresses whose symbols it sends
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
/* Memory that the kernel of a guest with a snapshot does not use, in megabytes: a page with the words for QEMU's fw_cfg
 * (a transfer of its item 12h, the initial file system), then that item: the user's driver, and an archive of the
 * guest's other files. */
enum { GUEST_FILES_MB = 256, GUEST_FILES_MOST_MB = 31 };
/* Bytes that are written to the guest's terminal at once; it buffers 4095. */
enum { INITRAMFS_TYPED = 3000 };

struct initramfs_options {
  const struct kernel *kernel; /* for its modules */
  const char *const *argv;     /* the command, NULL at the end */
  const struct file *driver;   /* the uncore driver's module, in place of the kernel's; NULL: the kernel's */
  const char *const *programs; /* in addition to the default ones; a missing program is an error */
};

/* Reads module `i` of those that init loads; the user's driver replaces the kernel's. The caller frees it. False: there
 * is none, or out of memory. */
enum { INITRAMFS_MODULES = 2 };
bool initramfs_module(const struct initramfs_options *o, unsigned i, struct file *ret);

/* The whole archive; the part that every command needs; or the rest: the command, its programs and the user's
 * driver. */
enum initramfs_part { INITRAMFS_ALL, INITRAMFS_BASE, INITRAMFS_REST };

struct initramfs {
  int fd;       /* the archive, an unnamed file; -1: none */
  uint64_t key; /* INITRAMFS_REST: key of the base, which is not written */
  char *line;   /* INITRAMFS_REST: the command as text for the guest's terminal, if it is short and only the driver is
                 * needed besides; else NULL */
  uint64_t driver_n; /* INITRAMFS_REST: bytes of the user's driver, which precedes the archive; 0: none */
};

/* Makes a part, which the caller frees. PMON_OK; PMON_E_NO_DEVICE: there is no busybox; PMON_E_INVALID: a program is
 * missing, or there are too many files; PMON_E_IO; with the reason in error, and nothing to be freed. */
int initramfs_make(const struct initramfs_options *o, enum initramfs_part part, char *error, size_t error_size,
                   struct initramfs *ret);
void initramfs_free(struct initramfs *a);

#endif
