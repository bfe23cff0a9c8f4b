/* SPDX-License-Identifier: MIT */
/* Regions of a session: the open regions, and their cells, which session_count() fills together with the session's. */
#include <stdlib.h>
#include <string.h>
#include <pmon/regions.h>
#include "src/platform/context.h"
#include "src/session/counts.h"
#include "src/session/session.h"

/* Flags of a cell that hold for all its counts. */
#define LASTING (PMON_VALUE_UNAVAILABLE | PMON_VALUE_VANISHED)

static void region_free(struct session_region *r)
{
  if (r) {
    free(r->name);
    free(r->cells);
    free(r->sums);
    free(r->missed);
    free(r->view);
  }
  free(r);
}

void session_free_regions(struct pmon_session *s)
{
  for (uint32_t i = 0; i < s->n_regions; i++)
    region_free(s->regions[i]);
  free(s->regions);
  free(s->open);
}

static struct session_region *region_new(const struct pmon_session *s, uint64_t thread, const char *name)
{
  struct session_region *r = calloc(1, sizeof *r);
  if (!r)
    return NULL;
  const size_t n_sums = session_count_sums(s);
  r->name = strdup(name);
  r->thread = thread;
  r->cells = calloc(s->n_cells + 1, sizeof *r->cells);
  r->sums = n_sums ? calloc(n_sums, sizeof *r->sums) : NULL;
  r->missed = n_sums ? session_missed_new(s) : NULL;
  r->view = malloc(sizeof *r->view);
  if (!r->name || !r->cells || (n_sums && (!r->sums || !r->missed)) || !r->view) {
    region_free(r);
    return NULL;
  }
  for (uint32_t i = 0; i < s->n_cells; i++)
    r->cells[i].flags = s->cells[i].flags & LASTING;
  for (size_t i = 0; i < n_sums; i++)
    r->sums[i].uneven = s->sums[i].uneven;
  return r;
}

static int region_make_room(struct pmon_session *s)
{
  if (s->n_regions < s->cap_regions)
    return 0;
  if (s->n_regions >= PMON_REGIONS_MAX)
    return context_fail(s->plan->context, PMON_E_RANGE, 0, "more than %d region results", PMON_REGIONS_MAX);
  const uint32_t cap = s->cap_regions ? 2 * s->cap_regions : 16;
  struct session_region **regions = realloc(s->regions, cap * sizeof *regions);
  s->regions = regions ? regions : s->regions;
  struct session_region **open = regions ? realloc(s->open, cap * sizeof *open) : NULL;
  s->open = open ? open : s->open;
  if (!open)
    return context_fail(s->plan->context, PMON_E_MEMORY, 0, "no memory for a region");
  s->cap_regions = cap;
  return 0;
}

/* Finds the result of that name and thread, and adds it after those of the same name if there is none. */
static int region_get(struct pmon_session *s, uint64_t thread, const char *name, struct session_region **ret_region)
{
  uint32_t place = s->n_regions;
  for (uint32_t i = 0; i < s->n_regions; i++) {
    if (strcmp(s->regions[i]->name, name))
      continue;
    place = i + 1;
    if (s->regions[i]->thread == thread) {
      *ret_region = s->regions[i];
      return 0;
    }
  }
  int status = region_make_room(s);
  if (status)
    return status;
  struct session_region *r = region_new(s, thread, name);
  if (!r)
    return context_fail(s->plan->context, PMON_E_MEMORY, 0, "no memory for a region");
  memmove(&s->regions[place + 1], &s->regions[place], (s->n_regions - place) * sizeof(struct session_region *));
  s->regions[place] = r;
  s->n_regions++;
  *ret_region = r;
  return 0;
}

/* Finds the results that a begin or end concerns. */
static int region_find(struct pmon_session *s, uint64_t thread, const char *name, struct session_region **ret_all,
                       struct session_region **ret_one)
{
  if (!name || !*name || thread == PMON_REGION_ALL_THREADS)
    return context_fail(s->plan->context, PMON_E_INVALID, 0, "a region needs a name and a thread number");
  if (!s->started)
    return context_fail(s->plan->context, PMON_E_STATE, 0, "region %s: the session has not begun", name);
  int status = region_get(s, PMON_REGION_ALL_THREADS, name, ret_all);
  return status ? status : region_get(s, thread, name, ret_one);
}

/* Notes the times of the last counter read, which was also a read of this region. */
static void region_note_reading(const struct pmon_session *s, struct session_region *r)
{
  r->freeze_ns = s->last_freeze_ns > r->freeze_ns ? s->last_freeze_ns : r->freeze_ns;
  r->skew_ns = s->last_skew_ns > r->skew_ns ? s->last_skew_ns : r->skew_ns;
  r->ran |= s->last_ran;
}

static void region_enter(struct pmon_session *s, struct session_region *r)
{
  if (r->depth++)
    return;
  s->open[s->n_open++] = r;
  r->carried = false;
  region_note_reading(s, r);
}

static void region_leave(struct pmon_session *s, struct session_region *r)
{
  if (--r->depth)
    return;
  for (uint32_t i = 0; i < s->n_open; i++)
    if (s->open[i] == r)
      s->open[i--] = s->open[--s->n_open];
}

int pmon_session_region_begin(struct pmon_session *s, uint64_t thread, const char *name)
{
  struct session_region *all, *one;
  int status = region_find(s, thread, name, &all, &one);
  if (status)
    return status;
  region_enter(s, one);
  if (one->depth > 1)
    return 0;
  one->calls++;
  all->calls++;
  region_enter(s, all);
  return 0;
}

int pmon_session_region_end(struct pmon_session *s, uint64_t thread, const char *name)
{
  struct session_region *all, *one;
  int status = region_find(s, thread, name, &all, &one);
  if (status)
    return status;
  if (!one->depth) {
    one->missing_begins++;
    all->missing_begins++;
    return 0;
  }
  region_leave(s, one);
  if (!one->depth)
    region_leave(s, all);
  return 0;
}

int pmon_session_region_close(struct pmon_session *s, uint64_t thread)
{
  struct session_region *all = NULL;
  for (uint32_t i = 0; i < s->n_regions; i++) {
    struct session_region *r = s->regions[i];
    if (r->thread == PMON_REGION_ALL_THREADS)
      all = r;
    if (r == all || !r->depth || (thread != PMON_REGION_ALL_THREADS && r->thread != thread))
      continue;
    r->missing_ends += r->depth;
    all->missing_ends += r->depth;
    r->depth = 1;
    region_leave(s, r);
    region_leave(s, all);
  }
  return 0;
}

void session_region_slice(struct pmon_session *s, uint64_t slice_ns)
{
  for (uint32_t i = 0; i < s->n_open; i++) {
    /* The region's program ran on while the counters were frozen, unless it waited for this read. */
    s->open[i]->time_ns += slice_ns + (s->open[i]->carried ? s->gap_ns : 0);
    s->open[i]->carried = true;
    region_note_reading(s, s->open[i]);
    for (uint32_t k = 0; k < s->n_cells; k++)
      s->open[i]->cells[k].flags |= s->cells[k].flags & PMON_VALUE_INVALID;
  }
}

int pmon_session_region_describe(const struct pmon_session *s, uint32_t i, struct pmon_region_info *info)
{
  if (i >= s->n_regions)
    return context_fail(s->plan->context, PMON_E_RANGE, 0, "region result %u does not exist", i);
  const struct session_region *r = s->regions[i];
  const struct pmon_region_info full = {.name = r->name,
                                        .thread = r->thread,
                                        .calls = r->calls,
                                        .seconds = (double)r->time_ns * 1e-9,
                                        .missing_ends = r->missing_ends,
                                        .missing_begins = r->missing_begins};
  return CONTEXT_FILL(s->plan->context, info, full);
}

const struct pmon_session *pmon_session_region(const struct pmon_session *s, uint32_t i)
{
  if (i >= s->n_regions)
    return NULL;
  const struct session_region *r = s->regions[i];
  *r->view = *s;
  r->view->cells = r->cells;
  r->view->sums = r->sums;
  r->view->missed = r->missed;
  r->view->mark_ns = 0;
  r->view->now_ns = r->time_ns;
  r->view->freeze_ns = r->freeze_ns;
  r->view->skew_ns = r->skew_ns;
  r->view->ran = r->ran;
  r->view->n_placed = s->n_runs;
  r->view->n_runs = 0; /* runs have no counts of the region */
  r->view->regions = r->view->open = NULL;
  r->view->n_regions = r->view->n_open = 0;
  session_find_bursts(r->view);
  return r->view;
}
