/* SPDX-License-Identifier: MIT */
/*
 * Which records form one access, and the position of a window's last block. Private to the feeder.
 */
#ifndef MACHINE_TRACE_FEEDER_ACCESS_H
#define MACHINE_TRACE_FEEDER_ACCESS_H

#include "machine/common/register_keep.h"
#include "machine/trace/feeder.h"
#include "machine/trace/ring.h"

/* Maximum size of an access that is joined from pieces. */
#define MAX_ACCESS 64

/* Indexed by manner and store bit. */
static const enum access_kind kinds[8] = {ACCESS_LOAD,  ACCESS_STORE, ACCESS_PREFETCH, ACCESS_NT_STORE,
                                          ACCESS_FLUSH, ACCESS_LINE,  ACCESS_SLEEP,    ACCESS_SLEEP};

static inline struct feeder_access access_of(uint64_t r)
{
  return (struct feeder_access){record_address(r), 1u << record_size_log2(r), record_ordinal(r),
                                kinds[(r >> (RECORD_MANNER_SHIFT - 1) & 6) | record_is_store(r)]};
}

/* True if the next record can belong to the same access: same instruction and manner. For notes the result has no
 * meaning. */
static inline bool record_may_join(uint64_t access, uint64_t next)
{
  return !((access ^ next) >> RECORD_ORDINAL_SHIFT);
}

/* Tables indexed by the shape of a load or store: its size, alone bit and store bit. places: one bit for each offset in
 * a line at which the access stays within the line; none if the access is not known to be alone. lacks: the flags that
 * its line may lack (front_near()). The first table is valid at any time, the second while no load is in flight. The
 * first table has no places for loads of 16 or 32 bytes, which are vectors: feeder_access_alone() performs them like
 * accesses in pieces. line: the bits of record_plain_line(), in memory because a constant would take an instruction. */
enum {
  RECORD_SHAPES = 2 << (RECORD_STORE_SHIFT - RECORD_SIZE_SHIFT),
  RECORD_SHAPE_ALONE = RECORD_ALONE >> RECORD_SIZE_SHIFT
};
struct record_shapes {
  uint64_t places[RECORD_SHAPES], lacks[RECORD_SHAPES], line;
};
#define RECORD_PLACES(shape)                                                                                           \
  [shape] = UINT64_MAX, [(shape) + 1] = UINT64_MAX >> 1, [(shape) + 2] = UINT64_MAX >> 3,                              \
  [(shape) + 3] = UINT64_MAX >> 7, [(shape) + 6] = 1
#define RECORD_PLACES_VECTOR(shape) [(shape) + 4] = UINT64_MAX >> 15, [(shape) + 5] = UINT64_MAX >> 31
#define RECORD_LOADS RECORD_PLACES(RECORD_SHAPE_ALONE)
#define RECORD_STORES                                                                                                  \
  RECORD_PLACES(RECORD_SHAPES / 2 + RECORD_SHAPE_ALONE), RECORD_PLACES_VECTOR(RECORD_SHAPES / 2 + RECORD_SHAPE_ALONE)
#define RECORD_LACKS                                                                                                   \
  {                                                                                                                    \
    [0 ... RECORD_SHAPES / 2 - 1] = FRONT_LACKS_LOAD                                                                   \
  }
#define RECORD_LINE (RECORD_NOTE | RECORD_MANNER | (RECORD_ADDRESS & ~UINT64_C(63)))
static const struct record_shapes record_shapes[2] = {
    {.places = {RECORD_LOADS, RECORD_STORES}, .lacks = RECORD_LACKS, .line = RECORD_LINE},
    {.places = {RECORD_LOADS, RECORD_PLACES_VECTOR(RECORD_SHAPE_ALONE), RECORD_STORES},
     .lacks = RECORD_LACKS,
     .line = RECORD_LINE}};

/* Returns the line of an access. */
static inline uint64_t record_line(uint64_t r)
{
  return front_line(r);
}
_Static_assert(RECORD_ADDRESS == (UINT64_C(1) << FRONT_VA_BITS) - 1, "a record is an address with bits above");
/* Returns the shape of a load or store (struct record_shapes); for other records, at least RECORD_SHAPES. */
static inline uint64_t record_shape(uint64_t r)
{
  uint64_t kind = r >> RECORD_SIZE_SHIFT;
  REGISTER_KEEP(kind); /* as in record_line() */
  return kind & ~((uint64_t)RECORD_MAX_COUNT << (RECORD_ORDINAL_SHIFT - RECORD_SIZE_SHIFT));
}

/* True if a record is a load or store that is known to be alone and stays within a line. */
static inline bool record_is_alone(const struct record_shapes *shapes, uint64_t r)
{
  const uint64_t shape = record_shape(r);

  return shape < RECORD_SHAPES && __builtin_expect(shapes->places[shape] >> (r & 63) & 1, 1);
}

/* Cheaper than the functions above, for any record but a block: record_is_within() is record_is_alone() if it is a
 * plain load or store, and record_plain_line() is then its line, otherwise not the line of any address. */
static inline uint64_t record_kind(uint64_t r)
{
  return r >> RECORD_SIZE_SHIFT & (RECORD_SHAPES - 1);
}
static inline bool record_is_within(const struct record_shapes *shapes, uint64_t r)
{
  return __builtin_expect(shapes->places[record_kind(r)] >> (r & 63) & 1, 1);
}
static inline uint64_t record_plain_line(const struct record_shapes *shapes, uint64_t r)
{
  return (r & shapes->line) >> 6;
}
static inline bool record_is_plain(uint64_t r)
{
  return !(r >> RECORD_MANNER_SHIFT);
}
/* As record_ordinal(), for a plain load or store. */
static inline unsigned record_plain_ordinal(uint64_t r)
{
  return (unsigned)(r >> RECORD_ORDINAL_SHIFT);
}

/* True if `next` is the next piece of an access whose pieces have the same size. */
static inline bool record_continues(uint64_t record, const struct feeder_access *held, uint64_t next)
{
  return !((record ^ next) & ~RECORD_ADDRESS) && record_address(next) == held->va + held->size &&
         held->size + (1u << record_size_log2(next)) <= MAX_ACCESS;
}

/* Joins pieces of one access, or the load and the store of one instruction at one address. false: they are separate
 * accesses. */
static inline bool access_join(struct feeder_access *held, struct feeder_access a)
{
  if (!held->size || held->ordinal != a.ordinal)
    return false;
  if (a.kind == held->kind && a.va == held->va + held->size && held->size + a.size <= MAX_ACCESS) {
    held->size += a.size;
    return true;
  }
  if (a.kind == ACCESS_STORE && held->kind == ACCESS_LOAD && a.va == held->va && a.size == held->size) {
    held->kind = ACCESS_MODIFY;
    return true;
  }
  return false;
}

/* Number of records at a window's end that are searched for its last block. */
enum { LAST_AMONG = 512 };

/* Returns the index of the window's last block; records before it need no check for the window's end. 0: there is none,
 * or it is too far from the end. */
static inline size_t block_last(const struct trace_window *w)
{
  size_t i = w->n;

  while (i && w->n - i < LAST_AMONG)
    if (record_is_block(w->record[--i]))
      return i;
  return 0;
}

#endif
