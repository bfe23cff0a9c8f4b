/* SPDX-License-Identifier: MIT */
/* Shared by the generated programs: their state, and functions that make bundles of slots. */
#ifndef MACHINE_MONTECITO_STREAM_GENERATE_H
#define MACHINE_MONTECITO_STREAM_GENERATE_H

#include <stdbool.h>
#include <stdint.h>
#include "machine/montecito/machine.h"
#include "machine/montecito/stream/record.h"

#define GENERATOR_CODE UINT64_C(0x4000000000001000)
#define GENERATOR_DATA UINT64_C(0x6000000000000000)

enum {
  GENERATOR_ALAT = 32,    /* entries of the ALAT */
  GENERATOR_STACKED = 96, /* stacked registers of the processor (r32 to r127) */
  GENERATOR_FRAMES = 40   /* most nested calls */
};

struct generator {
  struct montecito_source base;
  uint64_t left, random, data, ip, returns[GENERATOR_FRAMES];
  unsigned workload, depth, step, trip;
  /* predicates, speculation: */
  uint64_t alat[GENERATOR_ALAT]; /* addresses of advanced loads; 0: none */
  uint64_t checked;              /* address of the load that the next check tests */
  bool natted;                   /* the last speculative load became a NaT */
  /* frames: */
  uint8_t frame[GENERATOR_FRAMES + 1]; /* registers of each frame */
  unsigned dirty;                      /* callers' registers that are in the processor, not in memory */
  uint64_t spilled;                    /* callers' registers that are in memory */
  bool moved;                          /* the register stack engine has moved the registers that the next branch
                                        * needs */
  /* threads: */
  uint64_t other_ip, resume; /* other_ip: ip of the background thread; resume: ip to which an interruption returns */
  uint8_t active;            /* thread of core 0 in the foreground */
  unsigned handler;          /* remaining bundles of the interruption handler */
};

uint64_t generator_random(struct generator *g);

static inline struct montecito_slot generator_plain_slot(uint8_t op, uint8_t type)
{
  static const uint64_t encodings[] = {[SLOT_M] = 0x00008000000, [SLOT_I] = 0x00008000000, [SLOT_F] = 0x00008000000,
                                       [SLOT_B] = 0x04000000000, [SLOT_A] = 0x10000000000, [SLOT_L] = 0};
  return (struct montecito_slot){.op = op, .type = type, .encoding = encodings[type]};
}

static inline struct montecito_slot generator_memory_slot(uint8_t op, uint64_t address, uint32_t flags)
{
  return (struct montecito_slot){.op = op,
                                 .type = SLOT_M,
                                 .address = address,
                                 .flags = flags,
                                 .encoding = op == OP_STORE ? 0x08cc0000000 : 0x080c0000000};
}

static inline struct montecito_slot generator_branch(uint8_t op, uint64_t target, bool taken)
{
  return (struct montecito_slot){
      .op = op, .type = SLOT_B, .address = target, .flags = taken ? SLOT_TAKEN : 0, .encoding = 0x08000000000};
}

/* Makes a bundle at the program's ip and advances ip, to the target of s2 if it is a taken branch. The second bundle of
 * each pair joins the cycle of the first one. */
static inline void generator_emit(struct generator *g, struct montecito_bundle *b, struct montecito_slot s0,
                                  struct montecito_slot s1, struct montecito_slot s2)
{
  b->address = g->ip;
  b->n_slots = 3;
  b->slot[0] = s0;
  b->slot[1] = s1;
  b->slot[2] = s2;
  if (g->ip & 16)
    b->flags |= BUNDLE_JOINED | BUNDLE_STOP;
  g->ip = s2.op >= OP_BRANCH && (s2.flags & SLOT_TAKEN) ? s2.address : g->ip + 16;
}

/* Predicated code: half of the instructions and a third of the branches are predicated off. */
void generator_run_predicates(struct generator *g, struct montecito_record *r);
/* Advanced and speculative loads and their checks; stores in between remove entries from the ALAT. */
void generator_run_speculation(struct generator *g, struct montecito_record *r);
/* Deep calls whose frames do not fit into the stacked registers. */
void generator_run_frames(struct generator *g, struct montecito_record *r);
/* Two threads of a core that switch, interruptions, and the other core on the same data. */
void generator_run_threads(struct generator *g, struct montecito_record *r);

#endif
