/* SPDX-License-Identifier: MIT */
/*
 * Faults of the monitoring hardware, so that software can be tested against it: counters that stick, devices that
 * disappear, discovery pages that are wrong. No guide describes them; that they exist is the model's own choice. A
 * fault begins at a time or after a number of register accesses, and does not end (except FAULT_PAGE_LATE, which ends
 * then).
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
  FAULT_WRAP,           /* a counter has its greatest value at once, and counts once right behind the next read of it */
  FAULT_NO_FREEZE,      /* a block counts although it is frozen */
  FAULT_GONE,           /* a block's configuration and memory read as all ones, its MSRs fault; writes are lost */
  FAULT_MSR,            /* an MSR faults on one processor */
  FAULT_PMI_LOST,       /* a socket sends no overflow interrupts */
  FAULT_PMI_DOUBLE,     /* a socket sends each overflow interrupt twice */
  FAULT_PAGE_LATE,      /* the discovery page reads as all ones until the time */
  FAULT_PAGE_SHORT,     /* the page has the entries of its first `number` units only; the rest is 0 */
  FAULT_PAGE_STRIDE,    /* the page states `number` words as the distance of its entries */
  FAULT_PAGE_DUPLICATE, /* a block's entry stands also in place of the next one's */
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
  unsigned processor;    /* FAULT_MSR: as numbered through all sockets */
  uint64_t at_fs, after; /* when it begins; after: number of register accesses before it; 0: at_fs counts */
};

enum { FAULTS_MAX = 64 };

/* The faults of a machine. */
struct faults {
  struct machine_fault fault[FAULTS_MAX];
  bool begun[FAULTS_MAX];
  size_t n;
  uint64_t accesses;
  bool aside; /* accesses do not count now */
};

/* The fault's name in scenarios, and which operands follow it. */
const char *machine_fault_name(enum fault_kind kind);
enum fault_operand machine_fault_operand(enum fault_kind kind);

/* Adds a fault; it begins at once where its time has passed. PMON_E_RANGE, with the text in error: the machine has no
 * such block, counter or page, or too many faults. */
int machine_fault_add(struct machine *m, const struct machine_fault *f, char *error, size_t error_size);

/* How many have been added. */
size_t machine_fault_count(const struct machine *m);

/* Software made a register access: faults begin after their number of them. */
void faults_count_access(struct machine *m);
/* Software read the register. */
void faults_after_read(struct machine *m, const struct pmon_address *a);
/* The time of the next fault that begins at a time; UINT64_MAX: none. faults_begin() begins those whose time has come.
 */
uint64_t faults_next_fs(const struct machine *m);
void faults_begin(struct machine *m);
/* Whether the register has disappeared, and reads as all ones (*ret_ones) or faults. */
bool faults_hide(const struct machine *m, const struct pmon_address *a, bool *ret_ones);
/* Whether the access of the processor to the MSR faults. */
bool machine_fault_hits_msr(const struct machine *m, unsigned processor, uint32_t msr);

#endif
