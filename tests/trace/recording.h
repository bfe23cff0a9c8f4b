/* SPDX-License-Identifier: MIT */
/* Synthetic recordings of threads that execute blocks of code repeatedly, with every kind of record; the same shape and
 * seed give the same records. */
#ifndef TESTS_TRACE_RECORDING_H
#define TESTS_TRACE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "machine/trace/source.h"

enum { RECORDING_THREADS = 12 };

struct recording_shape {
  uint64_t seed;
  unsigned threads, blocks; /* blocks: size of the code */
  unsigned executed;        /* blocks that each thread executes */
  unsigned lines;           /* of data; most accesses are to a few of them, or to the preceding line */
  bool processes;           /* the second half of the threads belongs to another process, whose blocks are copies of the
                             * first process's until its own notes come */
  bool in_pieces;           /* each load has two or more records */
  bool vectors;             /* accesses in two or four pieces are one record */
  bool plain;               /* no cache flushes, prefetches or non-temporal stores */
  bool stores_last;         /* the last access of a block is a store with one record */
};

struct recording {
  uint64_t *record[RECORDING_THREADS];
  size_t n[RECORDING_THREADS];
  unsigned threads;
};
void recording_make(const struct recording_shape *shape, struct recording *ret_recording);
/* Sets RECORD_ALONE on loads and stores that are their instruction's only access; a new recording has none set. Returns
 * the number of records set. */
size_t recording_say_alone(struct recording *r);
void recording_fini(struct recording *r);

/* Where the records of a thread are cut into windows. */
enum recording_cut {
  CUT_NOWHERE,
  CUT_WORDS,  /* after each record: all take the general path, because the next record is not available yet */
  CUT_ANY,    /* at random records */
  CUT_BEFORE, /* before blocks: windows begin with a block */
  CUT_BEHIND  /* after blocks: windows end with a block, whose accesses are in the next window */
};
/* Returns a source of the recording, which must outlive it; windows have at most `most` records, or more if the next
 * cut requires them. */
struct trace_source *recording_source(const struct recording *r, enum recording_cut cut, size_t most);

#endif
