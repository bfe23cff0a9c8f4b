/* SPDX-License-Identifier: MIT */
/*
 * The emulated machine as the files of a system: a tree in a temporary folder with the topology, the MSR devices, the
 * configuration space of the uncore's functions and a file that stands for memory. The library's system calls on the
 * first two reach the machine itself (the linker puts tree.c in their way), so that its counters count; what is mapped
 * is a copy.
 */
#ifndef TESTS_HARDWARE_TREE_H
#define TESTS_HARDWARE_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <pmon/hardware.h>
#include "machine/machine.h"

/* What one system call does instead of its work. */
enum tree_fault { TREE_OK, TREE_EIO, TREE_EPERM, TREE_SHORT, TREE_ENXIO, TREE_ENODEV };

/* In memory that processes share: what one that was killed had written. */
struct tree_writes {
  uint32_t n;
  struct {
    struct pmon_address address;
    uint64_t value;
  } at[1000];
};

struct tree {
  char root[64], dev[80], sys[80], proc[80];
  struct pmon_system system;
  struct machine *machine;
  uint64_t opens, accesses; /* made so far */
  uint64_t looks, polls;    /* opens of the topology's files, which are not among `opens`, and waits */
  uint64_t fail_open, fail_look, fail_access; /* from 1; 0: none */
  int open_error;                             /* what a failing open fails with; 0: EPERM */
  bool stays_shut;                            /* and then the file's later ones do, until there is no fail_open */
  char shut[512];
  enum tree_fault fault;
  /* Files whose names end so can be opened, but not mapped: errno instead; the list ends with NULL. */
  struct {
    const char *name;
    int error;
  } unmapped[4];
  uint64_t gone_from;   /* accesses from this one on find no device (ENXIO or TREE_ENODEV); 0: none */
  uint64_t silent_from; /* accesses from this one on of what is mapped have no answer; 0: all have */
  unsigned batches;     /* calls of msr-safe's device, and whether it knows none */
  bool batch_refuses;
  uint32_t gone_device; /* its PCI accesses fail from gone_device_from on; 0: none */
  uint64_t gone_device_from;
  struct tree_writes *writes; /* those that reach the machine are noted there too; NULL: nowhere */
  /* Other software: after that many reads of `when` it writes a value to `what`, and to the FIFO `notify` below the
   * root (NULL: to none), for which the measured program waits: what it is measured for then depends on no clock. */
  struct {
    struct pmon_address when, what;
    uint64_t value;
    unsigned reads;
    const char *notify;
  } other;
  /* Nanoseconds that the measured program has worked so far, in memory that it shares: simulated time passes by as much
   * before the next access. NULL: the machine's time does not pass. */
  const uint64_t *work_ns;
  uint64_t worked_ns;
  int offline_cpu;          /* accesses of it fail with ENXIO; -1: none */
  unsigned offline_sockets; /* bit n: accesses of all of socket n's do */
};

/* The tree whose files the calls are led to; one at a time. */
extern struct tree *tree_now;

/* `platform` (emr, spr, snbep) with two sockets of two CPUs each, and further parameters, NULL at the end. */
void tree_make(struct tree *t, const char *platform, const char *const *settings);
void tree_end(struct tree *t);

/* For replacements of open(): counts one, and returns whether it is to fail. */
bool tree_open_fails(const char *path);

/* Makes the file `work` below the root, which a program maps to report its work. */
void tree_work(struct tree *t);
/* For whoever stands before accesses: the time of the work so far has passed. */
void tree_advance(void);

/* For mapped.c: whether an access of what is mapped finds its device gone, or has no answer. */
enum tree_answer { TREE_ANSWERS, TREE_GONE, TREE_SILENT };
enum tree_answer tree_mapped(void);

/* For batch.c: whether that is msr-safe's device; counts one access, and returns whether it is to fail. */
bool tree_batch(int fd);
bool tree_fails(int fd);

/* Ends the test with what failed and why. */
void tree_die(const char *what);

/* Writes a file below the root, folders and all; NULL removes it. */
void tree_file(const struct tree *t, const char *name, const char *text);

/* Writes the files of memory again, after the machine's discovery pages changed. */
void tree_add_memory(const struct tree *t);

#endif
