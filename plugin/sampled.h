/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run of which only intervals are written in full. Between them, a filter of the lines that the thread used last
 * keeps back what a second-level cache would have, so that the machine's caches stay warm at a fraction of the records.
 * Each thread has intervals of its own, also those of processes that the program starts.
 */
#ifndef PLUGIN_SAMPLED_H
#define PLUGIN_SAMPLED_H

#include <stdbool.h>
#include <stdint.h>
#include "machine/trace/ring.h"
#include "plugin/flow.h"
#include "plugin/qemu.h"

/* Reads the numbers of machine/trace/launcher.h's struct launch_sampling, with colons between them. false: they are
 * not such. */
bool sampled_parse(const char *text);
/* Whether a run is sampled; then the following are called. */
bool sampled_wanted(void);
/* The calling thread has got a ring, or none (ring_spill); it ends; it is the only one of a new child process. */
void sampled_thread_begins(const struct ring *r);
void sampled_thread_ends(void);
void sampled_fork(void);
/* Prepares the plugin `id` for code of that width; groups of accesses (plugin/group.h) are found in x86-64 code only.
 */
void sampled_install(uint64_t id, bool is_64_bit);
/* Registers what is called for `count` instructions of a block from `first` on, whose record is `block`, before
 * sampled_register_access() is called for each that accesses memory: its number in the piece, and the data for it. The
 * places are those of the instructions. */
void sampled_register_piece(struct qemu_plugin_tb *tb, size_t first, size_t count, uint64_t block,
                            const struct flow_place *places);
void sampled_register_access(struct qemu_plugin_insn *insn, size_t number, void *data);
/* What the calling thread's last block accessed is written, as far as it was kept back to stay in order. */
void sampled_flush(void);
/* The same before a system call of the thread, which may wait for another one or wake it: between intervals the
 * machine simulates first what the thread did, so that one does not run ahead of those that it waits for. */
void sampled_call(struct ring *r);

#endif
