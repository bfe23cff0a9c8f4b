/* SPDX-License-Identifier: MIT */
/* Encodes records as columns of visits. */
#include <stdlib.h>
#include "machine/trace/pmt.h"
#include "machine/trace/visits_learn.h"

#define WAYS 4u /* number of places that a block can have, as ways of a set */

/* The coder's additional state of a block. */
struct block_use {
  uint32_t visits;
  uint32_t weight; /* blocks of lower weight are replaced first */
};

struct visit_encoder {
  struct visit_model model;
  struct visit_learn learn[VISIT_SLOTS];
  struct block_use use[VISIT_BLOCKS];
};

/* Maximum bytes of a record in each column; bytes that one store writes. */
static const uint8_t column_bytes[COLUMNS] = {1, 2, 4, 6, 8};
#define STORE_BYTES 8u

struct visit_columns {
  uint8_t *begin[COLUMNS], *at[COLUMNS];
  uint32_t run; /* length of the run of predicted visits that is not written yet */
};

struct visit_encoder *visit_encoder_new(void)
{
  return calloc(1, sizeof(struct visit_encoder));
}

void visit_encoder_free(struct visit_encoder *e)
{
  free(e);
}

const struct visit_model *visit_encoder_model(const struct visit_encoder *e)
{
  return &e->model;
}

struct visit_columns *visit_columns_new(size_t records)
{
  struct visit_columns *c = calloc(1, sizeof *c);

  for (unsigned i = 0; c && i < COLUMNS; i++) {
    c->begin[i] = c->at[i] = malloc((records + 1) * column_bytes[i] + STORE_BYTES);
    if (!c->begin[i]) {
      visit_columns_free(c);
      return NULL;
    }
  }
  return c;
}

void visit_columns_free(struct visit_columns *c)
{
  for (unsigned i = 0; c && i < COLUMNS; i++)
    free(c->begin[i]);
  free(c);
}

static inline void columns_put(struct visit_columns *c, enum visit_column column, uint64_t value, unsigned bytes)
{
  pmt_put64(c->at[column], value);
  c->at[column] += bytes;
}

static inline void columns_put_offset(struct visit_columns *c, int64_t offset, unsigned length)
{
  columns_put(c, COLUMN_OFFSET, (uint64_t)offset, visit_offset_bytes[length]);
}

static void columns_put_event(struct visit_columns *c, enum visit_event event)
{
  for (; c->run > VISIT_RUN; c->run -= VISIT_RUN)
    columns_put(c, COLUMN_EVENT, VISIT_RUN, 1);
  columns_put(c, COLUMN_EVENT, c->run | (uint64_t)event << EVENT_SHIFT, 1);
  c->run = 0;
}

static void encode_word(struct visit_columns *c, uint64_t record)
{
  columns_put_event(c, EVENT_WORD);
  columns_put(c, COLUMN_WORD, record, 8);
}

/* Writes the change of an access, whose slot already has the new rule. */
static void columns_put_change(struct visit_columns *c, const struct visit_slot *s, const struct visit_choice *choice)
{
  columns_put(c, COLUMN_CHANGE, choice->length | (uint64_t)choice->change << CHANGE_SHIFT, 1);
  if (choice->change == CHANGE_RELATED)
    columns_put(
        c, COLUMN_CHANGE,
        s->source | (s->rule == RULE_NEAR ? RELATED_NEAR : 0) | (uint64_t)(s->shift + SHIFT_MOST) << RELATED_SHIFT, 1);
  columns_put_offset(c, choice->offset, choice->length);
}

/* Encodes the first `n` accesses of the block; returns the number of changes. */
static unsigned encode_accesses(struct visit_encoder *e, struct visit_columns *c, uint32_t place,
                                const uint64_t *record, unsigned n)
{
  struct visit_model *m = &e->model;
  const struct visit_block *b = &m->block[place];
  unsigned changes = 0;

  for (unsigned i = 0; i < n; i++) {
    struct visit_slot *s = &m->slot[b->slot + i];
    struct visit_choice choice;

    if (s->rule != RULE_FREE && visit_record_at(s, visit_predicted(m, s)) == record[i]) {
      visit_access(m, s, record[i]);
      continue;
    }
    choice = visit_choose(m, s, &e->learn[b->slot + i], record[i], e->use[place].visits);
    if (choice.changed) {
      columns_put(c, COLUMN_CHANGE, i, 1);
      columns_put_change(c, s, &choice);
      changes++;
    } else {
      columns_put_offset(c, choice.offset, s->length);
    }
    visit_access(m, s, record[i]);
  }
  return changes;
}

static void encode_visit(struct visit_encoder *e, struct visit_columns *c, uint32_t place, enum visit_event event,
                         const uint64_t *record, unsigned n)
{
  uint8_t *const changes_at = c->at[COLUMN_CHANGE];
  const bool fewer = n < e->model.block[place].n;
  unsigned changes;

  e->use[place].visits++;
  e->use[place].weight++;
  columns_put(c, COLUMN_CHANGE, 0, 1); /* set below */
  if (fewer)
    columns_put(c, COLUMN_CHANGE, n, 1);
  changes = encode_accesses(e, c, place, record, n);
  if (!changes && !fewer) {
    c->at[COLUMN_CHANGE] = changes_at;
    if (event == EVENT_NONE)
      c->run++;
    else
      columns_put_event(c, event);
  } else {
    *changes_at = (uint8_t)(changes | (fewer ? CHANGES_SHORT : 0));
    columns_put_event(c, event + EVENT_NEXT_CHANGED);
  }
  if (event == EVENT_PLACED)
    columns_put(c, COLUMN_PLACE, place, 2);
}

/* Returns which of the recent accesses is nearest to the address. */
static unsigned nearest(const struct visit_model *m, uint64_t address, int64_t *ret_offset)
{
  unsigned best = 0, length = UINT32_MAX;

  for (unsigned i = 0; i < VISIT_RECENT; i++) {
    const int64_t offset = visit_difference(address, visit_recent_address(m, i));

    if (visit_length(offset) < length) {
      best = i;
      length = visit_length(offset);
      *ret_offset = offset;
    }
  }
  return best;
}

static void encode_definition(struct visit_encoder *e, struct visit_columns *c, uint32_t place, const uint64_t *record,
                              unsigned n)
{
  struct visit_model *m = &e->model;
  const struct visit_block *b = visit_define(m, place, record[0], n);

  e->use[place] = (struct block_use){0, 1};
  columns_put_event(c, EVENT_DEFINED);
  columns_put(c, COLUMN_PLACE, place, 2);
  columns_put(c, COLUMN_WORD, record[0], 8);
  columns_put(c, COLUMN_CHANGE, n, 1);
  for (unsigned i = 0; i < n; i++) {
    const uint64_t r = record[1 + i];
    int64_t offset;
    const unsigned near = nearest(m, r, &offset), length = visit_length(offset);

    columns_put(c, COLUMN_CHANGE, r >> 48 | (uint64_t)(length | near << CHANGE_SHIFT) << 16, 3);
    columns_put_offset(c, offset, length);
    m->slot[b->slot + i] = (struct visit_slot){.record = r};
    e->learn[b->slot + i] = (struct visit_learn){0};
    visit_remember(m, r, 0);
  }
}

/* Returns the block's place, or, of the places that the block can have, the one of least weight, to be replaced. The
 * weights of a set decay at each replacement. */
static uint32_t find_place(struct visit_encoder *e, uint64_t record)
{
  const uint32_t first = (uint32_t)((record ^ record >> 48) * UINT64_C(0x9e3779b97f4a7c15) >> 50);
  uint32_t least = first;
  _Static_assert(VISIT_BLOCKS == 1u << (64 - 50), "the hash is a place");

  for (unsigned i = 0; i < WAYS; i++) {
    const uint32_t place = first ^ i;

    if (e->model.block[place].record == record)
      return place;
    if (!e->model.block[place].record)
      e->use[place].weight = 0;
    if (e->use[place].weight < e->use[least].weight)
      least = place;
  }
  for (unsigned i = 0; i < WAYS; i++)
    e->use[first ^ i].weight -= e->use[first ^ i].weight / 4;
  return least;
}

/* True if the block's slots match these accesses. false: the accesses differ from the last visit's, and the block must
 * be defined again. */
static bool match(const struct visit_model *m, const struct visit_block *b, const uint64_t *record, unsigned n)
{
  uint64_t differences = 0;

  if (n > b->n)
    return false;
  for (unsigned i = 0; i < n; i++)
    differences |= m->slot[b->slot + i].record ^ record[i];
  return !(differences & ~RECORD_ADDRESS);
}

/* Encodes a block with `n` accesses. */
static void encode_block(struct visit_encoder *e, struct visit_columns *c, const uint64_t *record, size_t n)
{
  struct visit_model *m = &e->model;
  const struct visit_block *last = &m->block[m->place];
  const unsigned predicted = n < VISIT_ACCESSES ? (unsigned)n : VISIT_ACCESSES;
  enum visit_event event = EVENT_PLACED;
  uint32_t place = last->next[0];

  if (m->block[place].record == record[0]) {
    event = EVENT_NONE;
  } else if (m->block[last->next[1]].record == record[0]) {
    place = last->next[1];
    event = EVENT_OTHER;
  } else {
    place = find_place(e, record[0]);
  }
  if (m->block[place].record == record[0] && match(m, &m->block[place], record + 1, predicted))
    encode_visit(e, c, place, event, record + 1, predicted);
  else
    encode_definition(e, c, place, record, predicted);
  visit_follow(m, place);
  for (size_t i = predicted; i < n; i++)
    encode_word(c, record[1 + i]);
}

size_t visit_columns_take(struct visit_columns *c, uint8_t *to)
{
  uint8_t *p = to + COLUMNS_HEADER;

  for (unsigned i = 0; i < COLUMNS; i++) {
    const size_t n = (size_t)(c->at[i] - c->begin[i]);

    if (i < COLUMNS - 1)
      pmt_put32(to + 4 * i, (uint32_t)n);
    memcpy(p, c->begin[i], n);
    p += n;
    c->at[i] = c->begin[i];
  }
  return (size_t)(p - to);
}

/* True if the record can be an access in a block's visit. */
static inline bool is_of_block(uint64_t record)
{
  return !(record & (RECORD_BLOCK | RECORD_NOTE)) && (record & RECORD_MANNER) != RECORD_SLEEP;
}

/* Encodes the predicted visit, if it comes and all its rules are RULE_STEP: a fast path for the most frequent case.
 * Returns the number of its records; 0: it is something else, and nothing was done. */
static size_t encode_predicted(struct visit_encoder *e, struct visit_columns *c, const uint64_t *record, size_t n)
{
  struct visit_model *m = &e->model;
  const uint32_t place = m->block[m->place].next[0];
  const struct visit_block *b = &m->block[place];
  struct visit_slot *s = &m->slot[b->slot];

  if (b->record != record[0] || n < 2u + b->n || is_of_block(record[1 + b->n]))
    return 0;
  for (unsigned i = 0; i < b->n; i++)
    if (s[i].rule != RULE_STEP || visit_record_at(&s[i], s[i].record + (uint64_t)(int64_t)s[i].step) != record[1 + i])
      return 0;
  for (unsigned i = 0; i < b->n; i++)
    visit_access(m, &s[i], record[1 + i]);
  e->use[place].visits++;
  e->use[place].weight++;
  c->run++;
  m->place = place;
  return 1u + b->n;
}

size_t visits_encode(struct visit_encoder *e, struct visit_columns *c, const uint64_t *record, size_t n, bool all)
{
  size_t i = 0;

  while (i < n) {
    size_t end = i + encode_predicted(e, c, record + i, n - i);

    if (end++ != i) {
      i = end - 1;
      continue;
    }
    if (!record_is_block(record[i]) || record_is_mark(record[i])) {
      encode_word(c, record[i++]);
      continue;
    }
    while (end < n && is_of_block(record[end]))
      end++;
    if (end == n && i && !all)
      break;
    encode_block(e, c, record + i, end - i - 1);
    i = end;
  }
  if (c->run)
    columns_put_event(c, EVENT_NONE);
  return i;
}
