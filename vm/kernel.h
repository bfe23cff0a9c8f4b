/* SPDX-License-Identifier: MIT */
/* The guest's kernel: a bzImage as distributions pack it, and where it comes from. */
#ifndef VM_KERNEL_H
#define VM_KERNEL_H

#include <stddef.h>
#include "vm/file.h"

enum { KERNEL_PATH = 512 };

struct kernel {
  char path[KERNEL_PATH];          /* of the bzImage */
  char release[96];                /* as `uname -r` prints it */
  char modules[KERNEL_PATH + 128]; /* the folder of its modules; "" when there is none */
  char tree[KERNEL_PATH];          /* the folder in which it was built, when it is still there; else "" */
  struct file packed;              /* the bzImage */
  struct file image;               /* unpacked: ELF; empty before kernel_image() */
};

/* Opens the kernel `path`. NULL: Debian's for this release, from `cache` or, when that has none, by way of
 * `apt-get download` into it. Modules are searched in the folder in which the kernel was built, of which it is
 * arch/x86/boot/bzImage; else relative to the kernel (../lib/modules, ../usr/lib/modules, in its own folder) and in
 * /lib/modules. PMON_OK, PMON_E_IO, PMON_E_NO_DEVICE (no kernel to be had), PMON_E_SYNTAX (no such
 * image), with the reason in error. */
int kernel_open(struct kernel *k, const char *path, const char *cache, char *error, size_t error_size);
void kernel_close(struct kernel *k);
/* Whether kernel_open() would download none. */
bool kernel_is_here(const char *path, const char *cache);
/* Unpacks the image where that has not been done: it takes most of a second. PMON_OK, or PMON_E_IO with the reason. */
int kernel_image(struct kernel *k, char *error, size_t error_size);
/* Takes the image, unpacked before, from the first `n` bytes of a file, which may be closed then. False: errno. */
bool kernel_map_image(struct kernel *k, int fd, size_t n);
#define KERNEL_UNCORE_FOLDER "kernel/arch/x86/events/intel"
#define KERNEL_UNCORE_MODULE KERNEL_UNCORE_FOLDER "/intel-uncore.ko"
/* A module by its path below the folder of its release, unpacked where it is packed. False: there is none. */
bool kernel_module(const struct kernel *k, const char *name, struct file *ret);
/* The folder for downloaded kernels: pmon/vm in XDG_CACHE_HOME or ~/.cache. False: the environment names neither. */
bool kernel_cache_folder(char *text, size_t size);
/* Unpacks the ELF image and reads the release out of a bzImage; as above. */
int kernel_unpack(struct kernel *k, const struct file *packed, char *error, size_t error_size);

#endif
