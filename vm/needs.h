/* SPDX-License-Identifier: MIT */
/*
 * What guests need of their kernel's configuration: the options of examples/vm/guest.config, which is part of the
 * program, against the configuration that lies beside a kernel.
 */
#ifndef VM_NEEDS_H
#define VM_NEEDS_H

#include <stdbool.h>
#include <stddef.h>

/* An option that a configuration lacks. The texts end with a line. */
struct need {
  const char *what; /* that needs it, behind "# for " */
  const char *line; /* CONFIG_NAME=VALUE */
};

/* The next option that the configuration lacks, behind *at (NULL: the first); an option whose value is m may be y.
 * False: there is no other one. */
bool needs_next(const char *config, const char **at, struct need *ret);
/* The missing options that every guest needs, or all others. `text` is "" when nothing is missing, else "CONFIG_A=y,
 * CONFIG_B=y (for WHAT), ...", cut to its size. */
void needs_text(const char *config, bool every, char *text, size_t size);
/* boot/config-RELEASE beside boot/vmlinuz-RELEASE, as Debian's packages have it, or the .config of the folder in which
 * the kernel was built (arch/x86/boot/bzImage). Freed by the caller. NULL: there is none, or no memory. */
char *needs_config(const char *kernel, const char *release);
/* Whether a configuration has the option as y: the driver is built in. */
bool needs_built_in(const char *config, const char *option);

#endif
