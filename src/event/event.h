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

#define EVENT_UMASKS 4 /* that one event may combine */

/* A field that must hold a value. */
struct event_setting {
  uint32_t reg;   /* row of db.registers: the unit's ctl, fixed_ctl or a filter */
  uint32_t field; /* row of db.fields: of that register's layout, or of an overlay on it */
  uint64_t value;
};

/* What an event wants of a register: these bits, and the value that they hold; it is 0 in all others. */
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
  uint32_t ctr_index; /* which of a free-running row's several; else 0 (the slot is chosen by the plan) */
  uint32_t kind;      /* enum pmon_event_kind */
  uint64_t instances; /* bit n: instance n */
  uint32_t counters;  /* bit n: counter n allowed */
  uint32_t n_registers;
  const struct event_register *registers; /* ctl, where there is one, then the filters, each once */
  const char *name;                       /* canonical spelling */
  const char *brief;                      /* the description with all of its umasks; NULL: it has fewer than two */
};

/* A control register's value in a unit (row of db.units), for these instances. */
struct event_value {
  uint32_t unit;
  uint64_t instances, value;
};

/* The event that such a value selects, attributes and all; bits that no event may set are left aside, and counting is
 * taken for enabled. The caller frees it. PMON_OK; PMON_E_UNKNOWN (it selects nothing); PMON_E_MEMORY. */
int event_of_value(const struct pmon_platform *platform, const struct event_value *v, struct pmon_event **ret_event);

/* As pmon_event_resolve(). `recorded`: the text is the name of an event that was measured and recorded, perhaps before
 * pmon refused what such an event asks for in vain. */
int event_resolve(struct pmon_context *context, const struct pmon_platform *platform, const char *text, bool recorded,
                  struct pmon_event **ret_event);

/* Whether the facts say that the filter register acts on the event (row; DB_NONE: no row). */
bool event_is_narrowed(const struct db *db, uint32_t event, uint32_t reg);

/* The bits of the filter register (row) that act on what the control's value selects, be it that the event sets them or
 * not (`acts`), and those that must let everything pass (`excludes`). A register that acts on no event of the facts
 * (`acts nothing`) may act on a code that is none of theirs. */
struct event_control {
  uint32_t ctl;   /* row of db.registers, or DB_NONE: nothing acts on a free-running counter's event */
  uint32_t event; /* row of db.events, or DB_NONE: a raw code that is none of the unit's events */
  uint64_t value;
};
uint64_t event_filter_bits(const struct db *db, struct event_control control, uint32_t reg);

/* Another field that an attribute of this name sets too, unless that one or *ret_instead is written; NULL: none. */
const char *event_field_companion(const char *field, const char **ret_instead);

/* Whether a field of the event is relative to the package that it is encoded for (DB_VIRT). */
bool event_is_relative(const struct pmon_event *event);

#endif
