/* SPDX-License-Identifier: MIT */
#include "machine/trace/dependence.h"

#include <stdlib.h>
#include <string.h>

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

void dependence_pace_find(struct dependences *d, const struct traffic *t, uint64_t record, struct dependence_pace *ret)
{
  const uint64_t key = record & NOTE_BLOCK_KEY;
  uint8_t parts[PACE_PARTS];
  struct pace pace;
  const uint32_t i = table_look_up(d->table, key);

  *ret = (struct dependence_pace){.record = record, .flags = PACE_UNKNOWN, .known = d->table->n_blocks};
  if (!i || !d->table->block[i - 1].summary)
    return;
  record_note_parts(d->table->block[i - 1].summary, parts);
  pace_of(t, parts, record_count(record), &pace);
  ret->cycles = pace.cycles;
  ret->flags = pace.flags;
  ret->holds = pace.holds;
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
  *dependence_place(d, key) = (struct dependence_pace){0};
  d->n_notes = 0;
  d->summary = 0;
}

/* The current block's notes. What was found is found again without a search, until the table gets a block. */
static void dependence_enter(struct dependences *d)
{
  const uint64_t key = d->block & NOTE_BLOCK_KEY;
  struct dependence_recent *r = &d->recent[key * UINT64_C(0x9e3779b97f4a7c15) >> 55];

  if (r->key != key || r->blocks != d->table->n_blocks + 1) {
    const uint32_t i = table_look_up(d->table, key);
    const struct dependence_block none = {0}, *b = i ? &d->table->block[i - 1] : &none;
    *r = (struct dependence_recent){key,      b->addresses, b->uses, b->sets,
                                    b->first, b->accesses,  b->n,    d->table->n_blocks + 1};
  }
  d->now = r;
  d->next = 0;
}

void dependence_loaded(struct dependences *d, unsigned ordinal, fs_t done)
{
  const uint64_t bit = UINT64_C(1) << (NOTE_REGISTERS + ordinal % NOTE_LOADS);

  if (done > d->until)
    d->until = done;
  if (!d->now)
    dependence_enter(d);
  if (ordinal < NOTE_LOADS && d->now->uses & bit && (!(d->later & bit) || done > d->loaded[ordinal])) {
    d->loaded[ordinal] = done;
    d->later |= bit;
  }
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

/* When all sources of a note are there. */
static fs_t note_ready(const struct dependences *d, uint64_t note)
{
  fs_t ready = 0;

  for (uint64_t left = note & d->later; left; left &= left - 1) {
    const unsigned i = (unsigned)__builtin_ctzll(left);
    const fs_t one = i < NOTE_REGISTERS ? d->ready[i] : d->loaded[i - NOTE_REGISTERS];

    ready = one > ready ? one : ready;
  }
  return ready;
}

fs_t dependence_ready(struct dependences *d, unsigned ordinal)
{
  const uint64_t *note = d->table->note + d->now->first;

  while (d->next < d->now->accesses && record_note_number(note[d->next]) < ordinal)
    d->next++;
  return d->next < d->now->accesses && record_note_number(note[d->next]) == ordinal ? note_ready(d, note[d->next]) : 0;
}

/* The registers that depend on what is still under way `now`, when the current block ends, with their times. */
static uint64_t dependence_results(struct dependences *d, fs_t now)
{
  const uint64_t *note = d->table->note + d->now->first;
  uint64_t set = 0;
  fs_t after[NOTE_REGISTERS];

  for (uint32_t i = d->now->accesses; i < d->now->n; i++) {
    const unsigned number = record_note_number(note[i]);

    if (!(note[i] & NOTE_SOURCES & d->later))
      continue;
    after[number] = note_ready(d, note[i]);
    set |= (uint64_t)(after[number] > now) << number;
  }
  for (uint64_t left = set; left; left &= left - 1) {
    const unsigned number = (unsigned)__builtin_ctzll(left);

    d->ready[number] = after[number];
    d->soonest = after[number] < d->soonest ? after[number] : d->soonest;
  }
  return set;
}

/* Of the registers that are later, those that are so `now` still. */
static uint64_t dependence_remain(struct dependences *d, uint64_t later, fs_t now)
{
  d->soonest = UINT64_MAX;
  for (uint64_t left = later; left; left &= left - 1) {
    const fs_t ready = d->ready[__builtin_ctzll(left)];

    if (ready <= now)
      later &= ~(left & -left);
    else if (ready < d->soonest)
      d->soonest = ready;
  }
  return later;
}

void dependence_cross(struct dependences *d, uint64_t block, fs_t now)
{
  const uint64_t registers = (UINT64_C(1) << NOTE_REGISTERS) - 1;

  d->block = block;
  d->watches = d->until > now;
  if (d->watches && d->later) {
    const uint64_t stay = d->later & registers & ~d->now->sets;

    d->later = d->now->uses & d->later ? stay | dependence_results(d, now) : stay;
    if (d->soonest <= now)
      d->later = dependence_remain(d, d->later, now);
  }
  d->now = NULL;
  if (d->watches && d->later)
    dependence_enter(d);
}
