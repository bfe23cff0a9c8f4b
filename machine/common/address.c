/* SPDX-License-Identifier: MIT */
#include "machine/common/address.h"

#include <stdlib.h>
#include <pmon/status.h>
#include "machine/common/config.h"
#include "machine/common/cache.h"

#define TABLE_INDEX 27 /* FRAME_BITS and one: 0 is a hole; 37 bits of page number */
#define TABLE_MASK ((1ull << TABLE_INDEX) - 1)
#define FRAME_MASK ((1ull << FRAME_BITS) - 1)
#define PAGES_BYTES (sizeof(struct page) << FRAME_BITS) /* reserved, not used */
/* Runs of 512 frames (2 MB) stay together, as a fresh system's memory does; the runs are spread over the socket one to
 * one, by an odd factor (and its inverse) modulo 2^17 and a shift of half the bits, which undoes itself. */
#define RUN_BITS 9
#define SPREAD 0x2545f49u
#define GATHER 0x3eac2f9u

int address_init(struct address_map *map, const struct machine_config *config)
{
  const uint64_t *v = config->value;
  map->sockets = (uint32_t)v[CONFIG_SOCKETS];
  map->numa = (uint32_t)v[CONFIG_NUMA];
  map->chas = (uint32_t)v[CONFIG_CHAS];
  map->identity = (uint32_t)v[CONFIG_MAP];
  map->page_bits = map->identity ? 0 : (const uint8_t[]){0, 9, 18}[v[CONFIG_PAGES]];
  map->node_pages = map->identity ? v[CONFIG_NUMA_MEMORY] >> (PAGE_LINES_SHIFT + 6) : 0;
  slice_hash_init(&map->slice, map->chas, v[CONFIG_SEED]);
  map->channel_bits = (uint32_t)__builtin_ctzll(v[CONFIG_IMCS] * v[CONFIG_CHANNELS]);
  map->own_bits = (uint32_t)__builtin_ctzll(v[CONFIG_CHANNELS]);
  map->sub_bits = (uint32_t)__builtin_ctzll(v[CONFIG_DRAM_SUBS]);
  map->groups = v[CONFIG_DRAM_BANKS] == 32;
  map->closed = v[CONFIG_DRAM_PAGE] == 1;
  map->rank_bits = (uint32_t)__builtin_ctzll(v[CONFIG_DRAM_RANKS]);
  map->n_pages = 1; /* frame 0 is unused: 0 marks an empty entry everywhere */
  map->table_mask = (1u << 14) - 1;
  map->table = calloc(map->table_mask + 1, sizeof *map->table);
  map->pages = pages_get(PAGES_BYTES);
  return map->table && map->pages ? PMON_OK : PMON_E_MEMORY;
}

void address_fini(struct address_map *map)
{
  free(map->table);
  pages_put(map->pages, PAGES_BYTES);
}

static uint64_t runs_turn(const struct address_map *map, uint64_t x, uint64_t factor)
{
  const unsigned bits = map->page_bits > RUN_BITS ? map->page_bits : RUN_BITS;
  const uint64_t mask = FRAME_MASK >> bits;
  uint64_t run = (x >> bits) * factor & mask;
  run ^= run >> (FRAME_BITS - bits + 1) / 2;
  return (run * factor & mask) << bits | (x & ((UINT64_C(1) << bits) - 1));
}

static uint64_t table_first(const struct address_map *map, uint64_t number)
{
  return address_mix(number) >> 20 & map->table_mask;
}

/* The place of `number` in the table, or of the hole where it would go. */
static uint64_t table_find(const struct address_map *map, uint64_t number)
{
  uint64_t i = table_first(map, number);
  while (map->table[i] && map->table[i] >> TABLE_INDEX != number)
    i = (i + 1) & map->table_mask;
  return i;
}

static int table_grow(struct address_map *map)
{
  uint64_t size = (map->table_mask + 1) * 2;
  uint64_t *table = calloc(size, sizeof *table);
  if (!table)
    return PMON_E_MEMORY;
  free(map->table);
  map->table = table;
  map->table_mask = size - 1;
  for (uint64_t i = 1; i < map->n_pages; i++)
    if (map->pages[i].number || !map->page_bits) /* else left out before a large page */
      table[table_find(map, map->pages[i].number)] = map->pages[i].number << TABLE_INDEX | (i + 1);
  return PMON_OK;
}

struct page *address_find(const struct address_map *map, uint64_t number)
{
  uint64_t entry = map->table[table_find(map, number)];
  return entry ? &map->pages[(entry & TABLE_MASK) - 1] : NULL;
}

void address_ask(const struct address_map *map, uint64_t number)
{
  host_prefetch(&map->table[table_first(map, number)]);
}

/* All 4 KB of a large page get frames that follow each other; the one of `number` is returned. */
static struct page *large_page(struct address_map *map, uint64_t number, unsigned socket, int node)
{
  const uint64_t size = UINT64_C(1) << map->page_bits, first = number & ~(size - 1);
  const uint64_t n = (map->n_pages + size - 1) & ~(size - 1);
  if (n + size > FRAME_MASK)
    return NULL;
  while ((n + size) * 2 > map->table_mask)
    if (table_grow(map))
      return NULL;
  if (node < 0)
    node = map->numa == 0   ? (int)socket
           : map->numa == 1 ? (int)((number >> map->page_bits) % map->sockets)
                            : (int)map->numa - 2;
  map->n_pages = n + size;
  for (uint64_t k = 0; k < size; k++) {
    struct page *p = &map->pages[n + k];
    p->number = first + k;
    p->node = (uint8_t)node;
    p->frame = (uint64_t)node << FRAME_BITS | runs_turn(map, n + k, SPREAD);
    map->table[table_find(map, p->number)] = p->number << TABLE_INDEX | (n + k + 1);
  }
  return &map->pages[n + (number - first)];
}

struct page *address_page(struct address_map *map, uint64_t number, unsigned socket, int node)
{
  uint64_t i = table_find(map, number);
  if (map->table[i])
    return &map->pages[(map->table[i] & TABLE_MASK) - 1];
  if (map->page_bits && number < CXL_PAGES)
    return large_page(map, number, socket, node);
  if (map->n_pages == FRAME_MASK)
    return NULL;
  if (map->n_pages * 2 > map->table_mask) {
    if (table_grow(map))
      return NULL;
    i = table_find(map, number);
  }
  uint64_t n = map->n_pages++;
  struct page *p = &map->pages[n];
  map->table[i] = number << TABLE_INDEX | (n + 1);
  if (map->node_pages && number < CXL_PAGES)
    node = number / map->node_pages < map->sockets ? (int)(number / map->node_pages) : (int)map->sockets - 1;
  else if (node < 0)
    node = map->numa == 0 ? (int)socket : map->numa == 1 ? (int)(number % map->sockets) : (int)map->numa - 2;
  p->number = number;
  p->node = (uint8_t)node;
  const uint64_t device = number >= CXL_PAGES ? ((number - CXL_PAGES) >> CXL_PAGES_BITS) + 1 : 0;
  p->frame = map->identity ? number : (uint64_t)node << FRAME_BITS | runs_turn(map, n, SPREAD);
  if (device && device <= CXL_MEMORIES && !map->identity)
    p->frame |= device << (FRAME_BITS + 1);
  return p;
}

struct page *address_frame(const struct address_map *map, uint64_t line)
{
  uint64_t frame = line >> PAGE_LINES_SHIFT;
  if (map->identity)
    return &map->pages[(map->table[table_find(map, frame)] & TABLE_MASK) - 1];
  return &map->pages[runs_turn(map, frame & FRAME_MASK, GATHER)];
}

/* DDR3: 128 lines of a row, then the next of eight banks, then the next rank. Where rows close with each command there
 * is nothing to gain from one: the next line is in the next bank, so that commands do not wait for each other's
 * rows. */
static void eight_banks(const struct address_map *map, uint64_t rest, struct dram_place *ret_place)
{
  const unsigned banks = 3 + map->rank_bits;
  if (map->closed) /* the columns' bits go above the banks' */
    rest = (rest >> (7 + banks) << banks | (rest & ((1u << banks) - 1))) << 7 | (rest >> banks & 127);
  uint64_t above = rest >> 7, rank = above >> 3 & ((1u << map->rank_bits) - 1), row = above >> (3 + map->rank_bits);
  uint64_t bank = (above ^ row ^ row >> 3) & 7;
  ret_place->bank = (uint8_t)(rank << 5 | bank);
  ret_place->row = (uint32_t)row;
}

/* Consecutive lines go round the channels and sub-channels; within one they alternate between two bank groups, four
 * lines of a row at a time, then go on to the other groups, then along the rows. Each of these numbers is also mixed
 * with address bits above it, so that strides do not all fall on one. The column does not matter: a row is open whole.
 */
void address_dram(const struct address_map *map, uint64_t line, struct dram_place *ret_place)
{
  unsigned pch = address_pch(map, line);
  uint64_t rest = line >> (map->channel_bits + map->sub_bits);
  ret_place->pch = (uint8_t)(pch & ((1u << map->sub_bits) - 1));
  ret_place->channel = (uint8_t)(pch >> map->sub_bits);
  ret_place->mc = (uint8_t)(ret_place->channel >> map->own_bits);
  ret_place->own = (uint8_t)(ret_place->channel & ((1u << map->own_bits) - 1));
  if (!map->groups) {
    eight_banks(map, rest, ret_place);
    return;
  }
  uint64_t group = (rest & 1) | (rest >> 2 & 6); /* 8 bank groups: bits 0, 3, 4; columns: 1, 2, 5 to 9 */
  uint64_t above = rest >> 10;                   /* 8 KB of row: 128 lines */
  uint64_t bank = above & 3, rank = above >> 2 & ((1u << map->rank_bits) - 1); /* 4 banks of a group */
  uint64_t row = above >> (2 + map->rank_bits);
  group ^= (row ^ row >> 3 ^ row >> 6) & 7;
  bank ^= (row >> 9 ^ row >> 2) & 3;
  ret_place->bank = (uint8_t)(rank << 5 | group << 2 | bank);
  ret_place->row = (uint32_t)row;
}
