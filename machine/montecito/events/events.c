/* SPDX-License-Identifier: MIT */
/*
 * The table of events, typed from Tables 4-1 to 4-42 and the event pages (4.15), with the way in which the machine
 * models each of them.
 *
 * Where sections of the guide differ: L2I events can be constrained by range 1 only (their pages). SPEC_LOADS_NATTED
 * can be constrained by ranges but not by opcode (its page). DTLB_INSERTS_HPW and HPW_DATA_REFERENCES cannot be
 * constrained (their pages: no instruction of theirs retires). SYLL_NOT_DISPERSED has a maximum of five per cycle in
 * the table and six in its text. In this machine a target and the next source can occur in one cycle: ETB_EVENT counts
 * both.
 */
#include <string.h>
#include "machine/montecito/events/umask_tables.h"
#include "machine/montecito/events/umasks.h"
#include "machine/pmon/coverage.h"

/* Only a line of the stream produces the event. */
#define STREAM "signal lines of the stream"

const struct montecito_event montecito_events[] = {
#include "machine/montecito/events/events.inc"
    {0}};

static const uint16_t counted_umasks[256] = {
#include "machine/montecito/events/counted.inc"
};

/* The umasks that programs in Itanium code make count, including those that no stream does. */
static const uint16_t executed_umasks[256] = {
#include "machine/montecito/events/programs.inc"
};

bool montecito_event_is_executed(unsigned code, unsigned umask)
{
  return executed_umasks[code & 0xff] >> (umask & 0xf) & 1;
}

bool montecito_event_is_counted(unsigned code, unsigned umask)
{
  return counted_umasks[code & 0xff] >> (umask & 0xf) & 1;
}

const struct montecito_event *montecito_event_find_by_code(unsigned code)
{
  size_t low = 0, high = sizeof montecito_events / sizeof *montecito_events - 1;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (montecito_events[middle].code < code)
      low = middle + 1;
    else
      high = middle;
  }
  return montecito_events[low].name && montecito_events[low].code == code ? &montecito_events[low] : NULL;
}

const struct montecito_event *montecito_event_find_by_name(const char *name)
{
  for (const struct montecito_event *e = montecito_events; e->name; e++)
    if (!strcmp(e->name, name))
      return e;
  return NULL;
}

uint16_t montecito_umask_values(const struct montecito_event *e, const char *name)
{
  for (const struct montecito_umask *u = e->umasks; u && u->name; u++)
    if (!strcmp(u->name, name))
      return u->values;
  return 0;
}

/* 3.3.3: events of the system interface and of the L2D are restricted to counters 4 to 9; the event of halted cycles is
 * restricted to counter 10. Software can select the others on all counters, as in hardware: counters 10 to 15 count
 * causal and floating events only while their thread is in the foreground, which rules_check_banked() reports. */
uint16_t montecito_event_counters(unsigned code)
{
  if (code == 0x18)
    return 1u << 10;
  return (code >= 0x80 && code < 0xc0) || code >= 0xe0 ? 0x03f0 : 0xfff0;
}

/* Rows of the same name are one event with two codes (L2D_OZQ_FULL, Table 4-19). */
static bool first_of_its_name(size_t row)
{
  size_t i = 0;
  while (strcmp(montecito_events[i].name, montecito_events[row].name))
    i++;
  return i == row;
}

/* Returns row i: an event with one of its umasks, or without umasks; NULL after the last row. */
static const struct montecito_event *coverage_row(size_t i, const struct montecito_umask **ret_umask)
{
  for (size_t row = 0; montecito_events[row].name; row++) {
    const struct montecito_umask *u = montecito_events[row].umasks;
    if (!first_of_its_name(row))
      continue;
    *ret_umask = u;
    do {
      if (!i--)
        return &montecito_events[row];
    } while (u && (++*ret_umask)->name);
  }
  return NULL;
}

bool montecito_coverage(size_t i, struct machine_coverage *ret)
{
  static const char *const how[] = {
      [HOW_MODEL] = "modelled", [HOW_STREAM] = "stream", [HOW_CONSTANT] = "constant", [HOW_NONE] = "not modelled"};
  const struct montecito_umask *u;
  const struct montecito_event *const e = coverage_row(i, &u);
  if (!e)
    return false;
  *ret = (struct machine_coverage){
      .unit = "pmu", .event = e->name, .umask = u ? u->name : NULL, .how = how[e->how], .part = e->part};
  const unsigned umask = u ? (unsigned)__builtin_ctz(u->values) : 0;
  const bool counted = e->how == HOW_MODEL && montecito_event_is_counted(e->code, umask);
  if (!counted && montecito_event_is_executed(e->code, umask)) {
    ret->how = how[HOW_MODEL];
    ret->part = e->how == HOW_MODEL ? e->part : "programs in Itanium code";
  } else if (e->how == HOW_MODEL && !counted) {
    ret->how = how[HOW_STREAM];
    ret->part = "lines and attributes of the stream that state it";
  }
  return true;
}
