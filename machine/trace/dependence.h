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

/* A block's notes as they are asked for: as sets of sources, what its addresses depend on and what its results depend
 * on; which registers it does not set; and sources that it makes others of, or ends. At `of` stand the sources of
 * results that were asked for last and the registers that depend on those, then for each source of results, in order,
 * its number and the registers that depend on it; before it, backwards, the notes of accesses, and DEPENDENCE_LAST. */
struct dependence_flow {
  uint64_t addresses, feeds, keeps, touches;
  uint64_t *of;
};
enum { DEPENDENCE_ASKED, DEPENDENCE_ANSWER, DEPENDENCE_SOURCES }; /* at `of` */
enum { DEPENDENCE_SOURCE_SHIFT = 58 };                            /* of a source's number; below: its registers */
#define DEPENDENCE_REGISTERS ((UINT64_C(1) << NOTE_REGISTERS) - 1)
#define DEPENDENCE_LAST (NOTE_ACCESS << RECORD_NOTE_SHIFT | (uint64_t)RECORD_MAX_COUNT << NOTE_NUMBER_SHIFT)
struct dependence_block {
  uint64_t key;     /* its block record */
  uint64_t summary; /* the note with its summary; 0: none */
  struct dependence_flow flow;
  struct pace pace;  /* by the summary, of `paced` instructions */
  uint32_t first, n; /* its notes, without the last one */
  uint32_t before;   /* index + 1 of the previous block in the same bucket; 0: none */
  uint32_t paced;    /* 0: the pace was not asked for */
};
/* Memory for dependence_flow.of, which stays where it is. */
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
  bool summaries;                      /* there are such */
  uint32_t bucket[DEPENDENCE_BUCKETS]; /* index + 1 of the latest block; 0: none */
};
void dependence_table_fini(struct dependence_table *table);

/* What a thread knows of the blocks that it executed last, each at a place by its record: its pace and its notes, as
 * the table has them. */
enum {
  DEPENDENCE_PLACES_LOG2 = 12,
  DEPENDENCE_PLACES = 1 << DEPENDENCE_PLACES_LOG2,
  DEPENDENCE_KEY_SHIFT = 64 - RECORD_COUNT_SHIFT,
  DEPENDENCE_BRANCH_SHIFT = 50
};
struct dependence_place {
  uint64_t record; /* whose these are; without RECORD_BLOCK: to be looked up again */
  uint64_t behind; /* it ends with a branch: the address behind it, and from DEPENDENCE_BRANCH_SHIFT on its
                    * pace_branch(); 0: it does not */
  struct dependence_flow flow;
  uint32_t cycles; /* in 1/256, as pace.h has them; it has no summary: as many blocks were known */
  uint16_t holds;
  uint8_t flags, instructions;
};

/* Sources that are there at the same time: by the bits of notes, registers at the start of the block, and the data of
 * the block's loads. */
struct dependence_late {
  fs_t ready;
  uint64_t of;
};
enum { DEPENDENCE_LATE = NOTE_REGISTERS + NOTE_LOADS };

/* Of a thread. Zero-initialized except for the table; without a table, notes are ignored. */
struct dependences {
  struct dependence_table *table;
  bool watches;                 /* a load is under way */
  bool apart;                   /* others read the table meanwhile: it keeps nothing there */
  bool copies;                  /* it has blocks of a process that may be copies of the first one's */
  uint32_t known;               /* blocks of the table that the places agree with */
  struct dependence_place *now; /* the current block; NULL: none was */
  uint64_t later;               /* the sources that stand in `late` */
  fs_t until;                   /* when all that is under way is there */
  const uint64_t *behind;       /* the next note for the current block's accesses is the one before it */
  struct dependence_late *late_first, *late_end;    /* while there are some: within `late` */
  struct dependence_late late[2 * DEPENDENCE_LATE]; /* those that come last are first; each source is in one. Twice as
                                                     * many: most come before the first one */
  uint64_t note[NOTE_MOST];                         /* of a block that is not complete */
  uint32_t n_notes;
  uint64_t summary;                                         /* of a block that is not complete */
  struct dependence_place place[DEPENDENCE_PLACES], before; /* before: the current block, whose place another one has */
};

/* A note of the thread. Notes beyond a limit of memory are ignored: their blocks are without dependences. */
void dependence_note(struct dependences *d, uint64_t note);
/* The places forget blocks of which the table has got notes since; called before blocks, and after notes. */
void dependence_update(struct dependences *d);
/* A load of the current block has missed, while none was under way: its data are there at `done`. */
void dependence_begin(struct dependences *d, unsigned ordinal, fs_t done);
/* While it watches and some sources are later: another one, or one of these, is there at `done`. */
void dependence_late_add(struct dependences *d, uint64_t source, fs_t done);
/* While it watches and some sources are later: the block with these notes ends, so that its results are later that
 * depend on them; of sources that are there at `now`, the same before. */
void dependence_pass(struct dependences *d, const struct dependence_flow *f);
void dependence_arrive(struct dependences *d, fs_t now);
/* Looks up a block that its place `p` does not have. */
void dependence_find(struct dependences *d, const struct traffic *t, uint64_t record, struct dependence_place *p);

static inline struct dependence_place *dependence_place(struct dependences *d, uint64_t record)
{
  const uint64_t key = record << DEPENDENCE_KEY_SHIFT; /* without what NOTE_BLOCK_KEY leaves out */
  return &d->place[key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - DEPENDENCE_PLACES_LOG2)];
}

#endif
