/* SPDX-License-Identifier: MIT */
/*
 * The coding of records since version 5 (docs/trace-format.md). A block and the accesses of its instructions are a
 * visit. Coder and decoder keep the same model of each thread, which predicts the next visit from the previous ones;
 * only differences from the prediction are stored. The coder chooses the rule that predicts an access, and stores it;
 * the decoder only follows.
 */
#ifndef MACHINE_TRACE_VISITS_H
#define MACHINE_TRACE_VISITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "machine/trace/ring.h"

#define VISIT_BLOCKS 16384u
#define VISIT_SLOTS 16384u
#define VISIT_ACCESSES 127u /* maximum number of predicted accesses of a block */
#define VISIT_RECENT 8u     /* recent accesses that the accesses of a new block are compared with */
#define VISIT_SOURCES 4u    /* the last ones of these, from which an access can be predicted */
#define VISIT_RUN 31u

/* The payload: the lengths of all columns but the last one, then the columns. */
enum visit_column {
  COLUMN_EVENT,  /* 1 byte: a run of predicted visits, and the event that follows it */
  COLUMN_PLACE,  /* 2 bytes: a block's place in the table */
  COLUMN_CHANGE, /* bytes: how accesses are predicted */
  COLUMN_OFFSET, /* differences of addresses */
  COLUMN_WORD,   /* 8 bytes: a record, unchanged */
  COLUMNS
};
#define COLUMNS_HEADER (4u * COLUMN_WORD)

/* An event byte: bits 4:0 length of the run, 7:5 the event after it. The event's visit is of the block that followed
 * the previous block last time (NEXT), of the one that followed it before that (OTHER), or of a block whose place is
 * stored (PLACED). */
#define EVENT_SHIFT 5
enum visit_event {
  EVENT_NONE,
  EVENT_OTHER,
  EVENT_PLACED,
  EVENT_NEXT_CHANGED, /* with changes, like the next two */
  EVENT_OTHER_CHANGED,
  EVENT_PLACED_CHANGED,
  EVENT_DEFINED,
  EVENT_WORD
};

/* Bytes of an offset, indexed by the code of its length. */
static const uint8_t visit_offset_bytes[] = {0, 1, 2, 3, 4, 6};

/* Changes of a visit: first a byte with their number; its bit CHANGES_SHORT means that fewer accesses come than
 * predicted, and that the next byte is their number. Then for each change the access's number, and a byte: bits 2:0
 * code of the offset's length, 4:3 kind of the change. */
#define CHANGES_SHORT 0x80u
#define CHANGE_SHIFT 3
enum visit_change {
  CHANGE_NOTHING, /* the rule stays; the offset corrects this one prediction */
  CHANGE_STEP,
  CHANGE_FREE,
  CHANGE_RELATED /* a byte follows: bits 1:0 source, bit 2 NEAR (the offset is its step), 5:3 shift + 3 */
};
#define RELATED_NEAR 4u
#define RELATED_SHIFT 3
#define SHIFT_MOST 3

/* The rules that predict the address of an access. */
enum visit_rule {
  RULE_STEP, /* the slot's previous address plus a step */
  RULE_LEAD, /* the slot's previous address plus the change of a recent access, shifted */
  RULE_NEAR, /* the address of a recent access plus a step */
  RULE_FREE  /* no prediction: the slot's previous address plus a stored offset of fixed length */
};

/* An access of a block. */
struct visit_slot {
  uint64_t record; /* of the last access */
  int32_t step;
  uint8_t rule, source;
  int8_t shift;
  uint8_t length; /* RULE_FREE: code of the offset's length */
};

struct visit_block {
  uint64_t record;  /* 0: the place is empty */
  uint16_t slot;    /* index of the first slot */
  uint8_t n, room;  /* number of accesses; number of slots */
  uint16_t next[2]; /* places of the blocks that followed, the latest first */
};

/* The state of one thread; all zero at its start. */
struct visit_model {
  struct visit_block block[VISIT_BLOCKS];
  struct visit_slot slot[VISIT_SLOTS];
  uint32_t used;     /* slots in use */
  uint32_t place;    /* place of the last visit's block */
  uint32_t accesses; /* number of the last access; modulo VISIT_RECENT its index in `recent` */
  struct {
    uint64_t address;
    int64_t change; /* its address minus the previous address of the same slot */
  } recent[VISIT_RECENT];
};

/* Signed difference of two addresses of 48 bits. */
static inline int64_t visit_difference(uint64_t to, uint64_t from)
{
  return (int64_t)((to - from) << 16) >> 16;
}

static inline int64_t visit_shifted(int64_t change, int shift)
{
  return shift < 0 ? change >> -shift : (int64_t)((uint64_t)change << shift);
}

static inline uint64_t visit_recent_address(const struct visit_model *m, unsigned back)
{
  return m->recent[(m->accesses - back) % VISIT_RECENT].address;
}

static inline int64_t visit_recent_change(const struct visit_model *m, unsigned back)
{
  return m->recent[(m->accesses - back) % VISIT_RECENT].change;
}

/* The address that the slot's rule predicts; only its lowest 48 bits count. */
static inline uint64_t visit_predicted(const struct visit_model *m, const struct visit_slot *s)
{
  switch (s->rule) {
  case RULE_LEAD: return s->record + (uint64_t)visit_shifted(visit_recent_change(m, s->source), s->shift);
  case RULE_NEAR: return visit_recent_address(m, s->source) + (uint64_t)(int64_t)s->step;
  default: return s->record + (uint64_t)(int64_t)s->step; /* step is 0 for RULE_FREE */
  }
}

/* Returns the slot's record with another address. */
static inline uint64_t visit_record_at(const struct visit_slot *s, uint64_t address)
{
  return s->record ^ ((s->record ^ address) & RECORD_ADDRESS);
}

static inline void visit_remember(struct visit_model *m, uint64_t address, int64_t change)
{
  const uint32_t i = ++m->accesses % VISIT_RECENT;

  m->recent[i].address = address;
  m->recent[i].change = change;
}

/* Updates slot and recent accesses for an access of the slot. */
static inline void visit_access(struct visit_model *m, struct visit_slot *s, uint64_t record)
{
  visit_remember(m, record, (int64_t)(record - s->record));
  s->record = record;
}

/* Records a visit of the block at `place`, which is in use. */
static inline void visit_follow(struct visit_model *m, uint32_t place)
{
  struct visit_block *last = &m->block[m->place];

  if (last->next[0] != place) {
    last->next[1] = last->next[0];
    last->next[0] = (uint16_t)place;
  }
  m->place = place;
}

/* Puts a block with `n` accesses at `place`. If too few slots are free, drops all blocks first. */
static inline struct visit_block *visit_define(struct visit_model *m, uint32_t place, uint64_t record, unsigned n)
{
  struct visit_block *b = &m->block[place];

  if (n > b->room && m->used + n > VISIT_SLOTS) {
    memset(m->block, 0, sizeof m->block);
    m->used = 0;
  }
  if (n > b->room) {
    b->slot = (uint16_t)m->used;
    b->room = (uint8_t)n;
    m->used += n;
  }
  b->record = record;
  b->n = (uint8_t)n;
  b->next[0] = b->next[1] = (uint16_t)place;
  return b;
}

/* visits_encode.c */
struct visit_encoder;
struct visit_columns;

/* NULL: no memory. */
struct visit_encoder *visit_encoder_new(void);
void visit_encoder_free(struct visit_encoder *e);
/* The model is the same as that of a decoder that has decoded all records encoded so far. */
const struct visit_model *visit_encoder_model(const struct visit_encoder *e);
/* Buffers for the encoded data; several threads' encoders may share them. */
struct visit_columns *visit_columns_new(size_t records);
void visit_columns_free(struct visit_columns *c);

/* Encodes records into the columns, which are empty. `n` is at most the number that the columns were created for.
 * Returns the number of encoded records: all (`all`), or those before the last visit, whose accesses may not be
 * complete. */
size_t visits_encode(struct visit_encoder *e, struct visit_columns *c, const uint64_t *record, size_t n, bool all);
/* Moves the columns' content to `to`, which has room for VISIT_RECORD_BYTES per record and COLUMNS_HEADER; returns its
 * size in bytes. */
size_t visit_columns_take(struct visit_columns *c, uint8_t *to);
#define VISIT_RECORD_BYTES 12u

/* visits_decode.c: decodes `bytes` bytes, followed by 8 readable bytes, into exactly `n` records, and adds the duration
 * of their sleeps to *slept_ns. false: the bytes are not exactly `n` valid records. */
bool visits_decode(struct visit_model *m, const uint8_t *from, size_t bytes, uint64_t *record, size_t n,
                   uint64_t *slept_ns);

#endif
