/* SPDX-License-Identifier: MIT */
/* The register map: the rows of the units' tables, expanded for all blocks, in a hash table by address. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/access.h>
#include "machine/pmon/map.h"

enum { RUN_BITS = 4 };

/* Adjacent registers share runs of sixteen slots, because the counters of a block are read one after another. */
static uint32_t map_slot(const struct reg_map *map, uint8_t space, uint32_t device, uint64_t offset)
{
  const uint64_t place = space == PMON_SPACE_MSR ? offset : offset >> 2;
  const uint64_t key = (uint64_t)space << 60 ^ (uint64_t)device << 40 ^ place >> RUN_BITS;
  const uint32_t run = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) << RUN_BITS;
  return (run | (uint32_t)(place & ((1u << RUN_BITS) - 1))) & map->mask;
}

static void map_insert_slot(struct reg_map *map, uint32_t index, uint64_t offset)
{
  uint32_t slot = map_slot(map, map->regs[index].space, map->regs[index].device, offset);
  while (map->slots[slot])
    slot = (slot + 1) & map->mask;
  map->slots[slot] = index + 1;
}

static bool reg_contains(const struct reg *r, uint64_t offset)
{
  return offset == r->base || (r->space != PMON_SPACE_MSR && r->rows->width_bits == 64 && offset == r->base + 4);
}

const struct reg *map_find(const struct reg_map *map, uint8_t space, uint32_t device, uint64_t offset)
{
  for (uint32_t slot = map_slot(map, space, device, offset); map->slots[slot]; slot = (slot + 1) & map->mask) {
    const struct reg *r = &map->regs[map->slots[slot] - 1];
    if (r->space == space && r->device == device && reg_contains(r, offset))
      return r;
  }
  return NULL;
}

static bool map_add_rows(struct reg_map *map, struct reg r)
{
  const struct reg_rows *rows = r.rows;
  for (uint8_t i = 0; i < rows->count; i++, r.base += rows->step, r.number++) {
    if (map->n == map->room) {
      uint32_t room = map->room ? 2 * map->room : 256;
      struct reg *regs = realloc(map->regs, room * sizeof *regs);
      if (!regs)
        return false;
      map->regs = regs;
      map->room = room;
    }
    map->regs[map->n++] = r;
  }
  return true;
}

static bool map_add_block(struct reg_map *map, const struct block *b, uint16_t index)
{
  const struct pmon_unit *u = b->unit;
  struct unit_place place =
      u->places ? u->places[b->instance] : (struct unit_place){u->first.device, u->first.base + b->instance * u->step};
  for (const struct reg_rows *rows = u->regs; rows < u->regs + UNIT_REGS && rows->name; rows++) {
    struct reg r = {
        .rows = rows, .base = place.base + rows->offset, .device = place.device, .block = index, .space = u->space};
    if (rows->every && b->instance % rows->every)
      continue;
    if (rows->elsewhere)
      r.base = rows->elsewhere + (uint64_t)b->instance * rows->unit_step;
    if (rows->device)
      r.device = rows->device + b->instance * rows->device_step;
    if (!map_add_rows(map, r))
      return false;
  }
  return true;
}

bool map_build(struct reg_map *map, const struct socket *s, const struct reg_rows *globals)
{
  uint32_t size = 256;
  for (; globals->name; globals++)
    if (!map_add_rows(map, (struct reg){.rows = globals, .base = globals->elsewhere, .block = MAP_GLOBAL}))
      return false;
  for (unsigned i = 0; i < s->n_blocks; i++)
    if (!map_add_block(map, &s->blocks[i], (uint16_t)i))
      return false;
  while (size < 4 * map->n)
    size *= 2;
  map->slots = aligned_alloc(sizeof *map->slots << RUN_BITS, size * sizeof *map->slots); /* a run is a cache line */
  if (!map->slots)
    return false;
  memset(map->slots, 0, size * sizeof *map->slots);
  map->mask = size - 1;
  for (uint32_t i = 0; i < map->n; i++) {
    map_insert_slot(map, i, map->regs[i].base);
    if (map->regs[i].space != PMON_SPACE_MSR && map->regs[i].rows->width_bits == 64)
      map_insert_slot(map, i, map->regs[i].base + 4);
  }
  return true;
}

void map_free(struct reg_map *map)
{
  free(map->regs);
  free(map->slots);
}

void map_name(const struct reg *r, const struct socket *s, char *text, size_t text_size)
{
  unsigned instance = r->block == MAP_GLOBAL ? 0 : s->blocks[r->block].instance, number = r->number;
  size_t n = 0;
  if (r->rows->every)
    instance /= r->rows->every;
  text[0] = '\0';
  for (const char *p = r->rows->name; *p && n + 1 < text_size; p++) {
    if (p[0] == '%' && p[1] == 'u')
      n += (size_t)snprintf(text + n, text_size - n, "%u", instance), p++;
    else if (*p == '#')
      n += (size_t)snprintf(text + n, text_size - n, "%u", number);
    else
      n += (size_t)snprintf(text + n, text_size - n, "%c", *p);
  }
}

struct block *machine_block(struct machine *m, unsigned socket, const char *unit, unsigned instance)
{
  if (socket >= m->n_sockets)
    return NULL;
  for (struct block *b = m->sockets[socket].blocks; b < m->sockets[socket].blocks + m->sockets[socket].n_blocks; b++)
    if (b->instance == instance && !strcmp(b->unit->name, unit))
      return b;
  return NULL;
}
