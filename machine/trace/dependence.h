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

/* Blocks that a thread found last, by their record, with their sets; `blocks`: how many the table had then, plus 1. */
enum { DEPENDENCE_RECENT = 512 };
struct dependence_recent {
  uint64_t key, addresses, uses, sets;
  uint32_t first, accesses, n, blocks; /* the notes of accesses come first */
};

/* Paces of blocks by their record, as a thread found them last. */
enum { DEPENDENCE_PACES = 2048 };
struct dependence_pace {
  uint64_t record;
  uint32_t cycles; /* in 1/256, as pace.h has them */
  uint16_t holds;
  uint8_t flags;
  uint32_t known; /* it has no summary: as many blocks were known */
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
  uint64_t summary; /* of a block that is not complete */
  struct dependence_pace pace[DEPENDENCE_PACES];
  struct dependence_recent recent[DEPENDENCE_RECENT];
};

void dependence_pace_find(struct dependences *d, const struct traffic *t, uint64_t record, struct dependence_pace *ret);
/* A note of the thread. Notes beyond a limit of memory are ignored: their blocks are without dependences. */
void dependence_note(struct dependences *d, uint64_t note);
/* A load of the current block has missed, while none was under way: its data are there at `done`. */
void dependence_begin(struct dependences *d, unsigned ordinal, fs_t done);
static inline struct dependence_pace *dependence_place(struct dependences *d, uint64_t record)
{
  return &d->pace[(record & NOTE_BLOCK_KEY) * UINT64_C(0x9e3779b97f4a7c15) >> 53];
}
/* The pace of a block, where its summary is known; else its flags are PACE_UNKNOWN. */
static inline const struct dependence_pace *dependence_pace(struct dependences *d, const struct traffic *t,
                                                            uint64_t record)
{
  struct dependence_pace *p = dependence_place(d, record);
  if (__builtin_expect(p->record != record, 0))
    dependence_pace_find(d, t, record, p);
  return p;
}
/* While it watches: when the flags are there that the last block sets; 0: they are. */
static inline fs_t dependence_flags(const struct dependences *d)
{
  return d->watches && d->later >> NOTE_FLAGS & 1 ? d->ready[NOTE_FLAGS] : 0;
}
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
