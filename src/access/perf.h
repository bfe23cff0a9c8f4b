/* SPDX-License-Identifier: MIT */
/* The perf backend's events and groups: perf_add.c opens them, perf.c starts, stops and reads them. */
#ifndef PMON_ACCESS_PERF_H
#define PMON_ACCESS_PERF_H

#include "src/access/perf_pmu.h"

enum { GROUP_EVENTS = 32, GROUP_HEAD = 3 }; /* nr, time_enabled, time_running come before the counts */

/* The part of an event in its group: counted for a caller; the leader of top-down fractions, which no caller requested;
 * the count of the group's leader, without its own descriptor; or a value of resctrl, without group and descriptor. */
enum perf_part { PERF_COUNTED, PERF_LEADS, PERF_AS_LEADER, PERF_VALUE };

/* A value of resctrl (perf_value.c). */
struct perf_value {
  struct pmon_address at;
  bool level;                        /* a level: its counts are values, not differences */
  bool known;                        /* the last read had a value, `now` */
  int64_t round;                     /* as in perf_group */
  uint64_t now, read_ns, counted_ns; /* counted_ns: the time that the last count covers; 0: it has no value */
};

struct perf_event {
  int fd; /* -1: none */
  enum perf_part part;
  uint32_t group, parts; /* parts: for a summed event, the number of consecutive events that are its instances; else
                            1 */
  uint64_t last, delta;
  struct perf_value value;
};

struct perf_group {
  char pmu[PERF_PMU_NAME];
  uint32_t package, cpu, leader, n; /* leader: number of its first event; n: number of its events */
  int64_t round;
  bool slots;                    /* its leader counts the slots of the pipeline, and the other events are fractions
                                    of them */
  uint64_t enabled, running;     /* as of the last read */
  uint64_t d_enabled, d_running; /* between the last two reads */
};

struct perf {
  struct pmon_backend backend;
  struct pmon_counting counting;
  struct pmon_backend *resctrl; /* NULL: no event needs it */
  struct system system;
  struct perf_event *events;
  struct perf_group *groups;
  uint32_t n_events, n_groups, cap_events, cap_groups;
  int64_t round; /* the current round; COUNTING_ALWAYS: none */
  bool begun;
  struct {
    char pmu[PERF_PMU_NAME];
    uint32_t n;
    struct counting_term terms[COUNTING_TERMS];
    uint64_t config[PERF_WORDS];
  } last;
  struct pmon_reason reason;
};

/* Returns the backend that contains `c`. */
static inline struct perf *perf_backend(struct pmon_counting *c)
{
  return (struct perf *)(void *)c->backend;
}

/* Calls perf_event_open for a CPU, in the group of `leader` (-1: as a leader). Returns a descriptor, or -1 with
 * errno. */
struct perf_event_attr;
int perf_open_event(const struct perf_event_attr *attr, uint32_t cpu, int leader);
/* Returns the status for an errno of perf_event_open; the backend's error text has the remedy. */
int perf_refused(struct perf *p, const char *pmu, const uint64_t config[PERF_WORDS], int error);

/* Values of resctrl (perf_value.c): whether an event is one; `check` and `add` of struct pmon_counting_ops for these;
 * the values at the start of the current round, with `first` also of those that count in every round; and reads. */
bool perf_is_value(const struct counting_event *e);
int perf_value_check(struct perf *p, const struct counting_event *e, struct pmon_address *ret_address);
int perf_value_add(struct perf *p, const struct counting_event *e, uint32_t *ret_number);
int perf_values_start(struct perf *p, bool first);
int perf_values_read(struct perf *p);

/* `check` and `add` of struct pmon_counting_ops (counting.h). */
int perf_check(struct pmon_counting *c, const struct counting_event *e);
int perf_add(struct pmon_counting *c, const struct counting_event *e, uint32_t *ret_number);

#endif
