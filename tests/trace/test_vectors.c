/* SPDX-License-Identifier: MIT */
/* Records of accesses of 16 and 32 bytes, which QEMU makes in pieces of 8, and which of them are marked RECORD_ALONE
 * (guest/vectors.S). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "machine/trace/live.h"
#include "tests/trace/collect.h"

enum { DATA_BYTES = 3 * 4096, OTHERS = 1024, OTHERS_END = 1744, TURNS = 100000 };

struct access {
  unsigned at, log2;
  bool store, past, apart; /* apart: not marked RECORD_ALONE */
};

/* The accesses before the instructions with several accesses, in an iteration of the loop after them, and at the
 * end. */
static const struct access before[] = {
    {0, 3, false, false, false},   {64, 4, false, false, false},   {131, 4, false, false, false},
    {188, 4, false, false, false}, {4088, 4, false, false, false}, {4090, 4, false, false, false},
    {256, 4, true, false, false},  {315, 4, true, false, false},   {272, 4, true, true, true},
    {288, 4, false, false, false}, {320, 5, false, false, false},  {4079, 5, false, false, false},
    {353, 5, true, false, false},  {384, 5, false, false, false},  {416, 4, false, false, false},
    {432, 4, true, false, false},  {448, 4, false, false, false},  {464, 4, false, false, false},
    {480, 3, false, false, false}, {488, 3, false, false, false},  {496, 3, false, false, false},
    {504, 3, false, false, false}, {512, 4, false, false, false},  {528, 4, false, false, false},
    {544, 4, false, false, false}, {560, 4, false, false, false},  {576, 3, false, false, false},
    {584, 3, false, false, false}, {592, 3, false, false, true},   {600, 3, false, false, true},
    {608, 3, false, false, true},  {608, 3, true, false, true},    {632, 3, true, false, false},
    {616, 3, false, false, true},  {624, 3, true, false, true},    {624, 3, false, false, false},
    {624, 3, true, false, false},  {624, 3, false, false, false},  {648, 0, true, false, false},
    {656, 3, false, false, false}, {664, 3, false, false, true},   {664, 3, true, false, true},
    {672, 2, false, false, false}};
static const struct access turn[] = {{64, 4, false, false, false}, {320, 5, false, false, false}};
static const struct access end[] = {{8184, 3, false, false, false}, {8, 3, false, false, false}};

static struct collected all;
static uint64_t data; /* of the guest */
static size_t at;     /* index of the next record */

/* Returns the next access to the data; 0: none. */
static uint64_t access_next(void)
{
  while (at < all.n[0]) {
    const uint64_t r = all.record[0][at++];

    if (!(r & (RECORD_BLOCK | RECORD_NOTE)) && record_address(r) - data < DATA_BYTES)
      return r;
  }
  return 0;
}

static void expect(const struct access *access, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    const uint64_t r = access_next();
    const unsigned is = (unsigned)(record_address(r) - data);

    if (is != access[i].at || record_size_log2(r) != access[i].log2 || record_is_store(r) != access[i].store ||
        !(r & RECORD_PAST_CACHES) != !access[i].past || !(r & RECORD_ALONE) != access[i].apart)
      fail_msg("access %zu, of 2^%u bytes at %u: it is one of 2^%u at %u (%016llx)", i, access[i].log2, access[i].at,
               record_size_log2(r), is, (unsigned long long)r);
  }
}

static void guest_run(void)
{
  char *argv[] = {getenv("PMON_TEST_GUEST"), NULL};
  struct live_options options = {.argv = argv, .plugin = getenv("PMON_TEST_PLUGIN")};
  char error[TRACE_ERROR_SIZE];
  struct trace_source *source;

  if (!argv[0] || !options.plugin)
    fail_msg("PMON_TEST_GUEST or PMON_TEST_PLUGIN is not set: run this by `meson test`");
  if (live_open(&options, error, sizeof error, &source))
    fail_msg("%s", error);
  collect(source, &all);
  assert_int_equal(all.status, 0);
  assert_int_equal(all.threads, 1);
  for (at = 0; !data && at < all.n[0]; at++)
    if (!(all.record[0][at] & (RECORD_BLOCK | RECORD_NOTE)))
      data = record_address(all.record[0][at]);
  at = 0;
}

/* No access marked RECORD_ALONE has another access of the same instruction next to it. */
static void test_what_says_so_is_alone(void **state)
{
  size_t said = 0;

  (void)state;
  guest_run();
  for (size_t i = 1; i + 1 < all.n[0]; i++) {
    const uint64_t *r = all.record[0] + i;

    if (*r & (RECORD_BLOCK | RECORD_NOTE) || !(*r & RECORD_ALONE))
      continue;
    assert_true((*r ^ r[-1]) >> RECORD_ORDINAL_SHIFT && (*r ^ r[1]) >> RECORD_ORDINAL_SHIFT);
    said++;
  }
  assert_true(said > 2 * TURNS);
  collected_free(&all);
}

/* The two halves, or four quarters, of a vector are one record; no other accesses are combined. */
static void test_pieces_of_vectors_are_one_record(void **state)
{
  unsigned others = 0;
  size_t here;
  uint64_t r;

  (void)state;
  guest_run();
  expect(before, sizeof before / sizeof *before);
  for (here = at; (r = access_next()) && record_address(r) - data >= OTHERS; here = at, others++) {
    assert_true(record_address(r) - data < OTHERS_END);
    assert_true(record_size_log2(r) <= 3);
  }
  assert_true(others > 4 + 2 + 4 + 2);
  at = here;
  for (unsigned i = 0; i < TURNS; i++)
    expect(turn, sizeof turn / sizeof *turn);
  expect(end, sizeof end / sizeof *end);
  assert_int_equal(access_next(), 0);
  collected_free(&all);
}

int main(void)
{
  static const struct CMUnitTest tests[] = {cmocka_unit_test(test_pieces_of_vectors_are_one_record),
                                            cmocka_unit_test(test_what_says_so_is_alone)};

  if (system("command -v qemu-x86_64 >/dev/null") != 0) {
    fprintf(stderr, "SKIPPED: no qemu-x86_64 (apt install qemu-user): nothing of the live trace was tested\n");
    return 77;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
