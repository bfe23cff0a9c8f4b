/* SPDX-License-Identifier: MIT */
/* What the tests on a tree of files share: a platform, its tree, and what is measured through the tree's files. */
#ifndef TESTS_HARDWARE_FRAME_H
#define TESTS_HARDWARE_FRAME_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pmon/pmon.h>
#include "tests/hardware/tree.h"

extern struct pmon_context *context;
extern const struct pmon_platform *platform;
extern struct tree tree;

/* Parameters of a small machine of Emerald Rapids, and events that its clocks move. */
extern const char *const frame_small[];
extern const char frame_events[];

/* Makes context, platform and tree; frees them. */
void frame_begin(const char *name);
void frame_end(void);

/* All access_methods at once; a scheduled plan. They fail the test when they cannot. */
struct pmon_backend *frame_open(void);
struct pmon_plan *frame_plan(const char *list);

/* A session over a backend while the machine lets 100 microseconds pass; its counts, -1 for what is none (may be NULL).
 * The status of what failed; frame_said is all that was said, of counts that are none, too. */
extern char frame_said[4096];
int frame_measure(struct pmon_backend *b, struct pmon_plan *plan, double *counts);

/* SIGBUS is handed over to the backend from now on, as a program does it; NULL: not any more. */
void frame_watch(struct pmon_backend *b);

/* The file that stands for memory ends there: what is mapped behind it has gone, and an access is a signal. */
void frame_cut_memory(uint64_t size);

/* The firmware's table, and in the file of memory, at FRAME_ECAM, UPI 0's configuration space of the first package with
 * that identity, and other words. */
enum { FRAME_ECAM = 0x10000000 + (1 << 15 | 1 << 12) };
void frame_ecam(uint32_t id);

/* The address at which a package's page has a block; 0: it has none. */
uint64_t frame_block(struct pmon_backend *b, uint32_t package, uint32_t type, uint32_t id);

/* A function behind whose third BAR CXL block 0 of package 0, which is at `at`, lies: at 0x2000 of 0x4000 bytes. */
void frame_port(uint64_t at, unsigned flags);

/* Of all registers of the machine that hold something. */
uint64_t frame_fingerprint(void);

#endif
