/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What following a program and following a whole guest share. */
#ifndef PLUGIN_TRACE_H
#define PLUGIN_TRACE_H

#include <stddef.h>
#include <stdint.h>
#include "machine/trace/ring.h"
#include "plugin/qemu.h"

extern struct ring_area *area;
extern uint64_t line_bytes;              /* a block record ends with a line of so many bytes; 0: not */

/* How many instructions of `tb` from `first` on go into one record, and their bytes. */
size_t trace_piece(const struct qemu_plugin_tb *tb, size_t first, uint32_t *ret_bytes);
/* What is handed to QEMU for the accesses of an instruction, so that trace_access() gets it back. */
void *trace_data(const struct qemu_plugin_insn *insn, size_t ordinal);
/* The record of an access: `info` as QEMU has it. */
uint64_t trace_access(uint32_t info, uint64_t address, const void *data);
/* Shows the reader all that is written so far. */
void trace_publish(struct ring *r);
/* When the ring's limit is reached: publishes, waits for room, and sets another limit. */
void trace_look_up(struct ring *r);

/* plugin/guest.c: follows a guest from the moment in which the reader sets area->follow. 0, or -1: it cannot. */
int guest_install(uint64_t id);

#endif
