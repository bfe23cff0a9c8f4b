/* SPDX-License-Identifier: MIT */
/* Branch prediction: state of an L1I line, of the second level, and of each thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "machine/montecito/memory/memory.h"

/* Lines of one set of the L1I that have different second-level entries: WAY. With the same entry: ALIAS. */
enum { WAY = 4096, ALIAS = 0x10010, WAYS = 4 };

static int open_memory(void **state)
{
  static struct montecito_memory m;
  struct montecito_config config;
  m = (struct montecito_memory){0};
  montecito_config_init(&config);
  *state = &m;
  return memory_init(&m, &config) ? 0 : -1;
}

static int close_memory(void **state)
{
  memory_fini(*state);
  return 0;
}

static struct montecito_prediction taken(struct montecito_memory *m, uint64_t ip)
{
  return predict_branch(m, &(struct montecito_branch){.ip = ip, .slot = 2, .target = ip + 256, .taken = true});
}

static void learn(struct montecito_memory *m, uint64_t ip)
{
  for (unsigned i = 0; i < 3; i++)
    taken(m, ip);
}

static void a_line_has_the_target(void **state)
{
  struct montecito_memory *m = *state;
  predict_fill_line(m, 0x1000);
  struct montecito_prediction is = taken(m, 0x1010);
  assert_true(is.wrong_path && is.fresh && is.resteers);
  is = taken(m, 0x1010);
  assert_false(is.wrong_path || is.fresh || is.resteers || is.wrong_target);
  is = taken(m, 0x1020); /* another bundle of the same line */
  assert_true(is.wrong_path && !is.fresh && is.resteers);
}

static void a_line_that_returns_has_its_paths_without_targets(void **state)
{
  struct montecito_memory *m = *state;
  predict_fill_line(m, 0x1000);
  learn(m, 0x1010);
  predict_drop_line(m, 0x1000);
  assert_int_equal(cache_state(&m->l1i, 0x1000), 0);
  predict_fill_line(m, 0x1000);
  struct montecito_prediction is = taken(m, 0x1010);
  assert_true(is.fresh && is.resteers);
  assert_false(is.wrong_path || is.wrong_target);
}

/* Evicts the oldest of five lines in four ways. */
static void a_displaced_line_loses_its_predictions(void **state)
{
  struct montecito_memory *m = *state;
  for (unsigned i = 0; i <= WAYS; i++) {
    predict_fill_line(m, 0x1000 + i * WAY);
    learn(m, 0x1000 + i * WAY);
  }
  assert_false(taken(m, 0x1000 + WAY).resteers);
  const struct montecito_prediction is = taken(m, 0x1000);
  assert_true(is.resteers);
  assert_false(is.wrong_path);
}

static void lines_do_not_share_paths(void **state)
{
  struct montecito_memory *m = *state;
  predict_fill_line(m, 0x100000);
  predict_fill_line(m, 0x100000 + ALIAS);
  learn(m, 0x100000);
  for (unsigned i = 0; i < 3; i++)
    assert_false(predict_branch(m, &(struct montecito_branch){.ip = 0x100000 + ALIAS, .slot = 2}).wrong_path);
  assert_false(taken(m, 0x100000).wrong_path);
  predict_drop_line(m, 0x100000);
  predict_drop_line(m, 0x100000 + ALIAS); /* the second level has the most recently evicted prediction */
  predict_fill_line(m, 0x100000);
  assert_true(taken(m, 0x100000).wrong_path);
}

static void slots_do_not_share_paths(void **state)
{
  struct montecito_memory *m = *state;
  predict_fill_line(m, 0x1000);
  learn(m, 0x1000);
  for (unsigned slot = 0; slot < 2; slot++)
    assert_false(predict_branch(m, &(struct montecito_branch){.ip = 0x1000, .slot = (uint8_t)slot}).wrong_path);
  assert_false(taken(m, 0x1000).wrong_path);
}

/* Without a line in the L1I (a stream may state that it is present), the second level predicts. */
static void the_second_level_predicts_alone(void **state)
{
  struct montecito_memory *m = *state;
  learn(m, 0x1000);
  const struct montecito_prediction is = taken(m, 0x1000);
  assert_true(is.resteers);
  assert_false(is.wrong_path || is.fresh);
  assert_false(taken(m, 0x1000 + ALIAS).wrong_path); /* of the same entry */
}

/* Threads share lines of the same address space, and no others. */
static void address_spaces_have_lines_of_their_own(void **state)
{
  struct montecito_memory *m = *state;
  memory_set_space(m, 1);
  predict_fill_line(m, 0x1000);
  learn(m, 0x1000);
  struct montecito_branch b = {.ip = 0x1000, .slot = 2, .target = 0x1100, .taken = true, .thread = 1};
  assert_false(predict_branch(m, &b).resteers);
  memory_set_space(m, 2);
  predict_fill_line(m, 0x1000);
  assert_true(predict_branch(m, &b).fresh);
  memory_set_space(m, 1);
  for (unsigned i = 1; i < WAYS; i++) /* makes the line of space 1 the oldest */
    predict_fill_line(m, 0x1000 + i * WAY);
  assert_true(predict_branch(m, &b).resteers);
  memory_set_space(m, 2);
  assert_false(predict_branch(m, &b).resteers);
}

static void returns_have_a_stack_of_eight(void **state)
{
  struct montecito_memory *m = *state;
  struct montecito_branch call = {.ip = 0x1000, .slot = 2, .target = 0x2000, .taken = true, .call = true};
  struct montecito_branch back = {
      .ip = 0x2000, .slot = 2, .target = 0x5000, .taken = true, .returns = true, .thread = 1};
  predict_fill_line(m, 0x1000);
  predict_fill_line(m, 0x2000);
  learn(m, 0x2000);
  for (unsigned i = 0; i < 10; i++) {
    call.next = 0x5000 + 16 * i;
    predict_branch(m, &call);
  }
  assert_true(predict_branch(m, &back).wrong_target); /* the other thread has called nothing */
  back.thread = 0;
  for (unsigned i = 10; i--;) {
    back.target = 0x5000 + 16 * i;
    const struct montecito_prediction is = predict_branch(m, &back);
    assert_int_equal(is.wrong_target, i < 2);
    assert_true(is.resteers);
  }
}

static void indirect_branches_go_where_they_went_last(void **state)
{
  struct montecito_memory *m = *state;
  struct montecito_branch b = {.ip = 0x1000, .slot = 2, .target = 0x2000, .taken = true, .indirect = true};
  learn(m, 0x1000);
  assert_true(predict_branch(m, &b).wrong_target);
  assert_false(predict_branch(m, &b).wrong_target);
  b.target = 0x3000;
  assert_true(predict_branch(m, &b).wrong_target);
}

/* A known loop count predicts the last iteration, too. */
static void a_counted_loop_ends_as_predicted(void **state)
{
  struct montecito_memory *m = *state;
  predict_fill_line(m, 0x1000);
  for (unsigned i = 0; i < 5; i++)
    assert_false(
        predict_branch(m, &(struct montecito_branch){.ip = 0x1000, .taken = i < 4, .counted = true}).wrong_path);
  assert_true(predict_branch(m, &(struct montecito_branch){.ip = 0x1000}).wrong_path);
}

int main(void)
{
#define ON_MEMORY(f) cmocka_unit_test_setup_teardown(f, open_memory, close_memory)
  const struct CMUnitTest tests[] = {
      ON_MEMORY(a_line_has_the_target),
      ON_MEMORY(a_line_that_returns_has_its_paths_without_targets),
      ON_MEMORY(a_displaced_line_loses_its_predictions),
      ON_MEMORY(lines_do_not_share_paths),
      ON_MEMORY(slots_do_not_share_paths),
      ON_MEMORY(the_second_level_predicts_alone),
      ON_MEMORY(address_spaces_have_lines_of_their_own),
      ON_MEMORY(returns_have_a_stack_of_eight),
      ON_MEMORY(indirect_branches_go_where_they_went_last),
      ON_MEMORY(a_counted_loop_ends_as_predicted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
