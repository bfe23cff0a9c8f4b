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
#include "machine/common/pace.h"
#include "machine/trace/ring.h"

/* A block's notes, and as sets of sources what they are asked for most: what its addresses depend on, what its results
 * depend on besides, and which registers it sets. All zero: a block without notes, as if it changed no register. */
struct dependence_block {
  uint64_t key;     /* its block record */
  uint64_t summary; /* the note with its summary; 0: none */
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
  bool summaries;                      /* there are such */
  uint32_t bucket[DEPENDENCE_BUCKETS]; /* index + 1 of the latest block; 0: none */
};
void dependence_table_fini(struct dependence_table *table);

/* What a thread knows of the blocks that it executed last, each at a place by its record: its pace, and its notes as
 * sets. They are looked up apart from each other. */
enum { DEPENDENCE_PLACES = 2048 };
struct dependence_place {
  uint64_t record; /* whose pace it is; 0: none's */
  uint64_t key;    /* whose notes they are, as the table had them when it had `blocks` - 1 blocks */
  uint64_t addresses, uses, sets;
  uint32_t first, blocks;
  uint32_t cycles; /* in 1/256, as pace.h has them */
  uint32_t known;  /* it has no summary: as many blocks were known */
  uint16_t holds;
  uint8_t flags;
  uint8_t accesses, n; /* the notes of accesses come first */
};

/* Of a thread. Zero-initialized except for the table; without a table, notes are ignored. */
struct dependences {
  struct dependence_table *table;
  bool watches;   /* a load is under way */
  uint64_t block; /* record of the current block */
  uint64_t later; /* the sources of which a time stands in `ready` */
  fs_t until;     /* when all that is under way is there */
  fs_t soonest;   /* when the first of the registers that are later is there */
  const struct dependence_place
      *now;      /* while it watches: the current block; NULL: not looked up, since nothing is later */
  uint32_t next; /* note of the current block that is next for its accesses */
  fs_t ready[NOTE_REGISTERS + NOTE_LOADS]; /* by the bits of notes: when a register's content is there, at the begin of
                                            * the block, or the data of the block's loads */
  uint64_t note[NOTE_MOST];                /* of a block that is not complete */
  uint32_t n_notes;
  uint64_t summary; /* of a block that is not complete */
  struct dependence_place place[DEPENDENCE_PLACES];
};

/* A note of the thread. Notes beyond a limit of memory are ignored: their blocks are without dependences. */
void dependence_note(struct dependences *d, uint64_t note);
/* A load of the current block has missed, while none was under way: its data are there at `done`. */
void dependence_begin(struct dependences *d, unsigned ordinal, fs_t done);
/* Looks up the pace of a block, or its notes. */
void dependence_pace_find(struct dependences *d, const struct traffic *t, uint64_t record, struct dependence_place *p);
void dependence_notes_find(const struct dependences *d, uint64_t key, struct dependence_place *p);

static inline struct dependence_place *dependence_place(struct dependences *d, uint64_t record)
{
  return &d->place[(record & NOTE_BLOCK_KEY) * UINT64_C(0x9e3779b97f4a7c15) >> 53];
}

#endif
