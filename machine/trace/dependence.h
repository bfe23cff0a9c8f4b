/* SPDX-License-Identifier: MIT */
/*
 * When the addresses of a thread's accesses are known, by the notes of its blocks (machine/trace/ring.h). Watched only
 * while a load is under way, and for accesses of blocks that use what is not there yet: nothing is done for what the
 * first level has.
 */
#ifndef MACHINE_TRACE_DEPENDENCE_H
#define MACHINE_TRACE_DEPENDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "machine/pmon/block.h"
#include "machine/trace/ring.h"

/* A block's notes, and as sets of sources what they are asked for most: what its addresses depend on, what its results
 * depend on besides, and which registers it sets. All zero: a block without notes, as if it changed no register. */
struct dependence_block {
  uint64_t key; /* its block record */
  uint64_t addresses, uses, sets;
  uint32_t first, n; /* its notes, without the last one; */
  uint32_t accesses; /* the first ones are of accesses */
  uint32_t before;   /* index + 1 of the previous block in the same bucket; 0: none */
};
/* The notes of all blocks of a workload. Zero-initialized: none. */
enum { DEPENDENCE_BUCKETS = 1 << 14 };
struct dependence_table {
  uint64_t *note;
  struct dependence_block *block;
  uint32_t n_notes, notes_room, n_blocks, blocks_room;
  uint32_t bucket[DEPENDENCE_BUCKETS]; /* index + 1 of the latest block; 0: none */
};
void dependence_table_fini(struct dependence_table *table);

/* Blocks that a thread found last, by their record, with their sets; `blocks`: how many the table had then, plus 1. */
enum { DEPENDENCE_RECENT = 512 };
struct dependence_recent {
  uint64_t key, addresses, uses, sets;
  uint32_t first, accesses, n, blocks; /* the notes of accesses come first */
};

/* Of a thread. Zero-initialized except for the table; without a table, notes are ignored. */
struct dependences {
  struct dependence_table *table;
  bool watches;                  /* a load is under way */
  uint64_t block;                /* record of the current block */
  uint64_t later;                /* the sources of which a time stands in `ready` and `loaded` */
  fs_t until;                    /* when all that is under way is there */
  fs_t soonest;                  /* when the first of the registers that are later is there */
  struct dependence_recent *now; /* while it watches: the current block; NULL: not looked up, since nothing is later */
  uint32_t next;                 /* note of the current block that is next for its accesses */
  fs_t ready[NOTE_REGISTERS];    /* when a register's content is there, at the begin of the block */
  fs_t loaded[NOTE_LOADS];       /* when the data of the block's loads are there */
  uint64_t note[NOTE_MOST];      /* of a block that is not complete */
  uint32_t n_notes;
  struct dependence_recent recent[DEPENDENCE_RECENT];
};

/* A note of the thread. Notes beyond a limit of memory are ignored: their blocks are without dependences. */
void dependence_note(struct dependences *d, uint64_t note);
/* A load of the current block has missed, while none was under way: its data are there at `done`. */
void dependence_begin(struct dependences *d, unsigned ordinal, fs_t done);
/* While it watches: the block ends, and the one with that record begins at `now`. */
void dependence_cross(struct dependences *d, uint64_t block, fs_t now);
/* While it watches: the data of a load with that ordinal are there at `done`. What nothing depends on is left out. */
void dependence_loaded(struct dependences *d, unsigned ordinal, fs_t done);
/* While it watches: when the address of the access with that ordinal is known; 0: from the begin. */
fs_t dependence_ready(struct dependences *d, unsigned ordinal);

/* Whether an address of the current block may not be known yet. */
static inline bool dependence_waits(const struct dependences *d)
{
  return d->later && d->now->addresses & d->later;
}

#endif
