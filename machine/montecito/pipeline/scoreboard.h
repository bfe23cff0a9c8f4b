/* SPDX-License-Identifier: MIT */
/*
 * Latencies of results (Table 2-8): each physical register has the cycle in which its producer issued, and the kind of
 * the producer. An issue group waits until all registers that it reads are ready. Private to machine/montecito/.
 */
#ifndef MACHINE_MONTECITO_PIPELINE_SCOREBOARD_H
#define MACHINE_MONTECITO_PIPELINE_SCOREBOARD_H

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

/* Consumers: the columns of Table 2-8. */
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

/* Producers: the rows of Table 2-8. A variable latency is passed with the result. */
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
  uint32_t latency; /* of a variable producer, else 0 */
  uint8_t producer;
};

struct montecito_scoreboard {
  struct montecito_score of[SCORE_N];
  uint64_t last; /* all results are ready in this cycle, for all consumers but multimedia operations */
};

struct montecito_core;
struct montecito_bundle;
struct montecito_slot;

/* Stalls until slots `from` to `to` - 1 of the bundle, and the slots of its follower in the same cycle, can issue.
 * Returns false when the thread should be switched out first. */
bool scoreboard_wait(struct montecito_core *c, const struct montecito_bundle *b, unsigned from, unsigned to);
/* True if these slots can issue in the open cycle. */
int scoreboard_is_ready(const struct montecito_core *c, const struct montecito_bundle *b, unsigned from, unsigned to);
/* Records that the instruction issues in the open cycle; `latency` is that of its access, if it is a load. */
void scoreboard_write(struct montecito_core *c, const struct montecito_slot *s, uint32_t latency);

#endif
