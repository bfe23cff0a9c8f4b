/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where everything is written: one call for several plain accesses of a block that follow each other at known
 * distances. A run writes what calls for each would, in the same order. Its stores begin with its first access, and it
 * is at most RUN_SPAN bytes long: if the first access is made, so are the others, but for those in another page that is
 * not there, or not to be written.
 */
#ifndef PLUGIN_RUNS_H
#define PLUGIN_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "plugin/qemu.h"

enum { RUN_MOST = 8, RUN_SPAN = 64 };

/* Prepares the plugin `id` for code of that width; there are runs in x86-64 code only. */
void runs_install(uint64_t id, bool is_64_bit);
/* A piece of a block begins, with that instruction; its next instruction; it has ended. */
void runs_begin(const struct qemu_plugin_insn *head);
void runs_add(const struct qemu_plugin_insn *insn);
void runs_end(void);
/* Whether the instruction at that place in the piece has its call: another one's, or that of the run that it begins,
 * which is registered. `ordinals` are those of the piece's instructions. */
bool runs_register(struct qemu_plugin_insn *insn, size_t place, const size_t *ordinals);

#endif
