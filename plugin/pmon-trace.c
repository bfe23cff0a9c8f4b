/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plugin for QEMU: hands each load, store and instruction block of a program, with its thread, to a reader in another
 * process through shared memory (machine/trace/ring.h says how it looks).
 *
 *   qemu-x86_64 -plugin pmon-trace.so,shm=FD[,line=N] PROGRAM ...
 *   qemu-system-x86_64 -plugin pmon-trace.so,shm=FD,wake=FD[,single=on] ...
 *
 * shm=FD is the inherited descriptor of the shared memory. line=N begins a new block record wherever the code enters
 * another line of N bytes, so that instruction fetches and data accesses are in exact order. In system emulation it is
 * a whole guest that is followed (plugin/guest.c); wake=FD is an event counter that is rung with the bell; single=on
 * says that one thread runs all processors.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "machine/trace/ring.h"
#include "plugin/qemu.h"
#include "plugin/trace.h"

#define EXPORT __attribute__((visibility("default")))

extern EXPORT int qemu_plugin_version;
EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(uint64_t id, const struct plugin_info *info, int argc, char **argv);

/* ---- state: a plugin has no context pointer of its own, so it is per process ---- */

struct ring_area *area;
uint64_t line_bytes;     /* 0: blocks as QEMU translates them */
static int wake_fd = -1; /* -1: none */
static bool target_is_x86, target_is_64_bit;
static const int64_t *exec_numbers; /* system call numbers of execve and execveat for this target, or NULL */
static int32_t self;                /* this process */
static uint64_t process_bits;       /* its number among processes, where it is in an address */
static __thread struct ring *mine __attribute__((tls_model("initial-exec")));

/* Bits 52:48 of a record by memory-operation descriptor, learnt at first sight; 0: not seen. Descriptors of the
 * versions known fit 18 bits; wider ones are asked each time. */
#define KINDS (1u << 18)
#define KIND_KNOWN 0x80
static uint8_t kind_of[KINDS];

/* Where threads beyond the last slot write, and all once the reader is gone; never read. */
static struct ring *spill;

/* For at most a tenth of a second. */
static void futex_sleep(uint32_t *word, uint32_t value)
{
  static const struct timespec most = {.tv_nsec = 100000000};

  syscall(SYS_futex, word, FUTEX_WAIT, value, &most, NULL, 0);
}

/* Whether nobody reads any more: the first process ended, or the reader itself did. */
static bool is_over(void)
{
  return __atomic_load_n(&area->gone, __ATOMIC_ACQUIRE) || (kill(area->reader, 0) < 0 && errno == ESRCH);
}

static void futex_wake(uint32_t *word)
{
  syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void ring_bell(void)
{
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (!__atomic_load_n(&area->reader_waits, __ATOMIC_RELAXED))
    return;
  __atomic_store_n(&area->reader_waits, 0, __ATOMIC_RELAXED);
  __atomic_add_fetch(&area->bell, 1, __ATOMIC_SEQ_CST);
  futex_wake(&area->bell);
  if (wake_fd >= 0 && write(wake_fd, &(uint64_t){1}, sizeof(uint64_t)) < 0)
    wake_fd = -1; /* the reader is gone */
}

void trace_publish(struct ring *r)
{
  __atomic_store_n(&r->published, r->head, __ATOMIC_RELEASE);
  ring_bell();
}

static void set_limit(struct ring *r)
{
  uint64_t batch = r->head + RING_BATCH, full = r->seen_tail + RING_RECORDS - RING_RESERVE;

  r->limit = batch < full ? batch : full;
}

/* Sleeps until the reader has made room for another block. false: it never will. */
static bool wait_for_space(struct ring *r)
{
  for (;;) {
    uint32_t space = __atomic_load_n(&r->space, __ATOMIC_ACQUIRE);

    __atomic_store_n(&r->producer_waits, 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    r->seen_tail = __atomic_load_n(&r->tail, __ATOMIC_ACQUIRE);
    if (r->head < r->seen_tail + RING_RECORDS - RING_RESERVE)
      break;
    if (is_over())
      return false;
    ring_bell(); /* the reader may be waiting for a thread that waits for this one */
    futex_sleep(&r->space, space);
  }
  __atomic_store_n(&r->producer_waits, 0, __ATOMIC_RELAXED);
  return true;
}

static bool claim(struct ring *r)
{
  uint32_t state = RING_FREE;

  return __atomic_compare_exchange_n(&r->state, &state, RING_CLAIMED, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* Gives this thread a ring. Called at its first block. */
static struct ring *attach(void)
{
  struct ring *r = NULL;

  for (unsigned i = 0; i < RING_THREADS && !r && !is_over(); i++)
    if (claim(&area->ring[i]))
      r = &area->ring[i];
  if (!r) {
    __atomic_add_fetch(&area->lost_threads, 1, __ATOMIC_RELAXED);
    return mine = spill;
  }
  r->head = r->limit = r->seen_tail = r->published = r->tail = 0;
  r->process = self;
  r->serial = __atomic_fetch_add(&area->serials, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&r->state, RING_RUNNING, __ATOMIC_RELEASE);
  return mine = r;
}

bool trace_look_up(struct ring *r)
{
  trace_publish(r);
  r->seen_tail = __atomic_load_n(&r->tail, __ATOMIC_ACQUIRE);
  if (r->head >= r->seen_tail + RING_RECORDS - RING_RESERVE && !wait_for_space(r))
    return false;
  set_limit(r);
  return true;
}

/* The uncommon part of a block. Returns the thread's ring. */
static __attribute__((noinline)) struct ring *look_up(struct ring *r)
{
  if (!r)
    r = attach();
  if (r != spill && !trace_look_up(r))
    r = mine = spill;
  if (r == spill) {
    r->seen_tail = r->head;
    set_limit(r);
  }
  return r;
}

/* ---- what runs for each block and each access ---- */

static void on_block(unsigned vcpu, void *data)
{
  struct ring *r = mine;

  (void)vcpu;
  if (__builtin_expect(!r || r->head >= r->limit, 0))
    r = look_up(r);
  r->record[r->head++ & (RING_RECORDS - 1)] = (uint64_t)(uintptr_t)data ^ process_bits;
}

static __attribute__((noinline)) uint8_t learn_kind(uint32_t info)
{
  uint8_t kind =
      (uint8_t)(KIND_KNOWN | (qemu_plugin_mem_size_shift(info) & 15) | (qemu_plugin_mem_is_store(info) ? 16 : 0));

  if (info < KINDS)
    kind_of[info] = kind;
  return kind;
}

uint64_t trace_access(uint32_t info, uint64_t address, const void *data)
{
  uint64_t kind = kind_of[info & (KINDS - 1)];

  if (__builtin_expect(!kind || info >= KINDS, 0))
    kind = learn_kind(info);
  return (address & RECORD_ADDRESS) | (kind & 31) << RECORD_SIZE_SHIFT | (uint64_t)(uintptr_t)data;
}

static void on_access(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  struct ring *r = mine;

  (void)vcpu;
  r->record[r->head++ & (RING_RECORDS - 1)] = trace_access(info, va, data) ^ process_bits;
}

/* ---- translation ---- */

size_t trace_piece(const struct qemu_plugin_tb *tb, size_t first, uint32_t *ret_bytes)
{
  size_t n = qemu_plugin_tb_n_insns(tb), i = first;
  uint64_t pc = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, first));
  uint32_t bytes = 0;

  for (; i < n && i - first < RECORD_MAX_COUNT; i++) {
    const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
    uint64_t at = qemu_plugin_insn_vaddr(insn);
    uint32_t size = (uint32_t)qemu_plugin_insn_size(insn);

    if (i > first && (at != pc + bytes || bytes + size > RECORD_MAX_BYTES))
      break;
    if (i > first && line_bytes && (at ^ pc) / line_bytes)
      break;
    bytes += size;
  }
  *ret_bytes = bytes;
  return i - first;
}

/* Whether an x86 instruction stores past the caches: MOVNTI, MOVNTPS/PD, MOVNTDQ and their VEX forms. */
static bool stores_past_caches(const uint8_t *b, size_t n)
{
  size_t i = 0;

  while (i < n && (b[i] == 0x66 || b[i] == 0xf2 || b[i] == 0xf3 || b[i] == 0x67 || (b[i] & 0xe7) == 0x26 ||
                   b[i] == 0x64 || b[i] == 0x65))
    i++;
  if (i + 3 < n && b[i] == 0xc5)
    i += 2; /* two-byte VEX: map 0F */
  else if (i + 4 < n && b[i] == 0xc4 && (b[i + 1] & 0x1f) == 1)
    i += 3;
  else {
    if (i < n && (b[i] & 0xf0) == 0x40 && target_is_64_bit)
      i++;
    if (i + 2 >= n || b[i++] != 0x0f)
      return false;
  }
  return b[i] == 0x2b || b[i] == 0xe7 || (b[i] == 0xc3 && b[0] != 0xc5 && b[0] != 0xc4);
}

void *trace_data(const struct qemu_plugin_insn *insn, size_t ordinal)
{
  bool past = target_is_x86 && stores_past_caches(qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn));

  return (void *)((uintptr_t)ordinal << RECORD_ORDINAL_SHIFT | (past ? (uintptr_t)RECORD_PAST_CACHES : 0));
}

static void on_translation(uint64_t id, struct qemu_plugin_tb *tb)
{
  size_t n = qemu_plugin_tb_n_insns(tb), first = 0;

  (void)id;
  follow_look(qemu_plugin_tb_get_insn(tb, 0));
  while (first < n) {
    struct qemu_plugin_insn *head = qemu_plugin_tb_get_insn(tb, first);
    uint32_t bytes;
    size_t count = trace_piece(tb, first, &bytes);
    uintptr_t block = (uintptr_t)record_block(qemu_plugin_insn_vaddr(head), bytes, (uint32_t)count);

    if (first == 0)
      qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, PLUGIN_NO_REGISTERS, (void *)block);
    else
      qemu_plugin_register_vcpu_insn_exec_cb(head, on_block, PLUGIN_NO_REGISTERS, (void *)block);
    for (size_t i = 0; i < count; i++) {
      struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, first + i);

      qemu_plugin_register_vcpu_mem_cb(insn, on_access, PLUGIN_NO_REGISTERS, PLUGIN_READS_AND_WRITES,
                                       trace_data(insn, i));
    }
    first += count;
  }
}

/* ---- threads, system calls, children, the end ---- */

static void set_state(struct ring *r, uint32_t state)
{
  if (!r || r == spill)
    return;
  __atomic_store_n(&r->published, r->head, __ATOMIC_RELEASE);
  __atomic_store_n(&r->state, state, __ATOMIC_RELEASE);
  ring_bell();
}

static bool is_exec(int64_t number)
{
  return exec_numbers && (number == exec_numbers[0] || number == exec_numbers[1]);
}

static void on_syscall(uint64_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4,
                       uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
  (void)id, (void)vcpu, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
  set_state(mine, RING_IN_SYSCALL);
  if (!is_exec(number) || mine == spill)
    return;
  if (number == exec_numbers[0])
    follow_exec(a1, a2, a3);
  __atomic_add_fetch(&area->unseen, 1, __ATOMIC_RELAXED);
}

static void on_syscall_return(uint64_t id, unsigned vcpu, int64_t number, int64_t result)
{
  (void)id, (void)vcpu;
  if (result < 0 && is_exec(number) && mine != spill)
    __atomic_sub_fetch(&area->unseen, 1, __ATOMIC_RELAXED);
  set_state(mine, RING_RUNNING);
}

static void on_thread_exit(uint64_t id, unsigned vcpu)
{
  (void)id, (void)vcpu;
  set_state(mine, RING_ENDED);
  mine = NULL;
}

/* Ends the rings of all threads that this process had: it exits, or is another program now. */
static void end_rings(void)
{
  for (unsigned i = 0; i < RING_THREADS; i++) {
    struct ring *r = &area->ring[i];
    uint32_t state = __atomic_load_n(&r->state, __ATOMIC_ACQUIRE);

    if ((state == RING_RUNNING || state == RING_IN_SYSCALL) && r->process == self)
      set_state(r, RING_ENDED);
  }
}

static void on_exit_of_process(uint64_t id, void *data)
{
  (void)id, (void)data;
  end_rings();
}

static void take_number(void)
{
  uint64_t n = __atomic_fetch_add(&area->processes, 1, __ATOMIC_RELAXED);

  process_bits = (n % RECORD_PROCESSES + 1) << RECORD_PROCESS_SHIFT;
}

/* The child goes on with the one thread that forked, which takes a ring of its own at its next block. */
static void after_fork_in_child(void)
{
  self = getpid();
  mine = NULL;
  take_number();
  __atomic_add_fetch(&area->children, 1, __ATOMIC_RELAXED);
}

static int refuse(const char *why)
{
  fprintf(stderr, "pmon-trace: %s\n", why);
  return -1;
}

static const int64_t *find_exec_numbers(const char *target)
{
  static const struct {
    const char *target;
    int64_t number[2];
  } table[] = {
      {"x86_64", {59, 322}},
      {"i386", {11, 358}},
      {"aarch64", {221, 281}},
      {"riscv64", {221, 281}},
  };

  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (target && !strcmp(target, table[i].target))
      return table[i].number;
  return NULL;
}

EXPORT int qemu_plugin_install(uint64_t id, const struct plugin_info *info, int argc, char **argv)
{
  int fd = -1;
  bool one_thread = false;
  void *p;

  for (int i = 0; i < argc; i++)
    if (!strncmp(argv[i], "shm=", 4))
      fd = atoi(argv[i] + 4);
    else if (!strncmp(argv[i], "line=", 5))
      line_bytes = strtoull(argv[i] + 5, NULL, 10);
    else if (!strncmp(argv[i], "wake=", 5))
      wake_fd = atoi(argv[i] + 5);
    else if (!strcmp(argv[i], "single=on") || !strcmp(argv[i], "single=true"))
      one_thread = true;
    else
      return refuse("an argument is neither shm=FD, wake=FD, line=BYTES nor single=on");
  if (fd < 0)
    return refuse("argument shm=FD is missing");
  p = mmap(NULL, sizeof *area, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (p == MAP_FAILED)
    return refuse("the shared memory cannot be mapped");
  area = p;
  if (area->magic != RING_MAGIC || area->threads != RING_THREADS || area->records != RING_RECORDS)
    return refuse("the shared memory is of another version");
  p = mmap(NULL, sizeof *spill, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    return refuse("no memory");
  spill = p;
  self = getpid();
  target_is_64_bit = info->target_name && !strcmp(info->target_name, "x86_64");
  target_is_x86 = target_is_64_bit || (info->target_name && !strcmp(info->target_name, "i386"));
  exec_numbers = find_exec_numbers(info->target_name);
  if (info->system_emulation)
    return guest_install(id, one_thread);
  if (pthread_atfork(NULL, NULL, after_fork_in_child))
    return refuse("no memory");
  if (__atomic_load_n(&area->started, __ATOMIC_ACQUIRE)) { /* we come after another program */
    end_rings();
    take_number();
  }
  follow_install(info->target_name);
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_vcpu_exit_cb(id, on_thread_exit);
  qemu_plugin_register_atexit_cb(id, on_exit_of_process, NULL);
  qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
  qemu_plugin_register_vcpu_syscall_ret_cb(id, on_syscall_return);
  __atomic_store_n(&area->started, 1, __ATOMIC_RELEASE);
  return 0;
}
