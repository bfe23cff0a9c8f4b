/* SPDX-License-Identifier: MIT */
/* The whole machine: two cores, four threads, and the stream that drives them. */
#include "machine/montecito/machine.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/montecito/core/cycles.h"
#include "machine/montecito/core/stall.h"
#include "machine/montecito/core/threads.h"
#include "machine/montecito/events/umasks.h"
#include "machine/montecito/front/branch.h"
#include "machine/montecito/memory/occupancy.h"
#include "machine/montecito/memory/snoop.h"
#include "machine/montecito/monitors/counters.h"
#include "machine/montecito/monitors/monitors.h"
#include "machine/montecito/pipeline/pipeline.h"

int montecito_machine_new_configured(const struct montecito_config *config, char *error, size_t error_size,
                                     struct montecito_machine **ret_machine)
{
  const int refused = montecito_config_check(config, error, error_size);
  if (refused)
    return refused;
  struct montecito_machine *m = calloc(1, sizeof *m);
  if (!m)
    return PMON_E_MEMORY;
  m->config = *config;
  for (unsigned t = 0; t < MONTECITO_THREADS; t++) {
    montecito_registers_reset(&m->threads[t]);
    m->threads[t].state[MONTECITO_PSR] = PSR_UP | PSR_PP;
    m->threads[t].state[MONTECITO_DCR] = DCR_PP;
  }
  for (unsigned i = 0; i < MONTECITO_CORES; i++) {
    struct montecito_core *c = &m->cores[i];
    c->machine = m;
    c->config = &m->config;
    c->number = (uint8_t)i;
    c->thread = &m->threads[2 * i];
    c->modelled = true;
    montecito_core_share(m, i, false);
    c->observed_at = c->fetch_line = UINT64_MAX;
    if (!memory_init(&c->memory, config)) {
      montecito_machine_free(m);
      return PMON_E_MEMORY;
    }
  }
  *ret_machine = m;
  return PMON_OK;
}

int montecito_machine_new(struct montecito_machine **ret_machine)
{
  struct montecito_config config;
  montecito_config_init(&config);
  return montecito_machine_new_configured(&config, NULL, 0, ret_machine);
}

void montecito_machine_free(struct montecito_machine *m)
{
  if (!m)
    return;
  for (unsigned i = 0; i < MONTECITO_CORES; i++) {
    memory_fini(&m->cores[i].memory);
    free(m->cores[i].deferred);
    queues_free(&m->cores[i]);
  }
  if (m->source && m->source->free)
    m->source->free(m->source);
  free(m->violations);
  free(m);
}

void montecito_machine_attach(struct montecito_machine *m, struct montecito_source *source)
{
  if (m->source && m->source->free)
    m->source->free(m->source);
  m->source = source;
  m->ended = m->has_held = false;
}

/* An interruption and its end change PSR after the cycle in which they occur. */
static void core_apply_psr(struct montecito_core *c)
{
  for (unsigned t = 0; t < 2; t++)
    if (c->psr_pending >> t & 1) {
      c->thread[t].state[MONTECITO_PSR] = c->psr_next[t];
      etb_disturbed(c, t);
    }
  c->psr_pending = 0;
}

static void core_close_cycle(struct montecito_core *c)
{
  montecito_close_cycle(c);
  if (c->touched)
    montecito_pass_cycles(c, -1, 1);
  if (c->psr_pending) {
    core_apply_psr(c);
    montecito_select_signals(c);
  }
}

void montecito_machine_close_cycles(struct montecito_machine *m)
{
  for (unsigned i = 0; i < MONTECITO_CORES; i++)
    core_close_cycle(&m->cores[i]);
}

void montecito_machine_stop_at_freeze(struct montecito_machine *m, bool stop)
{
  m->stops_at_freeze = stop;
}

uint64_t montecito_machine_cycle(const struct montecito_machine *m)
{
  return m->cores[0].cycle > m->cores[1].cycle ? m->cores[0].cycle : m->cores[1].cycle;
}

struct montecito_account montecito_machine_account(const struct montecito_machine *m, unsigned core)
{
  return m->cores[core].totals;
}

bool montecito_thread_active(const struct montecito_machine *m, unsigned thread)
{
  return m->cores[thread / 2].active == thread % 2;
}

static int record_error(char *error, size_t error_size, const char *why, unsigned value)
{
  snprintf(error, error_size, "%s (%u)", why, value);
  return PMON_E_INVALID;
}

static void signal_record(struct montecito_core *c, const struct montecito_record *r)
{
  const uint64_t cycles = r->value >> 16;
  const struct montecito_signal signal = {
      .code = r->a, .thread = r->thread & 1, .tags = TAGS_ALL, .mesi = 0xf, .umasks = (uint16_t)r->value, .n = r->n};
  montecito_signal(c, signal);
  for (uint64_t i = 1; i < cycles; i++) {
    montecito_pass_cycles(c, -1, 1);
    montecito_signal(c, signal);
  }
  montecito_pass_cycles(c, -1, 1);
}

static void purge_record(struct montecito_core *c)
{
  tlb_clear(&c->memory.l1itlb);
  tlb_clear(&c->memory.l2itlb);
  tlb_clear(&c->memory.l1dtlb);
  tlb_clear(&c->memory.l2dtlb);
  montecito_pulse(c, 0x4b, UM_ANY, 1); /* L1I_PURGE */
  montecito_pass_cycles(c, -1, 1);
}

void montecito_machine_on_access(struct montecito_machine *m, montecito_access_fn fn, void *arg)
{
  m->on_access = fn;
  m->access_arg = arg;
}

void montecito_report_access(struct montecito_machine *m, bool write, const struct pmon_address *a, uint64_t value)
{
  if (m->on_access)
    m->on_access(m->access_arg, write, a, value);
}

static int register_record(struct montecito_machine *m, const struct montecito_record *r, char *error,
                           size_t error_size)
{
  const struct pmon_address a = {.package = r->thread,
                                 .width_bits = 64,
                                 .offset = r->a,
                                 .space = r->kind == RECORD_PMC ? PMON_SPACE_PMC : PMON_SPACE_PMD};
  int status = montecito_machine_write(m, &a, r->value);
  if (status)
    snprintf(error, error_size, "%s", m->error);
  else
    montecito_report_access(m, true, &a, r->value);
  return status;
}

/* Applies a record that is not a bundle; the open cycle has ended. */
static int core_apply_record(struct montecito_core *c, const struct montecito_record *r, char *error, size_t error_size)
{
  switch ((enum montecito_record_kind)r->kind) {
  case RECORD_STALL:
    if (!montecito_stall_name(r->a))
      return record_error(error, error_size, "no such stall reason", r->a);
    montecito_pass_cycles(c, r->a, r->n);
    break;
  case RECORD_SWITCH:
    if (r->a >= SWITCH_N)
      return record_error(error, error_size, "no such switch cause", r->a);
    switch_record(c, r);
    break;
  case RECORD_HALT: halt_record(c, r); break;
  case RECORD_RSE: rse_record(c, r); break;
  case RECORD_SNOOP: snoop_record(c, r); break;
  case RECORD_BUS:
    if (r->a >= BUS_KIND_N || r->b >= AGENT_N)
      return record_error(error, error_size, "no such bus transaction", r->a);
    bus_transaction(
        c, &(struct bus_request){
               .kind = r->a, .agent = r->b, .thread = c->active, .data = true, .address = r->address, .latency = r->n});
    montecito_pass_cycles(c, -1, 1);
    break;
  case RECORD_INTERRUPT:
    if (r->a)
      montecito_pulse(c, r->a, 0xffff, 1);
    montecito_enter_interruption(c);
    montecito_pass_cycles(c, STALL_FLUSH_XPN, core_parameter(c, MONTECITO_FLUSH_PENALTY));
    break;
  case RECORD_PURGE: purge_record(c); break;
  case RECORD_SIGNAL: signal_record(c, r); break;
  case RECORD_TIMING: c->modelled = r->a; break;
  case RECORD_RESUME: pipeline_resume(c); break;
  default: return record_error(error, error_size, "no such record kind", r->kind);
  }
  if (c->psr_pending) {
    core_apply_psr(c);
    montecito_select_signals(c);
  }
  return PMON_OK;
}

/* Lets written registers take effect. Both cores are checked, since a core's counters can count events of the other
 * core. */
static void prepare_changed(struct montecito_machine *m)
{
  for (unsigned i = 0; i < MONTECITO_CORES; i++)
    if (m->threads[2 * i].changed || m->threads[2 * i + 1].changed) {
      core_close_cycle(&m->cores[i]);
      montecito_prepare_counters(&m->cores[i]);
    }
}

/* Applies a record that writes a register of the monitors or of the thread. */
static int apply_to_registers(struct montecito_machine *m, const struct montecito_record *r, char *error,
                              size_t error_size)
{
  struct montecito_core *c = &m->cores[r->thread / 2];
  if (r->kind != RECORD_STATE)
    return register_record(m, r, error, error_size);
  if (r->a >= MONTECITO_THREAD_REGISTERS)
    return record_error(error, error_size, "no such register of the thread", r->a);
  if (r->a == MONTECITO_PSR) {
    prepare_changed(m);
    core_close_cycle(c);
    montecito_set_psr(c, r->thread & 1, r->value);
    core_close_cycle(c);
  }
  montecito_thread_register_set(m, r->thread, r->a, r->value);
  if (r->a < MONTECITO_IBR)
    montecito_report_access(m, true, NULL, r->value);
  else
    montecito_report_access(
        m, true,
        &(struct pmon_address){.package = r->thread,
                               .width_bits = 64,
                               .space = r->a < MONTECITO_DBR ? PMON_SPACE_IBR : PMON_SPACE_DBR,
                               .offset = r->a - (unsigned)(r->a < MONTECITO_DBR ? MONTECITO_IBR : MONTECITO_DBR)},
        r->value);
  return PMON_OK;
}

static bool machine_changed(const struct montecito_machine *m)
{
  return m->threads[0].changed | m->threads[1].changed | m->threads[2].changed | m->threads[3].changed;
}

/* Applies any record, after all preparations that it may need. */
static __attribute__((noinline)) int apply_any(struct montecito_machine *m, const struct montecito_record *r,
                                               char *error, size_t error_size)
{
  if (r->thread >= MONTECITO_THREADS)
    return record_error(error, error_size, "no such hardware thread; expected 0 to 3", r->thread);
  struct montecito_core *c = &m->cores[r->thread / 2];
  if (r->kind == RECORD_PMC || r->kind == RECORD_PMD || r->kind == RECORD_STATE)
    return apply_to_registers(m, r, error, error_size);
  if (r->kind == RECORD_EXPECT) {
    int status = montecito_check_expectation(m, r);
    if (status)
      snprintf(error, error_size, "%s", m->error);
    return status;
  }
  if ((r->thread & 1) != c->active && r->kind != RECORD_SIGNAL)
    return record_error(error, error_size, "the thread is switched out; a switch line must come before its records",
                        r->thread);
  prepare_changed(m);
  if (c->psr_pending)
    core_close_cycle(c);
  if (r->kind == RECORD_BUNDLE)
    return pipeline_bundle(c, &r->bundle, error, error_size);
  montecito_close_cycle(c);
  return core_apply_record(c, r, error, error_size);
}

int montecito_machine_apply(struct montecito_machine *m, const struct montecito_record *r, char *error,
                            size_t error_size)
{
  struct montecito_core *c = &m->cores[r->thread / 2 % MONTECITO_CORES];
  if (r->kind != RECORD_BUNDLE || r->thread != c->number * 2 + c->active || c->psr_pending || machine_changed(m))
    return apply_any(m, r, error, error_size);
  return pipeline_bundle(c, &r->bundle, error, error_size);
}

/* Passes idle cycles for all threads up to cycle `until`. */
static void idle_until(struct montecito_machine *m, uint64_t until)
{
  for (unsigned i = 0; i < MONTECITO_CORES; i++) {
    struct montecito_core *c = &m->cores[i];
    core_close_cycle(c);
    montecito_prepare_counters(c);
    c->halted = true;
    if (c->cycle < until)
      montecito_pass_cycles(c, -1, until - c->cycle);
    c->halted = false;
  }
}

/* After the end of the stream: delivers the deferred events. */
static void core_drain(struct montecito_core *c)
{
  for (uint64_t next; (next = deferred_next(c)) != UINT64_MAX;)
    montecito_pass_cycles(c, -1, next > c->cycle ? next - c->cycle + 1 : 1);
}

/* Ends the open cycle if the record does not join it. An overflow in that cycle stops the run before the record. */
static void close_before_record(struct montecito_machine *m, const struct montecito_record *r)
{
  if (r->thread < MONTECITO_THREADS && (r->kind != RECORD_BUNDLE || !(r->bundle.flags & BUNDLE_JOINED)))
    montecito_close_cycle(&m->cores[r->thread / 2]);
}

static int run_source(struct montecito_machine *m, uint64_t until_cycle, char *error, size_t error_size)
{
  m->froze = false;
  while (!m->ended && !m->froze && !m->interrupted && montecito_machine_cycle(m) < until_cycle) {
    int status = m->has_held ? PMON_OK : m->source->next(m->source, &m->held, &m->ended, error, error_size);
    m->has_held = false;
    if (status)
      return status;
    if (m->ended)
      break;
    close_before_record(m, &m->held);
    if (m->froze) {
      m->has_held = true;
      break;
    }
    status = montecito_machine_apply(m, &m->held, error, error_size);
    if (status)
      return status;
  }
  m->ended |= m->interrupted != 0;
  return PMON_OK;
}

void montecito_machine_interrupt(struct montecito_machine *m)
{
  m->interrupted = 1;
}

__attribute__((hot)) int montecito_machine_run(struct montecito_machine *m, uint64_t until_cycle, bool *ret_ended,
                                               char *error, size_t error_size)
{
  int status = m->source ? run_source(m, until_cycle, error, error_size) : PMON_OK;
  montecito_machine_close_cycles(m);
  for (unsigned i = 0; i < MONTECITO_CORES && m->ended; i++)
    core_drain(&m->cores[i]);
  if (status == PMON_OK && m->out_of_memory) {
    snprintf(error, error_size, "no memory for deferred events");
    status = PMON_E_MEMORY;
  }
  *ret_ended = !m->source || m->ended;
  idle_until(m, m->source || until_cycle == UINT64_MAX ? montecito_machine_cycle(m) : until_cycle);
  return status;
}
