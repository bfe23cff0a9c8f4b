/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What following a program and following a whole guest share. */
#ifndef PLUGIN_TRACE_H
#define PLUGIN_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "machine/trace/ring.h"
#include "plugin/qemu.h"

extern struct ring_area *area;
extern uint64_t line_bytes; /* a block record ends with a line of so many bytes; 0: not */

/* How many instructions of `tb` from `first` on go into one record, and their bytes. */
size_t trace_piece(const struct qemu_plugin_tb *tb, size_t first, uint32_t *ret_bytes);
/* What is handed to QEMU for the accesses of an instruction, so that trace_access() gets it back. */
void *trace_data(const struct qemu_plugin_insn *insn, size_t ordinal);
/* The record of an access: `info` as QEMU has it. */
uint64_t trace_access(uint32_t info, uint64_t address, const void *data);
/* Shows the reader all that is written so far. */
void trace_publish(struct ring *r);
/* When the ring's limit is reached: publishes, waits for room, and sets another limit. false: nobody reads any more. */
bool trace_look_up(struct ring *r);

/* plugin/follow.c: programs that replace others. follow_install() takes QEMU's name of what it emulates; follow_look()
 * any instruction that is being translated. */
void follow_install(const char *target);
void follow_look(const struct qemu_plugin_insn *insn);
/* Executes what the guest asks execve() for, under an emulator of its own that writes into the same memory. Arguments
 * are the guest's. Returns when that cannot be: the emulator then does what it would have done. */
void follow_exec(uint64_t path, uint64_t argv, uint64_t envp);

/* plugin/guest.c: follows a guest from the moment in which the reader sets area->follow. `one_thread`: QEMU has one for
 * all of its processors. 0, or -1: it cannot. */
int guest_install(uint64_t id, bool one_thread);

#endif
