/* SPDX-License-Identifier: MIT */
/*
 * The emulated machine as the files of a system: a tree in a temporary folder with the topology, the MSR devices, the
 * configuration space of the uncore's functions, and a file that stands for memory. The library's system calls on the
 * MSR devices and configuration space reach the machine itself (the linker redirects them to tree.c), so that its
 * counters count; mapped memory is a copy.
 */
#ifndef TESTS_HARDWARE_TREE_H
#define TESTS_HARDWARE_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <pmon/hardware.h>
#include "machine/machine.h"

/* What a system call does in place of its work. */
enum tree_fault { TREE_OK, TREE_EIO, TREE_EPERM, TREE_SHORT, TREE_ENXIO, TREE_ENODEV };

/* The writes of a process that was killed, in shared memory. */
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
  uint64_t looks, polls;    /* looks: opens of the topology's files, which are not in `opens`; polls: waits */
  uint64_t fail_open, fail_look, fail_access; /* number of the call that fails, from 1; 0: none */
  int open_error;                             /* errno of a failing open; 0: EPERM */
  bool stays_shut;                            /* later opens of this file fail, too, until fail_open is 0 */
  char shut[512];
  enum tree_fault fault;
  /* Files whose names end with `name` can be opened, but not mapped: mmap() fails with this errno. The list ends with
   * NULL. */
  struct {
    const char *name;
    int error;
  } unmapped[4];
  uint64_t gone_from;   /* accesses from this one on find no device (ENXIO or TREE_ENODEV); 0: none */
  uint64_t silent_from; /* accesses of mapped registers from this one on get no answer; 0: all get one */
  unsigned batches;     /* calls of msr-safe's device; batch_refuses: it fails them */
  bool batch_refuses;
  uint32_t gone_device; /* PCI accesses of this device fail from gone_device_from on; 0: none */
  uint64_t gone_device_from;
  struct tree_writes *writes; /* writes to the machine are also recorded there; NULL: nowhere */
  /* Other software: after a number of reads of `when` it writes a value to `what`, and to the FIFO `notify` below the
   * root (NULL: none), for which the measured program waits: the length of the measurement then depends on no clock. */
  struct {
    struct pmon_address when, what;
    uint64_t value;
    unsigned reads;
    const char *notify;
  } other;
  /* Nanoseconds that the measured program has worked so far, in memory that it shares: simulated time advances to it
   * before the next access. NULL: the machine's time does not advance. */
  const uint64_t *work_ns;
  uint64_t worked_ns;
  int offline_cpu;          /* accesses of this CPU fail with ENXIO; -1: none */
  unsigned offline_sockets; /* bit n: accesses of all CPUs of socket n do */
};

/* The tree that serves the redirected calls; one at a time. */
extern struct tree *tree_now;

/* Makes a tree of `platform` (emr, spr, snbep) with two sockets of two CPUs each, and further parameters, NULL at the
 * end. */
void tree_make(struct tree *t, const char *platform, const char *const *settings);
void tree_end(struct tree *t);

/* For wrappers of open(): counts an open, and returns true if it is to fail. */
bool tree_open_fails(const char *path);

/* Makes the file `work` below the root; a program maps it to report its work. */
void tree_work(struct tree *t);
/* Advances the machine's time by the reported work; to be called before an access. */
void tree_advance(void);

/* For mapped.c: whether a mapped access is answered, finds its device gone, or gets no answer. */
enum tree_answer { TREE_ANSWERS, TREE_GONE, TREE_SILENT };
enum tree_answer tree_mapped(void);

/* For batch.c. tree_batch(): true if the descriptor is msr-safe's device. tree_fails(): counts one access, and returns
 * true if it is to fail. */
bool tree_batch(int fd);
bool tree_fails(int fd);

/* Ends the test with the failed call and its reason. */
void tree_die(const char *what);

/* Writes a file below the root and makes its folders; text NULL: removes the file. */
void tree_file(const struct tree *t, const char *name, const char *text);

/* Rewrites the memory files after the machine's discovery pages changed. */
void tree_add_memory(const struct tree *t);

#endif
