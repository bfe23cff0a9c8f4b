/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/targets.h"

#include <stddef.h>
#include <string.h>

/* Linux: arch/x86/entry/syscalls/syscall_64.tbl, syscall_32.tbl; include/uapi/asm-generic/unistd.h. In the order of
 * enum target_call. */
static const struct target targets[] = {
    {"x86_64", 8, true, {59, 322, 13, -1, -1, 9, 11, 25, 28, 12, 56, 435, 57, 58, 60, 231, 202, 1}},
    {"i386", 4, true, {11, 358, 174, 67, 48, 192, 91, 163, 219, 45, 120, 435, 2, 190, 1, 252, 240, 4}},
    {"aarch64", 8, false, {221, 281, 134, -1, -1, 222, 215, 216, 233, 214, 220, 435, -1, -1, 93, 94, 98, 64}},
    {"riscv64", 8, false, {221, 281, 134, -1, -1, 222, 215, 216, 233, 214, 220, 435, -1, -1, 93, 94, 98, 64}},
};

const struct target *target_find(const char *name)
{
  for (size_t i = 0; name && i < sizeof targets / sizeof *targets; i++)
    if (!strcmp(name, targets[i].name))
      return &targets[i];
  return NULL;
}
