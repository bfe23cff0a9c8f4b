/* SPDX-License-Identifier: MIT */
/* The host's memory for the machine's tables: pages are resident once touched, huge pages are used on request, and the
 * contents are the same. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>
#include "machine/common/host_pages.h"

static bool no_huge_pages;

enum { BYTES = 16 << 20, APART = 1 << 20, TOUCHED = BYTES / APART, SKIPPED = 77 };

static size_t resident(void *pages)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), n = BYTES / page;
  unsigned char *in = malloc(n);
  size_t count = 0;

  assert_non_null(in);
  assert_int_equal(mincore(pages, BYTES, in), 0);
  for (size_t i = 0; i < n; i++)
    count += in[i] & 1;
  free(in);
  return count;
}

/* With huge pages, all of them would be resident. */
static void only_what_is_touched_is_resident(void **state)
{
  (void)state;
  unsigned char *p = pages_get(BYTES);

  assert_non_null(p);
  for (size_t i = 0; i < BYTES; i += APART)
    p[i] = (unsigned char)(p[i] + 1);
  assert_int_equal(resident(p), TOUCHED);
  for (size_t i = 0; i < BYTES; i++)
    if (p[i] != (i % APART == 0))
      fail_msg("byte %zu is %u", i, p[i]);
  pages_put(p, BYTES);
}

static void huge_pages_have_the_same_content(void **state)
{
  (void)state;
  unsigned char *p = pages_get(BYTES);
  struct huge_pages h = {.table = {{p, BYTES, BYTES}}, .n = 1};

  assert_non_null(p);
  for (size_t i = 0; i < BYTES; i += APART)
    p[i] = (unsigned char)(1 + i / APART);
  huge_pages_begin(&h);
  huge_pages_begin(&h);
  huge_pages_end(&h);
  huge_pages_end(&h);
  for (size_t i = 0; i < BYTES; i++)
    if (p[i] != (i % APART ? 0 : 1 + i / APART))
      fail_msg("byte %zu is %u", i, p[i]);
  no_huge_pages = resident(p) == TOUCHED;
  if (!no_huge_pages)
    assert_int_equal(resident(p), BYTES / sysconf(_SC_PAGESIZE));
  pages_put(p, BYTES);
  if (no_huge_pages)
    skip();
}

static void little_and_nothing(void **state)
{
  (void)state;
  unsigned char *p = pages_get(100);

  assert_non_null(p);
  p[99] = 1;
  pages_put(p, 100);
  pages_put(NULL, BYTES);
  huge_pages_end(&(struct huge_pages){.n = 0}); /* huge_pages_begin() was not called */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_what_is_touched_is_resident),
      cmocka_unit_test(huge_pages_have_the_same_content),
      cmocka_unit_test(little_and_nothing),
  };

  const int failed = cmocka_run_group_tests(tests, NULL, NULL);

  if (!failed && no_huge_pages)
    fprintf(stderr, "SKIPPED: huge pages: this host gives none on request (MADV_COLLAPSE); the other tests passed\n");
  return failed ? failed : no_huge_pages ? SKIPPED : 0;
}
