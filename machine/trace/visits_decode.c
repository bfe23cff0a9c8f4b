/* SPDX-License-Identifier: MIT */
/* Decodes a chunk of visits into records. */
#include "machine/trace/visits.h"

#include "machine/trace/pmt.h"

struct column {
  const uint8_t *at, *end;
};

/* A chunk that is being decoded. After a failure its content is undefined and is not used. */
struct visits {
  struct visit_model *model;
  struct column column[COLUMNS];
  uint64_t *to, *end;
  uint64_t slept_ns;
};

static bool visits_take(struct visits *v, enum visit_column column, size_t n, uint64_t *ret)
{
  struct column *c = &v->column[column];

  if ((size_t)(c->end - c->at) < n)
    return false;
  *ret = pmt_get64(c->at) & (UINT64_MAX >> (64 - 8 * n));
  c->at += n;
  return true;
}

static inline bool visits_take_offset(struct visits *v, unsigned code, int64_t *ret)
{
  struct column *c = &v->column[COLUMN_OFFSET];
  size_t n;

  if (code >= sizeof visit_offset_bytes)
    return false;
  n = visit_offset_bytes[code];
  if ((size_t)(c->end - c->at) < n)
    return false;
  *ret = n ? (int64_t)(pmt_get64(c->at) << (64 - 8 * n)) >> (64 - 8 * n) : 0;
  c->at += n;
  return true;
}

/* Decodes a predicted access of the slot. */
static inline bool decode_access(struct visits *v, struct visit_slot *s, uint64_t *to)
{
  struct visit_model *m = v->model;
  uint64_t address = s->record + (uint64_t)(int64_t)s->step;

  if (s->rule == RULE_FREE) {
    int64_t offset;
    if (!visits_take_offset(v, s->length, &offset))
      return false;
    address += (uint64_t)offset;
  } else if (s->rule != RULE_STEP) {
    address = visit_predicted(m, s);
  }
  address = visit_record_at(s, address);
  *to = address;
  visit_access(m, s, address);
  return true;
}

/* Decodes a predicted visit of a block. */
static inline bool decode_visit(struct visits *v, uint32_t place)
{
  struct visit_block *b = &v->model->block[place];
  struct visit_slot *s = &v->model->slot[b->slot];

  if (!b->record || (size_t)(v->end - v->to) < 1u + b->n)
    return false;
  uint64_t *to = v->to;
  *to++ = b->record;
  for (unsigned n = b->n; n; n--)
    if (!decode_access(v, s++, to++))
      return false;
  v->to = to;
  return true;
}

/* Decodes the source of a related access, and sets the slot's rule. */
static bool decode_related(struct visits *v, struct visit_slot *s, int64_t offset)
{
  uint64_t how;

  if (!visits_take(v, COLUMN_CHANGE, 1, &how) || offset != (int32_t)offset || how >> RELATED_SHIFT > 2 * SHIFT_MOST)
    return false;
  s->rule = how & RELATED_NEAR ? RULE_NEAR : RULE_LEAD;
  s->source = how & (VISIT_SOURCES - 1);
  s->shift = (int8_t)((int)(how >> RELATED_SHIFT) - SHIFT_MOST);
  s->step = (int32_t)offset;
  return true;
}

static bool decode_change(struct visits *v, struct visit_slot *s)
{
  uint64_t what, address;
  int64_t offset;

  if (!visits_take(v, COLUMN_CHANGE, 1, &what) || what >> CHANGE_SHIFT > CHANGE_RELATED ||
      !visits_take_offset(v, what & 7, &offset))
    return false;
  switch (what >> CHANGE_SHIFT) {
  case CHANGE_NOTHING: address = visit_predicted(v->model, s) + (uint64_t)offset; break;
  case CHANGE_RELATED:
    if (!decode_related(v, s, offset))
      return false;
    address = visit_predicted(v->model, s);
    break;
  default:
    if (what >> CHANGE_SHIFT == CHANGE_STEP && offset != (int32_t)offset)
      return false;
    s->rule = what >> CHANGE_SHIFT == CHANGE_STEP ? RULE_STEP : RULE_FREE;
    s->step = s->rule == RULE_STEP ? (int32_t)offset : 0;
    if (s->rule == RULE_FREE)
      s->length = what & 7;
    address = s->record + (uint64_t)offset;
  }
  address = visit_record_at(s, address);
  *v->to++ = address;
  visit_access(v->model, s, address);
  return true;
}

static bool decode_changed_visit(struct visits *v, uint32_t place)
{
  struct visit_block *b = &v->model->block[place];
  uint64_t changes, n = b->n, changed = UINT64_MAX;

  if (!b->record || !visits_take(v, COLUMN_CHANGE, 1, &changes))
    return false;
  if (changes & CHANGES_SHORT && (!visits_take(v, COLUMN_CHANGE, 1, &n) || n > b->n))
    return false;
  changes &= CHANGES_SHORT - 1;
  if ((uint64_t)(v->end - v->to) < 1 + n || (changes && !visits_take(v, COLUMN_CHANGE, 1, &changed)))
    return false;
  *v->to++ = b->record;
  for (uint64_t i = 0; i < n; i++) {
    struct visit_slot *s = &v->model->slot[b->slot + i];

    if (i != changed) {
      if (!decode_access(v, s, v->to++))
        return false;
    } else if (!decode_change(v, s) || (--changes && !visits_take(v, COLUMN_CHANGE, 1, &changed))) {
      return false;
    }
  }
  return !changes;
}

/* True if producers write such a record of a block; false for a mark. */
static bool is_block(uint64_t r)
{
  return record_is_block(r) && !record_is_mark(r) && record_count(r) && record_bytes(r);
}

static bool is_access(uint64_t r)
{
  return !(r & (RECORD_BLOCK | RECORD_NOTE)) && record_size_log2(r) <= RING_SIZE_LOG2_MOST;
}

/* Decodes an access of a new block: the upper bits of its record, and the difference to a recent address. */
static bool define_access(struct visits *v, struct visit_slot *s)
{
  uint64_t head, near;
  int64_t offset;

  if (!visits_take(v, COLUMN_CHANGE, 2, &head) || !visits_take(v, COLUMN_CHANGE, 1, &near) ||
      near >> CHANGE_SHIFT >= VISIT_RECENT || !visits_take_offset(v, near & 7, &offset))
    return false;
  *s = (struct visit_slot){.record = head << 48};
  s->record = visit_record_at(s, visit_recent_address(v->model, (unsigned)near >> CHANGE_SHIFT) + (uint64_t)offset);
  visit_remember(v->model, s->record, 0);
  *v->to++ = s->record;
  return is_access(s->record) && (s->record & RECORD_MANNER) != RECORD_SLEEP;
}

static bool decode_definition(struct visits *v, uint32_t place)
{
  struct visit_model *m = v->model;
  const struct visit_block *b;
  uint64_t record, n;

  if (!visits_take(v, COLUMN_WORD, 8, &record) || !is_block(record) || !visits_take(v, COLUMN_CHANGE, 1, &n) ||
      n > VISIT_ACCESSES || (uint64_t)(v->end - v->to) < 1 + n)
    return false;
  b = visit_define(m, place, record, (unsigned)n);
  *v->to++ = record;
  for (unsigned i = 0; i < n; i++)
    if (!define_access(v, &m->slot[b->slot + i]))
      return false;
  return true;
}

static bool decode_word(struct visits *v)
{
  uint64_t r;

  if (v->to == v->end || !visits_take(v, COLUMN_WORD, 8, &r))
    return false;
  *v->to++ = r;
  if (record_is_block(r))
    return record_is_mark(r) ? record_mark_is_recorded(r) : is_block(r);
  if (record_is_note(r))
    return record_note_is_valid(r);
  if ((r & RECORD_MANNER) == RECORD_SLEEP) {
    if (record_address(r) > PMT_SLEEP_NS)
      return false;
    v->slept_ns += record_address(r);
  }
  return is_access(r);
}

static bool decode_run(struct visits *v, unsigned run)
{
  struct visit_model *m = v->model;

  for (; run; run--) {
    const uint32_t place = m->block[m->place].next[0];

    if (!decode_visit(v, place))
      return false;
    m->place = place;
  }
  return true;
}

/* Decodes the event after a run of visits. */
static bool decode_event(struct visits *v, enum visit_event event)
{
  struct visit_model *m = v->model;
  uint64_t place = m->block[m->place].next[0];
  bool changed = event >= EVENT_NEXT_CHANGED, ok;

  if (event == EVENT_NONE)
    return true;
  if (event == EVENT_WORD)
    return decode_word(v);
  if (event == EVENT_OTHER || event == EVENT_OTHER_CHANGED)
    place = m->block[m->place].next[1];
  else if (event != EVENT_NEXT_CHANGED && (!visits_take(v, COLUMN_PLACE, 2, &place) || place >= VISIT_BLOCKS))
    return false;
  if (event == EVENT_DEFINED)
    ok = decode_definition(v, (uint32_t)place);
  else
    ok = changed ? decode_changed_visit(v, (uint32_t)place) : decode_visit(v, (uint32_t)place);
  if (ok)
    visit_follow(m, (uint32_t)place);
  return ok;
}

/* Finds the columns. */
static bool visits_begin(struct visits *v, const uint8_t *from, size_t bytes)
{
  const uint8_t *at, *const end = from + bytes;

  if (bytes < COLUMNS_HEADER)
    return false;
  at = from + COLUMNS_HEADER;
  for (unsigned i = 0; i < COLUMNS; i++) {
    const size_t n = i < COLUMNS - 1 ? pmt_get32(from + 4 * i) : (size_t)(end - at);

    if (n > (size_t)(end - at))
      return false;
    v->column[i] = (struct column){at, at + n};
    at += n;
  }
  return true;
}

bool visits_decode(struct visit_model *m, const uint8_t *from, size_t bytes, uint64_t *record, size_t n,
                   uint64_t *slept_ns)
{
  struct visits v = {.model = m, .to = record, .end = record + n};
  struct column *events = &v.column[COLUMN_EVENT];

  if (!visits_begin(&v, from, bytes))
    return false;
  while (events->at < events->end) {
    const uint8_t event = *events->at++;

    if (!event || !decode_run(&v, event & VISIT_RUN) || !decode_event(&v, (enum visit_event)(event >> EVENT_SHIFT)))
      return false;
  }
  for (unsigned i = 0; i < COLUMNS; i++)
    if (v.column[i].at != v.column[i].end)
      return false;
  *slept_ns += v.slept_ns;
  return v.to == v.end;
}
