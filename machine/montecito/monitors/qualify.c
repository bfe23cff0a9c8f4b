/* SPDX-License-Identifier: MIT */
/*
 * The selection of instructions and data: address ranges of the IBRs, coarse and fine, the opcode matchers with their
 * four tag channels, and data ranges of the DBRs (3.2.3.1, 3.3.5 to 3.3.7).
 *
 * Inversion applies to every result of the range, also to the result of an ignored range, so it must be off where no
 * range is used (note of Table 3-3). A pair with the x bit set belongs to the debugger and constrains nothing
 * (3.3.5.1).
 */
#include "machine/montecito/core/state.h"
#include "machine/montecito/monitors/fields.h"
#include "machine/montecito/monitors/monitors.h"

#define MASKED_BITS                                                                                                    \
  ((UINT64_C(1) << 56) - 1) /* the bits that a mask register covers; the other address bits are always compared */

static bool breakpoint_match(uint64_t address, uint64_t wanted, uint64_t mask)
{
  return !((address ^ wanted) & (mask | ~MASKED_BITS));
}

static bool plm_allows(const struct montecito_thread *t, uint64_t mask_register)
{
  return mask_register >> BR_PLM_SHIFT >> (t->state[MONTECITO_PSR] >> PSR_CPL_SHIFT & 3) & 1;
}

/* True if the address matches pair n or, in fine mode, lies between the limits of pairs n and n + 2, both excluded. */
static bool range_contains(const struct montecito_thread *t, unsigned n, uint64_t ip)
{
  const uint64_t *ibr = &t->state[MONTECITO_IBR];
  const uint64_t low = ibr[2 * n], mask = ibr[2 * n + 1];
  if (!(t->pmc[PMC_IRANGE] & IRANGE_FINE) || n > 1)
    return breakpoint_match(ip, low, mask & MASKED_BITS) && plm_allows(t, mask);
  const uint64_t high = ibr[2 * n + 4];
  return breakpoint_match(ip | 0xffff, low | 0xffff, mask & MASKED_BITS) && (ip & 0xffff) > (low & 0xffff) &&
         (ip & 0xffff) < (high & 0xffff) && plm_allows(t, mask);
}

/* Returns the result of range n for channel n. */
static bool range_tag(const struct montecito_thread *t, unsigned n, uint64_t ip)
{
  const uint64_t config = t->pmc[PMC_OPCODE0];
  bool inside;
  if (n == 0 && (config & OPCODE_IG_AD))
    return true;
  if ((t->state[MONTECITO_PSR] & PSR_IS) && !(t->pmc[PMC_IRANGE] & IRANGE_IGNORE(n)))
    return false; /* Table 3-9: IA-32 instructions are not in a range */
  inside = (t->pmc[PMC_IRANGE] & IRANGE_IGNORE(n)) || (t->state[MONTECITO_IBR + 2 * n + 1] & BR_X) ||
           range_contains(t, n, ip);
  return n == 0 && (config & OPCODE_INV) ? !inside : inside;
}

static bool opcode_match(const struct montecito_thread *t, unsigned matcher, const struct montecito_slot *s)
{
  static const uint64_t types[] = {[SLOT_M] = OPCODE_M,
                                   [SLOT_I] = OPCODE_I,
                                   [SLOT_F] = OPCODE_F,
                                   [SLOT_B] = OPCODE_B,
                                   [SLOT_A] = OPCODE_M | OPCODE_I,
                                   [SLOT_L] = OPCODE_I};
  const uint64_t config = t->pmc[PMC_OPCODE0 + 2 * matcher], wanted = t->pmc[PMC_OPCODE0 + 2 * matcher + 1];
  if (t->state[MONTECITO_PSR] & PSR_IS)
    return false; /* 3.2.3: opcodes are those of Itanium instructions */
  return (config & types[s->type]) == types[s->type] && !((s->encoding ^ wanted) & ~config & OPCODE_BITS);
}

void filters_prepare(struct montecito_thread *t)
{
  const uint64_t every = OPCODE_BITS | OPCODE_M | OPCODE_I | OPCODE_F | OPCODE_B, ranges = t->pmc[PMC_IRANGE];
  bool opcodes = (t->pmc[PMC_OPCODE0] & every) == every && (t->pmc[PMC_OPCODE0 + 2] & every) == every;
  t->filters.opcode_trivial = opcodes || (t->pmc[PMC_OPCODE_CONFIG] & 0xf) == 0xf;
  t->filters.trivial = t->filters.opcode_trivial && (t->pmc[PMC_OPCODE0] & OPCODE_IG_AD);
  for (unsigned n = 1; n < 4; n++)
    t->filters.trivial &= (ranges & IRANGE_IGNORE(n)) != 0;
  for (unsigned n = 0; n < 4; n++)
    t->filters.trivial &= !DRANGE_ENABLED(t->pmc[PMC_DRANGE], n) || DRANGE_CONFIG(t->pmc[PMC_DRANGE], n) == DTAG_NONE;
}

uint8_t tags_filtered(const struct montecito_thread *t, uint64_t ip)
{
  uint8_t tags = 1 << NEED_NONE;
  if (range_tag(t, 0, ip))
    tags |= 1 << NEED_IAR | 1 << NEED_TAG | 1 << NEED_MEMORY | 1 << NEED_DATA;
  if (range_tag(t, 1, ip))
    tags |= 1 << NEED_IAR1;
  return tags;
}

uint8_t tags_channels(const struct montecito_thread *t, uint64_t ip, const struct montecito_slot *s)
{
  uint8_t channels = 0;
  if (t->filters.trivial)
    return 0xf;
  for (unsigned n = 0; n < 4; n++) {
    bool opcode = t->filters.opcode_trivial || (t->pmc[PMC_OPCODE_CONFIG] >> n & 1) || opcode_match(t, n & 1, s);
    if (n == 0 && (t->pmc[PMC_OPCODE0] & OPCODE_IG_AD))
      opcode = true; /* Table 3-3: the default tag of channel 0 ignores opcodes */
    if (opcode && range_tag(t, n, ip))
      channels |= (uint8_t)(1u << n);
  }
  return channels;
}

unsigned dbr_matches(const struct montecito_thread *t, uint64_t address)
{
  unsigned matches = 0;
  for (unsigned n = 0; n < 4; n++)
    if (breakpoint_match(address, t->state[MONTECITO_DBR + 2 * n], t->state[MONTECITO_DBR + 2 * n + 1] & MASKED_BITS))
      matches |= 1u << n;
  return matches;
}

/* Combines the tag of channel 0 and the data address, which matches the pairs of `data`, as PMC41 configures; the
 * enabled pairs are combined by OR. */
static bool memory_tag(const struct montecito_thread *t, bool code, unsigned data)
{
  const uint64_t config = t->pmc[PMC_DRANGE];
  bool any = false;
  for (unsigned n = 0; n < 4; n++) {
    const bool pair = data >> n & 1;
    if (!DRANGE_ENABLED(config, n))
      continue;
    any = true;
    switch (DRANGE_CONFIG(config, n)) {
    case DTAG_ALL:
      if (code && pair)
        return true;
      break;
    case DTAG_CODE:
      if (code)
        return true;
      break;
    case DTAG_DATA:
      if (pair)
        return true;
      break;
    default: return true;
    }
  }
  return !any;
}

uint8_t tags_slot(const struct montecito_thread *t, uint64_t ip, const struct montecito_slot *s, uint8_t channels)
{
  uint8_t tags;
  if (t->filters.trivial)
    return TAGS_ALL;
  tags = tags_fetch(t, ip) & (1 << NEED_NONE | 1 << NEED_IAR | 1 << NEED_IAR1);
  if (channels & 1)
    tags |= 1 << NEED_TAG;
  if (memory_tag(t, channels & 1, dbr_matches(t, s->address)))
    tags |= 1 << NEED_MEMORY | 1 << NEED_DATA;
  return tags;
}

uint8_t tags_walk(const struct montecito_thread *t, const struct montecito_instruction *v)
{
  const uint8_t memory = 1 << NEED_MEMORY | 1 << NEED_DATA;
  return t->filters.trivial || memory_tag(t, v->channels & 1, 0) ? v->tags : v->tags & (uint8_t)~memory;
}
