/* SPDX-License-Identifier: MIT */
/*
 * Translates programs' addresses to the machine's: a page gets a frame of some socket's memory when it is first
 * touched. One hash maps a physical line to a CHA, another to a place in DRAM, both one to one.
 */
#ifndef MACHINE_COMMON_ADDRESS_H
#define MACHINE_COMMON_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include "machine/common/page_ranges.h"
#include "machine/common/slices.h"

#define PAGE_LINES_SHIFT 6
#define FRAME_BITS 26 /* frames of a socket: 256 GB */
/* With map=identity a page's frame has the page's number. The exception is page 0, whose first line would be line 0,
 * which the caches take for an empty way: its frame is this one, above all others. */
#define IDENTITY_FIRST (UINT64_C(1) << 36)
#define GIGABYTE_BITS 18
#define DEVICE_SHIFT (FRAME_BITS + 1 + PAGE_LINES_SHIFT) /* above place and node in a line: 1 + the CXL device */
/* First virtual page of the CXL devices' memory, above all programs' pages, and log2 of the pages of each device.
 * Expanders come first, then accelerators. */
#define CXL_PAGES (UINT64_C(1) << 35)
#define CXL_PAGES_BITS 31
enum { CXL_DEVICES = 6, CXL_MEMORIES = 2 * CXL_DEVICES };
/* Bits of a line's number: the place, with the line in its page; device, node and place; any line of map=identity.
 * Each place is given to one page only, whose `frame` has the other bits. */
#define PLACE_BITS (FRAME_BITS + PAGE_LINES_SHIFT)
#define LINE_BITS (DEVICE_SHIFT + 4)
#define IDENTITY_BITS 43
#define TABLE_PAGES (UINT64_C(14) << 32) /* pages that hold page tables: of cores, and from 1 << 32 on of devices */

/* The directory in memory, on machines with several sockets: which other sockets may have the line (guide 2.2,
 * DIR_LOOKUP). */
enum directory { DIRECTORY_I, DIRECTORY_S, DIRECTORY_A };

/* A touched page. It takes half a host cache line and never straddles two, because simulated misses wait for it. gcc
 * evaluates a shift of a bit field in the field's own width, clang in 64 bits: NUMBER_BITS leaves room for the bits of
 * a line above both numbers. */
enum { NUMBER_BITS = 48 };
struct page {
  uint64_t shared, any;          /* the directory, a bit for each line; neither: I */
  uint64_t number : NUMBER_BITS; /* virtual */
  uint64_t slice : 16;           /* the frame's part of the slice index of its lines (slices.h) */
  uint64_t frame : NUMBER_BITS;  /* physical: device, node << FRAME_BITS | place */
  uint64_t bits : 8;             /* log2 of the 4 KB pages in the large page that contains it */
  uint64_t node : 7;
  uint64_t code : 1; /* instructions were fetched from it */
};
_Static_assert(2 * sizeof(struct page) == 64, "half a line of the host's memory");

enum { NODES = 8 }; /* most sockets */
/* A list of freed frames: the first frames of large pages, or the indices of 4 KB pages. */
struct frames {
  uint64_t *frame;
  uint32_t n, room;
};

struct address_map {
  struct page *pages;
  uint64_t *table; /* open addressing; an entry is the page's number << 27 | its index + 1 */
  uint64_t table_mask, n_entries;
  uint64_t n_pages, next; /* first index above all pages; index of the next 4 KB page, unless it begins a run */
  uint8_t page_bits;      /* log2 of the 4 KB pages in a page, where no program asked for larger pages */
  uint8_t run_bits, fold; /* log2 of the frames in a run; the shift in runs_permute() */
  uint32_t within_run;    /* mask of a frame's bits within its run */
  struct page_ranges ranges;
  uint64_t gigabytes[1u << (FRAME_BITS - GIGABYTE_BITS - 6)]; /* a bit for each GB: 1 GB pages have it */
  struct frames freed[2];                                     /* of 2 MB pages, of 1 GB pages */
  struct frames single[NODES];                                /* for each node, the indices of its freed 4 KB pages */
  uint64_t node_pages; /* consecutive pages that one socket is the home of; 0: the NUMA policy selects the socket */
  uint32_t sockets, numa, chas, identity;
  uint32_t channel_bits, own_bits, sub_bits, rank_bits; /* log2 of their numbers; own_bits: channels of a controller */
  bool groups;                                          /* banks are in groups (DDR5), 32 in a rank; else 8 */
  bool closed;                                          /* each column command closes its row */
  struct slice_hash slice;
};

/* The place in DRAM of a line of a socket's memory. `channel` counts within the socket, `own` within its controller
 * `mc`. `bank` combines rank, bank group and bank. */
struct dram_place {
  uint8_t channel, mc, own, pch, bank;
  uint32_t row;
};

struct machine_config;
int address_init(struct address_map *map, const struct machine_config *config);
void address_fini(struct address_map *map);
/* Returns the page with virtual number `number`. A new page gets memory of `node`, or if `node` is negative of the node
 * that the NUMA policy selects for an access by `socket`. NULL: no memory. */
struct page *address_page(struct address_map *map, uint64_t number, unsigned socket, int node);
/* Returns the page if it has been touched, else NULL. */
struct page *address_find(const struct address_map *map, uint64_t number);
/* Frees the frames of the 4 KB pages from `first` to before `end`, which get others when they are touched again.
 * Returns the number of pages that had a frame. */
uint64_t address_drop(struct address_map *map, uint64_t first, uint64_t end);
/* Prefetches the host memory that a page look-up will read. */
void address_ask(const struct address_map *map, uint64_t number);
/* Converts an index in `pages` to a frame (factor SPREAD), or a frame to its index (factor GATHER). Runs of 512 frames
 * (2 MB; more with larger pages) stay consecutive, as in the memory of a freshly booted system. The runs are spread
 * over the socket one to one: by multiplication with an odd factor (or its inverse) modulo 2^17, and an exclusive-or
 * with the number shifted by half its bits, which is its own inverse. */
#define FRAME_MASK ((1ull << FRAME_BITS) - 1)
#define SPREAD 0x2545f49u
#define GATHER 0x3eac2f9u
static inline uint64_t runs_permute(const struct address_map *map, uint64_t x, uint64_t factor)
{
  const uint64_t within = map->within_run;
  uint64_t run = (x & ~within) * factor & FRAME_MASK;
  run ^= run >> map->fold & ~within;
  return (run * factor & FRAME_MASK) | (x & within);
}
/* address_frame() returns the page that has the frame of a physical line; address_frame_identical() the page that has a
 * frame with map=identity. */
struct page *address_frame_identical(const struct address_map *map, uint64_t frame);
static inline struct page *address_frame(const struct address_map *map, uint64_t line)
{
  const uint64_t frame = line >> PAGE_LINES_SHIFT;
  if (__builtin_expect(map->identity != 0, 0))
    return address_frame_identical(map, frame);
  return &map->pages[runs_permute(map, frame & FRAME_MASK, GATHER)];
}
/* Returns a physical line whose bits above PLACE_BITS may be missing, unless with map=identity, with all of its bits.
 * `p`: the page that has its frame. */
static inline uint64_t address_complete(const struct address_map *map, const struct page *p, uint64_t line)
{
  return map->identity ? line : p->frame << PAGE_LINES_SHIFT | (line & ((1u << PAGE_LINES_SHIFT) - 1));
}
void address_dram(const struct address_map *map, uint64_t line, struct dram_place *ret_place);

static inline uint64_t address_mix(uint64_t x)
{
  x ^= x >> 29;
  x *= 0x9e3779b97f4a7c15u;
  x ^= x >> 32;
  return x * 0xd6e8feb86659fd93u;
}

/* Returns 1 + the CXL device whose memory has the line (above CXL_DEVICES: an accelerator); 0: DRAM has it. */
static inline unsigned address_device(const struct address_map *map, uint64_t line)
{
  return map->identity ? 0 : (unsigned)(line >> DEVICE_SHIFT) & 15;
}

/* Returns the CHA, within its socket, that a line belongs to. */
static inline unsigned address_cha(const struct address_map *map, uint64_t line)
{
  return slice_select(&map->slice, slice_index(&map->slice, line));
}

/* As address_cha(), for a line of a page. Caches may still hold lines of a frame that the page had earlier, whose frame
 * differs. */
static inline unsigned address_page_cha(const struct address_map *map, const struct page *p, uint64_t line)
{
  if (__builtin_expect(p->frame != line >> PAGE_LINES_SHIFT, 0))
    return address_cha(map, line);
  return slice_select(&map->slice, p->slice ^ map->slice.index[0][line & ((1u << PAGE_LINES_SHIFT) - 1)]);
}

/* Returns the sub-channel, within its socket, that holds a line. Where channels have two sub-channels, the channel is
 * this number without its lowest bit. */
static inline unsigned address_pch(const struct address_map *map, uint64_t line)
{
  uint32_t bits = map->channel_bits + map->sub_bits;
  uint64_t rest = line >> bits;
  return (unsigned)((line ^ rest ^ rest >> bits ^ rest >> 2 * bits ^ rest >> 3 * bits ^ rest >> 4 * bits) &
                    ((1u << bits) - 1));
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
