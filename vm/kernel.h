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
  char tree[KERNEL_PATH];          /* the folder in which it was built, if it still exists; else "" */
  struct file packed;              /* the bzImage */
  struct file image;               /* unpacked: ELF; empty before kernel_image() */
};

/* Opens the kernel `path`. NULL: Debian's for this release, from `cache` or, if that has none, by `apt-get download`
 * into it. Modules are searched in the folder in which the kernel was built, if its path there is
 * arch/x86/boot/bzImage; else relative to the kernel (../lib/modules, ../usr/lib/modules, in its own folder) and in
 * /lib/modules. PMON_OK, PMON_E_IO, PMON_E_NO_DEVICE (no kernel is available), PMON_E_SYNTAX (not such an image), with
 * the reason in error. */
int kernel_open(struct kernel *k, const char *path, const char *cache, char *error, size_t error_size);
void kernel_close(struct kernel *k);
/* True if kernel_open() would not download a kernel. */
bool kernel_is_here(const char *path, const char *cache);
/* Unpacks the image, unless it is unpacked already: it takes most of a second. PMON_OK, or PMON_E_IO with the
 * reason. */
int kernel_image(struct kernel *k, char *error, size_t error_size);
/* Returns an unnamed file with the unpacked image, which QEMU can start without the bzImage's own code: that would
 * unpack the kernel in the guest. -1: it cannot be started like this, or cannot be unpacked here. */
int kernel_image_file(struct kernel *k);
/* Maps the image, unpacked before, from the first `n` bytes of a file, which may be closed afterwards. False: errno. */
bool kernel_map_image(struct kernel *k, int fd, size_t n);
#define KERNEL_UNCORE_FOLDER "kernel/arch/x86/events/intel"
#define KERNEL_UNCORE_MODULE KERNEL_UNCORE_FOLDER "/intel-uncore.ko"
/* Reads a module by its path below the folder of its release, and unpacks it if it is packed. False: there is none. */
bool kernel_module(const struct kernel *k, const char *name, struct file *ret);
/* Returns the folder for downloaded kernels: pmon/vm in XDG_CACHE_HOME or ~/.cache. False: the environment names
 * neither. */
bool kernel_cache_folder(char *text, size_t size);
/* Unpacks the ELF image and reads the release out of a bzImage; statuses as above. */
int kernel_unpack(struct kernel *k, const struct file *packed, char *error, size_t error_size);

#endif
