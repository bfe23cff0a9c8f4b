/* SPDX-License-Identifier: MIT */
/* The lanes of a QPI link. Unlike slots.h, which divides time into buckets, this is exact: no two bookings overlap, so
 * that in no interval more flits begin than the link has time for. */
#include <string.h>
#include "machine/snbep/uncore.h"

/* Drops the older half of the spans to make room. */
static void lane_drop_span(struct snb_lane *l)
{
  const unsigned half = SNB_SPANS / 2;
  memmove(l->busy, l->busy + half, (l->n - half) * sizeof *l->busy);
  l->n -= half;
}

fs_t snb_lane_take(struct snb_lane *l, fs_t at, fs_t duration)
{
  if (l->n == SNB_SPANS)
    lane_drop_span(l);
  unsigned i = l->n;
  while (i && l->busy[i - 1].end > at)
    i--;
  for (; i < l->n && at + duration > l->busy[i].begin; i++)
    at = l->busy[i].end > at ? l->busy[i].end : at;
  const bool before = i && l->busy[i - 1].end == at, behind = i < l->n && l->busy[i].begin == at + duration;
  if (before && behind) {
    l->busy[i - 1].end = l->busy[i].end;
    memmove(&l->busy[i], &l->busy[i + 1], (--l->n - i) * sizeof *l->busy);
  } else if (before) {
    l->busy[i - 1].end = at + duration;
  } else if (behind) {
    l->busy[i].begin = at;
  } else {
    memmove(&l->busy[i + 1], &l->busy[i], (l->n++ - i) * sizeof *l->busy);
    l->busy[i].begin = at;
    l->busy[i].end = at + duration;
  }
  return at;
}
