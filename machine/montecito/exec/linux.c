/* SPDX-License-Identifier: MIT */
/*
 * System calls of Linux for Itanium: those that static programs need. The number is in r15, arguments are in the output
 * registers; r8 returns the value, r10 is -1 after an error. The kernel itself is not executed: a call takes no
 * simulated time. Files are limited to the standard streams, and time is the machine's.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "machine/montecito/exec/process.h"

enum { ARGUMENTS = 6, VECTORS = 1024 };

struct call {
  struct exec_program *p;
  uint64_t argument[ARGUMENTS];
};

/* Copies at most EXEC_COPY_BYTES: Linux, too, may write less than requested. */
static int64_t call_write(struct call *k)
{
  uint8_t *buffer = k->p->copy;
  const size_t n = k->argument[2] < EXEC_COPY_BYTES ? (size_t)k->argument[2] : EXEC_COPY_BYTES;
  ssize_t done;
  if (k->argument[0] != STDOUT_FILENO && k->argument[0] != STDERR_FILENO)
    return -EBADF;
  if (!exec_memory_read(&k->p->process->memory, k->argument[1], buffer, n))
    return -EFAULT;
  do
    done = write((int)k->argument[0], buffer, n);
  while (done < 0 && errno == EINTR);
  return done < 0 ? -errno : done;
}

static int64_t call_write_vector(struct call *k)
{
  int64_t total = 0;
  if (k->argument[2] > VECTORS)
    return -EINVAL;
  for (uint64_t i = 0; i < k->argument[2]; i++) {
    uint64_t vector[2];
    if (!exec_memory_read(&k->p->process->memory, k->argument[1] + 16 * i, vector, sizeof vector))
      return total ? total : -EFAULT;
    struct call one = {k->p, {k->argument[0], vector[0], vector[1]}};
    const int64_t n = vector[1] ? call_write(&one) : 0;
    if (n < 0)
      return total ? total : n;
    total += n;
    if ((uint64_t)n < vector[1])
      break;
  }
  return total;
}

static int64_t call_read(struct call *k)
{
  uint8_t *buffer = k->p->copy;
  const size_t n = k->argument[2] < EXEC_COPY_BYTES ? (size_t)k->argument[2] : EXEC_COPY_BYTES;
  ssize_t done;
  if (k->argument[0] != STDIN_FILENO)
    return -EBADF;
  do
    done = read(STDIN_FILENO, buffer, n);
  while (done < 0 && errno == EINTR);
  if (done < 0)
    return -errno;
  return exec_memory_write(&k->p->process->memory, k->argument[1], buffer, (size_t)done) ? done : -EFAULT;
}

static int64_t call_exit(struct call *k)
{
  k->p->exited = true;
  k->p->exit_code = (int)(k->argument[0] & 0xff);
  return 0;
}

/* Ends all threads of the process. */
static int64_t call_exit_group(struct call *k)
{
  call_exit(k);
  exec_threads_end(k->p, true);
  k->p->over = false; /* until its last bundle has been delivered */
  k->p->first->alone = NULL;
  k->p->process->exited = true;
  k->p->process->exit_code = k->p->exit_code;
  return 0;
}

/* clone2: flags, the new thread's stack and its size, two addresses for its number, its thread pointer. */
static int64_t call_clone(struct call *k)
{
  return exec_threads_clone(k->p, k->argument[0], k->argument[1], k->argument[2], k->argument[5]);
}

/* Forgets the threads' current pages of code: pages are removed. */
static void forget_code(struct call *k)
{
  for (unsigned t = 0; t < MONTECITO_THREADS; t++)
    if (k->p->first->member[t])
      k->p->first->member[t]->cpu.code_page = NULL;
}

static int64_t call_brk(struct call *k)
{
  struct exec_program *p = k->p->process;
  const uint64_t wanted = k->argument[0];
  if (wanted < p->break_first || wanted - p->break_first > (UINT64_C(1) << 32))
    return (int64_t)p->break_now;
  forget_code(k);
  if (wanted > p->break_now && exec_memory_map(&p->memory, p->break_now, wanted - p->break_now, EXEC_READ | EXEC_WRITE))
    return (int64_t)p->break_now;
  p->break_now = wanted;
  return (int64_t)wanted;
}

/* Anonymous memory only. A fixed address gets new pages, in place of what is mapped there. */
static int64_t call_mmap(struct call *k)
{
  enum { ANONYMOUS = 0x20, FIXED = 0x10, PROTECTION = 7 };
  const bool fixed = k->argument[3] & FIXED;
  struct exec_program *p = k->p->process;
  const uint64_t bytes = (k->argument[1] + EXEC_PAGE_BYTES - 1) & ~(uint64_t)(EXEC_PAGE_BYTES - 1);
  const unsigned protection = k->argument[2] & PROTECTION;
  const unsigned access = (protection & 1) * EXEC_READ | (protection >> 1 & 1) * (EXEC_WRITE | EXEC_READ) |
                          (protection >> 2) * (EXEC_EXECUTE | EXEC_READ);
  uint64_t address = fixed ? k->argument[0] : p->map_next;
  if (!(k->argument[3] & ANONYMOUS))
    return -ENODEV;
  if (!bytes || address % EXEC_PAGE_BYTES)
    return -EINVAL;
  if (fixed && exec_memory_has_aliases(&p->memory, address, bytes))
    return -EBUSY; /* a translation shows it */
  forget_code(k);
  if (fixed)
    exec_memory_unmap(&p->memory, address, bytes);
  if (exec_memory_map(&p->memory, address, bytes, access))
    return -ENOMEM;
  if (!fixed)
    p->map_next += bytes + EXEC_PAGE_BYTES;
  return (int64_t)address;
}

static int64_t call_munmap(struct call *k)
{
  if (k->argument[0] % EXEC_PAGE_BYTES || !k->argument[1])
    return -EINVAL;
  if (exec_memory_has_aliases(&k->p->process->memory, k->argument[0], k->argument[1]))
    return -EBUSY; /* a translation shows it */
  forget_code(k);
  exec_memory_unmap(&k->p->process->memory, k->argument[0], k->argument[1]);
  return 0;
}

/* Simulated time, from 0 on: 1.6 cycles a nanosecond. */
static int64_t call_clock(struct call *k)
{
  const uint64_t cycles = k->p->cpu.machine ? montecito_core_cycle(k->p->cpu.machine, k->p->cpu.thread / 2) : 0;
  const uint64_t ns = cycles % MONTECITO_HZ * 5 / 8, time[2] = {cycles / MONTECITO_HZ, ns};
  return exec_memory_write(&k->p->process->memory, k->argument[1], time, sizeof time) ? 0 : -EFAULT;
}

static int64_t call_time_of_day(struct call *k)
{
  const uint64_t cycles = k->p->cpu.machine ? montecito_core_cycle(k->p->cpu.machine, k->p->cpu.thread / 2) : 0;
  const uint64_t time[2] = {cycles / MONTECITO_HZ, cycles % MONTECITO_HZ / (MONTECITO_HZ / 1000000)};
  return exec_memory_write(&k->p->process->memory, k->argument[0], time, sizeof time) ? 0 : -EFAULT;
}

static int64_t call_one(struct call *k)
{
  (void)k;
  return 1;
}

static int64_t call_zero(struct call *k)
{
  (void)k;
  return 0;
}

static int64_t call_terminal(struct call *k)
{
  (void)k;
  return -ENOTTY;
}

static const struct {
  uint16_t number;
  int64_t (*call)(struct call *k);
} calls[] = {{1025, call_exit},        {1026, call_read},         {1027, call_write},
             {1041, call_one},                            /* getpid */
             {1046, call_zero},        {1047, call_zero}, /* getuid, geteuid */
             {1060, call_brk},         {1062, call_zero},         {1063, call_zero},
             {1065, call_terminal}, /* getgid, getegid, ioctl */
             {1087, call_time_of_day}, {1147, call_write_vector}, {1151, call_mmap},
             {1152, call_munmap},      {1213, call_clone},        {1233, call_one}, /* set_tid_address */
             {1236, call_exit_group},  {1254, call_clock}};

void exec_system_call(struct exec_program *p)
{
  struct exec_cpu *c = &p->cpu;
  struct call k = {.p = p};
  int64_t value = -ENOSYS;
  for (unsigned i = 0; i < ARGUMENTS; i++)
    k.argument[i] = exec_gr(c, 32u + c->frame.sol + i).v;
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    if (calls[i].number == c->gr[15])
      value = calls[i].call(&k);
  const bool failed = value < 0 && value > -4096;
  exec_gr_set(c, 8, (uint64_t)(failed ? -value : value), false);
  exec_gr_set(c, 10, failed ? UINT64_MAX : 0, false);
}
