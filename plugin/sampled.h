/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run in which only intervals are written in full. Between intervals, a filter of the lines that the thread used
 * recently suppresses accesses that an L2 would serve, so that the machine's caches stay warm at a fraction of the
 * records. Each thread has its own intervals, also the threads of processes that the program starts.
 */
#ifndef PLUGIN_SAMPLED_H
#define PLUGIN_SAMPLED_H

#include <stdbool.h>
#include <stdint.h>
#include "machine/trace/ring.h"
#include "plugin/flow.h"
#include "plugin/qemu.h"

/* Parses the numbers of struct launch_sampling (machine/trace/launcher.h), separated by colons. false: the text is
 * invalid. */
bool sampled_parse(const char *text);
/* True if the run is sampled; sampled_register_piece() and sampled_register_access() are called only then. */
bool sampled_wanted(void);
/* sampled_thread_begins(): the calling thread has a ring, or none (ring_spill). sampled_thread_ends(): it exits.
 * sampled_fork(): it is the only thread of a new child process. */
void sampled_thread_begins(const struct ring *r);
void sampled_thread_ends(void);
void sampled_fork(void);
/* Prepares the plugin `id` for 32-bit or 64-bit code; groups of accesses (plugin/group.h) are found in x86-64 code
 * only. */
void sampled_install(uint64_t id, bool is_64_bit);
/* Registers the callbacks for `count` instructions of a block from index `first` on, whose record is `block` and whose
 * places are `places`. Call it before sampled_register_access(), which is called for each of the instructions that
 * accesses memory, with its index in the piece and its callback data. */
void sampled_register_piece(struct qemu_plugin_tb *tb, size_t first, size_t count, uint64_t block,
                            const struct flow_place *places);
void sampled_register_access(struct qemu_plugin_insn *insn, size_t number, void *data);
/* Writes the accesses of the calling thread's last block that are kept back for their order. */
void sampled_flush(void);
/* Does the same before a system call of the thread, which may wait for another thread or wake one. Between intervals it
 * then waits until the machine has simulated the thread's records, so that the thread does not run ahead of the threads
 * that it waits for. */
void sampled_call(struct ring *r);

#endif
