/* SPDX-License-Identifier: MIT */
/* Made-up recordings of threads that execute blocks of code over and over, with all that records can have: the same
 * shape and seed give the same records. */
#ifndef TESTS_TRACE_RECORDING_H
#define TESTS_TRACE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "machine/trace/source.h"

enum { RECORDING_THREADS = 12 };

struct recording_shape {
  uint64_t seed;
  unsigned threads, blocks; /* blocks: of the code */
  unsigned executed;        /* blocks, by each thread */
  unsigned lines;           /* of the data; most accesses are of a few of them, or of the line before */
  bool processes;   /* the second half of the threads is of another process, whose blocks are copies of the first
                     * one's until its own notes come */
  bool in_pieces;   /* each load is two records or more */
  bool vectors;     /* accesses in two or four pieces have one record */
  bool plain;       /* no line is flushed, prefetched or stored past the caches */
  bool stores_last; /* the last access of a block is a store of one record */
};

struct recording {
  uint64_t *record[RECORDING_THREADS];
  size_t n[RECORDING_THREADS];
  unsigned threads;
};
void recording_make(const struct recording_shape *shape, struct recording *ret_recording);
/* Its loads and stores that are alone say so (RECORD_ALONE); as they are made, none does. Returns how many. */
size_t recording_say_alone(struct recording *r);
void recording_fini(struct recording *r);

/* How the records of a thread are cut into windows. */
enum recording_cut {
  CUT_NOWHERE,
  CUT_WORDS,  /* each record alone: all go the general way, for what follows is not there yet */
  CUT_ANY,    /* anywhere */
  CUT_BEFORE, /* windows begin with a block */
  CUT_BEHIND  /* windows end with a block, whose accesses are in the next one */
};
/* A source of the recording, which must outlive it; windows have up to `most` records, or as many as the next cut
 * needs. */
struct trace_source *recording_source(const struct recording *r, enum recording_cut cut, size_t most);

#endif
