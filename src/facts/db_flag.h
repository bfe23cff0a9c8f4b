/* SPDX-License-Identifier: MIT */
/* The bits of `flags` of the fact tables' rows (db.h), by the kind of row. Derived: no line of a fact file sets it. */
#ifndef PMON_FACTS_DB_FLAG_H
#define PMON_FACTS_DB_FLAG_H

enum db_flag {
  /* layouts, lists of values, units, events, umasks, metrics */
  DB_UNSURE = 1 << 0, /* no other source confirms the row */
  /* layouts */
  DB_OVERLAY = 1 << 5,   /* a second layout of bits of another one, for some events */
  DB_RESOLVED = 1 << 17, /* derived: one of its fields is virtual */
  /* fields */
  DB_VOLATILE = 1 << 6, /* the hardware changes it */
  DB_PRESET = 1 << 11,  /* it has a preset; derived, of a layout: one of its fields has */
  DB_STICKY = 1 << 14,  /* it keeps its value over a warm reset */
  /* lists of values */
  DB_FORM = 1 << 9, /* its names are composed of a text and two numbers */
  /* units */
  DB_PERF_ONLY = 1 << 15,   /* the addresses of its registers are not known; Linux perf counts it */
  DB_SUMMED = 1 << 16,      /* of a DB_PERF_ONLY unit: its instance is the sum of all of the kernel's in a package */
  DB_INTERLEAVED = 1 << 18, /* requests are spread over all its instances evenly */
  DB_OWN_WITNESS = 1 << 20, /* its witness shows the activity of this unit alone */
  /* events */
  DB_BARE = 1 << 1,            /* its name without a umask means umask 0 */
  DB_EXCLUSIVE = 1 << 2,       /* its umasks must not be combined */
  DB_LEVEL = 1 << 4,           /* it has `attr gauge`: its counter has a level */
  DB_COUNTERS_GIVEN = 1 << 10, /* it lists its counters (perhaps none) */
  /* umasks */
  DB_DEFAULT = 1 << 3, /* the event's name without a umask means this one */
  /* events and umasks */
  DB_FILTERED = 1 << 13, /* derived: it has a filter that must be set */
  DB_STATES = 1 << 21,   /* it counts a state in each cycle; umasks inherit it */
  /* metrics */
  DB_STALE = 1 << 7,      /* derived: it has no equation, but a reason (`stale`) */
  DB_PER_SECOND = 1 << 8, /* its equation is divided by time */
  /* rules */
  DB_ADVICE = 1 << 12 /* the guide only recommends it */
};

#endif
