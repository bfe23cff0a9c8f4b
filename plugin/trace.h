/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The shared parts of tracing a program and tracing a whole guest. */
#ifndef PLUGIN_TRACE_H
#define PLUGIN_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "machine/trace/ring.h"
#include "plugin/flow.h"
#include "plugin/qemu.h"

struct target;

extern struct ring_area *area;
extern struct ring_setup setup; /* all zero: the reader gave none */
extern uint64_t line_bytes;     /* a block record ends at lines of this many bytes; 0: no limit */

/* Number of instructions of `tb` from `first` on that fit into one record, and their bytes. */
size_t trace_piece(const struct qemu_plugin_tb *tb, size_t first, uint32_t *ret_bytes);
/* A bit of all callback data for accesses, and of what is known of a kind of accesses: neither is zero. */
#define TRACE_DATA RECORD_BLOCK
/* The callback data for the accesses of an instruction, to be passed to trace_access(). */
void *trace_data(const struct qemu_plugin_insn *insn, struct flow_place place);
/* The record of an access with QEMU's descriptor `info`. */
uint64_t trace_access(uint32_t info, uint64_t address, const void *data);
/* Write to the calling thread's ring: a block, whose record is `data`; an access, with the data of trace_data(); a
 * piece of one that is a vector (plugin/flow.h); any record, or one with an address of this process, for which there
 * need not be room. */
void trace_block(unsigned vcpu, void *data);
void trace_store(unsigned vcpu, uint32_t info, uint64_t va, void *data);
void trace_vector(unsigned vcpu, uint32_t info, uint64_t va, void *data);
void trace_write(uint64_t record);
void trace_write_address(uint64_t record);
/* Publishes what the calling thread wrote, if the program has, or had, other threads. */
void trace_show(void);
/* plugin/past.c: whether an x86 instruction of `n` bytes stores bypassing the caches: MOVNTI, MOVNTPS/PD, MOVNTDQ and
 * their VEX forms. */
bool past_caches(const uint8_t *b, size_t n, bool is_64_bit);
/* Publishes all records so far to the reader. */
void trace_publish(struct ring *r);
/* Publishes, and waits until the reader has simulated it all, or too long. */
void trace_await_reader(struct ring *r);
/* At the ring's limit: publishes, waits for space, and sets the next limit. false: recording has ended. */
bool trace_look_up(struct ring *r);
/* Sets the limit of a ring again after it was lowered. */
void trace_set_limit(struct ring *r);

/* plugin/region.c: instructions that mark a region's begin or end (include/pmon/region.h). */
enum region_mark { REGION_NONE, REGION_BEGIN_NAMED, REGION_END_NAMED, REGION_BEGIN, REGION_END };
/* The mark that an instruction is. NAMED: its memory access is to the region's name; BEGIN and END: *ret_name (not
 * NULL) is the guest's address of the name. */
enum region_mark region_of(const struct qemu_plugin_insn *insn, uint64_t *ret_name);
/* Number of the name at a guest's address, for records; -1: there is no name, or no free number. */
int region_number(uint64_t address);

/* plugin/follow.c: traces programs after execve(). follow_install() takes the target (plugin/targets.h), or NULL;
 * follow_look() any instruction during translation. */
void follow_install(const struct target *target);
void follow_look(const struct qemu_plugin_insn *insn);
/* Copies up to `n` bytes of the guest's memory; returns how many were readable. */
size_t follow_read(uint64_t address, void *to, size_t n);
/* Executes the program of a guest's execve() under another emulator that writes into the same memory. The arguments
 * are the guest's. Returns when that is impossible; QEMU then performs the system call. */
void follow_exec(uint64_t path, uint64_t argv, uint64_t envp);

/* plugin/signals.c: signals that the program or its caller ignores stay ignored in programs that it executes.
 * signals_install() is called when the plugin is loaded, with the target, or NULL, and what signals_ignored()
 * returned in the emulator before; signals_look() at each translation: at the first one QEMU has its handlers, and the
 * program has not begun. signals_call() takes the number and arguments of any system call of this thread,
 * signals_return() its result. */
void signals_install(const struct target *target, unsigned also_ignored);
void signals_look(void);
void signals_call(int64_t number, uint64_t a1, uint64_t a2);
void signals_return(int64_t result);
unsigned signals_ignored(void);

/* plugin/pages.c: which memory has large pages. pages_install() takes the target, or NULL, pages_call() the
 * arguments of any system call of this thread, pages_return() its result; `write` takes the records that follow.
 * pages_fork() is called in a child process, and pages_repeat() when it has a ring: its memory is what its parent's
 * was.
 */
void pages_install(const struct target *target);
void pages_call(uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4);
void pages_return(int64_t number, int64_t result, void (*write)(uint64_t record));
void pages_fork(void);
void pages_repeat(void (*write)(uint64_t record));

/* plugin/guest.c: traces a guest from the time at which the reader sets area->follow. `one_thread`: QEMU runs all
 * processors in one host thread. Returns 0, or -1 on failure. */
int guest_install(uint64_t id, bool one_thread);

#endif
