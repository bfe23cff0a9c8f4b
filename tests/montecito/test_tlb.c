/* SPDX-License-Identifier: MIT */
/* A TLB replaces its least recently used page, compared with a list in order of use: two or three pages alternately,
 * and at random, of one thread, and of two threads with some reserved entries each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "machine/montecito/memory/memory.h"

enum { STEPS = 40000, MOST = 128 };

/* The most recent page comes first. */
struct listed {
  struct {
    uint64_t page;
    unsigned thread;
  } of[MOST];
  unsigned n, most, reserved;
};

static unsigned listed_of_thread(const struct listed *l, unsigned thread)
{
  unsigned n = 0;
  for (unsigned i = 0; i < l->n; i++)
    n += l->of[i].thread == thread;
  return n;
}

/* Returns the place of the page, or of the entry that it replaces. */
static unsigned listed_place(struct listed *l, uint64_t page, unsigned thread, bool *ret_found)
{
  unsigned i = 0;
  while (i < l->n && (l->of[i].page != page || l->of[i].thread != thread))
    i++;
  *ret_found = i < l->n;
  if (*ret_found)
    return i;
  if (l->n < l->most)
    return l->n++;
  i = l->n - 1;
  while (l->of[i].thread != thread && listed_of_thread(l, !thread) <= l->reserved)
    i--;
  return i;
}

static bool listed_find(struct listed *l, uint64_t page, unsigned thread)
{
  bool found;
  const unsigned i = listed_place(l, page, thread, &found);
  memmove(&l->of[1], &l->of[0], i * sizeof l->of[0]);
  l->of[0].page = page;
  l->of[0].thread = thread;
  return found;
}

static uint32_t tlb_random(uint32_t *state)
{
  *state = *state * 1664525 + 1013904223;
  return *state >> 8;
}

/* Chooses two or three pages alternately for a while, with others in between. */
static uint64_t page_choose(uint32_t *random, unsigned step, unsigned pages)
{
  const unsigned turns = 1 + step / 64 % 4;
  return tlb_random(random) % 4 ? (step / 256 + step % turns) % pages : tlb_random(random) % pages;
}

static void compare(uint32_t l2_entries, unsigned entries, unsigned reserved, unsigned threads, bool second_level)
{
  struct montecito_config config;
  struct montecito_memory m = {0};
  struct listed l = {.most = entries, .reserved = reserved};
  uint32_t random = entries + threads;
  montecito_config_init(&config);
  config.value[MONTECITO_L1DTLB] = entries;
  config.value[MONTECITO_L2DTLB] = l2_entries;
  assert_true(memory_init(&m, &config));
  for (unsigned step = 0; step < STEPS; step++) {
    const uint64_t page = page_choose(&random, step, entries + entries / 4 + 1);
    const unsigned thread = threads > 1 && tlb_random(&random) % 8 == 0;
    const uint64_t address = page << m.l1dtlb.page_shift | (tlb_random(&random) & 0x3ff8);
    const bool found = tlb_find(second_level ? &m.l2dtlb : &m.l1dtlb, address, thread);
    if (found != listed_find(&l, page, thread))
      fail_msg("%u entries, step %u: page %llu is %s", entries, step, (unsigned long long)page,
               found ? "found" : "not found");
  }
  memory_fini(&m);
}

static void test_one_thread(void **state)
{
  (void)state;
  compare(128, 2, 0, 1, false);
  compare(128, 3, 0, 1, false);
  compare(128, 32, 0, 1, false);
  compare(128, 128, 16, 1, true);
}

static void test_two_threads(void **state)
{
  (void)state;
  compare(128, 32, 0, 2, false);
  compare(128, 128, 16, 2, true);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_thread), cmocka_unit_test(test_two_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
