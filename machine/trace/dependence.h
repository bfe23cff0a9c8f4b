/* SPDX-License-Identifier: MIT */
/*
 * The times at which the addresses of a thread's accesses are known, by the notes of its blocks (machine/trace/ring.h).
 * Dependences are tracked only while a load is in flight, and only for blocks that use data in flight: L1 hits of data
 * that are present cost nothing.
 */
#ifndef MACHINE_TRACE_DEPENDENCE_H
#define MACHINE_TRACE_DEPENDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "machine/common/pace.h"
#include "machine/trace/ring.h"

/* A block's notes, prepared for queries, as sets of sources (bits as in notes). addresses: the sources of its
 * addresses; feeds: the sources of its results; keeps: the registers that it does not set; touches: the sources that it
 * propagates to other registers or overwrites. `of` points into an array: from `of` on, the sources of the last query,
 * the answer (the registers that depend on them), then for each source of results, ascending, its number and the
 * registers that depend on it. Before `of`, downwards, are the notes of accesses, ended by DEPENDENCE_LAST. */
struct dependence_flow {
  uint64_t addresses, feeds, keeps, touches;
  uint64_t *of;
};
enum { DEPENDENCE_ASKED, DEPENDENCE_ANSWER, DEPENDENCE_SOURCES }; /* indices from `of` on */
enum { DEPENDENCE_SOURCE_SHIFT = 58 };                            /* of a source's number; below it: registers */
#define DEPENDENCE_REGISTERS ((UINT64_C(1) << NOTE_REGISTERS) - 1)
#define DEPENDENCE_LAST (NOTE_ACCESS << RECORD_NOTE_SHIFT | (uint64_t)RECORD_MAX_COUNT << NOTE_NUMBER_SHIFT)
struct dependence_block {
  uint64_t key;     /* the block record's bits that notes have (NOTE_BLOCK_KEY) */
  uint64_t summary; /* the note with the block's summary; 0: none */
  struct dependence_flow flow;
  struct pace pace;  /* derived from the summary, for `paced` instructions */
  uint32_t first, n; /* index of its first note, and their number, without the NOTE_BLOCK */
  uint32_t before;   /* index + 1 of the previous block in the same bucket; 0: none */
  uint32_t paced;    /* 0: the pace has not been computed */
};
/* Memory for dependence_flow.of; it never moves. */
enum { DEPENDENCE_WORDS = 8192 };
struct dependence_words {
  struct dependence_words *before;
  uint32_t n;
  uint64_t word[DEPENDENCE_WORDS];
};
/* The notes of all blocks of a workload. Zero-initialized: none. */
enum { DEPENDENCE_BUCKETS = 1 << 14 };
struct dependence_table {
  uint64_t *note;
  struct dependence_block *block;
  struct dependence_words *words;
  uint32_t n_notes, notes_room, n_blocks, blocks_room;
  bool summaries;                      /* some block has a summary */
  uint32_t bucket[DEPENDENCE_BUCKETS]; /* index + 1 of the latest block; 0: none */
};
void dependence_table_fini(struct dependence_table *table);

/* A direct-mapped cache, per thread, of the blocks that the thread executed last: for each place, the pace and the
 * notes of one block, as the table has them. */
enum {
  DEPENDENCE_PLACES_LOG2 = 12,
  DEPENDENCE_PLACES = 1 << DEPENDENCE_PLACES_LOG2,
  DEPENDENCE_PLACE_LOG2 = 6, /* size of a place */
  DEPENDENCE_PLACE_SHIFT = RECORD_COUNT_SHIFT - DEPENDENCE_PLACES_LOG2 - DEPENDENCE_PLACE_LOG2,
  DEPENDENCE_AFTER_SHIFT = 64 - RECORD_BYTES_SHIFT
};
struct dependence_place {
  uint64_t record;       /* the block record; without RECORD_BLOCK: must be looked up again */
  uint64_t after_branch; /* of a block that ends with a branch: from DEPENDENCE_AFTER_SHIFT on the address after it,
                          * below its pace_branch(); 0: no branch */
  struct dependence_flow flow;
  uint32_t cycles; /* in 1/256 cycle, as in pace.h; without a summary: number of blocks in the table at the look-up */
  uint16_t holds;
  uint8_t flags, instructions;
};
_Static_assert(sizeof(struct dependence_place) == 1 << DEPENDENCE_PLACE_LOG2, "a place is a line of the host");

/* Sources whose data become available at the same time `ready`. Bits of `of` as in notes: registers at the start of the
 * current block, and the data of its loads. */
struct dependence_late {
  fs_t ready;
  uint64_t of;
};
enum { DEPENDENCE_LATE = NOTE_REGISTERS + NOTE_LOADS };

/* The dependences of one thread. Zero-initialized except for the table; without a table, notes are ignored. */
struct dependences {
  struct dependence_table *table;
  bool watches;                 /* a load is in flight */
  bool apart;                   /* other host threads read the table: queries must not store answers in it */
  bool copies;                  /* the thread executes blocks that may be copies of the first process's */
  uint32_t known;               /* number of the table's blocks that the places take into account */
  struct dependence_place *now; /* place of the current block, after dependence_update(); its record is 0: none yet */
  uint64_t in_flight;           /* the sources that are in flight, as listed in `late` */
  fs_t until;                   /* time at which all data in flight have arrived */
  fs_t soonest;                 /* time before which no source in flight arrives */
  const uint64_t *next_note;    /* next_note[-1] is the next note for the current block's accesses */
  struct dependence_late *late_first, *late_end;    /* the used entries of `late`, valid while `in_flight` is not 0 */
  struct dependence_late late[2 * DEPENDENCE_LATE]; /* the latest first; each source is in one entry. Twice as many as
                                                     * needed: most new entries come before the first */
  uint64_t note[NOTE_MOST];                         /* notes of a block without its NOTE_BLOCK yet */
  uint32_t n_notes;
  uint64_t summary;               /* summary of a block without its NOTE_BLOCK yet */
  struct dependence_place before; /* the current block's, when it lost its place */
  _Alignas(1 << DEPENDENCE_PLACE_LOG2) struct dependence_place place[DEPENDENCE_PLACES];
};

/* Takes a note of the thread. Notes beyond a limit of memory are ignored: their blocks have no dependences. */
void dependence_note(struct dependences *d, uint64_t note);
/* Invalidates the places of blocks whose notes came into the table since the last call. Called before blocks, and after
 * notes. */
void dependence_update(struct dependences *d);
/* Starts tracking: a load of the current block has missed, while none was in flight; its data arrive at `done`. */
void dependence_begin(struct dependences *d, unsigned ordinal, fs_t done);
/* Sets the arrival time of a source to `done`, if it is not known to be later. Only while tracking, with other sources
 * in flight. */
void dependence_late_add(struct dependences *d, uint64_t source, fs_t done);
/* Only while tracking. dependence_propagate_all() ends the block with these notes, with sources in flight: the results
 * that depend on these are in flight from then on. dependence_arrive() removes the sources that have arrived by `now`;
 * call it first. */
void dependence_propagate_all(struct dependences *d, const struct dependence_flow *f);
void dependence_arrive(struct dependences *d, fs_t now);
/* Looks up the block of `record`, which its place `p` does not hold, and stores it there. */
void dependence_find(struct dependences *d, const struct traffic *t, uint64_t record, struct dependence_place *p);

/* The index is the highest bits of the product that do not depend on the bits that NOTE_BLOCK_KEY masks out. It is
 * taken in bytes, because compilers scale an index by an instruction of its own. */
static inline struct dependence_place *dependence_place(struct dependences *d, uint64_t record)
{
  const uint64_t product = record * UINT64_C(0x9e3779b97f4a7c15);
  const uint64_t at = product >> DEPENDENCE_PLACE_SHIFT & (sizeof d->place - sizeof *d->place);

  return (struct dependence_place *)(void *)((char *)d->place + at);
}

#endif
