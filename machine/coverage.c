/* SPDX-License-Identifier: MIT */
#include "machine/coverage.h"

#include <string.h>
#include "machine/model.h"
#include "machine/pmon/unit.h"

_Static_assert((int)MACHINE_FILTERS == BLOCK_FILTERS, "filters of a row are those of a block");

static const char *const hows[MACHINE_HOWS] = {[MACHINE_MODELLED] = "modelled",
                                               [MACHINE_STREAM] = "stream",
                                               [MACHINE_CONSTANT] = "constant",
                                               [MACHINE_NOT_MODELLED] = "not modelled"};
static const char clock_part[] = "clock", follow_part[] = "the event of counter 0", some_part[] = "traffic",
                  no_part[] = "no part of the machine generates it";

struct row {
  const struct pmon_unit *unit;
  const uint64_t *filter;
  uint64_t ctl;
};

static const struct pmon_unit *coverage_find_unit(const char *platform, const char *unit,
                                                  const struct processor_model **ret_model)
{
  const struct processor_model *p = model_find(platform);
  const struct pmon_unit *u = p && p->reports ? p->pmon->units : NULL;
  while (u && u->name && strcmp(u->name, unit))
    u++;
  *ret_model = p;
  return u && u->name ? u : NULL;
}

static bool row_selects(const struct row *row, uint64_t attr)
{
  const struct pmon_unit *u = row->unit;
  return u->filtered ? u->filtered(row->filter, row->ctl, attr) : u->weight(row->ctl, attr);
}

static bool drive_covers(const struct machine_drive *d, const char *unit, uint16_t code)
{
  return code >= d->first && code <= d->last && !strcmp(d->unit, unit);
}

static void coverage_set(struct machine_coverage *ret, uint8_t how, const char *part)
{
  ret->how = hows[how];
  ret->part = part;
}

/* Finds the part that makes a report. */
static void coverage_set_source(const struct processor_model *p, const struct machine_report *r,
                                struct machine_coverage *ret)
{
  for (const struct machine_drive *d = p->drives; d->unit; d++)
    if (d->how <= MACHINE_CONSTANT && drive_covers(d, r->unit, r->code) && (!d->attr || d->attr & r->attr)) {
      coverage_set(ret, d->how, d->part);
      return;
    }
  coverage_set(ret, MACHINE_MODELLED, some_part);
}

/* Finds the reason for a row of a unit that the machine does not have. */
static bool coverage_set_absent(const struct processor_model *p, const char *unit, uint64_t ctl,
                                struct machine_coverage *ret)
{
  for (const struct machine_reason *r = p ? p->reasons : NULL; r && r->unit; r++)
    if (!strcmp(r->unit, unit) && (ctl & 0xff) >= r->first && (ctl & 0xff) <= r->last) {
      coverage_set(ret, r->how, r->part);
      return true;
    }
  return false;
}

/* Finds the reason why no report moves a row. */
static void coverage_set_reason(const struct processor_model *p, const struct row *row, struct machine_coverage *ret)
{
  const uint16_t code = row->ctl & 0xff;
  for (const struct machine_reason *r = p->reasons; r && r->unit; r++)
    if (code >= r->first && code <= r->last && !strcmp(r->unit, row->unit->name) && (row->ctl & r->with) == r->with &&
        !(row->ctl & r->without) && (!r->any || row->ctl & r->any)) {
      coverage_set(ret, r->how, r->part);
      return;
    }
  for (const struct machine_drive *d = p->drives; d->unit; d++)
    if (d->how >= MACHINE_CONSTANT && drive_covers(d, row->unit->name, code) &&
        (!d->attr || row_selects(row, d->attr))) {
      coverage_set(ret, d->how, d->part);
      return;
    }
  coverage_set(ret, MACHINE_NOT_MODELLED, no_part);
}

bool machine_coverage_of(const char *platform, const char *unit, const uint64_t *filter, uint64_t ctl,
                         struct machine_coverage *ret)
{
  static const uint64_t no_filter[MACHINE_FILTERS];
  const struct processor_model *p;
  const struct row row = {coverage_find_unit(platform, unit, &p), filter ? filter : no_filter, ctl};
  if (!row.unit)
    return coverage_set_absent(p, unit, ctl, ret);
  for (unsigned i = 0; i < UNIT_SIGNALS && row.unit->signals[i].code; i++)
    if ((row.unit->signals[i].code & 0xff) == (ctl & 0xff) && row.unit->weight(ctl, row.unit->signals[i].attr)) {
      coverage_set(ret, MACHINE_MODELLED, clock_part);
      return true;
    }
  if (row.unit->follow_code && (ctl & 0xff) == row.unit->follow_code) {
    coverage_set(ret, MACHINE_MODELLED, follow_part);
    return true;
  }
  for (const struct machine_report *r = p->reports; r->unit; r++)
    if (r->code == (ctl & 0xff) && !strcmp(r->unit, unit) && row_selects(&row, r->attr)) {
      coverage_set_source(p, r, ret);
      return true;
    }
  coverage_set_reason(p, &row, ret);
  return true;
}

/* Returns the row of a counter whose value the model reads, or that never counts; NULL: it is no such counter. */
static const struct reg_rows *coverage_find_of_model(const struct pmon_unit *u, uint16_t code, uint64_t index)
{
  for (const struct reg_rows *r = u->regs; r < u->regs + UNIT_REGS && r->name; r++)
    if ((r->role == REG_MODEL || r->constant) && (code == DRIVE_FREERUNNING) == !r->layout->rw && index >= r->index &&
        index - r->index < r->count)
      return r;
  return NULL;
}

bool machine_coverage_of_own(const char *platform, const char *unit, uint16_t code, uint64_t index,
                             struct machine_coverage *ret)
{
  const struct processor_model *p;
  const struct pmon_unit *u = coverage_find_unit(platform, unit, &p);
  if (!u)
    return false;
  if (code == DRIVE_FIXED ? u->fixed : u->freerunning_clock == index + 1) {
    coverage_set(ret, MACHINE_MODELLED, clock_part);
    return true;
  }
  const struct reg_rows *own = coverage_find_of_model(u, code, index);
  if (own) {
    coverage_set(ret, own->constant ? MACHINE_CONSTANT : MACHINE_MODELLED, own->constant ? own->constant : u->part);
    return true;
  }
  for (const struct machine_report *r = p->reports; r->unit; r++)
    if (r->code == code && r->attr == index && !strcmp(r->unit, unit)) {
      coverage_set_source(p, r, ret);
      return true;
    }
  coverage_set(ret, MACHINE_NOT_MODELLED, no_part);
  return true;
}
