/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plugin for QEMU: passes each load, store and instruction block of a program, with its thread, to a reader in
 * another process through shared memory (machine/trace/ring.h describes it).
 *
 * qemu-x86_64 -plugin pmon-trace.so,shm=FD[,setup=FILE][,line=N][,sample=NUMBERS][,ignored=BITS][,blocked=MASK]
 *             PROGRAM ...
 *
 * qemu-system-x86_64 -plugin pmon-trace.so,shm=FD,wake=FD[,single=on] ...
 *
 * shm=FD is the inherited descriptor of the shared memory. setup=FILE contains a sealed struct ring_setup; without it,
 * programs after execve() are not traced. line=N starts a new block record whenever the code enters another line of N
 * bytes, so that instruction fetches and data accesses are in exact order. sample=NUMBERS writes only intervals in full
 * (plugin/sampled.h). ignored=BITS are signals that the program ignores besides those that the host ignores; the plugin
 * of the program before execve() passes them (plugin/signals.c); blocked=MASK are the signals that it blocks. In system
 * emulation the whole guest is traced (plugin/guest.c); wake=FD is an eventfd that is signalled together with the bell;
 * single=on states that one host thread runs all processors.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "machine/trace/ring.h"
#include "plugin/flow.h"
#include "plugin/producer.h"
#include "plugin/qemu.h"
#include "plugin/sampled.h"
#include "plugin/targets.h"
#include "plugin/trace.h"
#include "plugin/write.h"

#define EXPORT __attribute__((visibility("default")))

extern EXPORT int qemu_plugin_version;
EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(uint64_t id, const struct plugin_info *info, int argc, char **argv);

/* ---- state: a plugin has no context pointer, so the state is per process ---- */

uint64_t line_bytes;                /* 0: blocks as QEMU translates them */
static const struct target *target; /* NULL: unknown */
static bool target_is_x86, target_is_64_bit, has_flow;

/* ---- marks of regions ---- */

static void mark_write(uint32_t name, bool end)
{
  struct ring *r = write_ring;

  r->record[r->head++ & (RING_RECORDS - 1)] = record_mark(name, end);
}

/* Writes a mark whose record was known when the code was translated. */
static void on_mark(unsigned vcpu, void *data)
{
  const uint64_t mark = (uint64_t)(uintptr_t)data;

  (void)vcpu;
  mark_write((uint32_t)(mark & RECORD_MARK_NAME), mark & RECORD_MARK_END);
}

/* Writes a mark whose name the instruction reads from memory. */
static void on_named_mark(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  const uint64_t word = (uint64_t)(uintptr_t)data;
  const int name = region_number(va);

  trace_store(vcpu, info, va, (void *)(uintptr_t)(word & ~RECORD_MARK_END));
  if (name >= 0)
    mark_write((uint32_t)name, word & RECORD_MARK_END);
}

/* ---- translation ---- */

static bool is_mark(const struct qemu_plugin_insn *insn)
{
  uint64_t name;

  return region_of(insn, &name) != REGION_NONE;
}

size_t trace_piece(const struct qemu_plugin_tb *tb, size_t first, struct flow_place ret_place[RECORD_MAX_COUNT],
                   uint32_t *ret_bytes)
{
  size_t n = qemu_plugin_tb_n_insns(tb), i = first;
  uint64_t pc = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, first));
  uint32_t bytes = 0;

  flow_begin();
  for (; i < n && i - first < RECORD_MAX_COUNT && !flow_is_full(); i++) {
    const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
    uint64_t at = qemu_plugin_insn_vaddr(insn);
    uint32_t size = (uint32_t)qemu_plugin_insn_size(insn);

    if (i > first && (at != pc + bytes || bytes + size > RECORD_MAX_BYTES))
      break;
    if (i > first && target_is_64_bit && (is_mark(insn) || is_mark(qemu_plugin_tb_get_insn(tb, i - 1))))
      break; /* instructions before and after a mark are counted on its two sides */
    if (i > first && line_bytes && (at ^ pc) / line_bytes)
      break;
    bytes += size;
    ret_place[i - first] =
        has_flow ? flow_add(qemu_plugin_insn_data(insn), size) : (struct flow_place){.ordinal = (uint8_t)(i - first)};
  }
  *ret_bytes = bytes;
  return i - first;
}

void *trace_data(const struct qemu_plugin_insn *insn, struct flow_place place)
{
  bool past = target_is_x86 && past_caches(qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn), target_is_64_bit);

  return (void *)(TRACE_DATA | (uintptr_t)place.ordinal << RECORD_ORDINAL_SHIFT |
                  (uintptr_t)(past                          ? RECORD_PAST_CACHES
                              : place.alone || place.vector ? RECORD_ALONE
                                                            : 0));
}

/* Registers the callbacks for the accesses of instruction `i` of the piece, and for its mark if it is one. */
static void register_instruction(struct qemu_plugin_insn *insn, size_t i, struct flow_place place)
{
  uint64_t name;
  const enum region_mark mark = target_is_64_bit ? region_of(insn, &name) : REGION_NONE;
  const bool end = mark == REGION_END || mark == REGION_END_NAMED;
  void *data = trace_data(insn, place);
  int number = -1;

  if (target_is_x86 && flushes_line(qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn), target_is_64_bit))
    __atomic_store_n(&area->flushes, 1, __ATOMIC_RELAXED);
  if (mark == REGION_BEGIN || mark == REGION_END)
    number = region_number(name);
  if (number >= 0)
    qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, PLUGIN_NO_REGISTERS,
                                           (void *)(uintptr_t)record_mark((uint32_t)number, end));
  if (mark == REGION_BEGIN_NAMED || mark == REGION_END_NAMED)
    qemu_plugin_register_vcpu_mem_cb(insn, on_named_mark, PLUGIN_NO_REGISTERS, PLUGIN_READS_AND_WRITES,
                                     (void *)((uintptr_t)data | (uintptr_t)(end ? RECORD_MARK_END : 0)));
  else if (sampled_wanted())
    sampled_register_access(insn, i, data);
  else
    qemu_plugin_register_vcpu_mem_cb(insn, place.vector ? trace_vector : trace_store, PLUGIN_NO_REGISTERS,
                                     PLUGIN_READS_AND_WRITES, data);
}

/* Writes the notes of a block into the ring of the thread that translates it, and will execute it first. */
static void notes_write(uint64_t block)
{
  uint64_t note[NOTE_MOST];
  const size_t n = has_flow ? flow_end(note) : 0;
  struct ring *r = write_ring;

  if (!has_flow)
    return;
  if (!r || r->head >= r->limit)
    r = write_at_limit(r);
  for (size_t i = 0; i < n; i++)
    r->record[r->head++ & (RING_RECORDS - 1)] = note[i];
  r->record[r->head++ & (RING_RECORDS - 1)] = record_note_block(block ^ write_process_bits);
}

static void on_translation(uint64_t id, struct qemu_plugin_tb *tb)
{
  size_t n = qemu_plugin_tb_n_insns(tb), first = 0;
  struct flow_place place[RECORD_MAX_COUNT];

  (void)id;
  sampled_flush();
  signals_look();
  follow_look(qemu_plugin_tb_get_insn(tb, 0));
  while (first < n) {
    struct qemu_plugin_insn *head = qemu_plugin_tb_get_insn(tb, first);
    uint32_t bytes;
    size_t count = trace_piece(tb, first, place, &bytes);
    uintptr_t block = (uintptr_t)record_block(qemu_plugin_insn_vaddr(head), bytes, (uint32_t)count);

    for (size_t i = 0; i < count; i++)
      place[i].vector &= !sampled_wanted(); /* in sampled runs vectors stay in pieces */
    if (sampled_wanted())
      sampled_register_piece(tb, first, count, block, place);
    else if (first == 0)
      qemu_plugin_register_vcpu_tb_exec_cb(tb, trace_block, PLUGIN_NO_REGISTERS, (void *)block);
    else
      qemu_plugin_register_vcpu_insn_exec_cb(head, trace_block, PLUGIN_NO_REGISTERS, (void *)block);
    for (size_t i = 0; i < count; i++)
      register_instruction(qemu_plugin_tb_get_insn(tb, first + i), i, place[i]);
    notes_write(block);
    first += count;
  }
}

/* ---- threads, system calls, child processes, exit ---- */

static bool is_exec(int64_t number)
{
  return target && (number == target->call[CALL_EXECVE] || number == target->call[CALL_EXECVEAT]);
}

/* Before a call by which something begins or continues, waits until the machine has simulated the work that precedes
 * the call; if a waiting thread may continue, only where a batch or more of it is left, since each wait takes some 0.1
 * ms. */
static void await_order(struct ring *r, int64_t number)
{
  bool begins = is_exec(number), wakes = false;

  if (!r || r == ring_spill || !target || number < 0)
    return;
  for (unsigned i = CALL_CLONE; i <= CALL_EXIT_GROUP; i++)
    begins |= number == target->call[i];
  for (unsigned i = CALL_FUTEX; i <= CALL_WRITE; i++)
    wakes |= number == target->call[i];
  if (begins || (wakes && __atomic_load_n(&area->serials, __ATOMIC_RELAXED) > 1 &&
                 r->head - __atomic_load_n(&r->done, __ATOMIC_ACQUIRE) >= RING_BATCH))
    trace_await_reader(r);
}

/* QEMU's interface determines the parameters. */
static void on_syscall(uint64_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4,
                       uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
  (void)id, (void)vcpu, (void)a5, (void)a6, (void)a7, (void)a8;
  sampled_call(write_ring);
  pages_call(a1, a2, a3, a4);
  signals_call(number, a1, a2);
  await_order(write_ring, number);
  ring_set_state(write_ring, RING_IN_SYSCALL);
  if (!is_exec(number) || write_ring == ring_spill)
    return;
  if (number == target->call[CALL_EXECVE])
    follow_exec(a1, a2, a3);
  __atomic_add_fetch(&area->unseen, 1, __ATOMIC_RELAXED);
}

static void on_syscall_return(uint64_t id, unsigned vcpu, int64_t number, int64_t result)
{
  (void)id, (void)vcpu;
  if (result < 0 && is_exec(number) && write_ring != ring_spill)
    __atomic_sub_fetch(&area->unseen, 1, __ATOMIC_RELAXED);
  ring_set_state(write_ring, RING_RUNNING);
  signals_return(result);
  if (write_ring)
    pages_return(number, result, write_pages);
}

static void on_thread_exit(uint64_t id, unsigned vcpu)
{
  (void)id, (void)vcpu;
  ring_set_state(write_ring, RING_ENDED);
  write_ring = NULL;
  sampled_thread_ends();
}

static void on_exit_of_process(uint64_t id, void *data)
{
  (void)id, (void)data;
  rings_end();
}

static void process_take_number(void)
{
  uint64_t n = __atomic_fetch_add(&area->processes, 1, __ATOMIC_RELAXED);

  write_process_bits = record_process_bits(n);
}

/* In the child only the thread that forked continues; it gets its own ring at its next block. */
static void after_fork_in_child(void)
{
  ring_process = getpid();
  write_ring = NULL;
  sampled_fork();
  process_take_number();
  pages_fork();
  write_repeats_pages = true;
  __atomic_add_fetch(&area->children, 1, __ATOMIC_RELAXED);
}

static int install_error(const char *why)
{
  fprintf(stderr, "pmon-trace: %s\n", why);
  return -1;
}

/* The plugin's arguments; those that other files need are set there at once. */
struct arguments {
  int shm;               /* descriptor of the rings; -1: not given */
  unsigned also_ignored; /* signals that the program ignores, besides the host's */
  const char *blocked;   /* mask of signals in hexadecimal; NULL: none */
  bool single;           /* the system emulation has one thread */
};

/* Reads the arguments. Returns what is wrong; NULL: nothing. */
static const char *read_arguments(int argc, char **argv, struct arguments *ret)
{
  const char *problem = NULL;
  *ret = (struct arguments){.shm = -1};
  for (int i = 0; i < argc; i++)
    if (!strncmp(argv[i], "shm=", 4))
      ret->shm = atoi(argv[i] + 4);
    else if (!strncmp(argv[i], "line=", 5))
      line_bytes = strtoull(argv[i] + 5, NULL, 10);
    else if (!strncmp(argv[i], "sample=", 7))
      problem = sampled_parse(argv[i] + 7) ? problem : "invalid numbers in sample=";
    else if (!strncmp(argv[i], "setup=", 6))
      problem = setup_read(argv[i] + 6);
    else if (!strncmp(argv[i], "wake=", 5))
      ring_wake_fd = atoi(argv[i] + 5);
    else if (!strncmp(argv[i], "ignored=", 8))
      ret->also_ignored = (unsigned)strtoul(argv[i] + 8, NULL, 10);
    else if (!strncmp(argv[i], "blocked=", 8))
      ret->blocked = argv[i] + 8;
    else if (!strcmp(argv[i], "single=on") || !strcmp(argv[i], "single=true"))
      ret->single = true;
    else
      return "unknown argument; expected shm=FD, setup=FILE, sample=NUMBERS, wake=FD, line=BYTES, ignored=BITS, "
             "blocked=MASK or single=on";
  return ret->shm < 0 ? "argument shm=FD is missing" : problem;
}

/* For a program: follows its threads, processes and signals. */
static int program_install(uint64_t id, const struct arguments *a)
{
  if (pthread_atfork(NULL, NULL, after_fork_in_child))
    return install_error("out of memory");
  if (__atomic_load_n(&area->started, __ATOMIC_ACQUIRE)) { /* this process executed another program before */
    rings_end();
    process_take_number();
  }
  signals_install(target, a->also_ignored);
  if (a->blocked)
    signals_release(strtoull(a->blocked, NULL, 16));
  follow_install(target);
  pages_install(target);
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_vcpu_exit_cb(id, on_thread_exit);
  qemu_plugin_register_atexit_cb(id, on_exit_of_process, NULL);
  qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
  qemu_plugin_register_vcpu_syscall_ret_cb(id, on_syscall_return);
  __atomic_store_n(&area->started, 1, __ATOMIC_RELEASE);
  return 0;
}

EXPORT int qemu_plugin_install(uint64_t id, const struct plugin_info *info, int argc, char **argv)
{
  struct arguments a;
  const char *problem = read_arguments(argc, argv, &a);

  if (!problem)
    problem = rings_map(a.shm);
  if (problem)
    return install_error(problem);
  ring_process = getpid();
  target = target_find(info->target_name);
  target_is_x86 = target && target->is_x86;
  target_is_64_bit = target_is_x86 && target->pointer_bytes == 8;
  has_flow = target_is_x86 && flow_install(target_is_64_bit);
  area->dependences = has_flow;
  sampled_install(id, target_is_64_bit);
  return info->system_emulation ? guest_install(id, a.single) : program_install(id, &a);
}
