/* SPDX-License-Identifier: MIT */
/* Registers and blocks that the stream has shown. */
#include <stdlib.h>
#include <string.h>
#include "machine/check/state.h"
#include "src/facts/field.h"

static uint32_t hash(const struct pmon_address *a)
{
  uint64_t h = a->offset * UINT64_C(0x9e3779b97f4a7c15) ^ ((uint64_t)a->device << 32 | a->package << 8 | a->space);
  h *= UINT64_C(0xbf58476d1ce4e5b9);
  return (uint32_t)(h >> 32);
}

static bool same(const struct pmon_address *a, const struct pmon_address *b)
{
  return a->package == b->package && a->space == b->space && a->device == b->device && a->offset == b->offset;
}

struct seen *seen_find(struct checker *c, const struct pmon_address *a)
{
  if (!c->n_slots)
    return NULL;
  for (uint32_t i = hash(a);; i++) {
    uint32_t slot = c->slots[i & (c->n_slots - 1)];
    if (!slot)
      return NULL;
    if (same(&c->seen[slot - 1].address, a))
      return &c->seen[slot - 1];
  }
}

static void enter(struct checker *c, uint32_t index)
{
  uint32_t i = hash(&c->seen[index].address);
  while (c->slots[i & (c->n_slots - 1)])
    i++;
  c->slots[i & (c->n_slots - 1)] = index + 1;
}

static bool grow(struct checker *c)
{
  uint32_t room = c->room_seen ? 2 * c->room_seen : 256;
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
  c->room_seen = room;
  for (uint32_t i = 0; i < c->n_seen; i++)
    enter(c, i);
  return true;
}

static struct seen *add(struct checker *c, const struct pmon_address *a, const struct pmon_register_id *id)
{
  if (c->n_seen == c->room_seen && !grow(c))
    return NULL;
  struct seen *s = &c->seen[c->n_seen];
  uint32_t unit = platform_unit_row(c->platform, id->unit);
  *s = (struct seen){ .address = *a, .unit = unit, .reg = c->db->units[unit].registers.first + id->reg,
                      .instance = id->instance, .index = id->index };
  enter(c, c->n_seen++);
  return s;
}

/* A dword behind the register's address belongs to its upper half. */
struct seen *seen_take(struct checker *c, const struct pmon_address *a, uint64_t *ret_shift)
{
  struct pmon_address low = *a;
  struct pmon_register_id id;
  struct seen *s = seen_find(c, a);
  *ret_shift = 0;
  if (s)
    return s;
  if (!pmon_register_find(c->platform, a, &id))
    return add(c, a, &id);
  if (a->width_bits != 32 || a->offset < 4)
    return NULL;
  low.offset -= 4;
  *ret_shift = 32;
  s = seen_find(c, &low);
  if (!s && !pmon_register_find(c->platform, &low, &id))
    s = add(c, &low, &id);
  uint32_t layout = s ? c->db->registers[s->reg].layout : DB_NONE;
  return layout == DB_NONE || c->db->layouts[layout].width <= 32 ? NULL : s;
}

struct seen *seen_register(struct checker *c, const struct block *b, uint32_t reg, uint32_t index)
{
  struct platform_place place = { b->unit, reg, b->instance, index };
  struct pmon_address a;
  if (platform_address(c->db, &place, &a))
    return NULL;
  a.package = b->package;
  return seen_find(c, &a);
}

struct block *block_take(struct checker *c, const struct seen *s)
{
  for (uint32_t i = 0; i < c->n_blocks; i++)
    if (c->blocks[i].unit == s->unit && c->blocks[i].instance == s->instance &&
        c->blocks[i].package == s->address.package)
      return &c->blocks[i];
  if (c->n_blocks == c->room_blocks) {
    uint32_t room = c->room_blocks ? 2 * c->room_blocks : 64;
    struct block *blocks = realloc(c->blocks, room * sizeof *blocks);
    if (!blocks) {
      c->out_of_memory = true;
      return NULL;
    }
    c->blocks = blocks;
    c->room_blocks = room;
  }
  struct block *b = &c->blocks[c->n_blocks++];
  *b = (struct block){ .package = s->address.package, .unit = s->unit, .instance = s->instance };
  return b;
}

uint32_t seen_role(const struct checker *c, const struct seen *s)
{
  return c->db->registers[s->reg].role;
}

const struct db_field *seen_field(const struct checker *c, const struct seen *s, const char *name)
{
  uint32_t layout = c->db->registers[s->reg].layout;
  if (layout == DB_NONE)
    return NULL;
  struct db_span span = c->db->layouts[layout].fields;
  for (uint32_t i = span.first; i < span.first + span.n; i++) {
    const struct db_field *f = &c->db->fields[i];
    if (text_is(text_of(name), db_text(c->db, f->name)) ||
        (f->alias && text_in_list(text_of(name), db_text(c->db, f->alias))))
      return f;
  }
  return NULL;
}

bool seen_get(const struct checker *c, const struct seen *s, const char *name, uint64_t *ret_value)
{
  const struct db_field *f = seen_field(c, s, name);
  if (!f || (s->known & field_mask(f)) != field_mask(f))
    return false;
  *ret_value = field_get(f, s->value);
  return true;
}

bool block_frozen(const struct checker *c, const struct block *b)
{
  return (b->frozen_known && b->frozen) || (b->package < 64 && c->package_known[b->package] && c->package_frozen[b->package]);
}

bool control_enabled(const struct checker *c, const struct seen *s)
{
  static const char *const switches[] = { "en", "plm", "ev_sel" };
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
    if (seen_field(c, s, switches[i]))
      return seen_get(c, s, switches[i], &value) && value;
  return false;
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
