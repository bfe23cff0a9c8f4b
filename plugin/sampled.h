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
/* Registers what is called for a piece of a block that begins with the block (`tb`; NULL: with `first`), and for the
 * accesses of an instruction, in place of trace_block() and trace_store(). */
void sampled_register_block(struct qemu_plugin_tb *tb, struct qemu_plugin_insn *first, void *block);
void sampled_register_access(struct qemu_plugin_insn *insn, void *data);

#endif
