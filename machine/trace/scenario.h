/* SPDX-License-Identifier: MIT */
/*
 * Scenarios: a short text that describes what threads and devices do (docs/scenarios.md is the manual). The same text
 * always produces the same accesses.
 */
#ifndef MACHINE_TRACE_SCENARIO_H
#define MACHINE_TRACE_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "machine/pmon/compare.h"
#include "machine/pmon/coverage.h"
#include "machine/machine.h"
#include "machine/trace/source.h"
#include "machine/common/traffic.h"

#define SCENARIO_THREADS 256u
#define SCENARIO_TEXT 96u
#define SCENARIO_ADDRESS 13u /* bytes of a PCI function's address, with the terminating zero byte */
#define SCENARIO_SPAN_MAX (UINT64_C(1) << 34)
#define SCENARIO_CHAINS 32u

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

/* One operation of a thread; a thread's steps follow each other. */
struct scenario_step {
  unsigned thread;
  enum scenario_pattern pattern;
  enum scenario_action action;
  uint64_t base, span, stride; /* bytes */
  uint64_t count;              /* accesses; for spin: instructions */
  bool dependent;              /* each load waits for the one before it */
  uint32_t chains;             /* chase: number of chains, advanced round-robin, each in its own part of the memory */
  bool far_code;               /* instructions are fetched from `base`, too */
  enum pages_kind pages;       /* that map the memory from the start; PAGES_NONE: as the machine's parameter says */
  unsigned line;
};

struct scenario_thread {
  bool used;
  int core;
  unsigned line;
}; /* core -1: chosen by the placement; line: the first one with the core */

struct scenario_dma {
  unsigned socket, stack, port, node;
  bool write, partial;
  unsigned access_bytes;     /* SCENARIO_MMIO: as in struct dma_stream */
  enum device_action action; /* enum device_action of the machine's traffic.h */
  enum system_message message;
  unsigned line;
  unsigned peer_socket, peer_stack, peer_port;              /* the target of DEVICE_PEER */
  struct pcie_shape link;                                   /* the device's end of its PCI Express link */
  uint64_t bytes_per_second, span, base, from_fs, until_fs; /* base 0: a separate memory region */
};

/* A named device that is attached to a port of an I/O stack, for values per device. It causes no traffic. */
struct scenario_named {
  unsigned socket, stack, port;
  unsigned vendor, id, class_code; /* as in configuration space, class_code with 24 bits; 0: not given */
  char address[SCENARIO_ADDRESS], name[SCENARIO_TEXT];
};

/* One block of the machine, `cha3`, or all blocks of a unit, `cha`. */
struct scenario_place {
  char unit[16];
  unsigned socket;
  int instance;
}; /* instance -1: all */

/* Injected occurrences, without a cause in the machine. The event is a name, which the owner of the scenario resolves
 * to `ctl` and `filter`, or CODE[:UMASK[:EXT]]. */
struct scenario_inject {
  struct scenario_place place;
  char event[SCENARIO_TEXT];
  unsigned line;
  bool resolved, exact;                  /* exact: `ctl` is the exact attribute of the occurrence */
  bool held;                             /* `count` per cycle from from_fs to until_fs */
  uint64_t ctl, filter[MACHINE_FILTERS]; /* register contents of a counter that counts it */
  uint64_t count, from_fs, until_fs;
  enum traffic_condition_kind condition; /* imposed on the machine instead, if the machine models its consequences */
  bool repeats;                          /* the previous event belongs to the same line */
  uint32_t ranks;
};

enum scenario_act { SCENARIO_ACT_WRITE, SCENARIO_ACT_READ, SCENARIO_ACT_WAIT };

/* The software's script: register accesses and waits, in order. */
struct scenario_access {
  enum scenario_act act;
  struct scenario_place place;
  char reg[48];
  unsigned line;
  enum compare compare;     /* comparison of the read value with `value` */
  uint64_t value, until_fs; /* until_fs: since the start */
};

/* An expected count at the end of the scenario, or an expected number of overflow interrupts. */
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
  char (*setting)[SCENARIO_TEXT]; /* `name=value` settings of the machine, in order */
  size_t n_settings;
  struct scenario_thread thread[SCENARIO_THREADS];
  unsigned n_threads; /* the highest thread number + 1 */
  struct scenario_step *step;
  size_t n_steps;
  struct scenario_dma *dma;
  size_t n_dma;
  struct scenario_named *device;
  size_t n_devices;
  char (*shared)[32]; /* names of the shared buffers */
  size_t n_shared;
  struct scenario_inject *inject;
  size_t n_injects;
  struct scenario_access *action;
  size_t n_actions;
  struct scenario_expectation *expectation;
  size_t n_expectations;
  struct machine_fault *fault; /* faults of the monitoring hardware */
  size_t n_faults;
};

/* Parses a scenario from `text` of `n` bytes; `name` is the name in error messages. PMON_E_SYNTAX, PMON_E_RANGE with
 * name, line and the expected text in error; PMON_E_MEMORY. Free the result with scenario_fini(). The caller's buffer
 * for the error text takes two of the six parameters. */
int scenario_parse(const char *name, const char *text, size_t n, char *error, size_t error_size, struct scenario *ret);
/* The same from a file; PMON_E_IO. */
int scenario_load(const char *path, char *error, size_t error_size, struct scenario *ret);
void scenario_fini(struct scenario *s);

/* Creates a source of records from the accesses of the scenario's threads. `s` must outlive it. PMON_E_MEMORY. */
int scenario_source_new(const struct scenario *s, struct trace_source **ret_source);

/* Creates the workload of the complete scenario, threads and devices, for a machine with the given sockets and cores.
 * The workload owns the content of `s` (`s` itself is left empty), also after a failure. Threads without a given core
 * are placed by `policy` (machine/trace/placement.h). PMON_E_RANGE when the workload runs: a core, socket or stack that
 * the machine does not have; PMON_E_MEMORY; the text is in error, whose buffer takes two of the six parameters. */
int scenario_workload_new(struct scenario *s, const char *policy, const unsigned sockets_and_cores[2], char *error,
                          size_t error_size, struct machine_workload **ret_workload);

#endif
