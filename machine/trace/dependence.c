/* SPDX-License-Identifier: MIT */
#include "machine/trace/dependence.h"

#include <stdlib.h>
#include <string.h>
#include "machine/trace/dependence_watch.h"

enum { NOTES_MOST = 1 << 22, BLOCKS_MOST = 1 << 20 };
#define PROCESS_BITS ((uint64_t)RECORD_PROCESSES << RECORD_PROCESS_SHIFT) /* zero in the first process only */

static uint32_t *table_bucket(struct dependence_table *t, uint64_t key)
{
  return &t->bucket[key * UINT64_C(0x9e3779b97f4a7c15) >> 50];
}

/* Makes room for `wanted` elements of `size` bytes in *array; false: no memory. */
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

/* Returns the index + 1 of the latest block with that key; 0: none. */
static uint32_t table_find(struct dependence_table *t, uint64_t key)
{
  uint32_t i = *table_bucket(t, key);
  while (i && t->block[i - 1].key != key)
    i = t->block[i - 1].before;
  return i;
}

/* Finds the block of a record: the process's own block, or that of the first process, of which it may be a copy. */
static uint32_t table_look_up(struct dependence_table *t, uint64_t key)
{
  const uint32_t i = table_find(t, key);

  return i || !(key & PROCESS_BITS) ? i : table_find(t, key & ~RECORD_PROCESS_BITS);
}

/* Returns room for `n` words; NULL: no memory. */
static uint64_t *table_words(struct dependence_table *t, uint32_t n)
{
  if (!t->words || t->words->n + n > DEPENDENCE_WORDS) {
    struct dependence_words *more = malloc(sizeof *more);

    if (!more)
      return NULL;
    more->before = t->words;
    more->n = 0;
    t->words = more;
  }
  t->words->n += n;
  return t->words->word + t->words->n - n;
}

/* The flow of a block without notes: it changes no register. */
static uint64_t no_notes[] = {DEPENDENCE_LAST, 0, 0}; /* no query of it stores an answer, because it feeds nothing */
static const struct dependence_flow no_flow = {
    .keeps = DEPENDENCE_REGISTERS, .touches = ~DEPENDENCE_REGISTERS, .of = no_notes + 1};

/* Prepares the notes of a block for queries; false: no memory. */
static bool flow_of(struct dependence_table *t, const uint64_t *note, uint32_t n, struct dependence_flow *ret)
{
  uint64_t registers[DEPENDENCE_LATE] = {0};
  struct dependence_flow f = no_flow;
  uint32_t accesses = 0, sources = 0;

  while (accesses < n && record_note_kind(note[accesses]) == NOTE_ACCESS)
    f.addresses |= note[accesses++] & NOTE_SOURCES;
  for (uint32_t i = accesses; i < n; i++) {
    if (record_note_kind(note[i]) != NOTE_OUT)
      continue;
    f.feeds |= note[i] & NOTE_SOURCES;
    f.keeps &= ~(UINT64_C(1) << record_note_number(note[i]));
    for (uint64_t left = note[i] & NOTE_SOURCES; left; left &= left - 1)
      registers[__builtin_ctzll(left)] |= UINT64_C(1) << record_note_number(note[i]);
  }
  f.touches = f.feeds | ~f.keeps;
  for (unsigned i = 0; i < DEPENDENCE_LATE; i++)
    sources += registers[i] != 0;
  uint64_t *of = table_words(t, accesses + 1 + DEPENDENCE_SOURCES + sources);
  if (!of)
    return false;
  *of++ = DEPENDENCE_LAST;
  for (uint32_t i = accesses; i; i--)
    *of++ = note[i - 1];
  f.of = of;
  *of++ = 0;
  *of++ = 0;
  for (uint64_t i = 0; i < DEPENDENCE_LATE; i++)
    if (registers[i])
      *of++ = i << DEPENDENCE_SOURCE_SHIFT | registers[i];
  *ret = f;
  return true;
}

/* Adds a block with the notes that `d` has collected. */
static void table_add(struct dependence_table *t, uint64_t key, const struct dependences *d)
{
  const uint64_t *note = d->note;
  const uint32_t n = d->n_notes;
  void *notes = t->note, *blocks = t->block;
  const bool fits = t->n_notes + n <= NOTES_MOST && t->n_blocks < BLOCKS_MOST &&
                    table_make_room(&notes, &t->notes_room, (uint64_t)t->n_notes + n, sizeof *t->note) &&
                    table_make_room(&blocks, &t->blocks_room, (uint64_t)t->n_blocks + 1, sizeof *t->block);

  struct dependence_block b = {.key = key, .summary = d->summary, .first = t->n_notes, .n = n};

  t->note = notes;
  t->block = blocks;
  if (!fits || !flow_of(t, note, n, &b.flow))
    return;
  uint32_t *bucket = table_bucket(t, key);
  t->summaries |= d->summary != 0;
  b.before = *bucket;
  t->block[t->n_blocks] = b;
  if (n)
    memcpy(t->note + t->n_notes, note, n * sizeof *note);
  t->n_notes += n;
  *bucket = ++t->n_blocks;
}

void dependence_table_fini(struct dependence_table *t)
{
  for (struct dependence_words *w = t->words, *before; w; w = before) {
    before = w->before;
    free(w);
  }
  free(t->note);
  free(t->block);
}

/* Saves the place before its content is replaced if it is the current block's, whose notes are valid until the block
 * ends. */
static void place_leave(struct dependences *d, const struct dependence_place *p)
{
  if (d->now != p)
    return;
  d->before = *p;
  d->now = &d->before;
}

static void place_forget(struct dependences *d, struct dependence_place *p)
{
  place_leave(d, p);
  p->record &= NOTE_BLOCK_KEY;
}

/* Returns dependence_place.after_branch of a block that ends with a branch. */
static uint64_t place_after_branch(uint64_t record)
{
  const uint64_t after = record_address(record) + record_bytes(record);

  return after << DEPENDENCE_AFTER_SHIFT | pace_branch(after);
}

/* Returns the pace of a block with a summary, which is computed once. */
static struct pace block_pace(struct dependence_block *b, const struct traffic *t, uint32_t instructions)
{
  uint8_t parts[PACE_PARTS];

  if (b->paced != instructions) {
    record_note_parts(b->summary, parts);
    pace_of(t, parts, instructions, &b->pace);
    b->paced = instructions;
  }
  return b->pace;
}

void dependence_find(struct dependences *d, const struct traffic *t, uint64_t record, struct dependence_place *p)
{
  const uint32_t i = d->table ? table_look_up(d->table, record & NOTE_BLOCK_KEY) : 0;
  struct dependence_block *b = i ? &d->table->block[i - 1] : NULL;
  const struct pace pace =
      b && b->summary ? block_pace(b, t, record_count(record)) : (struct pace){.flags = PACE_UNKNOWN};

  d->copies |= (record & PROCESS_BITS) != 0;
  place_leave(d, p);
  *p = (struct dependence_place){.record = record,
                                 .after_branch = pace.flags & PACE_IS_BRANCH ? place_after_branch(record) : 0,
                                 .flow = b ? b->flow : no_flow,
                                 .cycles = pace.flags & PACE_UNKNOWN && d->table ? d->table->n_blocks : pace.cycles,
                                 .holds = pace.holds,
                                 .flags = pace.flags | ((record & 63) + record_bytes(record) > 64 ? PACE_SPLIT : 0),
                                 .instructions = (uint8_t)record_count(record)};
}

void dependence_update(struct dependences *d)
{
  const uint32_t known = d->known;
  bool copied = false; /* a block came that another process may have a copy of */

  if (!d->now) {
    d->before.flow = no_flow;
    d->now = &d->before;
  }
  d->known = d->table ? d->table->n_blocks : 0;
  for (uint32_t i = known; d->now->record && i < d->known; i++) {
    struct dependence_place *p = dependence_place(d, d->table->block[i].key);

    copied |= d->copies && !(d->table->block[i].key & PROCESS_BITS);
    if ((p->record & NOTE_BLOCK_KEY) == d->table->block[i].key)
      place_forget(d, p);
  }
  for (size_t i = 0; copied && i < DEPENDENCE_PLACES; i++)
    place_forget(d, &d->place[i]);
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
      (b->n && memcmp(t->note + b->first, d->note, b->n * sizeof *d->note) != 0))
    table_add(t, key, d);
  place_forget(d, dependence_place(d, key));
  d->n_notes = 0;
  d->summary = 0;
}

static void late_soonest(struct dependences *d)
{
  d->soonest = d->in_flight ? d->late_end[-1].ready : UINT64_MAX;
}

/* Removes the source from those in flight. */
static void late_remove(struct dependences *d, uint64_t source)
{
  struct dependence_late *l = d->late_first;

  d->in_flight &= ~source;
  while (!(l->of & source))
    l++;
  l->of &= ~source;
  if (l->of)
    return;
  for (; l > d->late_first; l--)
    *l = l[-1];
  d->late_first++;
}

void dependence_late_add(struct dependences *d, uint64_t source, fs_t done)
{
  if (d->in_flight & source) {
    if (done <= dependence_all(d, source))
      return;
    late_remove(d, source);
  }
  d->in_flight |= source;
  d->soonest = done < d->soonest ? done : d->soonest;
  const ptrdiff_t n = d->late_end - d->late_first;
  if (d->late_first == d->late) {
    d->late_first = d->late + 2 * DEPENDENCE_LATE - n;
    d->late_end = d->late_first + n;
    memmove(d->late_first, d->late, (size_t)n * sizeof *d->late);
  }
  struct dependence_late *l = d->late_first;
  for (; l < d->late_end && l->ready > done; l++)
    ;
  if (l < d->late_end && l->ready == done) {
    l->of |= source;
    return;
  }
  d->late_first--;
  for (struct dependence_late *k = d->late_first; k + 1 < l; k++)
    *k = k[1];
  l[-1] = (struct dependence_late){done, source};
}

/* Returns the registers that depend on `sources`, which are in feeds, and at least one. `keep`: stores query and
 * answer. */
static uint64_t flow_results(const struct dependence_flow *f, const uint64_t sources, bool keep)
{
  uint64_t registers = 0, left = sources;

  for (const uint64_t *s = f->of + DEPENDENCE_SOURCES; left; s++)
    if (left >> (*s >> DEPENDENCE_SOURCE_SHIFT) & 1) {
      registers |= *s;
      left &= left - 1; /* they are in ascending order */
    }
  registers &= DEPENDENCE_REGISTERS;
  if (keep) {
    f->of[DEPENDENCE_ASKED] = sources;
    f->of[DEPENDENCE_ANSWER] = registers;
  }
  return registers;
}

/* Returns the registers that are in flight after the block, if `sources` are in flight before it. */
static inline uint64_t flow_propagate(const struct dependence_flow *f, uint64_t sources, bool keep)
{
  const uint64_t used = sources & f->feeds, kept = sources & f->keeps;

  if (!used)
    return kept;
  return kept | (f->of[DEPENDENCE_ASKED] == used ? f->of[DEPENDENCE_ANSWER] : flow_results(f, used, keep));
}

void dependence_propagate_all(struct dependences *d, const struct dependence_flow *f)
{
  const struct dependence_late *l = d->late_first, *const end = d->late_end;
  struct dependence_late *to = d->late_first;
  uint64_t in_flight = 0;

  do {
    /* a result of several sources arrives with the last of them */
    const uint64_t of = flow_propagate(f, l->of, !d->apart) & ~in_flight;

    if (!of)
      continue;
    in_flight |= of;
    to->ready = l->ready;
    to++->of = of;
  } while (++l < end);
  d->late_end = to;
  d->in_flight = in_flight;
  late_soonest(d);
}

void dependence_arrive(struct dependences *d, fs_t now)
{
  while (d->in_flight && d->late_end[-1].ready <= now)
    d->in_flight &= ~(--d->late_end)->of;
  late_soonest(d);
}

void dependence_begin(struct dependences *d, unsigned ordinal, fs_t done)
{
  if (!d->table || !d->table->n_blocks || !d->now->record)
    return;
  d->watches = true;
  d->next_note = d->now->flow.of;
  d->in_flight = 0;
  d->soonest = UINT64_MAX;
  d->until = done;
  dependence_loaded(d, ordinal, done);
}
