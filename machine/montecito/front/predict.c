/* SPDX-License-Identifier: MIT */
#include "machine/montecito/front/predict.h"
#include <stdlib.h>
#include <string.h>
#include "machine/montecito/memory/memory.h"

enum { COUNTER_BITS = 2, COUNTER_MOST = 3, TAKEN = 2, UNKNOWN = 0x15 /* weakly not taken in all slots */ };

bool predict_init(struct montecito_predictor *p, uint32_t sets, uint32_t ways, uint32_t entries)
{
  p->sets = sets;
  p->ways = ways;
  p->entries = entries;
  p->lines = calloc((size_t)sets * ways, sizeof *p->lines);
  p->paths = malloc(entries);
  if (!p->lines || !p->paths)
    return false;
  memset(p->paths, UNKNOWN, entries);
  p->last = p->lines;
  return true;
}

void predict_fini(struct montecito_predictor *p)
{
  free(p->lines);
  free(p->paths);
}

/* ---- first level ---- */

static uint64_t line_key(const struct montecito_memory *m, uint64_t address)
{
  return (address ^ m->l1i.space) >> m->l1i.shift << 1 | 1;
}

static struct montecito_predicted_line *line_set(struct montecito_memory *m, uint64_t address)
{
  struct montecito_predictor *p = &m->predictor;
  return &p->lines[(address >> m->l1i.shift & (p->sets - 1)) * p->ways];
}

/* Returns the set's entry with this key, or NULL. Key 0 finds an empty entry. */
static struct montecito_predicted_line *line_find(struct montecito_memory *m, uint64_t address, uint64_t key)
{
  struct montecito_predicted_line *set = line_set(m, address);
  for (unsigned way = 0; way < m->predictor.ways; way++)
    if (set[way].line == key)
      return &set[way];
  return NULL;
}

static uint8_t *second_level(struct montecito_predictor *p, uint64_t ip)
{
  return &p->paths[(ip >> 4 ^ ip >> 16) & (p->entries - 1)];
}

void predict_drop_line(struct montecito_memory *m, uint64_t address)
{
  struct montecito_predicted_line *l = line_find(m, address, line_key(m, address));
  cache_set_state(&m->l1i, address, 0);
  if (!l)
    return;
  for (unsigned i = 0; i < PREDICTED_BUNDLES; i++)
    *second_level(&m->predictor, (address >> m->l1i.shift << m->l1i.shift) + 16 * i) = l->paths[i];
  *l = (struct montecito_predicted_line){0};
}

void predict_fill_line(struct montecito_memory *m, uint64_t address)
{
  const struct montecito_victim v = cache_fill(&m->l1i, address, MESI_S);
  struct montecito_predicted_line *l;
  if (v.state)
    predict_drop_line(m, v.address);
  l = line_find(m, address, 0);
  *l = (struct montecito_predicted_line){.line = line_key(m, address), .fresh = true};
  for (unsigned i = 0; i < PREDICTED_BUNDLES; i++)
    l->paths[i] = *second_level(&m->predictor, (address >> m->l1i.shift << m->l1i.shift) + 16 * i);
}

/* ---- prediction ---- */

static uint8_t path_learned(uint8_t counter, bool taken)
{
  if (taken)
    return counter < COUNTER_MOST ? counter + 1 : counter;
  return counter ? counter - 1 : counter;
}

/* Returns whether the branch is predicted taken, and trains the counter of its slot. */
static bool predict_path(uint8_t *paths, const struct montecito_branch *b)
{
  const unsigned shift = COUNTER_BITS * b->slot;
  const uint8_t counter = *paths >> shift & COUNTER_MOST;
  *paths ^= (uint8_t)((counter ^ path_learned(counter, b->taken)) << shift);
  return b->counted ? b->taken : counter >= TAKEN;
}

static uint64_t predict_return(struct montecito_return_stack *s)
{
  return s->n ? s->address[--s->n % PREDICTED_RETURNS] : 0;
}

/* True if the predicted target of a taken branch is right. *ret_resteers: the front end turns to it with a delay. */
static bool predict_target(struct montecito_predictor *p, struct montecito_predicted_line *l,
                           const struct montecito_branch *b, bool *ret_resteers)
{
  *ret_resteers = true;
  if (b->returns)
    return predict_return(&p->returns[b->thread]) == b->target;
  if (b->indirect) {
    uint64_t *target = &p->targets[b->ip >> 4 & (PREDICTED_TARGETS - 1)];
    const bool right = *target == b->target;
    *target = b->target;
    return right;
  }
  if (l) {
    uint64_t *target = &l->target[b->ip >> 4 & (PREDICTED_BUNDLES - 1)];
    *ret_resteers = *target != b->target;
    *target = b->target;
  }
  return true;
}

__attribute__((hot)) struct montecito_prediction predict_branch(struct montecito_memory *m,
                                                                const struct montecito_branch *b)
{
  struct montecito_predictor *p = &m->predictor;
  struct montecito_prediction is = {0};
  const uint64_t key = line_key(m, b->ip);
  struct montecito_predicted_line *l = p->last->line == key ? p->last : line_find(m, b->ip, key);
  if (l) {
    is.fresh = l->fresh;
    l->fresh = false;
    p->last = l;
  }
  const bool path = predict_path(l ? &l->paths[b->ip >> 4 & (PREDICTED_BUNDLES - 1)] : second_level(p, b->ip), b);
  is.wrong_path = path != b->taken;
  if (!b->taken)
    return is;
  is.wrong_target = !predict_target(p, l, b, &is.resteers) && path;
  if (b->call) {
    struct montecito_return_stack *s = &p->returns[b->thread];
    s->address[s->n++ % PREDICTED_RETURNS] = b->next;
  }
  return is;
}
