/* SPDX-License-Identifier: MIT */
#include "machine/trace/dependence.h"

#include <stdlib.h>
#include <string.h>
#include "machine/trace/dependence_watch.h"

enum { NOTES_MOST = 1 << 22, BLOCKS_MOST = 1 << 20 };
#define PROCESS_BITS ((uint64_t)RECORD_PROCESSES << RECORD_PROCESS_SHIFT)

static uint32_t *table_bucket(struct dependence_table *t, uint64_t key)
{
  return &t->bucket[key * UINT64_C(0x9e3779b97f4a7c15) >> 50];
}

/* Space for `wanted` elements of `size` bytes in *array; false: there is none. */
static bool table_make_room(void **array, uint32_t *room, uint64_t wanted, size_t size)
{
  if (wanted <= *room)
    return true;
  const uint64_t grown = wanted > 2 * (uint64_t)*room ? wanted : 2 * (uint64_t)*room;
  void *p = realloc(*array, grown * size);
  if (!p)
    return false;
  *array = p;
  *room = (uint32_t)grown;
  return true;
}

/* Index + 1 of the latest block of that key; 0: none. */
static uint32_t table_find(struct dependence_table *t, uint64_t key)
{
  uint32_t i = *table_bucket(t, key);
  while (i && t->block[i - 1].key != key)
    i = t->block[i - 1].before;
  return i;
}

/* The block of a record: its own process's, or that of the first process, of which it may be a copy. */
static uint32_t table_look_up(struct dependence_table *t, uint64_t key)
{
  const uint32_t i = table_find(t, key);

  return i || !(key & PROCESS_BITS) ? i : table_find(t, key & ~PROCESS_BITS);
}

/* A block of those notes. */
static struct dependence_block block_summarize(uint64_t key, const uint64_t *note, uint32_t n)
{
  struct dependence_block b = {.key = key, .n = n};

  while (b.accesses < n && record_note_kind(note[b.accesses]) == NOTE_ACCESS)
    b.accesses++;
  for (uint32_t i = 0; i < n; i++) {
    *(record_note_kind(note[i]) == NOTE_ACCESS ? &b.addresses : &b.uses) |= note[i] & NOTE_SOURCES;
    if (record_note_kind(note[i]) == NOTE_OUT)
      b.sets |= UINT64_C(1) << record_note_number(note[i]);
  }
  b.uses |= b.addresses;
  return b;
}

/* Keeps the notes of a block, which are new. */
static void table_add(struct dependence_table *t, uint64_t key, const struct dependences *d)
{
  const uint64_t *note = d->note;
  const uint32_t n = d->n_notes;
  void *notes = t->note, *blocks = t->block;
  const bool fits = t->n_notes + n <= NOTES_MOST && t->n_blocks < BLOCKS_MOST &&
                    table_make_room(&notes, &t->notes_room, (uint64_t)t->n_notes + n, sizeof *t->note) &&
                    table_make_room(&blocks, &t->blocks_room, (uint64_t)t->n_blocks + 1, sizeof *t->block);

  t->note = notes;
  t->block = blocks;
  if (!fits)
    return;
  uint32_t *bucket = table_bucket(t, key);
  struct dependence_block *b = &t->block[t->n_blocks];
  *b = block_summarize(key, note, n);
  b->summary = d->summary;
  t->summaries |= d->summary != 0;
  b->first = t->n_notes;
  b->before = *bucket;
  memcpy(t->note + t->n_notes, note, n * sizeof *note);
  t->n_notes += n;
  *bucket = ++t->n_blocks;
}

void dependence_table_fini(struct dependence_table *t)
{
  free(t->note);
  free(t->block);
}

void dependence_pace_find(struct dependences *d, const struct traffic *t, uint64_t record, struct dependence_place *p)
{
  uint8_t parts[PACE_PARTS];
  struct pace pace = {.flags = PACE_UNKNOWN};
  const uint32_t i = table_look_up(d->table, record & NOTE_BLOCK_KEY);

  if (i && d->table->block[i - 1].summary) {
    record_note_parts(d->table->block[i - 1].summary, parts);
    pace_of(t, parts, record_count(record), &pace);
  }
  p->record = record;
  p->known = d->table->n_blocks;
  p->cycles = pace.cycles;
  p->flags = pace.flags | ((record & 63) + record_bytes(record) <= 64 ? PACE_FITS : 0);
  p->holds = pace.holds;
}

void dependence_notes_find(const struct dependences *d, uint64_t key, struct dependence_place *p)
{
  const uint32_t i = table_look_up(d->table, key);
  const struct dependence_block none = {0}, *b = i ? &d->table->block[i - 1] : &none;

  p->key = key;
  p->addresses = b->addresses;
  p->uses = b->uses;
  p->sets = b->sets;
  p->first = b->first;
  p->accesses = (uint8_t)b->accesses;
  p->n = (uint8_t)b->n;
  p->blocks = d->table->n_blocks + 1;
}

void dependence_note(struct dependences *d, uint64_t note)
{
  struct dependence_table *t = d->table;

  if (!t)
    return;
  if (record_note_kind(note) != NOTE_BLOCK) {
    if (record_note_kind(note) == NOTE_OUT && record_note_number(note) == NOTE_SUMMARY)
      d->summary = note;
    else if (d->n_notes < NOTE_MOST)
      d->note[d->n_notes++] = note;
    return;
  }
  const uint64_t key = note & NOTE_BLOCK_KEY;
  const uint32_t i = table_find(t, key);
  const struct dependence_block *b = i ? &t->block[i - 1] : NULL;
  if (!b || b->summary != d->summary || b->n != d->n_notes ||
      memcmp(t->note + b->first, d->note, b->n * sizeof *d->note) != 0)
    table_add(t, key, d);
  dependence_place(d, key)->record = 0;
  d->n_notes = 0;
  d->summary = 0;
}

void dependence_begin(struct dependences *d, unsigned ordinal, fs_t done)
{
  if (!d->table || !d->table->n_blocks)
    return;
  d->watches = true;
  d->now = NULL;
  d->later = 0;
  d->until = done;
  d->soonest = UINT64_MAX;
  dependence_loaded(d, ordinal, done);
}
