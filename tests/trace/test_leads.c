/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data that a sampled run allocates for translated code (plugin/sampled.c), with doubles of QEMU and of the
 * plugin's other parts; each block has one group of accesses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "plugin/group.h"
#include "plugin/sampled.h"
#include "plugin/sampler.h"
#include "plugin/trace.h"

enum { ID = 7, BLOCKS = 5000, ROUNDS = 4, MEMBERS = 5 };

void *__real_malloc(size_t n);
void __real_free(void *p);
void *__wrap_malloc(size_t n);
void __wrap_free(void *p);

static size_t pieces; /* allocated pieces of memory */

void *__wrap_malloc(size_t n)
{
  pieces++;
  return __real_malloc(n);
}

void __wrap_free(void *p)
{
  pieces -= p != NULL;
  __real_free(p);
}

/* ---- doubles ---- */

struct qemu_plugin_insn {
  size_t number;
};
struct qemu_plugin_tb {
  struct qemu_plugin_insn insn[MEMBERS];
};

static void (*flush)(uint64_t id);
static uint64_t flush_id;
static memory_fn function;
static void *data;

void qemu_plugin_register_flush_cb(uint64_t id, void (*fn)(uint64_t id))
{
  flush_id = id;
  flush = fn;
}

void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, memory_fn fn, int flags, int rw, void *with)
{
  (void)insn, (void)flags, (void)rw;
  function = fn;
  data = with;
}

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, block_fn fn, int flags, void *with)
{
  (void)tb, (void)fn, (void)flags, (void)with;
}

void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, block_fn fn, int flags, void *with)
{
  (void)insn, (void)fn, (void)flags, (void)with;
}

struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index)
{
  return (struct qemu_plugin_insn *)(uintptr_t)&tb->insn[index];
}

const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn)
{
  return insn;
}

size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn)
{
  (void)insn;
  return 4;
}

uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn)
{
  return 4 * insn->number;
}

static const struct group group = {
    .n = MEMBERS, .insn = {0, 1, 2, 3, 4}, .size_log2 = {3, 3, 3, 3, 3}, .at = {0, 8, 16, 24, 32}};

bool groups_install(bool is_64_bit)
{
  return is_64_bit;
}

void groups_begin(void)
{
}

void groups_add(const void *code, size_t n, uint64_t address)
{
  (void)code, (void)n, (void)address;
}

const struct group *group_of(size_t insn)
{
  return insn == 0 ? &group : NULL;
}

bool group_contains(size_t insn)
{
  return insn != 0;
}

enum group_kind group_kind_of(size_t insn)
{
  (void)insn;
  return GROUP_LOADS;
}

int group_first(void)
{
  return 0;
}

enum region_mark region_of(const struct qemu_plugin_insn *insn, uint64_t *ret_name)
{
  (void)insn, (void)ret_name;
  return REGION_NONE;
}

struct filter filter_none;
__thread struct sampler_mine mine __attribute__((tls_model("initial-exec")));
static uint64_t seen[MEMBERS];
static unsigned n_seen;

void sampler_block(unsigned vcpu, void *block)
{
  (void)vcpu, (void)block;
}

void sampler_line(uint64_t va, bool store, uint64_t record)
{
  (void)store, (void)record;
  if (n_seen < MEMBERS)
    seen[n_seen++] = va;
}

void sampler_share(uint64_t va, bool store)
{
  (void)va, (void)store;
}

void sampler_drop(uint64_t va)
{
  (void)va;
}

void sampler_later_add(uint64_t record)
{
  (void)record;
}

void sampler_later_write(unsigned ordinal)
{
  (void)ordinal;
}

void trace_write_address(uint64_t record)
{
  (void)record;
}

uint64_t trace_access(uint32_t info, uint64_t address, const void *with)
{
  (void)info, (void)with;
  return address;
}

void trace_store(unsigned vcpu, uint32_t info, uint64_t va, void *with)
{
  (void)vcpu, (void)info, (void)va, (void)with;
}

/* ---- tests ---- */

static void *translate(uint64_t block)
{
  static struct qemu_plugin_tb tb = {{{0}, {1}, {2}, {3}, {4}}};
  static const struct flow_place places[MEMBERS] = {
      {0, true, false}, {1, true, false}, {2, true, false}, {3, true, false}, {4, true, false}};

  sampled_register_piece(&tb, 0, MEMBERS, block, places);
  for (size_t i = 0; i < MEMBERS; i++)
    sampled_register_access(&tb.insn[i], i, NULL);
  return data;
}

/* Code that is translated repeatedly, as that of a program that modifies its code. */
static void test_what_translations_need_goes_with_them(void **state)
{
  static void *lead[BLOCKS];
  static struct filter empty;

  (void)state;
  mine.filter = &empty;
  sampled_install(ID, true);
  const size_t before = pieces;
  for (unsigned round = 0; round < ROUNDS; round++) {
    for (uint64_t i = 0; i < BLOCKS; i++)
      lead[i] = translate(i << 8);
    assert_true(pieces > before);
    for (uint64_t i = 0; i < BLOCKS; i += 499) { /* each piece still has its own data */
      mine.left = 1000;
      n_seen = 0;
      function(0, 0, 64 * i, lead[i]);
      assert_int_equal(n_seen, MEMBERS);
      for (unsigned m = 0; m < MEMBERS; m++)
        assert_int_equal(seen[m], 64 * i + 8 * m);
    }
    assert_non_null(flush);
    assert_int_equal(flush_id, ID);
    flush(ID);
    assert_int_equal(pieces, before);
    flush(ID); /* an ID without data */
  }
}

int main(void)
{
  static const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_translations_need_goes_with_them)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
