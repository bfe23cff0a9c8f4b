/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "tests/coverage/recorder.h"
#include "machine/coverage.h"
#include "machine/pmon/state.h"
#include "machine/trace/scenario.h"

enum { SLOT_BITS = 17, SLOTS = 1 << SLOT_BITS, INSTANCES = 64 };

struct recorder {
  struct record record[SLOTS];
  uint32_t slot[SLOTS]; /* index by hash: record + 1 */
  size_t n;
  struct {
    struct block *block;
    uint16_t code;
    uint64_t attr;
    fs_t at;
    uint32_t level;
  } level[4096];
  size_t n_levels;
};

static struct recorder *current; /* the wrapped functions have no argument for it */

static void recorder_add(const char *unit, uint16_t code, uint64_t attr, double amount)
{
  uint64_t hash = (attr ^ (uint64_t)code << 40 ^ (uintptr_t)unit) * UINT64_C(0x9e3779b97f4a7c15);
  for (size_t i = hash >> (64 - SLOT_BITS);; i = (i + 1) % SLOTS) {
    uint32_t *s = &current->slot[i];
    if (!*s) {
      assert_true(current->n < SLOTS - 1);
      current->record[current->n] = (struct record){unit, code, attr, 0};
      *s = (uint32_t)++current->n;
    }
    struct record *r = &current->record[*s - 1];
    if (r->unit == unit && r->code == code && r->attr == attr) {
      r->amount += amount;
      return;
    }
  }
}

void __wrap_block_pulse_report(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t at, uint32_t n);
void __wrap_block_span_report(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t from, fs_t to,
                              uint32_t n);
void __wrap_block_level_set(struct block *b, uint8_t code, uint64_t attr, fs_t at, uint32_t level);
void __wrap_block_freerunning_pulse(struct block *b, unsigned index, fs_t at, uint32_t n);
void __wrap_block_freerunning_span(struct block *b, unsigned index, fs_t from, fs_t to, uint32_t n);
void __wrap_block_freerunning_level_set(struct block *b, unsigned index, fs_t at, uint32_t level);

void __wrap_block_pulse_report(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t at, uint32_t n)
{
  (void)tid, (void)at;
  recorder_add(b->unit->name, code, attr, n);
}

void __wrap_block_span_report(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t from, fs_t to,
                              uint32_t n)
{
  (void)tid;
  assert_true(to >= from);
  recorder_add(b->unit->name, code, attr, (double)(to - from) * n);
}

/* Ends the current level at `at`, with its amount so far; if `at` precedes the last change, the level lasted no
 * time. */
static void set_level(struct block *b, uint16_t code, uint64_t attr, fs_t at, uint32_t level)
{
  for (size_t i = 0; i < current->n_levels; i++)
    if (current->level[i].block == b && current->level[i].code == code && current->level[i].attr == attr) {
      if (at > current->level[i].at)
        recorder_add(b->unit->name, code, attr, (double)(at - current->level[i].at) * current->level[i].level);
      current->level[i].at = at;
      current->level[i].level = level;
      return;
    }
  assert_true(current->n_levels < sizeof current->level / sizeof *current->level);
  current->level[current->n_levels].block = b;
  current->level[current->n_levels].code = code;
  current->level[current->n_levels].attr = attr;
  current->level[current->n_levels].at = at;
  current->level[current->n_levels++].level = level;
}

void __wrap_block_level_set(struct block *b, uint8_t code, uint64_t attr, fs_t at, uint32_t level)
{
  set_level(b, code, attr, at, level);
}

void __wrap_block_freerunning_level_set(struct block *b, unsigned index, fs_t at, uint32_t level)
{
  set_level(b, DRIVE_FREERUNNING, index, at, level);
}

void __wrap_block_freerunning_pulse(struct block *b, unsigned index, fs_t at, uint32_t n)
{
  (void)at;
  recorder_add(b->unit->name, DRIVE_FREERUNNING, index, n);
}

void __wrap_block_freerunning_span(struct block *b, unsigned index, fs_t from, fs_t to, uint32_t n)
{
  recorder_add(b->unit->name, DRIVE_FREERUNNING, index, (double)(to - from) * n);
}

struct recorder *recorder_new(void)
{
  struct recorder *r = calloc(1, sizeof *r);
  assert_non_null(r);
  return r;
}

void recorder_free(struct recorder *r)
{
  free(r);
}

static void listen_to_all(struct machine *m)
{
  for (unsigned s = 0; s < m->n_sockets; s++)
    for (unsigned i = 0; i < m->sockets[s].n_blocks; i++)
      for (unsigned code = 0; code < 256; code++)
        block_enable_code(&m->sockets[s].blocks[i], (uint8_t)code, (1u << m->sockets[s].blocks[i].n_counters) - 1);
}

fs_t recorder_run_in_steps(struct recorder *r, const char *path, whole_resolve_fn resolve, fs_t step)
{
  struct scenario s;
  char error[512] = "";
  bool ended = false;
  current = r;
  r->n_levels = 0;
  struct machine *m = whole_machine(&s, path, resolve);
  listen_to_all(m);
  for (fs_t until = step; !ended; until += until > UINT64_MAX - step ? 0 : step) {
    if (machine_run(m, until, &ended, error, sizeof error))
      fail_msg("%s: %s", path, error);
  }
  const fs_t end = m->now;
  for (size_t i = 0; i < r->n_levels; i++)
    if (end > r->level[i].at)
      recorder_add(r->level[i].block->unit->name, r->level[i].code, r->level[i].attr,
                   (double)(end - r->level[i].at) * r->level[i].level);
  machine_free(m);
  current = NULL;
  return end;
}

void recorder_run(struct recorder *r, const char *path, whole_resolve_fn resolve)
{
  recorder_run_in_steps(r, path, resolve, UINT64_MAX);
}

const struct record *recorder_records(const struct recorder *r, size_t *ret_n)
{
  *ret_n = r->n;
  return r->record;
}
