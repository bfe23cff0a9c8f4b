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

/* Makes context, platform and tree; gives them back. */
void frame_begin(const char *name);
void frame_end(void);

/* All doors at once; a scheduled plan. They fail the test when they cannot. */
struct pmon_backend *frame_open(void);
struct pmon_plan *frame_plan(const char *list);

/* A session over a backend while the machine lets 100 microseconds pass; its counts, -1 for what is none (may be NULL).
 * The status of what failed. */
int frame_measure(struct pmon_backend *b, struct pmon_plan *plan, double *counts);

/* SIGBUS is handed over to the backend from now on, as a program does it; NULL: not any more. */
void frame_watch(struct pmon_backend *b);

/* The file that stands for memory ends there: what is mapped behind it has gone, and an access is a signal. */
void frame_cut_memory(uint64_t size);

/* Of all registers of the machine that hold something. */
uint64_t frame_fingerprint(void);

#endif
