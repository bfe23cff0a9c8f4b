/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "tests/common/double.h"
#include "machine/config.h"
#include "machine/model.h"
#include "machine/snbep/attr.h"

#define ROWS 512u

struct block {
  struct block_head head;
  char unit[8];
  unsigned socket, instance, n;
  struct block *next;
  uint64_t digest, free[32];
  struct observed rows[ROWS];
};

struct machine {
  struct block *blocks;
  int deaf;
};

struct machine *double_new(int deaf)
{
  struct machine *m = calloc(1, sizeof *m);
  assert_non_null(m);
  m->deaf = deaf;
  return m;
}

void double_free(struct machine *m)
{
  for (struct block *b = m->blocks, *next; b; b = next) {
    next = b->next;
    free(b);
  }
  free(m);
}

struct block *machine_block(struct machine *m, unsigned socket, const char *unit, unsigned instance)
{
  if (m->deaf)
    return NULL;
  struct block *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->head.horizon = UINT64_MAX;
  memset(b->head.enabled, 0xff, sizeof b->head.enabled);
  strncpy(b->unit, unit, sizeof b->unit - 1);
  b->socket = socket;
  b->instance = instance;
  for (const struct block *o = m->blocks; o; o = o->next)
    if (!strcmp(o->unit, unit) && o->socket == socket && o->instance == instance) {
      free(b);
      return (struct block *)(uintptr_t)o;
    }
  b->next = m->blocks;
  m->blocks = b;
  return b;
}

static struct observed *row(struct block *b, uint8_t code, uint64_t attr)
{
  if (!strcmp(b->unit, "ha") && code == HA_ADDR_OPC_MATCH) /* its attributes are addresses: too many rows */
    attr &= ~HA_MATCH_ADDRESS(UINT64_MAX);
  for (unsigned i = 0; i < b->n; i++)
    if (b->rows[i].code == code && b->rows[i].attr == attr)
      return &b->rows[i];
  assert_true(b->n < ROWS);
  b->rows[b->n].code = code;
  b->rows[b->n].attr = attr;
  return &b->rows[b->n++];
}

static void note(struct block *b, uint64_t a, uint64_t c, uint64_t d)
{
  b->digest = (b->digest ^ a) * 0x9e3779b97f4a7c15u + c * 31 + (d ^ b->digest >> 29);
}

void block_pulse_report(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t at, uint32_t n)
{
  struct observed *r = row(b, code, attr);
  r->pulses += n;
  r->last = at > r->last ? at : r->last;
  note(b, code + attr, at + tid, n);
}

void block_span_report(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t from, fs_t to, uint32_t n)
{
  struct observed *r = row(b, code, attr);
  assert_true(to >= from);
  r->spans++;
  r->life_fs += (to - from) * n;
  note(b, code + attr, from + tid, to + n);
}

void block_level_set(struct block *b, uint8_t code, uint64_t attr, fs_t at, uint32_t level)
{
  row(b, code, attr)->pulses = level;
  note(b, code + attr, at, level);
}

void block_freerunning_pulse(struct block *b, unsigned index, fs_t at, uint32_t n)
{
  assert_true(index < 32);
  b->free[index] += n;
  note(b, index, at, n);
}

void block_freerunning_span(struct block *b, unsigned index, fs_t from, fs_t to, uint32_t n)
{
  assert_true(index < 32 && to >= from);
  b->free[index] += (to - from) * n;
  note(b, index, from, to);
}

void block_freerunning_level_set(struct block *b, unsigned index, fs_t at, uint32_t level)
{
  assert_true(index < 32);
  b->free[index] = level;
  note(b, index, at, level);
}

void block_out_of_memory(struct block *b)
{
  fail_msg("%s: no memory", b->unit);
}

struct observed double_sum_one(const struct machine *m, int socket, const char *unit, unsigned instance, uint8_t code,
                               uint64_t attr)
{
  struct observed sum = {.code = code, .attr = attr};
  for (const struct block *b = m->blocks; b; b = b->next) {
    if (strcmp(b->unit, unit) || (socket >= 0 && b->socket != (unsigned)socket) ||
        (instance != UINT32_MAX && b->instance != instance))
      continue;
    for (unsigned i = 0; i < b->n; i++)
      if (b->rows[i].code == code && (b->rows[i].attr & attr) == attr) {
        sum.pulses += b->rows[i].pulses;
        sum.spans += b->rows[i].spans;
        sum.life_fs += b->rows[i].life_fs;
        sum.last = b->rows[i].last > sum.last ? b->rows[i].last : sum.last;
      }
  }
  return sum;
}

struct observed double_sum(const struct machine *m, int socket, const char *unit, uint8_t code, uint64_t attr)
{
  return double_sum_one(m, socket, unit, UINT32_MAX, code, attr);
}

uint64_t double_digest(const struct machine *m)
{
  uint64_t digest = 0;
  for (const struct block *b = m->blocks; b; b = b->next)
    digest = digest * 1099511628211u + b->digest;
  return digest;
}

struct traffic *double_traffic(struct machine *m, const char *const *settings)
{
  struct machine_config config;
  char error[256] = "";
  struct traffic *t = NULL;
  machine_config_init(&config);
  for (; settings && *settings; settings++)
    if (machine_config_parse(&config, *settings, error, sizeof error))
      fail_msg("%s", error);
  if (machine_config_check(&config, error, sizeof error))
    fail_msg("%s", error);
  assert_int_equal(traffic_new(&config, model_of(&config)->uncore, m, &t), 0);
  return t;
}

uint64_t double_random(uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}
