/* SPDX-License-Identifier: MIT */
/* A kernel module's own description of itself, the texts of its section .modinfo. */
#ifndef VM_MODULE_H
#define VM_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include "vm/file.h"

/* Returns the value of "NAME=VALUE". False: the file is no module, or has no such text that fits. */
bool module_info(const struct file *module, const char *name, char *ret, size_t size);
/* Checks that a kernel of that release (NULL: any) can load the driver in that file: it must be a module (the guest's
 * `insmod` unpacks none), built for the release. PMON_OK, or PMON_E_INVALID with the reason and the remedy. */
int module_check(const char *path, const char *release, char *error, size_t error_size);
/* As module_check(), but also returns the file, which is read once: it may be rebuilt meanwhile, or be a pipe. */
int module_read(const char *path, const char *release, char *error, size_t error_size, struct file *ret);
/* True if a line of the console is the message of init's insmod that the kernel refuses the driver in that file; with
 * the reason. */
bool module_refused(const char *path, const char *line, char *error, size_t error_size);

#endif
