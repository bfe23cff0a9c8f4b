/* SPDX-License-Identifier: MIT */
#include "tests/trace/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include "machine/trace/ring.h"

/* ---- making recordings ---- */

enum { ACCESSES_MOST = 6, BLOCK_WORDS = 40, REGISTERS = 3, CODE = 0x400000, DATA = 0x10000000, NEAR = 150 };
enum manner { LOAD, STORE, MODIFY, MOVE, PIECES, STORE_PIECES, ACROSS, PAST_CACHES, PREFETCH, FLUSH };

struct block {
  uint64_t record;
  unsigned n; /* number of accesses */
  enum manner manner[ACCESSES_MOST];
};

struct maker {
  const struct recording_shape *shape;
  struct block *block;
  unsigned line;         /* the last one accessed */
  uint64_t state;        /* of the random number generator */
  uint64_t process, *to; /* process: value that is XORed with the process's addresses */
  unsigned char *noted;  /* blocks of the process whose notes were written */
};

/* SplitMix64. */
static uint64_t random_word(struct maker *m)
{
  uint64_t z = m->state += UINT64_C(0x9e3779b97f4a7c15);

  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}
static unsigned random_below(struct maker *m, unsigned n)
{
  return (unsigned)(random_word(m) % n);
}

static enum manner manner_of(struct maker *m, bool last)
{
  static const enum manner usual[16] = {LOAD,   LOAD,   LOAD,         LOAD,   MOVE,        STORE,    STORE, STORE,
                                        MODIFY, PIECES, STORE_PIECES, PIECES, PAST_CACHES, PREFETCH, FLUSH, ACROSS};
  const enum manner manner = usual[random_below(m, 16)];

  if (last && m->shape->stores_last)
    return STORE;
  if (m->shape->plain && manner >= PAST_CACHES)
    return LOAD;
  if (m->shape->in_pieces && (manner == LOAD || manner == MODIFY || manner == MOVE || manner == ACROSS))
    return PIECES;
  return manner;
}

static void code_make(struct maker *m)
{
  uint64_t at = CODE;

  for (unsigned i = 0; i < m->shape->blocks; i++) {
    struct block *b = &m->block[i];
    const unsigned instructions = ACCESSES_MOST + random_below(m, 8), bytes = 12 + random_below(m, 40);

    *b = (struct block){.record = record_block(at, bytes, instructions), .n = 1 + random_below(m, ACCESSES_MOST)};
    for (unsigned k = 0; k < b->n; k++)
      b->manner[k] = manner_of(m, k + 1 == b->n);
    at += bytes + (random_below(m, 4) ? 0 : 64);
  }
}

/* Writes the notes of a block: addresses depend on the preceding load or on registers; registers and the branch depend
 * on loads. Most notes form one chain, so that a late result delays the following ones. */
static void notes_write(struct maker *m, const struct block *b)
{
  uint8_t part[NOTE_PARTS_N] = {0};
  const unsigned first = NOTE_REGISTERS; /* number of the first load */

  for (unsigned k = 0; k < b->n; k++)
    if (random_below(m, 4))
      *m->to++ = record_note(NOTE_ACCESS, k, UINT64_C(1) << (k ? first + k - 1 : random_below(m, REGISTERS)));
  for (unsigned r = 0; r < REGISTERS; r++)
    *m->to++ = record_note(NOTE_OUT, r, UINT64_C(1) << (first + random_below(m, b->n)));
  *m->to++ = record_note(NOTE_OUT, NOTE_FLAGS, UINT64_C(1) << (first + random_below(m, b->n)));
  part[NOTE_PART_ALU] = (uint8_t)(1 + random_below(m, 6));
  part[NOTE_PART_LOAD] = (uint8_t)random_below(m, 2);
  part[NOTE_PART_DIVS] = random_below(m, 8) == 0;
  part[NOTE_PART_LOCKED] = random_below(m, 64) == 0;
  part[NOTE_PART_BRANCH] = random_below(m, 4) != 0;
  *m->to++ = record_note_summary(part);
  *m->to++ = record_note_block(b->record ^ m->process);
}

static void pieces_write(struct maker *m, uint64_t va, unsigned ordinal, bool store, unsigned n)
{
  if (m->shape->vectors && (n == 2 || n == 4))
    *m->to++ = record_access(va, n == 2 ? 4 : 5, store, ordinal);
  else
    for (unsigned i = 0; i < n; i++)
      *m->to++ = record_access(va + 8 * i, 3, store, ordinal);
}

/* Writes a move from `va` to the line before, mostly in one piece; sometimes across the line's end. */
static void move_write(struct maker *m, uint64_t start, uint64_t va, unsigned ordinal)
{
  const unsigned loads = 1 + !random_below(m, 4), stores = 1 + !random_below(m, 4), before = 1 + random_below(m, 8);

  pieces_write(m, va, ordinal, false, loads);
  pieces_write(m, start - 8 * (uint64_t)before, ordinal, true, stores);
}

static void access_write(struct maker *m, unsigned ordinal, enum manner manner)
{
  if (random_below(m, 2))
    m->line = random_below(m, 8) ? random_below(m, NEAR) : random_below(m, m->shape->lines);
  const uint64_t start = (DATA + 64 * (uint64_t)m->line) ^ m->process, va = start + 8 * random_below(m, 4);

  switch (manner) {
  case PIECES: pieces_write(m, va, ordinal, false, 2 + random_below(m, 3)); break;
  case STORE_PIECES: pieces_write(m, va, ordinal, true, 2); break;
  case ACROSS: pieces_write(m, start + 48, ordinal, false, 4); break; /* the second half is in the next line */
  case MOVE: move_write(m, start, va, ordinal); break;
  case MODIFY: pieces_write(m, va, ordinal, false, 1); /* fall through */
  default: *m->to++ = record_access(va, 3, manner == STORE || manner == MODIFY, ordinal); break;
  case PAST_CACHES: *m->to++ = record_access(va, 3, true, ordinal) | RECORD_PAST_CACHES; break;
  case PREFETCH: *m->to++ = record_access(va, 3, false, ordinal) | RECORD_PREFETCH; break;
  case FLUSH: *m->to++ = record_access(start, 6, false, ordinal) | RECORD_FLUSH; break;
  }
}

/* Makes a thread's records: after a block, execution continues or jumps, mostly not far. In the first process, a
 * block's notes precede its first execution, and rarely come again with other contents; in the second process, they
 * come some time later. */
static void thread_make(struct maker *m)
{
  unsigned at = random_below(m, m->shape->blocks);

  for (unsigned i = 0; i < m->shape->executed; i++) {
    const struct block *b = &m->block[at];
    const bool again = !random_below(m, 64);

    if (m->process ? again : again || !m->noted[at])
      notes_write(m, b);
    m->noted[at] = 1;
    *m->to++ = b->record ^ m->process;
    for (unsigned k = 0; k < b->n; k++)
      access_write(m, k, b->manner[k]);
    if (!random_below(m, 3))
      at += random_below(m, random_below(m, 8) ? 16 : m->shape->blocks);
    at = (at + 1) % m->shape->blocks;
  }
}

void recording_make(const struct recording_shape *shape, struct recording *ret)
{
  struct maker m = {.shape = shape, .state = shape->seed};

  *ret = (struct recording){.threads = shape->threads};
  m.block = calloc(shape->blocks, sizeof *m.block);
  m.noted = calloc(shape->blocks, 1);
  assert_true(m.block && m.noted && shape->threads <= RECORDING_THREADS);
  code_make(&m);
  for (unsigned i = 0; i < shape->threads; i++) {
    m.to = ret->record[i] = calloc(shape->executed, BLOCK_WORDS * sizeof(uint64_t));
    assert_non_null(m.to);
    m.process = shape->processes && i >= shape->threads / 2 ? UINT64_C(1) << RECORD_PROCESS_SHIFT : 0;
    thread_make(&m);
    ret->n[i] = (size_t)(m.to - ret->record[i]);
  }
  free(m.block);
  free(m.noted);
}

size_t recording_say_alone(struct recording *r)
{
  size_t said = 0;

  for (unsigned k = 0; k < r->threads; k++)
    for (size_t i = 1; i + 1 < r->n[k]; i++) {
      uint64_t *at = r->record[k] + i;
      const bool plain = !(*at >> RECORD_MANNER_SHIFT);

      if (!plain || !((*at ^ at[-1]) >> RECORD_ORDINAL_SHIFT) || !((*at ^ at[1]) >> RECORD_ORDINAL_SHIFT))
        continue;
      *at |= RECORD_ALONE;
      said++;
    }
  return said;
}

void recording_fini(struct recording *r)
{
  for (unsigned i = 0; i < r->threads; i++)
    free(r->record[i]);
}

/* ---- windows ---- */

struct cut_source {
  struct trace_source base;
  const struct recording *of;
  enum recording_cut cut;
  size_t most, at[RECORDING_THREADS], end[RECORDING_THREADS]; /* of the current window */
  uint64_t state[RECORDING_THREADS];
};

static int cut_poll(struct trace_source *s, unsigned *ret_threads, bool *ret_ended)
{
  *ret_threads = ((const struct cut_source *)s)->of->threads;
  *ret_ended = true;
  return 0;
}

static int cut_await(struct trace_source *s, unsigned thread)
{
  (void)s, (void)thread;
  fail_msg("nothing to wait for");
  return -1;
}

/* Returns the end of the thread's next window. */
static size_t cut_next(struct cut_source *c, unsigned thread)
{
  const uint64_t *record = c->of->record[thread];
  const size_t n = c->of->n[thread];
  size_t end = c->at[thread];

  if (c->cut == CUT_NOWHERE)
    return n;
  c->state[thread] = c->state[thread] * UINT64_C(6364136223846793005) + 1442695040888963407; /* Knuth's MMIX */
  end += c->cut == CUT_WORDS ? 1 : 1 + (size_t)(c->state[thread] >> 33) % c->most;
  if (c->cut == CUT_BEFORE)
    while (end < n && !record_is_block(record[end]))
      end++;
  if (c->cut == CUT_BEHIND)
    while (end < n && !record_is_block(record[end - 1]))
      end++;
  return end < n ? end : n;
}

static int cut_window(struct trace_source *s, unsigned i, struct trace_window *ret)
{
  struct cut_source *c = (struct cut_source *)s;

  if (c->at[i] == c->end[i])
    c->end[i] = cut_next(c, i);
  *ret = (struct trace_window){.record = c->of->record[i] + c->at[i],
                               .n = c->end[i] - c->at[i],
                               .state = c->end[i] == c->of->n[i] ? TRACE_ENDED : TRACE_RUNNING};
  return 0;
}

static void cut_consume(struct trace_source *s, unsigned i, size_t n)
{
  ((struct cut_source *)s)->at[i] += n;
}

static void cut_free(struct trace_source *s)
{
  free(s);
}

struct trace_source *recording_source(const struct recording *r, enum recording_cut cut, size_t most)
{
  static const struct trace_source_ops ops = {cut_poll, cut_await, cut_window, cut_consume, cut_free, NULL};
  struct cut_source *c = calloc(1, sizeof *c);

  assert_non_null(c);
  *c = (struct cut_source){.base = {.ops = &ops}, .of = r, .cut = cut, .most = most};
  return &c->base;
}
