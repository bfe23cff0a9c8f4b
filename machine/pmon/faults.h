/* SPDX-License-Identifier: MIT */
/*
 * Faults of the monitoring hardware, to test software against: counters that stick, devices that disappear, discovery
 * pages that are wrong. No guide describes them; they are the model's own. A fault begins at a time or after a number
 * of register accesses, and does not end (except FAULT_PAGE_LATE, which ends at its time).
 */
#ifndef MACHINE_PMON_FAULTS_H
#define MACHINE_PMON_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmon/access.h>

struct machine;

enum fault_kind {
  FAULT_STUCK,          /* a counter does not count */
  FAULT_DOUBLE,         /* a counter counts each occurrence twice */
  FAULT_NO_OVERFLOW,    /* a counter wraps without a status bit, freeze or interrupt */
  FAULT_WRAP,           /* a counter has its greatest value at once, and counts one immediately after its next read */
  FAULT_NO_FREEZE,      /* a block counts although it is frozen */
  FAULT_GONE,           /* a block's configuration and memory read as all ones, its MSRs fault; writes are lost */
  FAULT_MSR,            /* an MSR faults on one processor */
  FAULT_PMI_LOST,       /* a socket sends no overflow interrupts */
  FAULT_PMI_DOUBLE,     /* a socket sends each overflow interrupt twice */
  FAULT_PAGE_LATE,      /* the discovery page reads as all ones until its time */
  FAULT_PAGE_SHORT,     /* the page has only the entries of its first `number` units; the rest is 0 */
  FAULT_PAGE_STRIDE,    /* the page states a stride of `number` words for its entries */
  FAULT_PAGE_DUPLICATE, /* a block's entry also replaces the next one */
  FAULT_PAGE_FOREIGN,   /* a block's entry has the address of another socket's block */
  FAULT_N
};

/* The operands of a fault besides its socket. */
enum fault_operand { FAULT_OF_SOCKET, FAULT_OF_NUMBER, FAULT_OF_BLOCK, FAULT_OF_COUNTER, FAULT_OF_PROCESSOR };

struct machine_fault {
  enum fault_kind kind;
  unsigned socket;
  char unit[16];
  int instance, counter; /* -1: all */
  uint64_t number;       /* FAULT_MSR: the MSR */
  unsigned processor;    /* FAULT_MSR: numbered across all sockets */
  unsigned line;         /* of its scenario, for messages of the caller; 0: none */
  uint64_t at_fs, after; /* its beginning: after that many register accesses; after 0: at time at_fs */
};

enum { FAULTS_MAX = 64 };

/* The faults of a machine. */
struct faults {
  struct machine_fault fault[FAULTS_MAX];
  bool begun[FAULTS_MAX];
  size_t n;
  uint64_t accesses;
  bool aside; /* accesses currently do not count */
};

/* The fault's name in scenarios, and which operands follow it. */
const char *machine_fault_name(enum fault_kind kind);
enum fault_operand machine_fault_operand(enum fault_kind kind);

/* Adds a fault, which begins at once if its time has passed. PMON_E_RANGE, with the text in error: the machine has no
 * such block, counter or page, or too many faults. */
int machine_fault_add(struct machine *m, const struct machine_fault *f, char *error, size_t error_size);

/* Returns the number of faults that were added. */
size_t machine_fault_count(const struct machine *m);

/* Counts a register access by software: faults begin after their number of accesses. */
void faults_count_access(struct machine *m);
/* Called after software has read a register. */
void faults_after_read(struct machine *m, const struct pmon_address *a);
/* Returns the time of the next fault that begins at a time; UINT64_MAX: none. faults_begin(): begins the faults whose
 * time has come. */
uint64_t faults_next_fs(const struct machine *m);
void faults_begin(struct machine *m);
/* True if the register has disappeared: it reads as all ones (*ret_ones) or faults. */
bool faults_hide(const struct machine *m, const struct pmon_address *a, bool *ret_ones);
/* True if the processor's access to the MSR faults. */
bool machine_fault_hits_msr(const struct machine *m, unsigned processor, uint32_t msr);

#endif
