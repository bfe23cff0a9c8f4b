/* SPDX-License-Identifier: MIT */
/*
 * The core's events as the hardware defines them: code, maximum increment, owning thread, constraints, set, and how
 * this machine models them. A transcription of chapter 4 that is independent of the library's facts; a test compares
 * the two.
 */
#ifndef MACHINE_MONTECITO_EVENTS_EVENTS_H
#define MACHINE_MONTECITO_EVENTS_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 4.2.1: A: of the active thread; C: of no thread, counted for the active one; F: of the thread that caused it; S: F
 * or C, depending on the umask. */
enum montecito_event_type { TYPE_A = 'A', TYPE_C = 'C', TYPE_F = 'F', TYPE_S = 'S' };

/* The tag that a signal needs before a counter counts it (columns IAR, DAR, OPC). */
enum montecito_tag_need {
  NEED_NONE,   /* N/N/N */
  NEED_IAR,    /* Y/N/N: instruction address range 0 */
  NEED_IAR1,   /* Y/N/N: range 1, of prefetches (3.3.5.2) */
  NEED_TAG,    /* Y/N/Y: tag channel 0 */
  NEED_MEMORY, /* Y/Y/Y: the combination of ranges and opcodes that PMC41 selects */
  NEED_DATA    /* Y/Y/N: the same without opcodes */
};

/* Sets of events. The leading counter of a group selects the one set of each kind that the group can count (4.8.2,
 * 4.8.4). */
enum { SET_NONE = 0, SET_L1D = 0x10, SET_L2D = 0x20, SET_KIND = 0xf0 };

enum {
  EVENT_MESI = 1,        /* PMC.MESI filters it */
  EVENT_ALL_IGNORED = 2, /* counts as if .all were set */
  EVENT_UNCLAMPED = 4
}; /* EVENT_UNCLAMPED: the event's description allows larger increments than its table */

enum montecito_event_origin { HOW_MODEL, HOW_STREAM, HOW_CONSTANT, HOW_NONE };

struct montecito_umask {
  const char *name;
  uint16_t values;
}; /* values: machine/montecito/events/umasks.h */

struct montecito_event {
  const char *name;
  uint8_t code, max, type, need, set, flags;
  uint16_t not_all; /* umasks for which .all has no effect (4.8.4) */
  const struct montecito_umask *umasks;
  uint8_t how;
  const char *part; /* the part of the machine that produces the event, or the reason why it always counts 0 */
};

/* Ordered by code, then in the guide's order; IA64_TAGGED_INST_RETIRED shares its code with another event. Ends with
 * name NULL. */
extern const struct montecito_event montecito_events[];

/* True if generated programs or streams make the event count with this umask value, without an input line that states
 * the event (tests/coverage/test_cores.c). */
bool montecito_event_is_counted(unsigned code, unsigned umask);
/* True if programs in Itanium code make the event count with this umask value (tests/coverage/test_programs.c). */
bool montecito_event_is_executed(unsigned code, unsigned umask);

/* Returns the first event with this code, or NULL. */
const struct montecito_event *montecito_event_find_by_code(unsigned code);
/* Returns the event of this name (case matters), or NULL. */
const struct montecito_event *montecito_event_find_by_name(const char *name);
/* Returns the set of umask values that the event's umask of this name covers; 0: there is no such umask. */
uint16_t montecito_umask_values(const struct montecito_event *e, const char *name);
/* Returns the counters that can count this code: bit n for counter n (3.3.3). */
uint16_t montecito_event_counters(unsigned code);

struct machine_coverage; /* machine/pmon/coverage.h */
/* Returns row i of the events with the way in which the machine models it; false after the last row. */
bool montecito_coverage(size_t i, struct machine_coverage *ret);
struct processor_model; /* machine/common/model.h */
extern const struct processor_model montecito_model;

#endif
