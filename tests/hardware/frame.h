/* SPDX-License-Identifier: MIT */
/* Shared by the tests on a tree of files: a platform, its tree, and measurements through the tree's files. */
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

/* Parameters of a small Emerald Rapids machine, and events that count its clocks. */
extern const char *const frame_small[];
extern const char frame_events[];

/* Makes or frees context, platform and tree. */
void frame_begin(const char *name);
void frame_end(void);

/* Returns a backend of all access methods; a scheduled plan. Both fail the test on an error. */
struct pmon_backend *frame_open(void);
struct pmon_plan *frame_plan(const char *list);

/* Runs a session on a backend while the machine's time advances by 100 microseconds. counts: -1 for an invalid value
 * (may be NULL). Returns the status of the first failing call; frame_said: all messages, including the reasons of
 * invalid values. */
extern char frame_said[4096];
int frame_measure(struct pmon_backend *b, struct pmon_plan *plan, double *counts);

/* Routes SIGBUS to the backend from now on, as a program does; NULL: no longer. */
void frame_watch(struct pmon_backend *b);

/* Truncates the file that stands for memory: an access to a mapping beyond its end raises a signal. */
void frame_cut_memory(uint64_t size);

/* Writes the firmware's table, and at FRAME_ECAM in the memory file, UPI 0's configuration space of the first package
 * with this identity, and other words. */
enum { FRAME_ECAM = 0x10000000 + (1 << 15 | 1 << 12) };
void frame_ecam(uint32_t id);

/* Returns the address of a block in a package's discovery page; 0: the page has none. */
uint64_t frame_block(struct pmon_backend *b, uint32_t package, uint32_t type, uint32_t id);

/* Adds a PCI function whose third BAR covers CXL block 0 of package 0, whose address is `at`: at 0x2000 of 0x4000
 * bytes. */
void frame_port(uint64_t at, unsigned flags);

/* Returns a hash of all registers of the machine that can hold a value. */
uint64_t frame_fingerprint(void);

#endif
