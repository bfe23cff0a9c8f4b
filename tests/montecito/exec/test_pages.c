/* SPDX-License-Identifier: MIT */
/* The memory of a program that maps, fills and unmaps more pages than there are different byte values: all are 0 at
 * first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/status.h>
#include "machine/montecito/exec/pages.h"

enum { PAGES = 600, ROUNDS = 3 };
#define FIRST UINT64_C(0x10000000)

static void fill_pages(struct exec_memory *m)
{
  static const uint8_t zeros[EXEC_PAGE_BYTES];
  assert_int_equal(exec_memory_map(m, FIRST, (uint64_t)PAGES * EXEC_PAGE_BYTES, EXEC_READ | EXEC_WRITE), PMON_OK);
  for (uint64_t i = 0; i < PAGES; i++) {
    struct exec_page *p = exec_memory_find(m, FIRST + i * EXEC_PAGE_BYTES);
    assert_non_null(p);
    assert_memory_equal(p->bytes, zeros, sizeof zeros);
    memset(p->bytes, (int)(i % 255) + 1, EXEC_PAGE_BYTES);
  }
  for (uint64_t i = 0; i < PAGES; i++) /* no two pages have the same contents */
    assert_int_equal(exec_memory_find(m, FIRST + i * EXEC_PAGE_BYTES)->bytes[i], (int)(i % 255) + 1);
}

static void test_pages_are_used_again(void **state)
{
  struct exec_memory m;
  size_t blocks = 0;
  (void)state;
  assert_int_equal(exec_memory_init(&m, 2 * PAGES), PMON_OK);
  for (unsigned round = 0; round < ROUNDS; round++) {
    fill_pages(&m);
    assert_true(m.n_blocks && (!round || m.n_blocks == blocks));
    blocks = m.n_blocks;
    exec_memory_unmap(&m, FIRST + 100 * EXEC_PAGE_BYTES, (uint64_t)(PAGES - 100) * EXEC_PAGE_BYTES);
    exec_memory_unmap(&m, FIRST, 100 * EXEC_PAGE_BYTES);
    assert_null(exec_memory_find(&m, FIRST));
  }
  exec_memory_fini(&m);
}

static void test_mapping_an_alias_ends_it(void **state)
{
  const uint64_t address = FIRST + 8 * EXEC_PAGE_BYTES, value = 0x1234;
  struct exec_memory m;
  uint64_t read = 0, shown = 0;
  (void)state;
  assert_int_equal(exec_memory_init(&m, PAGES), PMON_OK);
  assert_int_equal(exec_memory_map(&m, FIRST, EXEC_PAGE_BYTES, EXEC_READ | EXEC_WRITE), PMON_OK);
  assert_true(exec_memory_write(&m, FIRST, &value, sizeof value));
  assert_int_equal(exec_memory_alias(&m, address, FIRST, EXEC_PAGE_BYTES, EXEC_READ), PMON_OK);
  assert_true(exec_memory_read(&m, address, &read, sizeof read) && read == value);
  assert_true(exec_memory_has_aliases(&m, FIRST, EXEC_PAGE_BYTES));
  assert_int_equal(exec_memory_map(&m, address, EXEC_PAGE_BYTES, EXEC_READ | EXEC_WRITE), PMON_OK);
  assert_true(exec_memory_physical(&m, address, &shown) && shown == address);
  assert_true(exec_memory_read(&m, address, &read, sizeof read) && read == 0);
  assert_false(exec_memory_has_aliases(&m, FIRST, EXEC_PAGE_BYTES));
  exec_memory_unalias(&m, address, EXEC_PAGE_BYTES); /* the translation is purged later */
  assert_non_null(exec_memory_find(&m, address));
  assert_true(exec_memory_read(&m, FIRST, &read, sizeof read) && read == value);
  exec_memory_fini(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pages_are_used_again),
                                     cmocka_unit_test(test_mapping_an_alias_ends_it)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
