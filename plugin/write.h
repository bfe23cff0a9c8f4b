/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calling thread's ring. trace.h has the functions that write into it. */
#ifndef PLUGIN_WRITE_H
#define PLUGIN_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include "machine/trace/ring.h"

#define WRITE_HIDDEN __attribute__((visibility("hidden")))

/* NULL: the thread has none yet. */
extern WRITE_HIDDEN __thread struct ring *write_ring __attribute__((tls_model("initial-exec")));
extern WRITE_HIDDEN uint64_t write_process_bits; /* the process's number, in the position that it has in an address */
extern WRITE_HIDDEN bool write_repeats_pages;    /* a child whose parent's large pages have no records yet */

/* The uncommon case of a block, of the thread whose ring is `r`. Returns its ring. */
struct ring *write_at_limit(struct ring *r);
/* A record that follows from a system call: there is room for some in the thread's ring. */
void write_pages(uint64_t record);

#endif
