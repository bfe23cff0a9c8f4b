/* SPDX-License-Identifier: MIT */
#include "machine/common/address.h"

#include <stdlib.h>
#include <pmon/status.h>
#include "machine/common/config.h"
#include "machine/common/cache.h"
#include "machine/common/host_pages.h"

#define TABLE_INDEX 27 /* FRAME_BITS and one, as 0 is an empty entry; 37 bits of page number */
#define TABLE_MASK ((1ull << TABLE_INDEX) - 1)
#define DROPPED 1 /* index in an entry whose page lost its frame: that of frame 0, which is unused */
#define NUMBER_MASK ((UINT64_C(1) << NUMBER_BITS) - 1)
#define NO_NUMBER (UINT64_C(1) << 40) /* of a frame without a page; no program has it, and it fits in a line */
#define PAGES_BYTES (sizeof(struct page) << FRAME_BITS) /* reserved, not used */
#define RUN_BITS 9

_Static_assert(CXL_MEMORIES >> (LINE_BITS - DEVICE_SHIFT) == 0, "a line's number has its device");

int address_init(struct address_map *map, const struct machine_config *config)
{
  const uint64_t *v = config->value;
  map->sockets = (uint32_t)v[CONFIG_SOCKETS];
  map->numa = (uint32_t)v[CONFIG_NUMA];
  map->chas = (uint32_t)v[CONFIG_CHAS];
  map->identity = (uint32_t)v[CONFIG_MAP];
  map->page_bits = map->identity ? 0 : (const uint8_t[]){0, 9, 18}[v[CONFIG_PAGES]];
  map->run_bits = map->page_bits > RUN_BITS ? map->page_bits : RUN_BITS;
  map->within_run = (UINT32_C(1) << map->run_bits) - 1;
  map->fold = (uint8_t)((FRAME_BITS - map->run_bits + 1) / 2);
  map->node_pages = map->identity ? v[CONFIG_NUMA_MEMORY] >> (PAGE_LINES_SHIFT + 6) : 0;
  slice_hash_init(&map->slice, map->chas, v[CONFIG_SEED]);
  map->channel_bits = (uint32_t)__builtin_ctzll(v[CONFIG_IMCS] * v[CONFIG_CHANNELS]);
  map->own_bits = (uint32_t)__builtin_ctzll(v[CONFIG_CHANNELS]);
  map->sub_bits = (uint32_t)__builtin_ctzll(v[CONFIG_DRAM_SUBS]);
  map->groups = v[CONFIG_DRAM_BANKS] == 32;
  map->closed = v[CONFIG_DRAM_PAGE] == 1;
  map->rank_bits = (uint32_t)__builtin_ctzll(v[CONFIG_DRAM_RANKS]);
  map->n_pages = map->next = map->n_entries = 1; /* frame 0 is unused: 0 marks an empty entry everywhere */
  map->table_mask = (1u << 14) - 1;
  map->table = calloc(map->table_mask + 1, sizeof *map->table);
  map->pages = pages_get(PAGES_BYTES);
  return map->table && map->pages ? PMON_OK : PMON_E_MEMORY;
}

void address_fini(struct address_map *map)
{
  free(map->table);
  page_ranges_fini(&map->ranges);
  free(map->freed[0].frame);
  free(map->freed[1].frame);
  for (unsigned i = 0; i < NODES; i++)
    free(map->single[i].frame);
  pages_put(map->pages, PAGES_BYTES);
}

static uint64_t table_first(const struct address_map *map, uint64_t number)
{
  return address_mix(number) >> 20 & map->table_mask;
}

/* Returns the index of the table entry of `number`, or of the empty entry where it would go. */
static uint64_t table_find(const struct address_map *map, uint64_t number)
{
  uint64_t i = table_first(map, number);
  while (map->table[i] && map->table[i] >> TABLE_INDEX != number)
    i = (i + 1) & map->table_mask;
  return i;
}

/* Returns the page of a table entry; NULL: there is none, or it lost its frame. */
static struct page *table_page(const struct address_map *map, uint64_t i)
{
  const uint64_t index = map->table[i] & TABLE_MASK;
  return index > DROPPED ? &map->pages[index - 1] : NULL;
}

/* Makes room for `n` more entries. */
static int table_grow(struct address_map *map, uint64_t n)
{
  uint64_t size = map->table_mask + 1, *before = map->table;
  while ((map->n_entries + n) * 2 > size - 1)
    size *= 2;
  uint64_t *table = calloc(size, sizeof *table);
  if (!table)
    return PMON_E_MEMORY;
  const uint64_t last = map->table_mask;
  map->table = table;
  map->table_mask = size - 1;
  map->n_entries = 1;
  for (uint64_t i = 0; i <= last; i++)
    if ((before[i] & TABLE_MASK) > DROPPED) {
      table[table_find(map, before[i] >> TABLE_INDEX)] = before[i];
      map->n_entries++;
    }
  free(before);
  return PMON_OK;
}

static void table_put(struct address_map *map, uint64_t number, uint64_t index)
{
  const uint64_t i = table_find(map, number);
  map->n_entries += !map->table[i];
  map->table[i] = number << TABLE_INDEX | (index + 1);
}

struct page *address_find(const struct address_map *map, uint64_t number)
{
  return table_page(map, table_find(map, number));
}

void address_ask(const struct address_map *map, uint64_t number)
{
  host_prefetch(&map->table[table_first(map, number)]);
}

/* True if a 1 GB page has the frame of an index. */
static bool index_is_taken(const struct address_map *map, uint64_t index)
{
  const uint64_t gigabyte = runs_permute(map, index, SPREAD) >> GIGABYTE_BITS;
  return map->gigabytes[gigabyte >> 6] >> (gigabyte & 63) & 1;
}

/* Takes the indices of 2^`bits` consecutive frames. Returns the first one; 0: there are none. */
static uint64_t run_take(struct address_map *map, unsigned bits)
{
  const uint64_t size = UINT64_C(1) << bits;
  uint64_t n = (map->n_pages + size - 1) & ~(size - 1);
  while (n + size <= FRAME_MASK && bits == RUN_BITS && index_is_taken(map, n))
    n += size;
  if (n + size > FRAME_MASK)
    return 0;
  map->n_pages = n + size;
  return n;
}

/* Takes a frame for a 4 KB page of a node, and returns its index; 0: there is none. A freed frame stays with its node,
 * because caches may still hold lines of it. */
static uint64_t index_take(struct address_map *map, unsigned node)
{
  struct frames *single = &map->single[node];
  if (single->n)
    return single->frame[--single->n];
  const uint64_t run = UINT64_C(1) << RUN_BITS;
  uint64_t n = map->next;
  if (!(n & (run - 1))) {
    n = (map->n_pages + run - 1) & ~(run - 1);
    while (n < FRAME_MASK && index_is_taken(map, n))
      n += run;
  }
  if (n >= FRAME_MASK)
    return 0;
  map->next = n + 1;
  map->n_pages = map->n_pages > n + 1 ? map->n_pages : n + 1;
  return n;
}

/* Takes the frames of a whole GB of which nothing is in use. */
static bool gigabyte_take(struct address_map *map, uint64_t *ret_frame)
{
  for (uint64_t g = FRAME_MASK >> GIGABYTE_BITS; g; g--) {
    const uint64_t first = g << GIGABYTE_BITS, runs = UINT64_C(1) << (GIGABYTE_BITS - RUN_BITS);
    uint64_t k = map->gigabytes[g >> 6] >> (g & 63) & 1 ? runs + 1 : 0;
    while (k < runs && runs_permute(map, first | k << RUN_BITS, GATHER) >= map->n_pages)
      k++;
    if (k != runs)
      continue;
    map->gigabytes[g >> 6] |= UINT64_C(1) << (g & 63);
    *ret_frame = first;
    return true;
  }
  return false;
}

/* Takes the frames that a page of this size and node has freed. */
static bool freed_take(struct address_map *map, unsigned bits, unsigned node, uint64_t *ret_frame)
{
  struct frames *f = &map->freed[bits == GIGABYTE_BITS];
  uint32_t i = f->n;
  while (i && f->frame[i - 1] >> FRAME_BITS != node)
    i--;
  if (!i)
    return false;
  *ret_frame = f->frame[i - 1] & FRAME_MASK;
  f->frame[i - 1] = f->frame[--f->n];
  return true;
}

/* Adds a page's frames to a list. If there is no memory for this, the frames are lost. */
static void freed_add(struct frames *f, uint64_t frame)
{
  if (f->n == f->room) {
    const uint32_t room = f->room ? 2 * f->room : 64;
    uint64_t *list = realloc(f->frame, room * sizeof *list);
    if (!list)
      return;
    f->frame = list;
    f->room = room;
  }
  f->frame[f->n++] = frame;
}

/* Takes the frames of a large page: 2 MB, where a program requests 1 GB and no GB is left. */
static bool frames_take(struct address_map *map, unsigned *bits, uint64_t *ret_frame)
{
  if (*bits > RUN_BITS && *bits != map->page_bits) {
    if (gigabyte_take(map, ret_frame))
      return true;
    *bits = RUN_BITS;
  }
  const uint64_t n = run_take(map, *bits);
  *ret_frame = runs_permute(map, n, SPREAD);
  if (map->page_bits)
    map->next = map->n_pages;
  return n;
}

/* Returns the node of a new page; `number` counts pages of its size. */
static unsigned page_node(const struct address_map *map, uint64_t number, unsigned socket)
{
  return map->numa == 0 ? socket : map->numa == 1 ? (unsigned)(number % map->sockets) : map->numa - 2;
}

/* From now on, 2 MB pages map the GB of a page. Returns their bits. If there is no memory to record this, it is
 * determined again for the next page. */
static unsigned gigabyte_divide(struct address_map *map, uint64_t number)
{
  const unsigned log2 = GIGABYTE_BITS - RUN_BITS;
  page_ranges_set(&map->ranges, number >> GIGABYTE_BITS << log2, log2, RUN_BITS);
  return RUN_BITS;
}

static void page_number_set(struct page *p, uint64_t number, unsigned node)
{
  p->number = number & NUMBER_MASK;
  p->node = node & (NODES - 1);
}

static void page_frame_set(const struct address_map *map, struct page *p, uint64_t frame)
{
  p->frame = frame & NUMBER_MASK;
  p->slice = slice_index(&map->slice, frame << PAGE_LINES_SHIFT);
}

/* Gives all 4 KB of a large page consecutive frames. Returns the page of `number`. */
static struct page *large_page(struct address_map *map, uint64_t number, unsigned bits, unsigned node)
{
  uint64_t frame;
  if ((map->n_entries + (UINT64_C(1) << bits)) * 2 > map->table_mask && table_grow(map, UINT64_C(1) << bits))
    return NULL;
  const unsigned asked = bits;
  if (!freed_take(map, bits, node, &frame) && !frames_take(map, &bits, &frame))
    return NULL;
  if (bits != asked)
    gigabyte_divide(map, number);
  const uint64_t size = UINT64_C(1) << bits, first = number & ~(size - 1);
  for (uint64_t k = 0; k < size; k++) {
    const uint64_t index = runs_permute(map, frame + k, GATHER);
    struct page *p = &map->pages[index];
    page_number_set(p, first + k, node);
    p->bits = (uint8_t)bits;
    page_frame_set(map, p, (uint64_t)node << FRAME_BITS | (frame + k));
    table_put(map, p->number, index);
  }
  return address_find(map, number);
}

static bool page_is_touched(const struct address_map *map, uint64_t number, unsigned bits)
{
  const uint64_t size = UINT64_C(1) << bits, first = number & ~(size - 1);
  uint64_t k = 0;
  while (k < size && !address_find(map, first + k))
    k++;
  return k < size;
}

/* Returns the bits of the page that maps an untouched 4 KB: as its program requested, unless a part of that page has
 * another frame. */
static unsigned page_bits_of(struct address_map *map, uint64_t number)
{
  unsigned bits = page_ranges_bits(&map->ranges, number);
  if (bits > RUN_BITS && bits > map->page_bits && page_is_touched(map, number, bits))
    bits = gigabyte_divide(map, number);
  return bits > map->page_bits && !page_is_touched(map, number, bits) ? bits : map->page_bits;
}

struct page *address_page(struct address_map *map, uint64_t number, unsigned socket, int node)
{
  struct page *p = address_find(map, number);
  if (p)
    return p;
  const unsigned bits = number < CXL_PAGES ? page_bits_of(map, number) : 0;
  if (bits)
    return large_page(map, number, bits, node < 0 ? page_node(map, number >> bits, socket) : (unsigned)node);
  if ((map->n_entries + 1) * 2 > map->table_mask && table_grow(map, 1))
    return NULL;
  if (map->node_pages && number < CXL_PAGES)
    node = number / map->node_pages < map->sockets ? (int)(number / map->node_pages) : (int)map->sockets - 1;
  else if (node < 0)
    node = (int)page_node(map, number, socket);
  const uint64_t n = index_take(map, (unsigned)node);
  if (!n)
    return NULL;
  p = &map->pages[n];
  table_put(map, number, n);
  page_number_set(p, number, (unsigned)node);
  const uint64_t device = number >= CXL_PAGES ? ((number - CXL_PAGES) >> CXL_PAGES_BITS) + 1 : 0;
  uint64_t frame =
      map->identity ? number ? number : IDENTITY_FIRST : (uint64_t)node << FRAME_BITS | runs_permute(map, n, SPREAD);
  if (device && device <= CXL_MEMORIES && !map->identity)
    frame |= device << (FRAME_BITS + 1);
  page_frame_set(map, p, frame);
  return p;
}

/* Takes the frame from the page of table entry `i`, if the page is within the numbers. The frames of a 4 KB page, and
 * of a large page that is entirely within the numbers, can be used again. */
static bool page_drop(struct address_map *map, uint64_t i, uint64_t first, uint64_t end)
{
  struct page *p = table_page(map, i);
  if (!p || p->number < first || p->number >= end)
    return false;
  const uint64_t size = UINT64_C(1) << p->bits;
  if (p->bits && !(p->frame & (size - 1)) && p->number + size <= end)
    freed_add(&map->freed[p->bits == GIGABYTE_BITS], p->frame);
  if (!p->bits)
    freed_add(&map->single[p->node], (uint64_t)(p - map->pages));
  map->table[i] = (uint64_t)p->number << TABLE_INDEX | DROPPED;
  p->number = NO_NUMBER;
  return true;
}

uint64_t address_drop(struct address_map *map, uint64_t first, uint64_t end)
{
  uint64_t dropped = 0;
  if (end - first <= map->table_mask)
    for (uint64_t number = first; number < end; number++)
      dropped += page_drop(map, table_find(map, number), first, end);
  else
    for (uint64_t i = 0; i <= map->table_mask; i++)
      dropped += page_drop(map, i, first, end);
  return dropped;
}

struct page *address_frame_identical(const struct address_map *map, uint64_t frame)
{
  return &map->pages[(map->table[table_find(map, frame & ~IDENTITY_FIRST)] & TABLE_MASK) - 1];
}

/* DDR3: 128 lines of a row, then the next of eight banks, then the next rank. Where each command closes its row, open
 * rows have no benefit: the next line is in the next bank, so that commands do not wait for each other's rows. */
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
 * with address bits above it, so that strides do not all fall on one. The column does not matter: the whole row is
 * open. */
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
