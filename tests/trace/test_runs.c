/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One call for several accesses (plugin/runs.h) writes what calls for each would. QEMU is a double that has the
 * instructions of one piece, and what each accesses when it is executed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "plugin/producer.h"
#include "plugin/runs.h"
#include "plugin/sampled.h"
#include "plugin/trace.h"
#include "plugin/write.h"

enum { MOST = 10, ACCESSES = 2, STORES = 1 << 17 };

struct step {
  const char *code;
  size_t bytes;
  struct {
    int64_t at; /* from BASE */
    unsigned size_log2;
    bool store;
  } access[ACCESSES];
  unsigned n;
};
struct qemu_plugin_insn {
  const struct step *step;
  memory_fn function;
  void *data;
};
#define BASE UINT64_C(0x7ffffffe8000)
#define CODE(text) .code = (text), .bytes = sizeof(text) - 1
#define LOAD(at, size) .access = {{at, size, false}}, .n = 1
#define STORE(at, size) .access = {{at, size, true}}, .n = 1

/* ---- doubles ---- */

struct ring_area *area;
struct ring *ring_spill;

const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn)
{
  return insn->step->code;
}
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn)
{
  return insn->step->bytes;
}
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn)
{
  (void)insn;
  return 0x401000;
}
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, memory_fn fn, int flags, int rw, void *with)
{
  (void)flags, (void)rw;
  insn->function = fn;
  insn->data = with;
}
static void (*flush)(uint64_t id);
void qemu_plugin_register_flush_cb(uint64_t id, void (*fn)(uint64_t id))
{
  (void)id;
  flush = fn;
}
unsigned qemu_plugin_mem_size_shift(uint32_t info)
{
  return info & 15;
}
bool qemu_plugin_mem_is_store(uint32_t info)
{
  return info & STORES;
}
enum region_mark region_of(const struct qemu_plugin_insn *insn, uint64_t *ret_name)
{
  (void)insn, (void)ret_name;
  return REGION_NONE;
}
struct ring *ring_attach(void)
{
  fail();
  return NULL;
}
void ring_set_limit(struct ring *r)
{
  (void)r;
}
bool trace_look_up(struct ring *r)
{
  (void)r;
  return true;
}
void trace_publish(struct ring *r)
{
  (void)r;
}
void pages_repeat(void (*write)(uint64_t record))
{
  (void)write;
}
void sampled_thread_begins(const struct ring *r)
{
  (void)r;
}

/* ---- a piece, executed with runs and without ---- */

static struct ring *ring_new(void)
{
  struct ring *r = aligned_alloc(4096, sizeof *r);

  assert_non_null(r);
  memset(r, 0, sizeof *r);
  r->head = RING_RECORDS - 1; /* a run goes on at the ring's begin */
  r->limit = UINT64_MAX;
  return r;
}

/* Executes the piece; an instruction without a function has the call of another one. Returns how many calls. */
static unsigned execute(const struct qemu_plugin_insn *insn, size_t n)
{
  unsigned calls = 0;

  for (size_t i = 0; i < n; i++)
    for (unsigned a = 0; insn[i].function && a < insn[i].step->n; a++, calls++) {
      const uint32_t info = insn[i].step->access[a].size_log2 | (insn[i].step->access[a].store ? STORES : 0);

      insn[i].function(0, info, BASE + (uint64_t)insn[i].step->access[a].at, insn[i].data);
    }
  return calls;
}

static void own_call(struct qemu_plugin_insn *insn, size_t ordinal)
{
  insn->function = trace_store;
  insn->data = (void *)(uintptr_t)(TRACE_DATA | (uint64_t)ordinal << RECORD_ORDINAL_SHIFT);
}

/* Compares what is written, and expects that many calls with runs. */
static void compare_words(const struct step *step, size_t n, unsigned calls)
{
  struct qemu_plugin_insn with[MOST], without[MOST];
  struct ring *expected = ring_new(), *got = ring_new();
  size_t ordinal[MOST], ordinals = 0, accesses = 0;

  write_process_bits = UINT64_C(5) << RECORD_PROCESS_SHIFT;
  for (size_t i = 0; i < n; i++) {
    ordinal[i] = ordinals;
    ordinals += step[i].n != 0;
    accesses += step[i].n;
    with[i] = without[i] = (struct qemu_plugin_insn){.step = &step[i]};
    own_call(&without[i], ordinal[i]);
  }
  runs_begin(&with[0]);
  for (size_t i = 0; i < n; i++)
    runs_add(&with[i]);
  runs_end();
  for (size_t i = 0; i < n; i++)
    if (!runs_register(&with[i], i, ordinal))
      own_call(&with[i], ordinal[i]);
  write_ring = expected;
  assert_int_equal(execute(without, n), accesses);
  write_ring = got;
  assert_int_equal(execute(with, n), calls);
  assert_int_equal(got->head, expected->head);
  assert_memory_equal(got->record, expected->record, sizeof got->record);
  free(expected);
  free(got);
}
#define CHECK(calls, ...)                                                                                              \
  do {                                                                                                                 \
    const struct step steps[] = {__VA_ARGS__};                                                                         \
    compare_words(steps, sizeof steps / sizeof *steps, calls);                                                         \
  } while (0)

/* RDI and RSI point to BASE, RSP to the end of the page before that. */
static const struct step load_rdi = {CODE("\x48\x8b\x07"), LOAD(0, 3)};

static void test_a_run_is_one_call(void **state)
{
  (void)state;
  CHECK(2, {CODE("\x55"), STORE(-8, 3)},                       /* push %rbp */
        {CODE("\x53"), STORE(-16, 3)},                         /* push %rbx */
        {CODE("\x48\x89\xfb")},                                /* mov %rdi, %rbx */
        {CODE("\x48\x8b\x44\x24\x10"), LOAD(0, 3)},            /* mov 16(%rsp), %rax */
        {CODE("\x89\x07"), STORE(0, 2)},                       /* mov %eax, (%rdi) */
        {CODE("\x0f\xb6\x4f\x08"), LOAD(8, 0)},                /* movzbl 8(%rdi), %ecx */
        {CODE("\x66\x89\x4b\x0a"), STORE(10, 1)});             /* mov %cx, 10(%rbx), which is RDI */
  CHECK(1, {CODE("\x8b\x06"), LOAD(0, 2)},                     /* mov (%rsi), %eax */
        {CODE("\x48\x83\xc6\x04")},                            /* add $4, %rsi */
        {CODE("\x8b\x16"), LOAD(4, 2)});                       /* mov (%rsi), %edx */
  CHECK(1, load_rdi, {CODE("\x48\x8b\x57\x38"), LOAD(56, 3)}); /* mov 56(%rdi), %rdx: 64 bytes in all */
}

static void test_other_accesses_have_calls_of_their_own(void **state)
{
  (void)state;
  CHECK(2, load_rdi, {CODE("\x48\x8b\x57\x40"), LOAD(64, 3)}); /* mov 64(%rdi), %rdx: too far */
  CHECK(2, {CODE("\x48\x8b\x3f"), LOAD(0, 3)},                 /* mov (%rdi), %rdi */
        {CODE("\x48\x8b\x47\x08"), LOAD(800, 3)});             /* mov 8(%rdi), %rax: elsewhere */
  CHECK(2, load_rdi, {CODE("\x48\x89\x47\x08"), STORE(8, 3)},  /* mov %rax, 8(%rdi): perhaps not allowed */
        {CODE("\x48\x8b\x57\x10"), LOAD(16, 3)});              /* mov 16(%rdi), %rdx */
  CHECK(2, load_rdi, {CODE("\xf7\xf1")},                       /* div %ecx */
        {CODE("\x8b\x77\x04"), LOAD(4, 2)});                   /* mov 4(%rdi), %esi */
  CHECK(4, load_rdi,
        {CODE("\x0f\x10\x06"), .access = {{0, 3, false}, {8, 3, false}}, .n = 2}, /* movups (%rsi), %xmm0 */
        {CODE("\x48\x8b\x57\x08"), LOAD(8, 3)});                                  /* mov 8(%rdi), %rdx */
  CHECK(4, {CODE("\x01\x07"), .access = {{0, 2, false}, {0, 2, true}}, .n = 2},   /* add %eax, (%rdi) */
        {CODE("\x01\x4f\x04"), .access = {{4, 2, false}, {4, 2, true}}, .n = 2}); /* add %ecx, 4(%rdi) */
}

static void test_a_run_has_an_end(void **state)
{
  (void)state;
  CHECK(2, {CODE("\x58"), LOAD(0, 3)}, {CODE("\x59"), LOAD(8, 3)}, {CODE("\x5a"), LOAD(16, 3)},
        {CODE("\x5b"), LOAD(24, 3)}, {CODE("\x5d"), LOAD(32, 3)}, {CODE("\x5e"), LOAD(40, 3)},
        {CODE("\x5f"), LOAD(48, 3)}, {CODE("\x41\x58"), LOAD(56, 3)}, {CODE("\x41\x59"), LOAD(64, 3)}); /* pops */
}

static void test_other_code_has_no_runs(void **state)
{
  (void)state;
  runs_install(1, false);
  CHECK(2, load_rdi, {CODE("\x48\x8b\x57\x08"), LOAD(8, 3)});
}

static int install(void **state)
{
  (void)state;
  runs_install(1, true);
  return flush ? 0 : -1;
}
static int drop(void **state)
{
  (void)state;
  flush(1);
  return 0;
}

int main(void)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_a_run_is_one_call, install, drop),
      cmocka_unit_test_setup_teardown(test_other_accesses_have_calls_of_their_own, install, drop),
      cmocka_unit_test_setup_teardown(test_a_run_has_an_end, install, drop),
      cmocka_unit_test_setup_teardown(test_other_code_has_no_runs, install, drop),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
