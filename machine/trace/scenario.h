/* SPDX-License-Identifier: MIT */
/*
 * Scenarios: what threads and devices do, written down in a few lines (docs/scenarios.md is the manual). The same text
 * makes the same accesses, always.
 */
#ifndef MACHINE_TRACE_SCENARIO_H
#define MACHINE_TRACE_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "machine/compare.h"
#include "machine/coverage.h"
#include "machine/machine.h"
#include "machine/trace/source.h"
#include "machine/traffic/traffic.h"

#define SCENARIO_THREADS 128u
#define SCENARIO_TEXT 96u
#define SCENARIO_SPAN_MAX (UINT64_C(1) << 34)

enum scenario_pattern {
  SCENARIO_STREAM,
  SCENARIO_RANDOM,
  SCENARIO_CHASE,
  SCENARIO_COPY,
  SCENARIO_SPIN,
  SCENARIO_SLEEP /* `count` nanoseconds */
};
enum scenario_action {
  SCENARIO_READ,
  SCENARIO_WRITE,
  SCENARIO_MODIFY,
  SCENARIO_PAST,
  SCENARIO_PREFETCH,
  SCENARIO_FLUSH,
  SCENARIO_FLUSH_OPT,
  SCENARIO_WRITE_BACK,
  SCENARIO_DEMOTE,
  SCENARIO_WHOLE,
  SCENARIO_HOPE,
  SCENARIO_ACTIONS
};

/* One thing that a thread does; steps of a thread follow each other. */
struct scenario_step {
  unsigned thread;
  enum scenario_pattern pattern;
  enum scenario_action action;
  uint64_t base, span, stride; /* bytes */
  uint64_t count;              /* accesses; for spin: instructions */
  bool far_code;               /* instructions come from `base`, too */
  unsigned line;
};

struct scenario_thread {
  bool used;
  int core;
}; /* core -1: the placement's choice */

struct scenario_dma {
  unsigned socket, stack, port, node;
  bool write, partial;
  enum device_action action; /* machine/traffic/traffic.h */
  enum system_message message;
  unsigned line;
  unsigned peer[3];                                         /* socket, stack, port of DEVICE_PEER */
  uint64_t bytes_per_second, span, base, from_fs, until_fs; /* base 0: memory of its own */
};

/* A block of the machine, `cha3` or a whole kind, `cha`. */
struct scenario_place {
  char unit[16];
  unsigned socket;
  int instance;
}; /* instance -1: all */

/* Occurrences that nothing in the machine causes. The event is a name, for resolve() below, or CODE[:UMASK[:EXT]]. */
struct scenario_inject {
  struct scenario_place place;
  char event[SCENARIO_TEXT];
  unsigned line;
  bool resolved, exact;                  /* exact: `ctl` is the occurrence itself, bit by bit */
  bool held;                             /* `count` a cycle from from_fs to until_fs */
  uint64_t ctl, filter[MACHINE_FILTERS]; /* registers of a counter that counts it */
  uint64_t count, from_fs, until_fs;
  enum traffic_condition_kind condition; /* what it stands for, where the machine does by itself what follows */
  bool repeats;                          /* the condition was on the line before as well, with another event */
  uint32_t ranks;
};

enum scenario_act { SCENARIO_ACT_WRITE, SCENARIO_ACT_READ, SCENARIO_ACT_WAIT };

/* What software does, one after the other: register accesses and waits. */
struct scenario_access {
  enum scenario_act act;
  struct scenario_place place;
  char reg[48];
  unsigned line;
  enum compare compare;     /* a read's value with `value` */
  uint64_t value, until_fs; /* until_fs: from the beginning */
};

/* What a measurement of the scenario must count in the end, or how many interrupts of overflows the machine sent. */
struct scenario_expectation {
  bool interrupts;
  struct scenario_place place; /* socket UINT_MAX: all */
  char event[SCENARIO_TEXT];
  unsigned line;
  enum compare compare;
  uint64_t value;
};

struct scenario {
  uint64_t seed;
  char (*setting)[SCENARIO_TEXT]; /* `name=value` for the machine, in order */
  size_t n_settings;
  struct scenario_thread thread[SCENARIO_THREADS];
  unsigned n_threads; /* the highest number used, and one */
  struct scenario_step *step;
  size_t n_steps;
  struct scenario_dma *dma;
  size_t n_dma;
  char (*shared)[32]; /* names of buffers that threads share */
  size_t n_shared;
  struct scenario_inject *inject;
  size_t n_injects;
  struct scenario_access *action;
  size_t n_actions;
  struct scenario_expectation *expectation;
  size_t n_expectations;
};

/* Reads a scenario from `text` of `n` bytes; `name` stands for it in errors. PMON_E_SYNTAX, PMON_E_RANGE with name,
 * line and what was expected in error; PMON_E_MEMORY. Emptied by scenario_fini(). */
int scenario_parse(const char *name, const char *text, size_t n, char *error, size_t error_size, struct scenario *ret);
/* The same from a file; PMON_E_IO. */
int scenario_load(const char *path, char *error, size_t error_size, struct scenario *ret);
void scenario_fini(struct scenario *s);

/* The accesses of its threads, as records. `s` must live longer. PMON_E_MEMORY. */
int scenario_source_new(const struct scenario *s, struct trace_source **ret_source);

/* The whole scenario, threads and devices, for a machine of so many sockets and cores. Owns what `s` holds from then on
 * (`s` itself is left empty), also when it fails. Threads without a core of their own go where `policy` says
 * (machine/trace/placement.h). PMON_E_RANGE: a core, socket or stack that the machine does not have, when it runs;
 * PMON_E_MEMORY; the text in error. */
int scenario_workload_new(struct scenario *s, const char *policy, const unsigned sockets_and_cores[2], char *error,
                          size_t error_size, struct machine_workload **ret_workload);

#endif
