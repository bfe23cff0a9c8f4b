/* SPDX-License-Identifier: MIT */
/*
 * Unit masks of the core's events. A unit mask has four bits, so a name covers a set of up to sixteen values: bit v is
 * set when a counter with umask v counts it (the guide's `bxx01` is 0x2222). A signal carries the union of the sets
 * that it belongs to. Typed from the tables of chapter 4; the constants below are named after the patterns there.
 */
#ifndef MACHINE_MONTECITO_EVENTS_UMASKS_H
#define MACHINE_MONTECITO_EVENTS_UMASKS_H

#include <stdint.h>

#define UM(value) ((uint16_t)(1u << (value)))
enum {
  UM_ANY = 0xffff,
  UM_XX00 = 0x1111,
  UM_XX01 = 0x2222,
  UM_XX10 = 0x4444,
  UM_XX11 = 0x8888,
  UM_XXX0 = 0x5555,
  UM_XXX1 = 0xaaaa,
  UM_X000 = 0x0101,
  UM_0XXX = 0x00ff,
  UM_X1X0 = 0x5050,
  UM_X1X1 = 0xa0a0,
  UM_X1XX = 0xf0f0,
  UM_1XXX = 0xff00
};
/* `bx000` is 0x0101, `bx001` 0x0202 and so on. */
#define UM_X(value) ((uint16_t)(0x0101u << (value)))

/* The initiator of a bus transaction (Tables 4-55 to 4-70). */
enum { UM_EITHER = UM_XX00, UM_IO = UM_XX01, UM_SELF = UM_XX10, UM_ALL_AGENTS = UM_XX11 };
/* The same for the arbiter's queues, which have no other agents (Tables 4-109 to 4-124). */
enum { UM_SI_EITHER = UM_XXX0, UM_SI_SELF = UM_XXX1 };
/* The upper two bits of bus events that have a kind in addition to the agent: 00, 01, 10, and 11 for all. */
enum { UM_KIND0 = 0x000f, UM_KIND1 = 0x00f0, UM_KIND2 = 0x0f00, UM_KIND_ALL = 0xf000 };
/* Integer, floating point (Tables 4-43, 4-80 to 4-82). */
enum { UM_INT = UM_XX01 | UM_XX11, UM_FP = UM_XX10 | UM_XX11 };
/* L2I: hit 01 and miss 10 in the upper bits, demand 01 and prefetch 10 in the lower, 11 for both (Table 4-102). */
enum {
  UM_HIT = UM_KIND1 | UM_KIND_ALL,
  UM_MISS = UM_KIND2 | UM_KIND_ALL,
  UM_DEMAND = UM_XX01 | UM_XX11,
  UM_PREFETCH = UM_XX10 | UM_XX11
};
/* L3: hit xx01, miss xx10, both xx11 (Tables 4-105, 4-106). */
enum { UM_L3_HIT = UM_XX01 | UM_XX11, UM_L3_MISS = UM_XX10 | UM_XX11 };

#endif
