/* SPDX-License-Identifier: MIT */
/*
 * From the program's addresses to the machine's: pages get a frame of some socket's memory when they are first
 * touched; a physical line goes to a CHA by one hash, and to a place in DRAM by another, both one to one.
 */
#ifndef MACHINE_COMMON_ADDRESS_H
#define MACHINE_COMMON_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include "machine/common/page_ranges.h"
#include "machine/common/slices.h"

#define PAGE_LINES_SHIFT 6
#define FRAME_BITS 26 /* frames of a socket: 256 GB */
/* With map=identity a page's frame has its number, but page 0, whose first line would be line 0, which caches take for
 * an empty way: its frame is this one, above all others. */
#define IDENTITY_FIRST (UINT64_C(1) << 36)
#define GIGABYTE_BITS 18
#define DEVICE_SHIFT (FRAME_BITS + 1 + PAGE_LINES_SHIFT) /* above place and node in a line: the CXL device, + 1 */
/* Virtual pages that are memory of a CXL device, so many for each: above all programs' pages. Expanders come first,
 * then accelerators. */
#define CXL_PAGES (UINT64_C(1) << 35)
#define CXL_PAGES_BITS 31
enum { CXL_DEVICES = 6, CXL_MEMORIES = 2 * CXL_DEVICES };
#define TABLE_PAGES (UINT64_C(14) << 32) /* pages of page tables: of cores, and from 1 << 32 on of devices */

/* Memory's directory, for machines of several sockets: which other sockets may have the line (guide 2.2,
 * DIR_LOOKUP). */
enum directory { DIRECTORY_I, DIRECTORY_S, DIRECTORY_A };

/* A page that was touched. Half a line of the host's memory, so that none is in two: programs that miss wait for them.
 * gcc shifts a bit field within its own bits, clang in 64: there is room for a line's bits of both numbers. */
enum { NUMBER_BITS = 48 };
struct page {
  uint64_t shared, any;          /* directory: a bit a line; neither: I */
  uint64_t number : NUMBER_BITS; /* virtual */
  uint64_t slice : 16;           /* the frame's part of its lines' index (slices.h) */
  uint64_t frame : NUMBER_BITS;  /* physical: device, node << FRAME_BITS | place */
  uint64_t bits : 8;             /* 4 KB of the page that has it, as a power of two */
  uint64_t node : 7;
  uint64_t code : 1; /* instructions were fetched from it */
};
_Static_assert(2 * sizeof(struct page) == 64, "half a line of the host's memory");

enum { NODES = 8 }; /* most sockets */
/* First frames of large pages that programs gave up. */
struct frames {
  uint64_t *frame;
  uint32_t n, room;
};

struct address_map {
  struct page *pages;
  uint64_t *table; /* open addressing: a page's number << 27 | its index + 1 */
  uint64_t table_mask, n_entries;
  uint64_t n_pages, next; /* index behind all pages; the next small one's, unless it begins a run */
  uint8_t page_bits;      /* 4 KB of a page, as a power of two, but where a program asked for more */
  uint8_t run_bits, fold; /* of a run of frames, as a power of two; by how much runs_turn() shifts */
  uint32_t within_run;    /* the bits of a frame within its run */
  struct page_ranges ranges;
  uint64_t gigabytes[1u << (FRAME_BITS - GIGABYTE_BITS - 6)]; /* a bit each: programs' pages of 1 GB have it */
  struct frames freed[2];                                     /* of pages of 2 MB, and of 1 GB */
  struct frames single[NODES];                                /* of 4 KB: the indices of each node's */
  uint64_t node_pages;                                        /* of a socket, consecutive; 0: the NUMA policy decides */
  uint32_t sockets, numa, chas, identity;
  uint32_t channel_bits, own_bits, sub_bits, rank_bits; /* own_bits: of a controller's channels */
  bool groups;                                          /* banks come in groups (DDR5), 32 a rank; else 8 */
  bool closed;                                          /* rows close with each command */
  struct slice_hash slice;
};

/* Where in DRAM a line of a socket's memory is: `channel` of the socket, `own` of its controller `mc`. `bank`: rank,
 * bank group and bank in one number. */
struct dram_place {
  uint8_t channel, mc, own, pch, bank;
  uint32_t row;
};

struct machine_config;
int address_init(struct address_map *map, const struct machine_config *config);
void address_fini(struct address_map *map);
/* The page with virtual number `number`; made when it is new, its memory by the NUMA policy for one that `socket`
 * touches (node below 0) or from `node`. NULL: no memory. */
struct page *address_page(struct address_map *map, uint64_t number, unsigned socket, int node);
/* The same when it was touched, else NULL. */
struct page *address_find(const struct address_map *map, uint64_t number);
/* The 4 KB pages from `first` to before `end` lose their frames, and get others when they are touched. Returns how many
 * had one. */
uint64_t address_drop(struct address_map *map, uint64_t first, uint64_t end);
/* Prefetches the host memory that a page look-up will read. */
void address_ask(const struct address_map *map, uint64_t number);
/* Runs of 512 frames (2 MB) stay together, as a fresh system's memory does; the runs are spread over the socket one to
 * one, by an odd factor (and its inverse) modulo 2^17 and a shift of half the bits, which undoes itself. The frame at
 * an index, or the other way round. */
#define FRAME_MASK ((1ull << FRAME_BITS) - 1)
#define SPREAD 0x2545f49u
#define GATHER 0x3eac2f9u
static inline uint64_t runs_turn(const struct address_map *map, uint64_t x, uint64_t factor)
{
  const uint64_t within = map->within_run;
  uint64_t run = (x & ~within) * factor & FRAME_MASK;
  run ^= run >> map->fold & ~within;
  return (run * factor & FRAME_MASK) | (x & within);
}
/* The page that has the frame of a physical line; with map=identity, of that frame. */
struct page *address_frame_identical(const struct address_map *map, uint64_t frame);
static inline struct page *address_frame(const struct address_map *map, uint64_t line)
{
  const uint64_t frame = line >> PAGE_LINES_SHIFT;
  if (__builtin_expect(map->identity != 0, 0))
    return address_frame_identical(map, frame);
  return &map->pages[runs_turn(map, frame & FRAME_MASK, GATHER)];
}
void address_dram(const struct address_map *map, uint64_t line, struct dram_place *ret_place);

static inline uint64_t address_mix(uint64_t x)
{
  x ^= x >> 29;
  x *= 0x9e3779b97f4a7c15u;
  x ^= x >> 32;
  return x * 0xd6e8feb86659fd93u;
}

/* The CXL device whose memory has a line, + 1 (above CXL_DEVICES: as an accelerator); 0: DRAM. */
static inline unsigned address_device(const struct address_map *map, uint64_t line)
{
  return map->identity ? 0 : (unsigned)(line >> DEVICE_SHIFT) & 15;
}

/* The CHA of its socket that a line belongs to. */
static inline unsigned address_cha(const struct address_map *map, uint64_t line)
{
  return slice_select(&map->slice, slice_index(&map->slice, line));
}

/* The same for a line of a page: what its caches still have of a frame that the page had before has another number. */
static inline unsigned address_page_cha(const struct address_map *map, const struct page *p, uint64_t line)
{
  if (__builtin_expect(p->frame != line >> PAGE_LINES_SHIFT, 0))
    return address_cha(map, line);
  return slice_select(&map->slice, p->slice ^ map->slice.index[0][line & ((1u << PAGE_LINES_SHIFT) - 1)]);
}

/* The sub-channel of its socket that a line is in: the channel is that without its lowest bit where it has two. */
static inline unsigned address_pch(const struct address_map *map, uint64_t line)
{
  uint32_t bits = map->channel_bits + map->sub_bits;
  uint64_t rest = line >> bits;
  return (unsigned)((line ^ rest ^ rest >> bits ^ rest >> 2 * bits ^ rest >> 3 * bits ^ rest >> 4 * bits) &
                    ((1u << bits) - 1));
}

static inline unsigned address_channel(const struct address_map *map, uint64_t line)
{
  return address_pch(map, line) >> map->sub_bits;
}

static inline enum directory page_directory(const struct page *p, uint64_t line)
{
  uint64_t bit = 1ull << (line & 63);
  return p->any & bit ? DIRECTORY_A : p->shared & bit ? DIRECTORY_S : DIRECTORY_I;
}

static inline void page_directory_set(struct page *p, uint64_t line, enum directory d)
{
  uint64_t bit = 1ull << (line & 63);
  p->any = d == DIRECTORY_A ? p->any | bit : p->any & ~bit;
  p->shared = d == DIRECTORY_S ? p->shared | bit : p->shared & ~bit;
}

#endif
