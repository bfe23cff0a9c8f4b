/* SPDX-License-Identifier: MIT */
/*
 * A resolved event as the library's other rooms see it. It is one block of memory: the struct, its registers, its name.
 * It knows registers and their values, but no addresses; src/encode/ makes register images of it.
 */
#ifndef PMON_EVENT_EVENT_H
#define PMON_EVENT_EVENT_H

#include <stdint.h>
#include <pmon/event.h>
#include "src/facts/db.h"
#include "src/platform/platform.h"

#define EVENT_UMASKS 4 /* umasks that one event may combine */

/* A field that must hold a value. */
struct event_setting {
  uint32_t reg;   /* row of db.registers: the unit's ctl, fixed_ctl or a filter */
  uint32_t field; /* row of db.fields: of that register's layout, or of an overlay on it */
  uint64_t value;
};

/* Bits of a register that an event sets, and their value; `value` is 0 in all other bits. */
struct event_register {
  uint32_t reg; /* row of db.registers */
  uint64_t value, mask;
};

struct pmon_event {
  const struct pmon_platform *platform;
  const struct db *db;
  uint32_t unit;   /* row of db.units */
  uint32_t import; /* row of db.imports through which the unit has the event, or DB_NONE (raw code) */
  uint32_t event;  /* row of db.events, or DB_NONE: a raw code that is none of the unit's events */
  uint32_t umasks[EVENT_UMASKS], n_umasks; /* rows of db.umasks; none: raw or no umask */
  uint32_t ctl;       /* row of db.registers: the register that selects it, or DB_NONE (free-running) */
  uint32_t ctr;       /* row of db.registers: the counter(s) */
  uint32_t ctr_index; /* index within a free-running row of several counters; else 0 (the plan chooses the slot) */
  uint32_t kind;      /* enum pmon_event_kind */
  uint64_t instances; /* bit n: instance n */
  uint32_t counters;  /* bit n: counter n allowed */
  uint32_t n_registers;
  const struct event_register *registers; /* ctl, if there is one, then the filters, each once */
  const char *name;                       /* canonical spelling */
  const char *brief;                      /* the description with all umasks; NULL: fewer than two umasks */
};

/* A control register's value in a unit (row of db.units), for these instances. */
struct event_value {
  uint32_t unit;
  uint64_t instances, value;
};

/* Finds the event that the control value selects, with its attributes. Bits that no event may set are ignored, and the
 * enable bit is taken as set. The caller frees the event. PMON_OK; PMON_E_UNKNOWN (the value selects nothing);
 * PMON_E_MEMORY. */
int event_of_value(const struct pmon_platform *platform, const struct event_value *v, struct pmon_event **ret_event);

/* As pmon_event_resolve(). `recorded`: the text is an event's name from a recording. Filters without effect are then
 * accepted, because the version of pmon that recorded it may have accepted them. */
int event_resolve(struct pmon_context *context, const struct pmon_platform *platform, const char *text, bool recorded,
                  struct pmon_event **ret_event);

/* As pmon_event_next() for one unit, with the shared sets that pmon_event_next() visits under another one. */
bool event_next_counted(const struct pmon_platform *platform, uint32_t unit, struct pmon_event_cursor *cursor,
                        struct pmon_event_info *info);

/* Whether the event (row; DB_NONE: no row) has the property by which the filter register acts on it (`narrows`). */
bool event_is_narrowed(const struct db *db, uint32_t event, uint32_t reg);

/* A control register's value. event_filter_bits() returns the bits of the filter register `reg` (row) that act on the
 * event that the control selects, whether or not the event sets them (`acts`), and the bits that must let everything
 * pass for it (`excludes`). A register that acts on no event of the facts (`acts nothing`) may act on a raw code that
 * is none of them. */
struct event_control {
  uint32_t ctl;   /* row of db.registers, or DB_NONE: nothing acts on a free-running counter's event */
  uint32_t event; /* row of db.events, or DB_NONE: a raw code that is none of the unit's events */
  uint64_t value;
};
uint64_t event_filter_bits(const struct db *db, struct event_control control, uint32_t reg);

/* Returns the field that an attribute of this name also sets, unless it or *ret_instead is written; NULL: none. */
const char *event_field_companion(const char *field, const char **ret_instead);

/* Whether the event's register shows a level: enum pmon_level. */
enum pmon_level event_level(const struct pmon_event *event);

/* Whether a field of the event is relative to the package that it is encoded for (DB_VIRT). */
bool event_is_relative(const struct pmon_event *event);

#endif
