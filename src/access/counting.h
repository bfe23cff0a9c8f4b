/* SPDX-License-Identifier: MIT */
/*
 * Backends that count without registers: Linux perf. A session passes the events to count as terms, a
 * name and a number each; where these go is theirs to know. Events of one unit's instance, one package and one round
 * make a group, and its counts are of the same time.
 */
#ifndef PMON_ACCESS_COUNTING_H
#define PMON_ACCESS_COUNTING_H

#include <stdbool.h>
#include <stdint.h>
#include <pmon/access.h>

enum { COUNTING_TERMS = 24, COUNTING_NAMES = 96, COUNTING_ALWAYS = -1, COUNTING_THREADS = 64 };

struct counting_term {
  char names[COUNTING_NAMES]; /* what it may be called, separated by commas */
  uint64_t value;
  uint32_t width_bits; /* of the field in the hardware */
  int lo;              /* the field's lowest bit in the control register; -1: it is in another register */
};

struct counting_event {
  const char *pmu; /* the kernel's name for this kind of unit */
  uint32_t package, instance;
  bool summed; /* all instances of the package that the kernel has, as one count; `instance` is 0 */
  /* The instance is a hardware thread of the package, by number; those that lie COUNTING_THREADS apart are one count.
   */
  bool thread;
  const char *kernel_event; /* instead of terms: the event that the kernel has under this name; NULL: by terms */
  int64_t round;            /* COUNTING_ALWAYS: it counts in every one */
  uint32_t n_terms;
  struct counting_term terms[COUNTING_TERMS];
};

/* What one event counted between two reads; running_ns of enabled_ns it had a counter. */
struct counting_delta {
  uint64_t count, enabled_ns, running_ns;
};

struct pmon_counting;

/* Each returns a status; the text is then in the backend's error_text. */
struct pmon_counting_ops {
  /* Whether such an event can be counted. PMON_E_NO_DEVICE: there is no such unit; PMON_E_UNSUPPORTED: a term has no
   * place. */
  int (*check)(struct pmon_counting *c, const struct counting_event *event);
  /* Adds one, which does not count yet. As above; PMON_E_PERMISSION, PMON_E_IO, PMON_E_MEMORY. */
  int (*add)(struct pmon_counting *c, const struct counting_event *event, uint32_t *ret_number);
  /* Lets the events of a round count, and with the first call those of every round. */
  int (*start)(struct pmon_counting *c, uint32_t round);
  /* Ends that for the round's events. */
  int (*stop)(struct pmon_counting *c);
  /* Reads the round's events and those of every round. */
  int (*read)(struct pmon_counting *c);
  /* What event `number` counted between the last two reads (or its start and the read). */
  struct counting_delta (*get)(const struct pmon_counting *c, uint32_t number);
  /* Of a summed event, how many instances it is the sum of; else 1. */
  uint32_t (*parts)(const struct pmon_counting *c, uint32_t number);
  /* Hardware threads of a core; 0: not known. */
  uint32_t (*threads_per_core)(const struct pmon_counting *c);
  /* Forgets all of them. */
  void (*clear)(struct pmon_counting *c);
};

struct pmon_counting {
  const struct pmon_counting_ops *ops;
  struct pmon_backend *backend;
};

#endif
