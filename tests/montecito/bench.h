/* SPDX-License-Identifier: MIT */
/* Shared by the tests of the cores: a machine that executes lines of a stream, and shortcuts to its registers. */
#ifndef TESTS_MACHINE_MONTECITO_BENCH_H
#define TESTS_MACHINE_MONTECITO_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "machine/montecito/machine.h"
#include "machine/montecito/stream/stream.h"

struct bench {
  struct montecito_machine *m;
  uint8_t thread;
};

static inline int bench_set_up(void **state)
{
  static struct bench b;
  b = (struct bench){0};
  assert_int_equal(montecito_machine_new(&b.m), 0);
  *state = &b;
  return 0;
}

static inline int bench_tear_down(void **state)
{
  struct bench *b = *state;
  montecito_machine_free(b->m);
  return 0;
}

static inline struct pmon_address bench_address(const struct bench *b, uint8_t space, unsigned n)
{
  return (struct pmon_address){.package = b->thread, .space = space, .width_bits = 64, .offset = n};
}

static inline uint64_t bench_pmc(const struct bench *b, unsigned n)
{
  const struct pmon_address a = bench_address(b, PMON_SPACE_PMC, n);
  uint64_t value = 0;
  assert_int_equal(montecito_machine_read(b->m, &a, &value), 0);
  return value;
}

static inline uint64_t bench_pmd(const struct bench *b, unsigned n)
{
  const struct pmon_address a = bench_address(b, PMON_SPACE_PMD, n);
  uint64_t value = 0;
  assert_int_equal(montecito_machine_read(b->m, &a, &value), 0);
  return value;
}

static inline void bench_set_pmc(const struct bench *b, unsigned n, uint64_t value)
{
  const struct pmon_address a = bench_address(b, PMON_SPACE_PMC, n);
  assert_int_equal(montecito_machine_write(b->m, &a, value), 0);
}

static inline void bench_set_pmd(const struct bench *b, unsigned n, uint64_t value)
{
  const struct pmon_address a = bench_address(b, PMON_SPACE_PMD, n);
  assert_int_equal(montecito_machine_write(b->m, &a, value), 0);
}

/* Programs counter n for event `code` with `umask` at all privilege levels, and sets PSR.up. */
static inline void bench_count(const struct bench *b, unsigned n, unsigned code, unsigned umask)
{
  bench_set_pmc(b, n, UINT64_C(0x7a00000f) | (uint64_t)code << 8 | (uint64_t)umask << 16);
}

/* Executes lines of the stream, each terminated by \n. */
static inline void bench_run(struct bench *b, const char *text)
{
  while (*text) {
    char line[256], error[256] = "";
    struct montecito_record r;
    bool any;
    const size_t n = strcspn(text, "\n");
    snprintf(line, sizeof line, "%.*s", (int)n, text);
    if (montecito_stream_parse_line(line, &b->thread, &r, &any, error, sizeof error) ||
        (any && montecito_machine_apply(b->m, &r, error, sizeof error)))
      fail_msg("%s: %s", line, error);
    text += n + (text[n] == '\n');
  }
  montecito_machine_close_cycles(b->m);
}

static inline uint64_t bench_blamed(const struct bench *b, const char *name, const char *field)
{
  const struct machine_violation *list;
  const size_t n = montecito_machine_violations(b->m, &list);
  uint64_t found = 0;
  for (size_t i = 0; i < n; i++)
    found += !strcmp(list[i].name, name) && !strcmp(list[i].field, field);
  return found;
}

#endif
