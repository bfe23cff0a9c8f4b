/* SPDX-License-Identifier: MIT */
/* Which accesses of a block have addresses with a known difference (plugin/group.h). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "plugin/group.h"

#define INSTRUCTIONS 3
struct code {
  const char *bytes;
  size_t n;
};

/* Adds a block's instructions. Returns the group of the first instruction if the last one belongs to it, else NULL. */
static const struct group *joined(const struct code *code)
{
  uint64_t address = 0x1000;

  groups_begin();
  for (size_t i = 0; i < INSTRUCTIONS; i++) {
    groups_add(code[i].bytes, code[i].n, address);
    address += code[i].n;
  }
  return group_contains(INSTRUCTIONS - 1) ? group_of(0) : NULL;
}
#define CODE(text)                                                                                                     \
  {                                                                                                                    \
    text, sizeof text - 1                                                                                              \
  }

static void known_distances_join(void **state)
{
  (void)state;
  static const struct code push[] = {CODE("\x50"), CODE("\x53"), CODE("\x51")}; /* push rax, rbx, rcx */
  static const struct code loads[] = {CODE("\x48\x8b\x07"), CODE("\x48\x83\xc7\x10"),
                                      CODE("\x48\x8b\x4f\x08")}; /* mov rax, [rdi]; add rdi, 16; mov rcx, [rdi + 8] */
  const struct group *g = joined(push);

  assert_non_null(g);
  assert_int_equal(g->n, 3);
  assert_int_equal(g->at[2], -16);
  g = joined(loads);
  assert_non_null(g);
  assert_int_equal(g->n, 2);
  assert_int_equal(g->at[1], 24);
}

/* Here, other instructions change the stack pointer. */
static void other_pushes_do_not(void **state)
{
  (void)state;
  static const struct code flags[] = {CODE("\x50"), CODE("\x9c"), CODE("\x51")};    /* push rax; pushfq; push rcx */
  static const struct code half[] = {CODE("\x50"), CODE("\x66\x50"), CODE("\x51")}; /* push rax; push ax; push rcx */
  static const struct code last[] = {CODE("\x90"), CODE("\x50"), CODE("\x66\x53")}; /* nop; push rax; push bx */

  assert_null(joined(flags));
  assert_null(joined(half));
  joined(last);
  assert_false(group_contains(2));
}

/* The address of an access through a segment register depends on the segment's base: mov rax, fs:[rdi]; wrfsbase rdx or
 * nop; mov rcx, fs:[rdi + 8] */
static void segments_do_not(void **state)
{
  (void)state;
  static const struct code moved[] = {CODE("\x64\x48\x8b\x07"), CODE("\xf3\x48\x0f\xae\xd2"),
                                      CODE("\x64\x48\x8b\x4f\x08")};
  static const struct code kept[] = {CODE("\x64\x48\x8b\x07"), CODE("\x90"), CODE("\x64\x48\x8b\x4f\x08")};

  assert_null(joined(moved));
  assert_null(joined(kept));
}

static int install(void **state)
{
  (void)state;
  return !groups_install(true);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_distances_join),
      cmocka_unit_test(other_pushes_do_not),
      cmocka_unit_test(segments_do_not),
  };

  return cmocka_run_group_tests(tests, install, NULL);
}
