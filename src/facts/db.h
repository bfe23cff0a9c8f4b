/* SPDX-License-Identifier: MIT */
/*
 * The fact tables: the contents of data/ as flat arrays.
 *
 * One representation serves both the compiled-in tables (const, made by gen/) and those parsed at run time from a
 * user's files. Rows refer to each other by index, and to texts by offset into one string pool, so that the compiled
 * tables need no relocations and start-up costs nothing. docs/formats.md describes each fact.
 */
#ifndef PMON_FACTS_DB_H
#define PMON_FACTS_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmon/access.h>
#include <pmon/platform.h>
#include "src/base/text.h"
#include "src/facts/db_flag.h"

typedef uint32_t db_str;   /* offset into db.pool; 0 is the empty string */
#define DB_NONE UINT32_MAX /* no row */

/* Access to a field, with its name in fact files (docs/formats.md). DB_VIRT: the register has no such field; its value
 * says which value NAME gets on each package, for a field called NAME_relative. */
#define DB_RELATIVE "_relative"
enum db_relative { DB_OWN_NODE = 1, DB_OTHER_NODES = 2 }; /* values of a virtual field */
#define DB_ACCESSES(X)                                                                                                 \
  X(DB_RW, "rw")                                                                                                       \
  X(DB_RO, "ro")                                                                                                       \
  X(DB_WO, "wo")                                                                                                       \
  X(DB_W1C, "w1c")                                                                                                     \
  X(DB_W1S, "w1s")                                                                                                     \
  X(DB_W0C, "w0c")                                                                                                     \
  X(DB_RSVD, "rsvd")                                                                                                   \
  X(DB_IGN, "ign")                                                                                                     \
  X(DB_VIRT, "virt")
#define DB_ACCESS_VALUE(id, name) id,
enum db_access { DB_ACCESSES(DB_ACCESS_VALUE) };

enum db_combine { DB_SUM, DB_AVERAGE, DB_EACH, DB_TOTAL, DB_IMBALANCE };

/* A run of rows of another array. */
struct db_span {
  uint32_t first, n;
};

/* Members of any block: the citation, decisions (lines joined by '\n'), a source other than the guide. */
struct db_origin {
  db_str cite, note, source;
};

/* A field that must hold a value: of the counter control, or REGISTER.FIELD of a filter register. Derived
 * (src/facts/derive.c): field, its row in the first unit with these events, DB_NONE: that unit has no such field;
 * filter, the filter register, DB_NONE: the field is the control register's. */
enum db_setting_when {
  DB_SETTING_ALWAYS,
  DB_SETTING_ALONE, /* of a filter's `with`: only if no other register in use sets the field */
  DB_SETTING_BESIDE /* if another one sets it: only these bits of its value stay */
};
struct db_setting {
  db_str name;
  uint32_t field, filter, when;
  uint64_t value;
};
struct db_attr {
  db_str key, value;
}; /* a platform's own property of an event */

struct db_field {
  db_str name, alias, meaning;
  uint8_t hi, lo, access, reserved;
  uint32_t flags;
  uint32_t values;
  uint64_t reset, preset;
}; /* values: row of db.values or DB_NONE; alias: comma list */
/* Derived (src/facts/derive.c): code, umask, ext, code_ext, the fields that select an event, and enable, DB_NONE: none;
 * overlay, the layout's first overlay, or of an overlay the next one on the same base, DB_NONE: none; writable, the
 * bits that software writes. flags: DB_PRESET if a field has one, DB_RESOLVED. */
struct db_layout {
  db_str name, alias, brief; /* alias: comma list */
  struct db_origin origin;
  struct db_span fields;
  uint32_t width : 8, flags : 24, base;
  uint32_t code, umask, ext, code_ext, enable, overlay;
  uint64_t writable;
};
struct db_value {
  db_str name, meaning;
  uint64_t value;
};
/* form: text before the first number, then the bits of the two numbers within the field */
struct db_values {
  db_str name, form;
  struct db_origin origin;
  struct db_span rows;
  uint32_t flags;
  uint8_t form_hi[2], form_lo[2];
};

/* device: PCI bus << 8 | device << 3 | function; MMIO: pool offset of the BAR's name. */
struct db_place {
  uint64_t base;
  uint32_t space, device;
};
/* The largest number of a unit's filters that can act on events that do not set them, and of those of them that are not
 * breakpoint registers: plans and sessions have room for so many. */
enum { DB_FILTERS = 31, DB_ACTING_FILTERS = 8 };

/* access_bits, derived: width of one access, 32 or 64. Of filters: with, fields that are set together with one of this
 * register's, unless the event sets them; narrows_key and _value: the property of the events on which it acts, 0: none;
 * acts, excludes: lines joined by `;` (rule.h), the controls for which its fields act, or must let everything pass;
 * idle: why it acts on no event; mask: the register that selects the compared bits. */
struct db_register {
  db_str name, alias; /* alias: comma list */
  uint32_t role, layout, count, index, step;
  uint32_t width : 8, access_bits : 8, latched : 1, exact : 1;
  uint64_t offset;
  uint32_t own_place, n_own; /* own_place: first row of db.places if it has places of its own, else DB_NONE */
  struct db_span with;
  db_str narrows_key, narrows_value, acts, excludes, idle, mask;
};
/* Of N instances of the unit, i has place own_place + i * n_own / N: they share the n_own places of such a register in
 * runs. One place: all share it; two memory channels share their controller's counters. */

/* Differences of a unit's instances `first` to `last` from its other rows, each DB_NONE if there is none: numbers and
 * widths of counters, and offsets of the registers of three roles. */
struct db_exception {
  uint32_t first, last, counters, width_bits, status, ctl, ctr;
};
/* settings: fields that each event of the set gets in this unit; empty: the set's rows are shared. */
struct db_import {
  uint32_t set;
  db_str cite;
  struct db_span settings;
};
struct db_unit {
  db_str name, title, prefix, perf, pfm, alias, clock; /* alias: comma list */
  db_str root_buses;                                   /* of an I/O stack: the `root-buses` line of the facts */
  db_str witness; /* the event that shows the package's activity, or the unit's (DB_OWN_WITNESS) */
  struct db_origin origin;
  uint32_t flags, instances, width_bits, discovery; /* discovery: DB_NONE when the page does not list it */
  uint32_t counters, first_counter;                 /* counters are numbered from first_counter on */
  uint32_t root_port;                               /* the PCI device of port 0's root port, or DB_NONE */
  uint32_t ctl, ctr;                                /* derived: first rows of these roles in db.registers, or DB_NONE */
  uint32_t pfm_length, prefix_length;               /* derived: lengths of `pfm` and `prefix` */
  struct db_span registers, places, imports, exceptions;
  struct db_span bounds; /* upper bounds of an instance, rows of db.attrs: unit of results, equation */
  struct db_span kernel; /* the kernel's names for this unit's events, rows of db.attrs: name, terms */
};

/* Properties that few umasks have: the others share the first row, which is empty. */
struct db_umask_extra {
  uint64_t any;            /* bits of the umask that the event ignores */
  db_str alias, filters;   /* filters: instead of the event's; empty: the event's */
  struct db_origin origin; /* cite 0: as the event's */
  uint32_t max_inc;        /* 0: as the event's */
};
struct db_umask {
  db_str name, brief;
  db_str sentence; /* derived (compose.c): the description of the event with this umask */
  uint32_t extra;  /* row of db.umask_extras */
  uint64_t value;
  struct db_span settings;
  uint32_t counters, flags; /* counters: bit n = counter n; 0: as the event's */
};
/* Bits of a umask of which an event needs at least one. */
struct db_mask {
  uint64_t bits;
};
struct db_event {
  db_str name, alias, brief, category, filters, result;
  struct db_origin origin;
  uint32_t set, counters, max_inc, overlay, flags; /* overlay: row of db.layouts or DB_NONE */
  uint32_t fixed_role, fixed_index;                /* PMON_ROLE_N: an ordinary event */
  uint64_t code;
  double scale;                                 /* scale 0: none */
  struct db_span groups;                        /* rows of db.masks */
  struct db_span settings, attrs, umasks, with; /* with: fields of filters that counting the event also sets */
};
struct db_set {
  db_str name;
  struct db_span events;
};

/* Derived (full_name.c): an event of a unit, with one umask or none (DB_LISTED_BARE), as lists and event files name it.
 * The rows are small because there are thousands: import and umask are relative to the first one of the unit and of the
 * event, and an event that does not fit is not listed. The lengths are those of the names. */
#define DB_LISTED_BARE UINT16_MAX
struct db_listed {
  uint32_t event;
  uint16_t unit, umask;
  uint8_t import, unit_length, event_length, umask_length;
};

struct db_metric {
  db_str name, brief, result, equation, printed, param;
  struct db_origin origin;
  uint32_t unit, flags, default_place; /* default_place, derived: position among the default metrics, from 1; 0: none */
  uint8_t combine, param_lo, param_hi;
  db_str stale, of, alias; /* of: the base of a ratio: "requests"; alias: other names, a comma list */
};

/* A metric group. members, derived: its rows of db.members, in order. */
#define DB_DEFAULT_GROUP "DEFAULT"
struct db_group {
  db_str name, brief;
  struct db_origin origin;
  struct db_span members;
};
/* A metric in a group: `name` is UNIT/NAME, `place` orders the members of a group that several files fill. */
struct db_member {
  db_str name;
  uint32_t group, metric, place;
};
struct db_invariant {
  db_str name, brief, holds;
  struct db_origin origin;
  uint32_t unit;
};
/* A programming rule of the guide, checked by a test of machine/check/ or by conditions on fields (texts, as in the
 * file). on: roles and registers that it applies to, a comma list; empty: all. */
struct db_rule {
  db_str name, brief, test, on, when, needs;
  struct db_origin origin;
  uint32_t unit, flags;
};
struct db_clock {
  db_str name, meaning;
  uint64_t hz;
};
struct db_cpu {
  db_str vendor;
  uint32_t family, model, stepping_lo, stepping_hi;
};

/* base: the name of the platform at the end of the chain of imports; its own if it imports none. */
struct db_platform {
  db_str name, title, base;
  struct db_origin origin;
  struct db_span cpus, clocks, layouts, values, units, sets, metrics, groups, members, invariants, rules;
};

/* Every array and its length; X(type, member). */
#define DB_ARRAYS(X)                                                                                                   \
  X(db_setting, settings)                                                                                              \
  X(db_attr, attrs)                                                                                                    \
  X(db_field, fields)                                                                                                  \
  X(db_layout, layouts)                                                                                                \
  X(db_value, value_rows)                                                                                              \
  X(db_values, values)                                                                                                 \
  X(db_place, places)                                                                                                  \
  X(db_register, registers)                                                                                            \
  X(db_import, imports)                                                                                                \
  X(db_exception, exceptions)                                                                                          \
  X(db_unit, units)                                                                                                    \
  X(db_umask, umasks)                                                                                                  \
  X(db_umask_extra, umask_extras)                                                                                      \
  X(db_mask, masks)                                                                                                    \
  X(db_event, events)                                                                                                  \
  X(db_set, sets)                                                                                                      \
  X(db_metric, metrics)                                                                                                \
  X(db_group, groups)                                                                                                  \
  X(db_member, members)                                                                                                \
  X(db_invariant, invariants)                                                                                          \
  X(db_rule, rules)                                                                                                    \
  X(db_clock, clocks)                                                                                                  \
  X(db_cpu, cpus)                                                                                                      \
  X(db_platform, platforms)

struct db {
  const char *pool;
  uint32_t pool_size;
#define DB_MEMBER(type, name)                                                                                          \
  const struct type *name;                                                                                             \
  uint32_t n_##name;
  DB_ARRAYS(DB_MEMBER)
#undef DB_MEMBER
  /* Look-up of events, umasks, fields and units by name: open addressing over hashes of lower-case names (index.c). */
  const uint32_t *index;
  uint32_t index_size; /* a power of two */
  struct text_key index_key;
  /* The same for the full names of events (full_name.c). */
  const struct db_listed *listed;
  const uint32_t *listed_places;
  uint32_t n_listed, listed_size; /* listed_size, of places: a power of two */
  /* SHA-256 of the files that the tables were read from, in hexadecimal; "": they are compiled in. */
  char content[65];
};

/* The tables compiled in. */
extern const struct db db_builtin;

/* Returns the place to which the offset of `r`, a register of `u`, is added for one instance (below u->instances). */
static inline const struct db_place *db_register_place(const struct db *db, const struct db_unit *u,
                                                       const struct db_register *r, uint32_t instance)
{
  if (r->own_place == DB_NONE)
    return &db->places[u->places.first + instance];
  return &db->places[r->own_place + (u->instances ? instance * r->n_own / u->instances : 0)];
}

static inline const struct db_umask_extra *db_umask_extra(const struct db *db, const struct db_umask *u)
{
  return &db->umask_extras[u->extra];
}

static inline uint32_t db_listed_import(const struct db *db, const struct db_listed *l)
{
  return db->units[l->unit].imports.first + l->import;
}

/* Only for a row that has a umask. */
static inline uint32_t db_listed_umask(const struct db *db, const struct db_listed *l)
{
  return db->events[l->event].umasks.first + l->umask;
}

/* Returns the exception of an instance; NULL: none. */
static inline const struct db_exception *db_unit_exception(const struct db *db, const struct db_unit *u,
                                                           uint32_t instance)
{
  for (uint32_t i = 0; i < u->exceptions.n; i++) {
    const struct db_exception *e = &db->exceptions[u->exceptions.first + i];
    if (instance >= e->first && instance <= e->last)
      return e;
  }
  return NULL;
}

/* How many counters an instance has, and how wide they are. */
static inline uint32_t db_unit_counters(const struct db *db, const struct db_unit *u, uint32_t instance)
{
  const struct db_exception *e = db_unit_exception(db, u, instance);
  return e && e->counters != DB_NONE ? e->counters : u->counters;
}

static inline uint32_t db_unit_width(const struct db *db, const struct db_unit *u, uint32_t instance)
{
  const struct db_exception *e = db_unit_exception(db, u, instance);
  return e && e->width_bits != DB_NONE ? e->width_bits : u->width_bits;
}

/* The number of registers that the row describes in an instance, and the offset of the first one. */
static inline uint32_t db_register_count(const struct db *db, const struct db_unit *u, const struct db_register *r,
                                         uint32_t instance)
{
  const bool counted = r->role == PMON_ROLE_CTL || r->role == PMON_ROLE_CTR;
  const struct db_exception *e = counted ? db_unit_exception(db, u, instance) : NULL;
  return e && e->counters != DB_NONE ? e->counters : r->count ? r->count : 1;
}

static inline uint64_t db_register_offset(const struct db *db, const struct db_unit *u, const struct db_register *r,
                                          uint32_t instance)
{
  const struct db_exception *e = db_unit_exception(db, u, instance);
  const uint32_t other = !e                                 ? DB_NONE
                         : r->role == PMON_ROLE_CTL         ? e->ctl
                         : r->role == PMON_ROLE_CTR         ? e->ctr
                         : r->role == PMON_ROLE_UNIT_STATUS ? e->status
                                                            : DB_NONE;
  return other != DB_NONE ? other : r->offset;
}

static inline const char *db_text(const struct db *db, db_str s)
{
  return db->pool + s;
}

#endif
