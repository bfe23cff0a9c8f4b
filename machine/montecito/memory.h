/* SPDX-License-Identifier: MIT */
/*
 * The caches and TLBs of a core, for what the stream does not say (Table 2-9, 2.4.3). Addresses are taken as physical
 * ones; both threads share everything, TLB entries carry their thread's number.
 */
#ifndef MACHINE_MONTECITO_MEMORY_H
#define MACHINE_MONTECITO_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

enum montecito_mesi { MESI_I = 1, MESI_S = 2, MESI_E = 4, MESI_M = 8 }; /* as PMC.MESI has them: bit 27 is I */

/*
 * Least recently used lines go first: a set's lines stand in the order of their use, the latest in front, empty ones
 * behind. A line is the address above the set's number, then its state (enum montecito_mesi) in the low byte; 0: empty.
 */
struct montecito_cache {
  uint64_t *lines;
  uint32_t sets;
  uint8_t ways, shift, set_bits;
};
struct montecito_victim {
  uint64_t address;
  uint8_t state;
}; /* state 0: nothing was displaced */

/* Pages by a hash, and in a ring from the most to the least recently used one. 255: none. */
enum { TLB_MOST = 128, TLB_BUCKETS = 256 };
struct montecito_tlb_array {
  uint64_t page[TLB_MOST];
  uint8_t newer[TLB_MOST], older[TLB_MOST], chain[TLB_MOST], bucket[TLB_BUCKETS], newest, n;
};

struct montecito_memory {
  struct montecito_cache l1i, l1d, l2i, l2d, l3;
  struct montecito_tlb_array l1itlb, l2itlb, l1dtlb, l2dtlb;
  uint8_t *predictor;  /* two-bit counters */
  uint64_t *targets;   /* of indirect branches */
  uint64_t returns[8]; /* return stack */
  unsigned n_returns;
};

/* What an access met: enum montecito_hit_level and montecito_tlb_level; latency in cycles. */
struct montecito_access {
  uint8_t where, tlb, state;
  uint32_t latency;
};

bool memory_init(struct montecito_memory *m);
void memory_fini(struct montecito_memory *m);

/* The line's state, or 0; a hit becomes the most recent one. */
uint8_t cache_find(struct montecito_cache *c, uint64_t address);
uint8_t cache_state(const struct montecito_cache *c, uint64_t address); /* the same; recency unchanged */
void cache_set_state(struct montecito_cache *c, uint64_t address,
                     uint8_t state);                                  /* of a line that is there; 0: it goes */
void cache_expect(const struct montecito_cache *c, uint64_t address); /* looked for soon: into the host's caches */
/* Brings a line in that is not there; into an empty way first, else for the oldest. */
struct montecito_victim cache_fill(struct montecito_cache *c, uint64_t address, uint8_t state);
/* Whether the page is there; brings it in when it is not. */
bool tlb_find(struct montecito_tlb_array *t, uint64_t address, unsigned thread);
void tlb_clear(struct montecito_tlb_array *t);

/* The machine's own prediction of a branch, told its outcome at once. */
struct montecito_branch {
  uint64_t ip, target, next;
  bool taken, call, returns, indirect;
};
void predict_branch(struct montecito_memory *m, const struct montecito_branch *b, bool *ret_wrong_path,
                    bool *ret_wrong_target);

#endif
