/* SPDX-License-Identifier: MIT */
/* A kernel module's own description of itself, the texts of its section .modinfo. */
#ifndef VM_MODULE_H
#define VM_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include "vm/file.h"

/* The value of "NAME=VALUE". False: the file is no module, or has no such text that fits. */
bool module_info(const struct file *module, const char *name, char *ret, size_t size);
/* Whether the driver in that file can be loaded by a kernel of that release: a module (`insmod` of the guest unpacks
 * none), and built for the release; NULL: for any. PMON_OK, or PMON_E_INVALID with the reason and what helps. */
int module_check(const char *path, const char *release, char *error, size_t error_size);
/* The same, and the file, which is read once: it may be built anew meanwhile, or be a pipe. */
int module_read(const char *path, const char *release, char *error, size_t error_size, struct file *ret);
/* Whether a line of the console is that of init's insmod, which says that the kernel refuses the driver in that file;
 * with the reason. */
bool module_refused(const char *path, const char *line, char *error, size_t error_size);

#endif
