/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions shared by the tracing of a program and of a whole guest. */
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
extern struct ring_setup setup; /* read from the file of setup=; all zero: none was given */
extern uint64_t line_bytes;     /* block records are split at lines of this many bytes; 0: not split */

/* Returns how many instructions of `tb`, starting with number `first`, fit into one block record, with a summary that
 * counts all of them; *ret_bytes: their code size. flow_end() returns their notes. */
size_t trace_piece(const struct qemu_plugin_tb *tb, size_t first, struct flow_place ret_place[RECORD_MAX_COUNT],
                   uint32_t *ret_bytes);
/* A bit that is set in all callback data of accesses and in all cached access kinds (write.c), so that neither is ever
 * zero. It cancels out where the two are combined. */
#define TRACE_DATA RECORD_BLOCK
/* Returns the callback data for the accesses of an instruction, to be passed to trace_access(). */
void *trace_data(const struct qemu_plugin_insn *insn, struct flow_place place);
/* Returns the record of an access to which QEMU gave the descriptor `info`. */
uint64_t trace_access(uint32_t info, uint64_t address, const void *data);
/* These functions write to the calling thread's ring: trace_block() a block, whose record is `data`; trace_store() an
 * access, with the data of trace_data(); trace_vector() one piece of a vector access (plugin/flow.h); trace_write() any
 * record, trace_write_address() a record with an address of this process. The last two check for room in the ring
 * first. */
void trace_block(unsigned vcpu, void *data);
void trace_store(unsigned vcpu, uint32_t info, uint64_t va, void *data);
void trace_vector(unsigned vcpu, uint32_t info, uint64_t va, void *data);
void trace_write(uint64_t record);
void trace_write_address(uint64_t record);
/* Publishes the calling thread's records if more than one thread has been traced. */
void trace_show(void);
/* plugin/past.c: true if an x86 instruction of `n` bytes is a non-temporal store: MOVNTI, MOVNTPS/PD, MOVNTDQ and their
 * VEX forms. */
bool past_caches(const uint8_t *b, size_t n, bool is_64_bit);
/* The same for CLFLUSH (0F AE /7), CLFLUSHOPT (66 0F AE /7), CLWB (66 0F AE /6) and CLDEMOTE (0F 1C /0), all with a
 * memory operand. QEMU does not report their addresses. */
bool flushes_line(const uint8_t *b, size_t n, bool is_64_bit);
/* Publishes all records so far to the reader. */
void trace_publish(struct ring *r);
/* Publishes all records and waits until the reader has simulated them; gives up if it takes none for 1 to 5 seconds. */
void trace_await_reader(struct ring *r);
/* Called at the ring's limit: publishes, wakes the reader if it has enough to read, waits for space, and sets the next
 * limit. false: recording has ended. */
bool trace_look_up(struct ring *r);
/* Recomputes a ring's limit after it was lowered. */
void trace_set_limit(struct ring *r);

/* plugin/region.c: instructions that mark a region's begin or end (include/pmon/region.h). */
enum region_mark { REGION_NONE, REGION_BEGIN_NAMED, REGION_END_NAMED, REGION_BEGIN, REGION_END };
/* Returns the region mark that an instruction encodes. NAMED: the instruction's memory access is to the region's name.
 * BEGIN and END: *ret_name (not NULL) is the guest address of the name. */
enum region_mark region_of(const struct qemu_plugin_insn *insn, uint64_t *ret_name);
/* Returns the number that records use for the name at a guest address; -1: there is no name, or no free number. */
int region_number(uint64_t address);

/* plugin/follow.c: traces programs after execve(). follow_install() takes the target (plugin/targets.h), or NULL;
 * follow_look() takes any instruction during translation, and derives the guest's base address from it. */
void follow_install(const struct target *target);
void follow_look(const struct qemu_plugin_insn *insn);
/* Copies up to `n` bytes of the guest's memory; returns the number of bytes copied before the first unreadable page. */
size_t follow_read(uint64_t address, void *to, size_t n);
/* Executes the program of a guest's execve() under another emulator, which writes into the same shared memory. The
 * arguments are the guest's. Returns if that is impossible; QEMU then performs the system call. */
void follow_exec(uint64_t path, uint64_t argv, uint64_t envp);

/* plugin/signals.c: signals that the program or its caller ignores stay ignored in programs that it executes.
 * signals_install() is called when the plugin is loaded, with the target, or NULL, and with the value that
 * signals_ignored() had in the emulator before execve(). signals_look() is called at each translation; at the first one
 * QEMU has installed its handlers, and the program has not started. signals_call() takes the number and arguments of
 * any system call of this thread, signals_return() its result. */
void signals_install(const struct target *target, unsigned also_ignored);
void signals_look(void);
void signals_call(int64_t number, uint64_t a1, uint64_t a2);
void signals_return(int64_t result);
unsigned signals_ignored(void);
/* Called before execve(): blocks signals, so that those that come from now on are delivered to the next program or by
 * signals_release(). *ret_blocked: the signals that were blocked before. false: one has come that QEMU has not
 * delivered yet, and nothing is blocked. */
bool signals_hold(uint64_t *ret_blocked);
/* Called after execve() has failed, or in the next program: sets the blocked signals. */
void signals_release(uint64_t blocked);

/* plugin/pages.c: records which memory has large pages. pages_install() takes the target, or NULL; pages_call() the
 * arguments of any system call of this thread; pages_return() its result, and writes the resulting pages records with
 * `write`. pages_fork() is called in a child process. pages_repeat() is called when the child has a ring: it writes the
 * pages records of the memory that the child inherited. */
void pages_install(const struct target *target);
void pages_call(uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4);
void pages_return(int64_t number, int64_t result, void (*write)(uint64_t record));
void pages_fork(void);
void pages_repeat(void (*write)(uint64_t record));

/* plugin/guest.c: traces a guest from the time at which the reader sets area->follow. `one_thread`: QEMU runs all
 * processors in one host thread. Returns 0, or -1 on failure. */
int guest_install(uint64_t id, bool one_thread);

#endif
