/* SPDX-License-Identifier: MIT */
/*
 * A ring of the mesh, in one direction of a column or a row. A message on the ring moves on without stopping and has
 * priority: a new message enters where the ring passes empty (guide 2.1). Relative to the ring, its places for messages
 * keep their distances, and the stops move past. One word for each place, with a bit for each segment between two
 * stops, therefore describes the whole ring at any time, and a message reads one word for its whole path.
 */
#ifndef MACHINE_EMR_MESH_RING_H
#define MACHINE_EMR_MESH_RING_H

#include "machine/common/register_keep.h"
#include "machine/common/slots.h"

/* Places that the model remembers: about a microsecond of lines of data, 0.9 ns each. */
enum { RING_PLACES = 1024, RING_SEGMENTS = 31 };

/* A word of `place`: bits 31:0 are the segments on which the place is taken; bits 63:32 count how often all words had
 * been used before. `full`: per segment, a range of places that are taken on it, so that a long wait is found at
 * once. */
struct mesh_ring {
  uint64_t place[RING_PLACES];
  struct {
    uint64_t begin, end;
  } full[RING_SEGMENTS];
};

/* A stop as the rings of its column or row see it. pair: the number of their pair; before: the segments before the
 * stop, a bit each. Per direction, lead: how many hops later a place passes the far end, beyond all stops, than it
 * passes this stop; enters: the segment that a message enters. Small: each message reads those of two tiles. */
struct ring_stop {
  uint32_t before;
  uint8_t lead[2], enters[2], pair;
};

/* Returns the number of the first place after `number` that is empty on all `segments`. Most messages wait for the
 * segment that they enter. */
static inline uint64_t ring_next_empty(struct mesh_ring *ring, uint64_t number, uint32_t segments, unsigned enters)
{
  const uint64_t last = number + RING_PLACES - 1;
  uint64_t *begin = &ring->full[enters].begin, *end = &ring->full[enters].end;
  if (number < *begin || number > *end)
    *begin = *end = number;
  for (number = *end; number < last; number++) {
    const uint64_t place = ring->place[number % RING_PLACES];
    if (!(place & segments) || place >> 32 != (uint32_t)(number / RING_PLACES))
      break;
    *end += number == *end && place >> enters & 1;
  }
  return number;
}

/* The time that a ring's place takes to pass a stop, and its inverse, times 2^64, so that no message needs a
 * division. */
struct ring_step {
  uint32_t fs;
  uint64_t inverse; /* rounded down */
};

static inline struct ring_step ring_step_init(uint32_t fs)
{
  return (struct ring_step){fs, UINT64_MAX / fs};
}

/* Returns how many whole steps fit into a time. The product is at most one too small. */
static inline uint64_t ring_steps(struct ring_step step, fs_t time)
{
  const uint64_t n = (uint64_t)((unsigned __int128)time * step.inverse >> 64);
  return n + (time - n * step.fs >= step.fs);
}

/* Takes a place on all `segments` for a message that enters the ring on segment `enters`: the place `number`, or the
 * next one that is empty there. Returns its number. */
static inline uint64_t ring_place_take(struct mesh_ring *ring, uint64_t number, uint32_t segments, unsigned enters)
{
  uint64_t *place = &ring->place[number % RING_PLACES], round = number / RING_PLACES;
  REGISTER_KEEP(place);
  int32_t ahead = (int32_t)((uint32_t)(*place >> 32) - (uint32_t)round);
  if (__builtin_expect(ahead < 0, 1)) { /* the first message on the place */
    *place = round << 32 | segments;
    return number;
  }
  if (!ahead && *place & segments) {
    number = ring_next_empty(ring, number, segments, enters);
    place = &ring->place[number % RING_PLACES];
    round = number / RING_PLACES;
    ahead = (int32_t)((uint32_t)(*place >> 32) - (uint32_t)round);
    if (ahead < 0)
      *place = round << 32;
  }
  if (ahead <= 0) /* else the place is so old that it is forgotten */
    *place |= segments;
  return number;
}

#endif
