/* SPDX-License-Identifier: MIT */
#include "cli/target/coverage_rows.h"

#include <stdio.h>
#include <string.h>
#include <pmon/encode.h>
#include <pmon/status.h>

struct walk {
  struct pmon_context *context;
  const struct pmon_platform *platform;
  uint64_t own; /* number of free-running events of the unit so far */
};

static uint32_t filter_lowest_bit(uint64_t mask)
{
  return mask ? (uint32_t)__builtin_ctzll(mask) : 0;
}

int coverage_row_encode(struct pmon_context *context, const struct pmon_platform *platform, const char *text,
                        struct coverage_row *row)
{
  struct pmon_event *event = NULL;
  struct pmon_image image = {0};
  int status = pmon_event_resolve(context, platform, text, &event);
  if (!status && pmon_event_get_kind(event) != PMON_EVENT_PROGRAMMED)
    status = PMON_E_INVALID;
  if (!status)
    status = pmon_event_encode(event, 0, filter_lowest_bit(pmon_event_instances(event)),
                               filter_lowest_bit(pmon_event_counters(event)), &image);
  for (uint32_t i = 0; !status && i < image.n; i++) {
    const struct pmon_image_register *r = &image.registers[i];
    struct pmon_register_info info = {.size = sizeof info};
    pmon_register_describe(platform, r->id.unit, r->id.reg, &info);
    if (info.role == PMON_ROLE_CTL)
      row->ctl = r->value;
    else if (info.role == PMON_ROLE_FILTER && info.index + r->id.index < MACHINE_FILTERS)
      row->filter[info.index + r->id.index] = r->value;
  }
  pmon_event_free(event);
  return status;
}

/* Filter values for events that count nothing without a filter: every state, every node, data reads, the lowest
 * frequency; for addresses, the first page touched, which contains code. */
static const struct {
  const char *filter, *text;
} passing[] = {
    {"FILTER.opc!", ",opc=0x182"},
    {"FILTER.state!", ",state=0x1f"},
    {"FILTER.nid!", ",nid=0xf"},
    {"FILTER.filt7_0!", ",filt7_0=12"},
    {"FILTER.filt15_8!", ",filt15_8=12"},
    {"FILTER.filt23_16!", ",filt23_16=12"},
    {"FILTER.filt31_24!", ",filt31_24=12"},
    {"FILTER.lo_addr", ",lo_addr=64,opc=1"},
};

static void add_filters(const char *filters, char *text, size_t size)
{
  for (size_t i = 0; filters && i < sizeof passing / sizeof *passing; i++)
    if (strstr(filters, passing[i].filter) && strlen(text) + strlen(passing[i].text) < size)
      strcat(text, passing[i].text);
}

/* Finds the number of the free-running counter that counts an event; PMON_E_UNSUPPORTED: its registers are not
 * known. */
static int coverage_own_index(const struct walk *w, const struct pmon_event_info *e, const char *unit, uint64_t *ret)
{
  struct pmon_register_info info = {.size = sizeof info};
  struct pmon_event *event = NULL;
  struct pmon_image image;
  char text[256];
  snprintf(text, sizeof text, "%s/%s/", unit, e->event);
  int status = pmon_event_resolve(w->context, w->platform, text, &event);
  if (!status)
    status = pmon_event_encode(event, 0, filter_lowest_bit(pmon_event_instances(event)), 0, &image);
  if (!status)
    status = pmon_register_describe(w->platform, image.counter_id.unit, image.counter_id.reg, &info);
  if (!status)
    *ret = info.index + image.counter_id.index;
  pmon_event_free(event);
  return status;
}

static int coverage_row_of(struct walk *w, const struct pmon_event_info *e, const char *unit, struct coverage_row *row)
{
  char text[256];
  *row = (struct coverage_row){.unit = unit, .event = e->event, .umask = e->umask};
  if (e->kind != PMON_EVENT_PROGRAMMED) {
    row->own = e->kind == PMON_EVENT_FREERUNNING ? DRIVE_FREERUNNING : DRIVE_FIXED;
    const bool known = e->kind == PMON_EVENT_FREERUNNING && !coverage_own_index(w, e, unit, &row->index);
    w->own += e->kind == PMON_EVENT_FREERUNNING;
    if (!known && e->kind == PMON_EVENT_FREERUNNING)
      row->index = w->own - 1;
    return PMON_OK;
  }
  snprintf(text, sizeof text - 1, "%s/%s%s%s", unit, e->event, e->umask ? "." : "", e->umask ? e->umask : "");
  add_filters(e->filters, text, sizeof text - 1);
  strcat(text, "/");
  return coverage_row_encode(w->context, w->platform, text, row);
}

/* Visits the rows of pmon_event_next() for unit `from`, as `unit` counts them. Rows of another unit's list that `unit`
 * does not have are omitted. */
static int rows_of(struct walk *w, uint32_t from, const char *unit, coverage_row_fn each, void *data)
{
  struct pmon_event_cursor cursor = {0};
  struct pmon_event_info e = {.size = sizeof e};
  while (pmon_event_next(w->platform, from, &cursor, &e)) {
    struct coverage_row row;
    int status = coverage_row_of(w, &e, unit, &row);
    if (status == PMON_E_UNKNOWN && strcmp(e.unit, unit))
      return PMON_OK;
    if (!status)
      status = each(data, &row);
    if (status)
      return status;
  }
  return PMON_OK;
}

static bool filter_is_listed(const struct pmon_platform *platform, uint32_t unit, const char *event)
{
  struct pmon_event_cursor cursor = {0};
  struct pmon_event_info e = {.size = sizeof e};
  while (pmon_event_next(platform, unit, &cursor, &e))
    if (!strcmp(e.event, event))
      return true;
  return false;
}

/* Visits the sets that several units share, which are listed under a unit without instances. */
static int shared_rows(struct walk *w, uint32_t unit, const char *name, coverage_row_fn each, void *data)
{
  struct pmon_unit_info u = {.size = sizeof u};
  int status = PMON_OK;
  for (uint32_t i = 0; !status && !pmon_unit_describe(w->platform, i, &u); i++) {
    struct pmon_event_cursor cursor = {0};
    struct pmon_event_info e = {.size = sizeof e};
    if (!u.instances && pmon_event_next(w->platform, i, &cursor, &e) && !filter_is_listed(w->platform, unit, e.event))
      status = rows_of(w, i, name, each, data);
  }
  return status;
}

/* Visits the rows of a unit whose registers are not known, which nothing can count. */
static int uncountable_rows(struct walk *w, uint32_t unit, coverage_row_fn each, void *data)
{
  struct pmon_event_cursor cursor = {0};
  struct pmon_event_info e = {.size = sizeof e};
  int status = PMON_OK;
  while (!status && pmon_event_next(w->platform, unit, &cursor, &e)) {
    struct coverage_row row;
    if (coverage_row_of(w, &e, e.unit, &row) != PMON_E_UNSUPPORTED)
      return PMON_OK;
    row.ctl = e.code | e.umask_value << 8;
    status = each(data, &row);
  }
  return status;
}

/* Whether the addresses of the unit's registers are known; some units exist, but only the kernel can count in them. */
static bool unit_is_countable(struct walk *w, uint32_t unit, const char *name)
{
  struct pmon_event_cursor cursor = {0};
  struct pmon_event_info e = {.size = sizeof e};
  struct coverage_row row;
  while (pmon_event_next(w->platform, unit, &cursor, &e))
    if (e.kind == PMON_EVENT_PROGRAMMED)
      return coverage_row_of(w, &e, name, &row) != PMON_E_UNSUPPORTED;
  return true;
}

int coverage_rows(struct pmon_context *context, const struct pmon_platform *platform, coverage_row_fn each, void *data)
{
  struct pmon_unit_info unit = {.size = sizeof unit};
  int status = PMON_OK;
  for (uint32_t u = 0; !status && !pmon_unit_describe(platform, u, &unit); u++) {
    struct walk w = {context, platform, 0};
    const bool countable = unit.instances && unit_is_countable(&w, u, unit.name);
    status = countable ? rows_of(&w, u, unit.name, each, data) : uncountable_rows(&w, u, each, data);
    if (!status && countable)
      status = shared_rows(&w, u, unit.name, each, data);
  }
  return status;
}

bool coverage_of_row(const char *platform, const struct coverage_row *row, struct machine_coverage *ret)
{
  ret->unit = row->unit;
  ret->event = row->event;
  return row->own ? machine_coverage_of_own(platform, row->unit, row->own, row->index, ret)
                  : machine_coverage_of(platform, row->unit, row->filter, row->ctl, ret);
}
