/* SPDX-License-Identifier: MIT */
/* The tables of the emulated machine's firmware for QEMU: each structure is a separate file (-smbios file=...). */
#ifndef VM_FIRMWARE_H
#define VM_FIRMWARE_H

#include <stdbool.h>

struct machine_config;

/* For two sockets, each with an array of up to 32 memory modules. */
enum { FIRMWARE_FILES = 2 * (1 + 32) };

struct firmware {
  int fd[FIRMWARE_FILES];
  unsigned n;
};

/* Creates the files, which have no names; none if `config` is NULL. False: out of memory or descriptors; nothing is
 * open then. */
bool firmware_open(struct firmware *f, const struct machine_config *config);
void firmware_close(struct firmware *f);

#endif
