/* SPDX-License-Identifier: MIT */
/*
 * Options that guests need in their kernel's configuration: those of examples/vm/guest.config, which is part of the
 * program, compared with the configuration that lies beside a kernel.
 */
#ifndef VM_NEEDS_H
#define VM_NEEDS_H

#include <stdbool.h>
#include <stddef.h>

/* Formats the missing options that every guest needs (`every`), or all others. `text` is "" if none is missing, else
 * "CONFIG_A=y, CONFIG_B=y (for WHAT), ...", cut to its size. */
void needs_text(const char *config, bool every, char *text, size_t size);
/* Reads boot/config-RELEASE beside boot/vmlinuz-RELEASE, as in Debian's packages, or the .config of the folder in which
 * the kernel was built (arch/x86/boot/bzImage). The caller frees it. NULL: there is none, or out of memory. */
char *needs_config(const char *kernel, const char *release);
/* True if a configuration has the option as y: the driver is built in. */
bool needs_built_in(const char *config, const char *option);

#endif
