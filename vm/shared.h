/* SPDX-License-Identifier: MIT */
/*
 * Memory that pmon and a QEMU with the device `pmon-shared` (vm/qemu/pmon.patch) both map. With each message about an
 * access, it contains the registers and the stack of the guest's processor; with an answer, the processors to which
 * performance counters send an interrupt.
 */
#ifndef VM_SHARED_H
#define VM_SHARED_H

#include <stdint.h>

enum { SHARED_WORDS = 256, SHARED_PROCESSORS = 128 };

struct shared_memory {           /* in the host's order */
  uint64_t rip, rsp, rbp, words; /* rip 0: not known; words: number of valid words of the stack, from rsp on */
  uint64_t stack[SHARED_WORDS];
  _Atomic uint64_t interrupts[SHARED_PROCESSORS / 64]; /* bit: a processor; QEMU clears it when it interrupts */
};

struct shared {
  int fd;                   /* for QEMU; -1: there is none */
  struct shared_memory *at; /* NULL: there is none */
};

/* PMON_OK; PMON_E_MEMORY: nothing to be closed. */
int shared_open(struct shared *s);
/* Accepts one that was not opened (fd -1). */
void shared_close(struct shared *s);
/* Requests the interrupt of a processor, by QEMU's number; ignores numbers from SHARED_PROCESSORS on. */
void shared_interrupt(struct shared *s, unsigned processor);

#endif
