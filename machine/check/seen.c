/* SPDX-License-Identifier: MIT */
/* Registers and blocks that occurred in the stream. */
#include <stdlib.h>
#include <pmon/status.h>
#include "machine/check/state.h"
#include "src/base/array.h"
#include "src/platform/platform.h"

static uint32_t seen_hash_address(const struct pmon_address *a)
{
  uint64_t h = a->offset * UINT64_C(0x9e3779b97f4a7c15) ^ ((uint64_t)a->device << 32 | a->package << 8 | a->space);
  h *= UINT64_C(0xbf58476d1ce4e5b9);
  return (uint32_t)(h >> 32);
}

static bool seen_same_address(const struct pmon_address *a, const struct pmon_address *b)
{
  return a->package == b->package && a->space == b->space && a->device == b->device && a->offset == b->offset;
}

struct seen *seen_find(struct checker *c, const struct pmon_address *a)
{
  if (!c->n_slots)
    return NULL;
  for (uint32_t i = seen_hash_address(a);; i++) {
    uint32_t slot = c->slots[i & (c->n_slots - 1)];
    if (!slot)
      return NULL;
    if (seen_same_address(&c->seen[slot - 1].address, a))
      return &c->seen[slot - 1];
  }
}

static void seen_insert_slot(struct checker *c, uint32_t index)
{
  uint32_t i = seen_hash_address(&c->seen[index].address);
  while (c->slots[i & (c->n_slots - 1)])
    i++;
  c->slots[i & (c->n_slots - 1)] = index + 1;
}

static bool seen_grow(struct checker *c)
{
  uint32_t room = c->cap_seen ? 2 * c->cap_seen : 256;
  struct seen *seen = realloc(c->seen, room * sizeof *seen);
  if (seen)
    c->seen = seen;
  uint32_t *slots = calloc(2 * (size_t)room, sizeof *slots);
  if (!seen || !slots) {
    free(slots);
    c->out_of_memory = true;
    return false;
  }
  free(c->slots);
  c->slots = slots;
  c->n_slots = 2 * room;
  c->cap_seen = room;
  for (uint32_t i = 0; i < c->n_seen; i++)
    seen_insert_slot(c, i);
  return true;
}

struct block *block_find(const struct checker *c, uint32_t package, uint32_t unit, uint32_t instance)
{
  for (uint32_t i = 0; i < c->n_blocks; i++)
    if (c->blocks[i].unit == unit && c->blocks[i].instance == instance && c->blocks[i].package == package)
      return &c->blocks[i];
  return NULL;
}

/* Number of registers that a row describes. */
static uint32_t register_row_count(const struct db_register *r)
{
  return r->count ? r->count : 1;
}

static struct block *block_find_or_add(struct checker *c, uint32_t package, uint32_t unit, uint32_t instance)
{
  struct db_span span = c->db->units[unit].registers;
  struct block *b = block_find(c, package, unit, instance);
  size_t places = 0;
  if (b)
    return b;
  if (array_grow(&c->blocks, c->n_blocks, &c->cap_blocks, sizeof *c->blocks))
    return NULL;
  for (uint32_t r = span.first; r < span.first + span.n; r++)
    places += register_row_count(&c->db->registers[r]);
  uint32_t *registers = calloc(places, sizeof *registers);
  if (!registers)
    return NULL;
  b = &c->blocks[c->n_blocks++];
  *b = (struct block){.package = package, .unit = unit, .instance = instance, .registers = registers};
  return b;
}

static struct seen *seen_add_register(struct checker *c, const struct pmon_address *a,
                                      const struct pmon_register_id *id)
{
  uint32_t unit = platform_unit_row(c->platform, id->unit);
  struct block *b = block_find_or_add(c, a->package, unit, id->instance);
  if (!b)
    c->out_of_memory = true;
  if (!b || (c->n_seen == c->cap_seen && !seen_grow(c)))
    return NULL;
  struct seen *s = &c->seen[c->n_seen];
  *s = (struct seen){.address = *a,
                     .unit = unit,
                     .reg = c->db->units[unit].registers.first + id->reg,
                     .instance = id->instance,
                     .index = id->index,
                     .block = (uint32_t)(b - c->blocks)};
  seen_insert_slot(c, c->n_seen++);
  b->registers[c->places[s->reg] + s->index] = c->n_seen;
  *(b->last ? &c->seen[b->last - 1].next : &b->first) = c->n_seen;
  b->last = c->n_seen;
  return s;
}

/* A dword at the register's address + 4 belongs to the register's upper half. */
struct seen *seen_find_or_add(struct checker *c, const struct pmon_address *a, uint64_t *ret_shift)
{
  struct pmon_address low = *a;
  struct pmon_register_id id;
  struct seen *s = seen_find(c, a);
  *ret_shift = 0;
  if (s)
    return s;
  if (platform_register_at(c->platform, a, &id))
    return seen_add_register(c, a, &id);
  if (a->width_bits != 32 || a->offset < 4)
    return NULL;
  low.offset -= 4;
  *ret_shift = 32;
  s = seen_find(c, &low);
  if (!s && platform_register_at(c->platform, &low, &id))
    s = seen_add_register(c, &low, &id);
  uint32_t layout = s ? c->db->registers[s->reg].layout : DB_NONE;
  return layout == DB_NONE || c->db->layouts[layout].width <= 32 ? NULL : s;
}

/* Several registers can share one address. The first look-up goes by address; later look-ups go by the position in
 * the block. */
struct seen *seen_register(struct checker *c, const struct block *b, uint32_t reg, uint32_t index)
{
  struct platform_place place = {b->unit, reg, b->instance, index};
  struct pmon_address a;
  struct seen *s;
  if (reg - c->db->units[b->unit].registers.first >= c->db->units[b->unit].registers.n ||
      index >= register_row_count(&c->db->registers[reg]))
    return NULL;
  uint32_t *at = &b->registers[c->places[reg] + index];
  if (*at)
    return &c->seen[*at - 1];
  if (platform_address(c->db, &place, &a))
    return NULL;
  a.package = b->package;
  s = seen_find(c, &a);
  *at = s ? (uint32_t)(s - c->seen) + 1 : 0;
  return s;
}

uint32_t seen_role(const struct checker *c, const struct seen *s)
{
  return c->db->registers[s->reg].role;
}

bool block_frozen(const struct checker *c, const struct block *b)
{
  return (b->frozen_known && b->frozen) ||
         (b->package < 64 && c->package_known[b->package] && c->package_frozen[b->package]);
}

struct seen *block_counter(struct checker *c, const struct block *b, uint32_t role, uint32_t i)
{
  struct db_span span = c->db->units[b->unit].registers;
  for (uint32_t r = span.first; r < span.first + span.n; r++) {
    const struct db_register *reg = &c->db->registers[r];
    if (reg->role == role && i < (reg->count ? reg->count : 1))
      return seen_register(c, b, r, i);
  }
  return NULL;
}

/* The positions of a unit's registers are consecutive. */
int seen_init(struct checker *c)
{
  const struct db_span units = c->platform->row->units;
  uint32_t rows = 0;
  for (uint32_t u = units.first; u < units.first + units.n; u++) {
    struct db_span span = c->db->units[u].registers;
    if (span.n && span.first + span.n > rows)
      rows = span.first + span.n;
  }
  c->places = calloc(rows + 1, sizeof *c->places);
  c->memo = calloc(1, sizeof *c->memo);
  if (!c->places || !c->memo)
    return PMON_E_MEMORY;
  for (uint32_t u = units.first; u < units.first + units.n; u++) {
    struct db_span span = c->db->units[u].registers;
    for (uint32_t r = span.first, at = 0; r < span.first + span.n; at += register_row_count(&c->db->registers[r++]))
      c->places[r] = at;
  }
  return PMON_OK;
}

void seen_free(struct checker *c)
{
  for (uint32_t i = 0; i < c->n_blocks; i++)
    free(c->blocks[i].registers);
  free(c->blocks);
  free(c->seen);
  free(c->slots);
  free(c->places);
  free(c->memo);
}
