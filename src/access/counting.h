/* SPDX-License-Identifier: MIT */
/*
 * Backends that count without registers: Linux perf. A session passes events as terms, each with a name and a number;
 * the backend knows where these go. Events of one instance of a unit, one package and one round form a group, whose
 * counts cover the same time.
 */
#ifndef PMON_ACCESS_COUNTING_H
#define PMON_ACCESS_COUNTING_H

#include <stdbool.h>
#include <stdint.h>
#include <pmon/access.h>

enum { COUNTING_TERMS = 24, COUNTING_NAMES = 96, COUNTING_ALWAYS = -1, COUNTING_THREADS = 64 };

struct counting_term {
  char names[COUNTING_NAMES]; /* its possible names, separated by commas */
  uint64_t value;
  uint32_t width_bits; /* width of the field in the hardware */
  int lo;              /* the field's lowest bit in the control register; -1: it is in another register */
};

struct counting_event {
  const char *pmu; /* the kernel's name for this kind of unit */
  uint32_t package, instance;
  bool summed; /* one count of all instances of the package that the kernel has; `instance` is 0 */
  /* The instance is a hardware thread of the package, by number; threads whose numbers differ by a multiple of
   * COUNTING_THREADS share one count. */
  bool thread;
  bool level;               /* it shows a level: a count is the level at the read, not a difference */
  const char *kernel_event; /* the kernel's event of this name, instead of terms; NULL: by terms */
  int64_t round;            /* COUNTING_ALWAYS: it counts in every round */
  uint32_t n_terms;
  struct counting_term terms[COUNTING_TERMS];
};

/* The count of one event between two reads; it had a counter for running_ns of enabled_ns. */
struct counting_delta {
  uint64_t count, enabled_ns, running_ns;
};

struct pmon_counting;

/* Each returns a status; the text is then in the backend's error_text. */
struct pmon_counting_ops {
  /* Checks whether an event can be counted. PMON_E_NO_DEVICE: there is no such unit; PMON_E_UNSUPPORTED: the PMU has no
   * field for a term. */
  int (*check)(struct pmon_counting *c, const struct counting_event *event);
  /* Adds an event, which does not count yet. Statuses as `check`; PMON_E_PERMISSION, PMON_E_IO, PMON_E_MEMORY. */
  int (*add)(struct pmon_counting *c, const struct counting_event *event, uint32_t *ret_number);
  /* Starts the events of a round; the first call also starts those of every round. */
  int (*start)(struct pmon_counting *c, uint32_t round);
  /* Stops the round's events. */
  int (*stop)(struct pmon_counting *c);
  /* Reads the round's events and those of every round. */
  int (*read)(struct pmon_counting *c);
  /* Returns the count of event `number` between the last two reads (or its start and the read). */
  struct counting_delta (*get)(const struct pmon_counting *c, uint32_t number);
  /* Returns the number of instances that a summed event covers; else 1. */
  uint32_t (*parts)(const struct pmon_counting *c, uint32_t number);
  /* Returns the number of hardware threads per core; 0: not known. */
  uint32_t (*threads_per_core)(const struct pmon_counting *c);
  /* Removes all events. */
  void (*clear)(struct pmon_counting *c);
};

struct pmon_counting {
  const struct pmon_counting_ops *ops;
  struct pmon_backend *backend;
};

#endif
