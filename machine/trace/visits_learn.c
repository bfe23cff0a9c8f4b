/* SPDX-License-Identifier: MIT */
#include "machine/trace/visits_learn.h"

/* Bits of `fits`: the step of the last update; for each source, the shifts of RULE_LEAD; for each source, RULE_NEAR. */
#define FITS_STEP UINT64_C(1)
#define LEAD_BITS 7u /* per source */
#define LEAD_BIT 1u  /* the first of them */
#define NEAR_BIT (LEAD_BIT + VISIT_SOURCES * LEAD_BITS)
_Static_assert(LEAD_BITS == 2 * SHIFT_MOST + 1 && NEAR_BIT + VISIT_SOURCES <= 64, "a bit for each");

/* A failure within SOON visits after the previous one counts as a doubt; after DOUBTS doubts the access counts as
 * unpredictable. */
#define SOON 4u
#define DOUBTS 2u
#define PROOFS 4u      /* consecutive hits of a rule after which an access is predicted again */
#define LENGTH_SOON 8u /* if a longer offset is needed twice within so many visits, offsets become longer */
#define SHORTER 32u    /* consecutive shorter offsets after which offsets become shorter */

static unsigned trailing_zeros(int64_t v)
{
  return (unsigned)__builtin_ctzll((uint64_t)v);
}

/* Returns the bit of the shift that turns `from` into `change`; 0: there is none. */
static uint64_t lead_bit(int64_t change, int64_t from)
{
  if (!change || !from)
    return 0;
  const int shift = (int)trailing_zeros(change) - (int)trailing_zeros(from);
  if (shift < -SHIFT_MOST || shift > SHIFT_MOST || visit_shifted(from, shift) != change)
    return 0;
  return UINT64_C(1) << (unsigned)(shift + SHIFT_MOST);
}

/* Returns the rules that predict the access. RULE_NEAR uses the distances of the last update; updates change and
 * distances. */
static uint64_t rules_that_fit(const struct visit_model *m, struct visit_learn *l, uint64_t record, int64_t change)
{
  uint64_t fits = change == l->change && change == (int32_t)change ? FITS_STEP : 0;

  l->change = change;
  for (unsigned i = 0; i < VISIT_SOURCES; i++) {
    const int64_t distance = visit_difference(record, visit_recent_address(m, i));
    const bool near = distance == (int32_t)distance;

    fits |= lead_bit(change, visit_recent_change(m, i)) << (LEAD_BIT + i * LEAD_BITS);
    if (near && l->distance[i] == (int32_t)distance)
      fits |= UINT64_C(1) << (NEAR_BIT + i);
    l->distance[i] = near ? (int32_t)distance : 0;
  }
  return fits;
}

/* Sets the slot's rule to the first of `fits`. false: there is none. */
static bool set_rule(struct visit_slot *s, const struct visit_learn *l, uint64_t fits, struct visit_choice *ret)
{
  if (!fits)
    return false;
  const unsigned bit = (unsigned)__builtin_ctzll(fits);

  s->step = bit == 0 ? (int32_t)l->change : 0;
  s->rule = bit == 0 ? RULE_STEP : bit < NEAR_BIT ? RULE_LEAD : RULE_NEAR;
  if (s->rule == RULE_LEAD) {
    s->source = (uint8_t)((bit - LEAD_BIT) / LEAD_BITS);
    s->shift = (int8_t)((int)((bit - LEAD_BIT) % LEAD_BITS) - SHIFT_MOST);
  } else if (s->rule == RULE_NEAR) {
    s->source = (uint8_t)(bit - NEAR_BIT);
    s->shift = 0;
    s->step = l->distance[s->source];
  }
  *ret =
      (struct visit_choice){true, s->rule == RULE_STEP ? CHANGE_STEP : CHANGE_RELATED, s->step, visit_length(s->step)};
  return true;
}

/* Sets RULE_FREE: the slot's accesses are not predicted from now on. */
static struct visit_choice set_free(struct visit_slot *s, struct visit_learn *l, int64_t change, unsigned length)
{
  s->rule = RULE_FREE;
  s->step = 0;
  s->length = (uint8_t)length;
  l->shorter = 0;
  return (struct visit_choice){true, CHANGE_FREE, change, length};
}

static struct visit_choice choose_after_miss(const struct visit_model *m, struct visit_slot *s, struct visit_learn *l,
                                             uint64_t record, uint32_t visit)
{
  const int64_t change = visit_difference(record, s->record);
  const int64_t offset = visit_difference(record, visit_predicted(m, s));
  const unsigned length = visit_length(change), before = l->need;
  const uint64_t fits = rules_that_fit(m, l, record, change), twice = fits & l->fits;
  const bool soon = visit - l->missed < SOON;
  struct visit_choice ret;

  l->fits = fits;
  l->missed = visit;
  l->need = (uint8_t)length;
  if (set_rule(s, l, twice | (fits & FITS_STEP), &ret))
    return ret;
  if (soon && l->doubt >= DOUBTS) {
    l->doubt = l->proofs = 0;
    return set_free(s, l, change, length > before ? length : before);
  }
  l->doubt = soon ? l->doubt + 1 : 0;
  return (struct visit_choice){true, CHANGE_NOTHING, offset, visit_length(offset)};
}

/* Chooses the length of RULE_FREE's offset: the slot's length, a longer one if necessary, or a shorter one if that has
 * sufficed for long. */
static struct visit_choice choose_length(struct visit_slot *s, struct visit_learn *l, int64_t change, uint32_t visit)
{
  const unsigned length = visit_length(change);
  const bool soon = visit - l->missed < LENGTH_SOON;

  if (length > s->length) {
    l->missed = visit;
    l->shorter = 0;
    return soon ? set_free(s, l, change, length) : (struct visit_choice){true, CHANGE_NOTHING, change, length};
  }
  l->shorter = length < s->length ? l->shorter + 1 : 0;
  if (l->shorter == 1 || length > l->need)
    l->need = (uint8_t)length;
  if (l->shorter >= SHORTER && l->need)
    return set_free(s, l, change, l->need);
  return (struct visit_choice){false, CHANGE_NOTHING, change, s->length};
}

static struct visit_choice choose_free(const struct visit_model *m, struct visit_slot *s, struct visit_learn *l,
                                       uint64_t record, uint32_t visit)
{
  const int64_t change = visit_difference(record, s->record);
  const uint64_t fits = rules_that_fit(m, l, record, change), again = fits & l->fits;
  struct visit_choice ret;

  l->fits = again ? again : fits;
  l->proofs = again ? l->proofs + 1 : 0;
  if (l->proofs >= PROOFS && set_rule(s, l, again, &ret)) {
    l->proofs = 0;
    return ret;
  }
  return choose_length(s, l, change, visit);
}

struct visit_choice visit_choose(const struct visit_model *m, struct visit_slot *s, struct visit_learn *l,
                                 uint64_t record, uint32_t visit)
{
  return s->rule == RULE_FREE ? choose_free(m, s, l, record, visit) : choose_after_miss(m, s, l, record, visit);
}
