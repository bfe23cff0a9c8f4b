/* SPDX-License-Identifier: MIT */
/* The tables of the emulated machine's firmware for QEMU: each structure is a file of its own (-smbios file=...). */
#ifndef VM_FIRMWARE_H
#define VM_FIRMWARE_H

#include <stdbool.h>

struct machine_config;

/* Of two sockets, each an array of 32 modules at most. */
enum { FIRMWARE_FILES = 2 * (1 + 32) };

struct firmware {
  int fd[FIRMWARE_FILES];
  unsigned n;
};

/* Makes the files, which have no names; of NULL none. False: there is no memory, or there are no descriptors; nothing
 * is open then. */
bool firmware_open(struct firmware *f, const struct machine_config *config);
void firmware_close(struct firmware *f);

#endif
