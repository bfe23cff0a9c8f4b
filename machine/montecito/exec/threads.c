/* SPDX-License-Identifier: MIT */
/*
 * Programs on several hardware threads: each program has a hardware thread of its own, and can start others that share
 * its memory. The core whose time is less runs next, and on the core the thread that is active in the machine; the
 * machine requests switches (machine/montecito/core/urgency.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/montecito/exec/process.h"

static bool thread_runs(const struct exec_program *first, unsigned thread)
{
  return first->member[thread] && !first->member[thread]->over;
}

/* True if the hardware thread is free. A finished process keeps its hardware thread, for its memory and its exit
 * code. */
static bool thread_is_free(const struct exec_program *first, unsigned thread)
{
  const struct exec_program *p = first->member[thread];
  return !p || (p->over && p->process != p);
}

/* States to the machine which threads run. */
void exec_threads_update_machine(struct exec_program *first)
{
  struct montecito_machine *m = first->cpu.machine;
  unsigned n = 0;
  first->alone = NULL;
  for (unsigned t = 0; t < MONTECITO_THREADS; t++)
    if (thread_runs(first, t))
      first->alone = n++ ? NULL : first->member[t];
  for (unsigned core = 0; m && core < MONTECITO_CORES; core++)
    montecito_core_share(m, core, thread_runs(first, 2 * core) && thread_runs(first, 2 * core + 1));
  if (m && (thread_runs(first, 2) || thread_runs(first, 3)))
    montecito_cores_coherent(m);
}

/* Links the processors of the process's threads in a ring: their stores affect the ALATs of all. */
static void threads_link(struct exec_program *first, const struct exec_program *process)
{
  struct exec_cpu *head = NULL, *last = NULL;
  for (unsigned t = 0; t < MONTECITO_THREADS; t++) {
    struct exec_program *p = first->member[t];
    if (!p || p->process != process || p->over)
      continue;
    p->cpu.peer = head;
    if (!head)
      last = &p->cpu;
    head = &p->cpu;
  }
  if (last && last != head)
    last->peer = head;
}

bool exec_threads_place(struct exec_program *first, struct exec_program *p)
{
  unsigned t = 0;
  while (t < MONTECITO_THREADS && !thread_is_free(first, t))
    t++;
  if (t == MONTECITO_THREADS)
    return false;
  if (first->member[t])
    exec_program_discard(first->member[t]);
  first->member[t] = p;
  first->n_members++;
  p->first = first;
  p->cpu.thread = (uint8_t)t;
  p->cpu.machine = first->cpu.machine;
  if (first->cpu.machine)
    montecito_thread_space(first->cpu.machine, t, p->process->space);
  threads_link(first, p->process);
  exec_threads_update_machine(first);
  return true;
}

int64_t exec_threads_clone(struct exec_program *parent, uint64_t flags, uint64_t stack, uint64_t bytes, uint64_t tls)
{
  enum { CLONE_VM = 0x100, CLONE_SETTLS = 0x80000, SCRATCH = 16 };
  struct exec_program *p;
  if (!(flags & CLONE_VM))
    return -ENOSYS;
  if (!parent->cpu.machine || bytes < 4096)
    return -EINVAL;
  if (!(p = calloc(1, sizeof *p)))
    return -ENOMEM;
  p->cpu = parent->cpu;
  p->process = parent->process;
  p->most_bundles = parent->most_bundles;
  p->joins_at = 1;
  p->cpu.peer = NULL;
  p->cpu.n_transfers = p->cpu.dirty = p->cpu.clean = 0;
  exec_alat_clear(&p->cpu);
  memset(p->cpu.cached, 0, sizeof p->cpu.cached);
  memset(p->cpu.fixed, 0, sizeof p->cpu.fixed);
  exec_set_bspstore(&p->cpu, stack);
  p->cpu.gr[12] = stack + bytes - SCRATCH;
  p->cpu.gr[8] = p->cpu.gr[10] = 0;
  if (flags & CLONE_SETTLS)
    p->cpu.gr[13] = tls;
  p->cpu.restart = parent->cpu.slot < 2 ? (uint8_t)(parent->cpu.slot + 1) : 0; /* the slot after the call */
  p->cpu.ip = p->cpu.restart ? parent->cpu.ip : parent->cpu.next_ip;
  p->cpu.user_mask_changed = true;
  if (!exec_threads_place(parent->first, p)) {
    free(p);
    return -EAGAIN;
  }
  return 1 + p->cpu.thread;
}

__attribute__((noinline)) void exec_threads_end(struct exec_program *p, bool whole_process)
{
  struct exec_program *first = p->first;
  for (unsigned t = 0; t < MONTECITO_THREADS; t++) {
    struct exec_program *other = first->member[t];
    if (other && other != p && whole_process && other->process == p->process)
      other->over = true;
  }
  p->over = true;
  threads_link(first, p->process);
  exec_threads_update_machine(first);
}

/* Returns the core that runs next: the one whose time is less. MONTECITO_CORES: no thread runs. */
static unsigned core_choose(const struct exec_program *first)
{
  unsigned best = MONTECITO_CORES;
  for (unsigned core = 0; core < MONTECITO_CORES; core++)
    if ((thread_runs(first, 2 * core) || thread_runs(first, 2 * core + 1)) &&
        (best == MONTECITO_CORES ||
         montecito_core_cycle(first->cpu.machine, core) < montecito_core_cycle(first->cpu.machine, best)))
      best = core;
  return best;
}

/* True if the core should switch before its active thread's next or waiting bundle. */
static bool core_switches(struct exec_program *first, unsigned core, unsigned active, uint8_t *ret_cause)
{
  const struct exec_program *p = first->member[active];
  *ret_cause = SWITCH_LOW_POWER;
  if (!thread_runs(first, active ^ 1))
    return false;
  if (!thread_runs(first, active))
    return true;
  if (montecito_bundle_waits(first->cpu.machine, active) || (!p->has_ahead && p->sent >= p->cpu.n_transfers))
    return montecito_switch_wanted(first->cpu.machine, core, ret_cause);
  montecito_switch_gated(first->cpu.machine, core);
  return false;
}

/* Returns the program whose record comes next. NULL: *ret is a record of the machine itself, or *ret_ended: no thread
 * runs. */
static __attribute__((noinline)) struct exec_program *thread_choose(struct exec_program *first,
                                                                    struct montecito_record *ret, bool *ret_ended)
{
  struct montecito_machine *m = first->cpu.machine;
  uint8_t cause;
  const unsigned core = core_choose(first);
  if (core == MONTECITO_CORES) {
    *ret_ended = true;
    return NULL;
  }
  const unsigned active = 2 * core + !montecito_thread_active(m, 2 * core);
  if (core_switches(first, core, active, &cause)) {
    *ret = (struct montecito_record){.kind = RECORD_SWITCH, .thread = (uint8_t)active, .a = cause};
    return NULL;
  }
  if (montecito_bundle_waits(m, active)) {
    *ret = (struct montecito_record){.kind = RECORD_RESUME, .thread = (uint8_t)active};
    return NULL;
  }
  return first->member[active];
}

__attribute__((hot)) int exec_threads_next(struct exec_program *first, struct montecito_record *ret, bool *ret_ended)
{
  for (;;) {
    struct exec_program *p = first->alone;
    bool ended = false;
    if (!p || !montecito_thread_goes_on(first->cpu.machine, p->cpu.thread))
      p = thread_choose(first, ret, ret_ended);
    if (!p)
      break;
    exec_program_record(p, ret, &ended);
    if (!ended)
      break;
    exec_threads_end(p, p->cpu.fault.kind != FAULT_NONE);
  }
  return PMON_OK;
}
