/* SPDX-License-Identifier: MIT */
/*
 * Synthetic programs: each is a small piece of code that runs bundle by bundle, with data addresses that fit its kind.
 * The same seed gives the same stream.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/montecito/stream/generate.h"
#include "machine/montecito/stream/stream.h"
#include "src/base/words.h"

#define CHASE_BYTES (UINT64_C(64) << 20)

static const char *const names[WORKLOAD_N] = {"loops", "calls",      "chase",       "stream", "branches",
                                              "mixed", "predicates", "speculation", "frames", "threads"};

const char *montecito_workload_name(unsigned workload)
{
  return workload < WORKLOAD_N ? names[workload] : NULL;
}

int montecito_workload_find(const char *name)
{
  for (int i = 0; i < WORKLOAD_N; i++)
    if (!strcmp(names[i], name))
      return i;
  return -1;
}

/* Nested loops over a few kilobytes. */
static void generator_run_loops(struct generator *g, struct montecito_bundle *b)
{
  const unsigned at = g->step++ % 4;
  g->data = (g->data + 8) % 8192;
  if (at < 3) {
    generator_emit(g, b, generator_memory_slot(at == 1 ? OP_STORE : OP_LOAD, GENERATOR_DATA + g->data, 0),
                   generator_plain_slot(OP_PLAIN, SLOT_A), generator_plain_slot(OP_NOP, SLOT_I));
    return;
  }
  g->trip++;
  generator_emit(g, b, generator_plain_slot(OP_PLAIN, SLOT_A), generator_plain_slot(OP_PLAIN, SLOT_A),
                 generator_branch(OP_BRANCH, GENERATOR_CODE, g->trip % 16 != 0));
  if (g->trip % 16 == 0)
    g->ip = GENERATOR_CODE;
}

/* Calls to eight functions, up to sixteen deep. */
static void generator_run_calls(struct generator *g, struct montecito_bundle *b)
{
  const bool up = g->depth == 16 || (g->depth && generator_random(g) % 2);
  if (g->step++ % 4 < 3) {
    const struct montecito_slot first =
        g->step % 4 == 1 && g->depth ? generator_plain_slot(OP_ALLOC, SLOT_M) : generator_plain_slot(OP_PLAIN, SLOT_A);
    generator_emit(g, b, first, generator_plain_slot(OP_PLAIN, SLOT_A), generator_plain_slot(OP_NOP, SLOT_I));
  } else if (up) {
    generator_emit(g, b, generator_plain_slot(OP_PLAIN, SLOT_A), generator_plain_slot(OP_NOP, SLOT_I),
                   generator_branch(OP_RETURN, g->returns[--g->depth], true));
  } else {
    g->returns[g->depth++] = g->ip + 16;
    generator_emit(g, b, generator_plain_slot(OP_PLAIN, SLOT_A), generator_plain_slot(OP_NOP, SLOT_I),
                   generator_branch(OP_CALL, GENERATOR_CODE + 4096 * (1 + generator_random(g) % 8), true));
  }
}

/* The address of each load depends on the previous load. */
static void generator_run_chase(struct generator *g, struct montecito_bundle *b)
{
  if (g->step++ % 2 == 0) {
    generator_emit(
        g, b, generator_memory_slot(OP_LOAD, GENERATOR_DATA + generator_random(g) % CHASE_BYTES / 8 * 8, SLOT_USED),
        generator_plain_slot(OP_NOP, SLOT_I), generator_plain_slot(OP_NOP, SLOT_I));
    return;
  }
  generator_emit(g, b, generator_plain_slot(OP_PLAIN, SLOT_A), generator_plain_slot(OP_PLAIN, SLOT_A),
                 generator_branch(OP_BRANCH, GENERATOR_CODE, true));
}

/* Reads two arrays and writes one, in floating point. */
static void generator_run_stream(struct generator *g, struct montecito_bundle *b)
{
  const unsigned at = g->step++ % 4;
  if (at < 2)
    generator_emit(g, b, generator_memory_slot(OP_FLOAD, GENERATOR_DATA + at * CHASE_BYTES + g->data, 0),
                   generator_plain_slot(OP_FP2, SLOT_F), generator_plain_slot(OP_NOP, SLOT_I));
  else if (at == 2)
    generator_emit(g, b, generator_memory_slot(OP_FSTORE, GENERATOR_DATA + 2 * CHASE_BYTES + g->data, 0),
                   generator_memory_slot(OP_LFETCH, GENERATOR_DATA + g->data + 1024, 0),
                   generator_plain_slot(OP_PLAIN, SLOT_A));
  else {
    g->data = (g->data + 8) % CHASE_BYTES;
    generator_emit(g, b, generator_plain_slot(OP_PLAIN, SLOT_A), generator_plain_slot(OP_NOP, SLOT_F),
                   generator_branch(OP_BRANCH, GENERATOR_CODE, true));
  }
}

/* Unpredictable branches, some of them indirect. */
static void generator_run_branches(struct generator *g, struct montecito_bundle *b)
{
  const uint64_t r = generator_random(g);
  const struct montecito_slot last = r % 8 ? generator_branch(OP_BRANCH, GENERATOR_CODE + r / 8 % 64 * 32, r >> 20 & 1)
                                           : generator_branch(OP_INDIRECT, GENERATOR_CODE + r / 8 % 4 * 1024, true);
  generator_emit(g, b, generator_plain_slot(OP_PLAIN, SLOT_A), generator_plain_slot(OP_PLAIN, SLOT_A), last);
  if (g->ip > GENERATOR_CODE + 65536)
    g->ip = GENERATOR_CODE;
}

static int generator_next(struct montecito_source *s, struct montecito_record *ret, bool *ret_ended, char *error,
                          size_t error_size)
{
  static void (*const programs[])(struct generator *, struct montecito_bundle *) = {
      generator_run_loops, generator_run_calls, generator_run_chase, generator_run_stream, generator_run_branches};
  static void (*const others[])(struct generator *, struct montecito_record *) = {
      generator_run_predicates, generator_run_speculation, generator_run_frames, generator_run_threads};
  struct generator *g = (struct generator *)(void *)s;
  unsigned w = g->workload;
  (void)error;
  (void)error_size;
  if (!g->left) {
    *ret_ended = true;
    return PMON_OK;
  }
  if (w == WORKLOAD_MIXED)
    w = (unsigned)(g->left / 4096 % WORKLOAD_MIXED);
  g->left--;
  memset(ret, 0, offsetof(struct montecito_record, bundle.slot)); /* programs set all slots of a bundle */
  if (w > WORKLOAD_MIXED)
    others[w - WORKLOAD_MIXED - 1](g, ret);
  else
    programs[w](g, &ret->bundle);
  return PMON_OK;
}

static void generator_free(struct montecito_source *s)
{
  free(s);
}

int montecito_generator_new(unsigned workload, uint64_t bundles, uint64_t seed, struct montecito_source **ret_source)
{
  struct generator *g = calloc(1, sizeof *g);
  if (!g)
    return PMON_E_MEMORY;
  g->base.next = generator_next;
  g->base.free = generator_free;
  g->left = bundles;
  g->random = seed * 2654435761u + 88172645463325252u;
  g->workload = workload < WORKLOAD_N ? workload : WORKLOAD_LOOPS;
  g->ip = g->other_ip = GENERATOR_CODE;
  g->frame[0] = 8;
  *ret_source = &g->base;
  return PMON_OK;
}

/* Reads a decimal number at *at, and advances behind it. strtoull() alone would take -1 for 2^64 - 1. */
static bool take_number(const char **at, uint64_t *ret_number)
{
  char *end = NULL;
  if (!isdigit((unsigned char)**at))
    return false;
  *ret_number = strtoull(*at, &end, 10);
  *at = end;
  return true;
}

int montecito_generator_open(const char *text, char *error, size_t error_size, struct montecito_source **ret_source)
{
  static const uint64_t DEFAULT_BUNDLES = 1000000;
  char name[32];
  const size_t n = strcspn(text, ":");
  uint64_t bundles = DEFAULT_BUNDLES, seed = 1;
  snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), text);
  const int workload = montecito_workload_find(name);
  if (workload < 0) {
    char list[160];
    snprintf(error, error_size, "no such generator; expected %s", words_format(names, WORKLOAD_N, list, sizeof list));
    return PMON_E_UNKNOWN;
  }
  if (text[n] == ':') {
    const char *at = text + n + 1;
    bool valid = take_number(&at, &bundles) && bundles;
    if (valid && *at == ':')
      valid = (at++, take_number(&at, &seed));
    if (!valid || *at) {
      snprintf(error, error_size, "expected NAME, NAME:BUNDLES or NAME:BUNDLES:SEED");
      return PMON_E_SYNTAX;
    }
  }
  return montecito_generator_new((unsigned)workload, bundles, seed, ret_source);
}
