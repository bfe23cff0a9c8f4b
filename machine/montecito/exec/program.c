/* SPDX-License-Identifier: MIT */
#include "machine/montecito/exec/program.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/montecito/exec/privileged.h"
#include "machine/montecito/exec/process.h"

/* ---- one bundle ---- */

/* Marks an instruction whose predicate is false. */
static __attribute__((noinline)) void slot_turn_off(struct exec_cpu *c, const struct exec_bundle *b, unsigned i,
                                                    struct montecito_slot *s)
{
  s->flags |= SLOT_OFF;
  s->uses = (struct montecito_dependences){.read = {s->uses.read[0]}};
  if (!(b->clears >> i & 1))
    return;
  exec_pr_set(c, b->v[i].p1, false);
  exec_pr_set(c, b->v[i].p2, false);
}

/* Decides which slots of the bundle issue in the cycle of the previous bundle and which in a later one, and which
 * bundle could join the last cycle. */
static void bundle_disperse(struct exec_program *p, const struct exec_bundle *b, struct montecito_bundle *ret)
{
  bool second = p->joins_at == ret->address && exec_ports_suffice(p->ports + b->ports[0]);
  uint64_t used = second ? p->ports : 0;
  if (second)
    ret->flags |= BUNDLE_JOINED;
  if (ret->n_slots == 3 && !second) { /* most bundles */
    ret->timing |= b->splits;
    p->ports = b->last_ports;
    p->joins_at = b->stops & 4 || p->cpu.taken ? 1 : ret->address + 16;
    return;
  }
  for (unsigned i = 0; i < ret->n_slots; i++) {
    const bool stop = i && (b->stops >> (i - 1) & 1);
    if (stop || !exec_ports_suffice(used + b->ports[i])) {
      if (!stop && i)
        ret->timing |= i == 1 ? TIMING_SPLIT_0 : TIMING_SPLIT_1;
      used = 0;
      second = false;
    }
    used += b->ports[i];
  }
  p->ports = used;
  p->joins_at = second || b->stops & 4 || p->cpu.taken ? 1 : ret->address + 16;
}

static __attribute__((hot)) void bundle_execute(struct exec_program *p, const struct exec_bundle *b,
                                                struct montecito_record *ret)
{
  struct exec_cpu *c = &p->cpu;
  ret->kind = RECORD_BUNDLE;
  ret->bundle = b->record;
  c->next_ip = c->ip + 16;
  c->taken = false;
  if (c->memory->n_attributes && c->code_page && c->code_page->access & EXEC_ATTRIBUTE)
    ret->bundle.flags |= BUNDLE_UC;
  for (unsigned i = 0; i < c->restart;
       i++) { /* these slots retired before, and so did the group that a stop after them ends */
    ret->bundle.slot[i] = (struct montecito_slot){.type = SLOT_L};
    ret->bundle.flags &= (uint8_t) ~(i ? BUNDLE_STOP_AFTER_1 : BUNDLE_STOP_AFTER_0);
  }
  for (unsigned i = c->restart; i < 3; i++) {
    struct montecito_slot *s = &ret->bundle.slot[i];
    const struct exec_instruction *v = &b->v[i];
    c->restart = 0;
    if (b->moves >> i & 1)
      exec_uses_place(c, &s->uses);
    if (v->qp && !exec_pr(c, v->qp) && !(b->always >> i & 1)) {
      slot_turn_off(c, b, i, s);
      continue;
    }
    b->fn[i](c, v, s);
    if (!(c->fault.kind | c->system_call | c->taken))
      continue;
    if (c->fault.kind) {
      c->fault.slot = (uint8_t)i;
      ret->bundle.n_slots = (uint8_t)i;
      return;
    }
    if (c->system_call) {
      c->system_call = false;
      c->slot = (uint8_t)i;
      exec_system_call(p);
    }
    if (c->taken || p->exited) {
      ret->bundle.n_slots = (uint8_t)(i + 1);
      break;
    }
  }
  bundle_disperse(p, b, &ret->bundle);
  c->previous_ip = c->ip;
  c->ip = c->next_ip;
}

/* ---- the source ---- */

/* The user mask is part of the thread's PSR in the machine: PSR.up enables user counters. */
static void record_psr(struct exec_program *p, struct montecito_record *ret)
{
  *ret = (struct montecito_record){.kind = RECORD_STATE, .a = MONTECITO_PSR, .value = p->cpu.psr};
  p->cpu.user_mask_changed = false;
}

/* True if the system level may have changed something. */
static bool system_has_record(const struct exec_cpu *c)
{
  return c->entered || (c->psr & PSR_I && c->cr[CR_IVA]) || c->n_writes || c->user_mask_changed;
}

/* Makes the record of a change by the system level: an interruption, a register of the machine, PSR. False: there is
 * none. */
static __attribute__((noinline)) bool record_of_system(struct exec_program *p, struct montecito_record *ret)
{
  struct exec_cpu *c = &p->cpu;
  if (c->entered || (c->psr & PSR_I && c->cr[CR_IVA] && exec_deliver_interrupt(c))) {
    c->entered = false;
    *ret = (struct montecito_record){.kind = RECORD_INTERRUPT, .a = c->entered_event};
    c->entered_event = 0;
    return true;
  }
  if (c->n_writes) {
    const struct exec_write w = c->write[0];
    memmove(c->write, c->write + 1, --c->n_writes * sizeof w);
    *ret = (struct montecito_record){.kind = w.kind, .a = w.number, .value = w.value};
    return true;
  }
  if (!c->user_mask_changed)
    return false;
  record_psr(p, ret);
  return true;
}

static __attribute__((noinline)) void record_transfer(struct exec_program *p, struct montecito_record *ret)
{
  const struct exec_cpu *c = &p->cpu;
  const struct exec_transfer *t = &c->transfer[p->sent++];
  *ret = (struct montecito_record){.kind = RECORD_RSE,
                                   .b = (uint8_t)(t->store ? t->n : 0),
                                   .n = t->store ? 0 : t->n,
                                   .address = t->address,
                                   .value = c->frame.sof | (uint64_t)c->dirty << 8};
}

static void program_record(struct exec_program *p, struct montecito_record *ret, bool *ret_ended);

static bool program_is_over(const struct exec_program *p)
{
  return p->exited || p->cpu.fault.kind || (p->most_bundles && p->first->bundles >= p->most_bundles);
}

static __attribute__((noinline)) void program_end(struct exec_program *p)
{
  struct exec_cpu *c = &p->cpu;
  p->ended = true;
  if (p->exited || c->fault.kind)
    return;
  c->fault = (struct exec_fault){.kind = FAULT_LIMIT, .ip = c->ip, .slot = c->restart};
  exec_report_fault(p);
}

/* Executes the bundle at the instruction pointer. False: there is no bundle, and a fault is set. */
static bool program_step(struct exec_program *p, struct montecito_record *ret)
{
  const struct exec_bundle *b = exec_code_at(&p->cpu, p->cpu.ip);
  if (!b)
    return false;
  p->first->bundles++;
  bundle_execute(p, b, ret);
  return true;
}

/* Executes the next bundle as well if it could issue in the same cycle, so that both wait for the registers of both.
 * The registers that it reads were ready before the cycle: no stop is between the two. */
static void program_step_ahead(struct exec_program *p, struct montecito_record *ret)
{
  const struct exec_cpu *c = &p->cpu;
  if (p->joins_at != c->ip || c->n_transfers || c->n_writes || c->restart || c->user_mask_changed || program_is_over(p))
    return;
  const struct exec_bundle *b = exec_code_at(&p->cpu, c->ip);
  if (!b || b->serial || !exec_ports_suffice(p->ports + b->ports[0])) {
    p->cpu.fault.kind = FAULT_NONE; /* the fault of a bundle that is not reached yet */
    return;
  }
  p->first->bundles++;
  bundle_execute(p, b, &p->ahead);
  p->has_ahead = true;
  ret->bundle.timing |= TIMING_AHEAD;
  ret->bundle.follower = &p->ahead.bundle;
}

/* True if execution continues after a fault: the program's own handler takes it, or a walk of the VHPT has found the
 * page. The slots before the faulting one have retired. */
static __attribute__((noinline)) bool fault_is_delivered(struct exec_program *p, bool stepped,
                                                         struct montecito_record *ret)
{
  struct exec_cpu *c = &p->cpu;
  const uint8_t op = stepped ? ret->bundle.slot[c->fault.slot].op : (uint8_t)OP_NOP;
  if (!exec_deliver_fault(c, op == OP_STORE || op == OP_FSTORE || op == OP_SEMAPHORE))
    return false;
  p->joins_at = 1;
  if (!stepped || !ret->bundle.n_slots || ret->bundle.slot[ret->bundle.n_slots - 1].type == SLOT_L)
    program_record(p, ret, &(bool){false});
  return true;
}

static __attribute__((hot)) void program_record(struct exec_program *p, struct montecito_record *ret, bool *ret_ended)
{
  struct exec_cpu *c = &p->cpu;
  bool stepped;
  if (p->has_ahead) {
    *ret = p->ahead;
    p->has_ahead = false;
    stepped = true;
  } else if (p->sent < c->n_transfers) {
    record_transfer(p, ret);
    return;
  } else {
    c->n_transfers = p->sent = 0;
    if (system_has_record(c) && record_of_system(p, ret))
      return;
    if (program_is_over(p)) {
      program_end(p);
      *ret_ended = true;
      return;
    }
    stepped = program_step(p, ret);
    if (stepped && !c->fault.kind)
      program_step_ahead(p, ret);
  }
  if (!c->fault.kind || p->has_ahead)
    return;
  if (fault_is_delivered(p, stepped, ret))
    return;
  exec_report_fault(p);
  *ret_ended = !stepped || !ret->bundle.n_slots;
  p->ended = *ret_ended;
}

__attribute__((hot)) void exec_program_record(struct exec_program *p, struct montecito_record *ret, bool *ret_ended)
{
  program_record(p, ret, ret_ended);
  ret->thread = p->cpu.thread;
}

static __attribute__((hot)) int program_next(struct montecito_source *s, struct montecito_record *ret, bool *ret_ended,
                                             char *error, size_t error_size)
{
  struct exec_program *p = (struct exec_program *)(void *)s;
  (void)error;
  (void)error_size;
  if (p->n_members > 1)
    return exec_threads_next(p, ret, ret_ended);
  exec_program_record(p, ret, ret_ended);
  return PMON_OK;
}

void exec_program_discard(struct exec_program *p)
{
  if (p->process != p) {
    free(p);
    return;
  }
  exec_memory_fini(&p->memory);
  free(p->symbols);
  free(p->names);
  free(p);
}

static void program_free(struct montecito_source *s)
{
  struct exec_program *p = (struct exec_program *)(void *)s;
  for (unsigned t = 0; t < MONTECITO_THREADS; t++)
    if (p->member[t] && p->member[t] != p)
      exec_program_discard(p->member[t]);
  exec_program_discard(p);
}

/* ---- interface ---- */

int exec_program_open(const struct exec_options *options, char *error, size_t error_size,
                      struct exec_program **ret_program)
{
  struct exec_program *p = calloc(1, sizeof *p);
  int status = p ? exec_memory_init(&p->memory, EXEC_MOST_PAGES) : PMON_E_MEMORY;
  if (status) {
    free(p);
    return status;
  }
  p->base = (struct montecito_source){program_next, program_free};
  p->first = p->process = p;
  p->cpu.memory = &p->memory;
  snprintf(p->name, sizeof p->name, "%s", options->path);
  p->most_bundles = options->most_bundles;
  p->joins_at = 1;
  status = exec_elf_load(p, options->path, error, error_size);
  if (!status && (status = exec_process_start(p, options)))
    snprintf(error, error_size, "%s: the arguments and the environment do not fit on the stack", options->path);
  if (status) {
    program_free(&p->base);
    return status;
  }
  exec_threads_place(p, p);
  *ret_program = p;
  return PMON_OK;
}

int exec_program_add(struct exec_program *p, const struct exec_options *options, char *error, size_t error_size)
{
  struct exec_program *other;
  const int status = exec_program_open(options, error, error_size, &other);
  if (status)
    return status;
  other->member[0] = NULL;
  other->space = (uint16_t)p->n_members;
  if (exec_threads_place(p, other))
    return PMON_OK;
  program_free(&other->base);
  snprintf(error, error_size, "%s: too many programs; the machine has %d hardware threads, one per program",
           options->path, MONTECITO_THREADS);
  return PMON_E_RANGE;
}

struct montecito_source *exec_program_source(struct exec_program *p)
{
  return &p->base;
}

void exec_program_set_machine(struct exec_program *p, struct montecito_machine *m)
{
  for (unsigned t = 0; t < MONTECITO_THREADS; t++)
    if (p->member[t]) {
      p->member[t]->cpu.machine = m;
      montecito_thread_space(m, t, p->member[t]->process->space);
    }
  exec_threads_update_machine(p);
}

void exec_program_limit(struct exec_program *p, uint64_t most_bundles)
{
  for (unsigned t = 0; t < MONTECITO_THREADS; t++)
    if (p->member[t])
      p->member[t]->most_bundles = most_bundles;
}

struct exec_result exec_program_result(const struct exec_program *p)
{
  struct exec_result r = {.exited = p->exited, .exit_code = p->exit_code};
  for (unsigned t = 0; t < MONTECITO_THREADS; t++) {
    const struct exec_program *other = p->member[t];
    if (other && !r.fault && *other->fault_text) {
      r.fault = other->fault_text;
      r.program = other->process->name;
    }
    if (other && other->process == other && other->exit_code && !r.program) {
      r.exit_code = other->exit_code;
      r.program = other->name;
    }
  }
  return r;
}

const char *exec_program_symbol(const struct exec_program *p, uint64_t address, uint64_t *ret_offset)
{
  p = p->process;
  size_t low = 0, high = p->n_symbols;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (p->symbols[middle].address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (!low)
    return NULL;
  const struct exec_symbol *s = &p->symbols[low - 1];
  if (s->bytes && address - s->address >= s->bytes)
    return NULL;
  *ret_offset = address - s->address;
  return s->name;
}

bool exec_program_disassemble(struct exec_program *p, uint64_t address, unsigned slot, char *text, size_t text_size)
{
  uint64_t bits[2];
  struct exec_instruction v;
  address &= ~UINT64_C(15);
  if (slot > 2 || !exec_memory_read(&p->process->memory, address, bits, sizeof bits))
    return false;
  const struct exec_template *t = &exec_templates[bits[0] & 31];
  if (t->unit[slot] == UNIT_L)
    slot = 2;
  exec_decode(t->unit[slot], exec_slot_bits(bits, slot), t->unit[slot] == UNIT_X ? exec_slot_bits(bits, 1) : 0, &v);
  exec_disassemble(&v, exec_slot_bits(bits, slot), address, text, text_size);
  return true;
}
