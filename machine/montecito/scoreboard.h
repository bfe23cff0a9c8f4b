/* SPDX-License-Identifier: MIT */
/*
 * When the result of an instruction can be used (Table 2-8): each physical register has the cycle in which its producer
 * issued, and the kind of the producer. An issue group waits until all registers that it reads are ready. Private to
 * machine/montecito/.
 */
#ifndef MACHINE_MONTECITO_SCOREBOARD_H
#define MACHINE_MONTECITO_SCOREBOARD_H

#include <stdbool.h>
#include <stdint.h>

/* Physical registers. Stacked and rotating ones are numbered by their place in the register file. */
enum {
  SCORE_GR = 0,
  SCORE_FR = 128,
  SCORE_PR = 256,
  SCORE_BR = 320,
  SCORE_AR = 328, /* ar.lc, ar.ec, then the others as one */
  SCORE_LC = SCORE_AR,
  SCORE_EC,
  SCORE_PFS,
  SCORE_UNAT,
  SCORE_CCV,
  SCORE_FPSR,
  SCORE_OTHER_AR,
  SCORE_CR,
  SCORE_N,
  SCORE_BITS = 9,
  SCORE_MASK = (1 << SCORE_BITS) - 1
};

/* The columns of Table 2-8. */
enum montecito_consumer {
  READS_PREDICATE,
  READS_BRANCH,
  READS_ALU,
  READS_ADDRESS,
  READS_MULTIMEDIA,
  READS_STORE_DATA,
  READS_FMAC,
  READS_FMISC,
  READS_GETF,
  READS_SETF,
  READS_N
};

/* Its rows. Those of variable latency get it with the result. */
enum montecito_producer {
  WRITES_ADDER,
  WRITES_MULTIMEDIA,
  WRITES_TRANSLATION, /* thash, ttag, tak, tpa, probe */
  WRITES_GETF,
  WRITES_SETF,
  WRITES_FMAC,
  WRITES_FMISC,
  WRITES_PREDICATE,        /* cmp, tbit, tnat */
  WRITES_FP_PREDICATE,     /* fcmp */
  WRITES_FP_APPROXIMATION, /* the predicate of frcpa and frsqrta */
  WRITES_LOAD,             /* variable */
  WRITES_FP_LOAD,          /* variable */
  WRITES_IEU2,             /* moves from branch registers, alloc */
  WRITES_LOOP_AR,          /* ar.lc, ar.ec, ar.pfs */
  WRITES_SLOW_AR,          /* ar.fpsr and control registers */
  WRITES_OTHER_AR,
  WRITES_ALL_PREDICATES, /* a move to pr */
  WRITES_FAST_INDIRECT,  /* rr, pkr */
  WRITES_INDIRECT,
  WRITES_N
};

struct montecito_score {
  uint64_t at;      /* cycle in which the producer issued */
  uint32_t latency; /* of a variable producer */
  uint8_t producer;
};

struct montecito_scoreboard {
  struct montecito_score of[SCORE_N];
  uint64_t last; /* no result comes after this cycle, for any consumer but multimedia operations */
};

struct montecito_core;
struct montecito_bundle;
struct montecito_slot;

/* Lets cycles of stall pass until slots `from` to `to` - 1 of the bundle, and the group of its follower, can issue.
 * False: the thread should be switched out before. */
bool scoreboard_wait(struct montecito_core *c, const struct montecito_bundle *b, unsigned from, unsigned to);
/* Whether these slots could issue in the open cycle. */
int scoreboard_is_ready(const struct montecito_core *c, const struct montecito_bundle *b, unsigned from, unsigned to);
/* The instruction has issued in the open cycle; `latency` is that of its access, if it is a load. */
void scoreboard_write(struct montecito_core *c, const struct montecito_slot *s, uint32_t latency);

#endif
