/* SPDX-License-Identifier: MIT */
#include "machine/pmon/faults.h"

#include <stdio.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/pmon/registers.h"
#include "machine/pmon/state.h"

/* The page's first entry (Table 1-13 of the Emerald Rapids guide): the stride of the entries in words, and their
 * number; and in each unit's entry the address of its control (Table 1-14). */
enum { PAGE_STRIDE_SHIFT = 8, PAGE_UNITS_SHIFT = 16, PAGE_ADDRESS = 1 };
static const uint64_t page_stride_mask = UINT64_C(0xff) << PAGE_STRIDE_SHIFT;
static const uint64_t page_units_mask = UINT64_C(0x3ff) << PAGE_UNITS_SHIFT;

/* Returns the words from one entry to the next. A fault may have changed the stride that the page states, but not the
 * number of units. */
static size_t page_stride(const struct machine *m)
{
  return m->page.n / (size_t)(((m->page.words[0] & page_units_mask) >> PAGE_UNITS_SHIFT) + 1);
}

static bool fault_has_page(enum fault_kind kind)
{
  return kind >= FAULT_PAGE_LATE;
}

/* True if the fault concerns a block of the fault's socket. */
static bool fault_concerns(const struct machine_fault *f, const struct block *b)
{
  return !strcmp(f->unit, b->unit->name) && (f->instance < 0 || f->instance == b->instance);
}

/* ---- checks ---- */

static int fault_check_block(struct machine *m, const struct machine_fault *f, char *error, size_t error_size)
{
  const int first = f->instance < 0 ? 0 : f->instance;
  const struct block *b = machine_block(m, f->socket, f->unit, (unsigned)first);
  if (!b)
    snprintf(error, error_size, "fault %s: the machine has no %s%d in socket %u", machine_fault_name(f->kind), f->unit,
             first, f->socket);
  else if (f->counter >= (int)b->n_counters)
    snprintf(error, error_size, "fault %s: %s has %u counter%s; expected a counter from 0 to %u, not %d",
             machine_fault_name(f->kind), f->unit, b->n_counters, b->n_counters == 1 ? "" : "s", b->n_counters - 1u,
             f->counter);
  else
    return PMON_OK;
  return PMON_E_RANGE;
}

static int fault_check_page(const struct machine *m, const struct machine_fault *f, char *error, size_t error_size)
{
  const char *why = !m->page.n ? "this processor has no discovery page"
                    : f->kind == FAULT_PAGE_FOREIGN && m->n_sockets < 2
                        ? "the machine has no other socket; add --set sockets=2"
                    : f->kind == FAULT_PAGE_STRIDE && f->number > 0xff ? "the stride must be at most 255 words"
                                                                       : NULL;
  if (!why)
    return PMON_OK;
  snprintf(error, error_size, "fault %s: %s", machine_fault_name(f->kind), why);
  return PMON_E_RANGE;
}

int machine_fault_add(struct machine *m, const struct machine_fault *f, char *error, size_t error_size)
{
  int status = PMON_OK;
  if (f->socket >= m->n_sockets || m->faulty.n == FAULTS_MAX) {
    snprintf(error, error_size,
             m->faulty.n == FAULTS_MAX ? "fault %s: more than %u faults" : "fault %s: the machine has no socket %u",
             machine_fault_name(f->kind), m->faulty.n == FAULTS_MAX ? (unsigned)FAULTS_MAX : f->socket);
    return PMON_E_RANGE;
  }
  if (machine_fault_operand(f->kind) == FAULT_OF_BLOCK || machine_fault_operand(f->kind) == FAULT_OF_COUNTER)
    status = fault_check_block(m, f, error, error_size);
  if (!status && fault_has_page(f->kind))
    status = fault_check_page(m, f, error, error_size);
  if (status)
    return status;
  m->faulty.fault[m->faulty.n++] = *f;
  faults_begin(m);
  return PMON_OK;
}

/* ---- beginnings ---- */

static void fault_begin_counter(const struct machine_fault *f, struct block *b, unsigned i)
{
  struct counter *c = &b->counters[i];
  c->stuck |= f->kind == FAULT_STUCK;
  c->twice |= f->kind == FAULT_DOUBLE;
  c->deaf |= f->kind == FAULT_NO_OVERFLOW;
  if (f->kind == FAULT_WRAP) {
    c->wraps = true;
    b->value[i] = c->mask;
  }
  counter_write(b, i, c->ctl); /* updates its weights, and whether it counts */
}

static void fault_begin_block(struct machine *m, const struct machine_fault *f, struct block *b, size_t k)
{
  const size_t stride = fault_has_page(f->kind) ? page_stride(m) : 0;
  uint64_t *entry = stride ? m->page.words + f->socket * m->page.n + (k + 1) * stride : NULL;
  switch (f->kind) {
  case FAULT_NO_FREEZE:
    b->unstoppable = true;
    block_freeze(b, b->frozen);
    break;
  case FAULT_PAGE_DUPLICATE:
    if ((k + 2) * stride < m->page.n)
      memcpy(entry + stride, entry, stride * sizeof *entry);
    break;
  case FAULT_PAGE_FOREIGN: {
    const uint64_t *other = m->page.words + (f->socket + 1) % m->n_sockets * m->page.n;
    if ((k + 1) * stride < m->page.n)
      entry[PAGE_ADDRESS] = other[(k + 1) * stride + PAGE_ADDRESS];
    break;
  }
  default:
    for (unsigned i = 0; machine_fault_operand(f->kind) == FAULT_OF_COUNTER && i < b->n_counters; i++)
      if (f->counter < 0 || f->counter == (int)i)
        fault_begin_counter(f, b, i);
  }
}

static void fault_begin(struct machine *m, const struct machine_fault *f)
{
  struct socket *s = &m->sockets[f->socket];
  uint64_t *words = m->page.words ? m->page.words + f->socket * m->page.n : NULL;
  switch (f->kind) {
  case FAULT_PMI_LOST: s->pmi_times = 0; break;
  case FAULT_PMI_DOUBLE: s->pmi_times = 2; break;
  case FAULT_PAGE_SHORT:
    for (size_t i = page_stride(m); i < m->page.n; i++)
      if (i / page_stride(m) > f->number)
        words[i] = 0;
    break;
  case FAULT_PAGE_STRIDE: words[0] = (words[0] & ~page_stride_mask) | f->number << PAGE_STRIDE_SHIFT; break;
  default:
    for (size_t k = 0; k < s->n_blocks; k++)
      if (fault_concerns(f, &s->blocks[k]))
        fault_begin_block(m, f, &s->blocks[k], k);
  }
}

void faults_begin(struct machine *m)
{
  for (size_t i = 0; i < m->faulty.n; i++) {
    const struct machine_fault *f = &m->faulty.fault[i];
    if (m->faulty.begun[i] || (f->after ? m->faulty.accesses < f->after : m->now < f->at_fs))
      continue;
    m->faulty.begun[i] = true;
    fault_begin(m, f);
  }
}

uint64_t faults_next_fs(const struct machine *m)
{
  uint64_t next = UINT64_MAX;
  for (size_t i = 0; i < m->faulty.n; i++)
    if (!m->faulty.begun[i] && !m->faulty.fault[i].after && m->faulty.fault[i].at_fs < next)
      next = m->faulty.fault[i].at_fs;
  return next;
}

/* ---- accesses ---- */

void faults_count_access(struct machine *m)
{
  if (!m->faulty.n)
    return;
  faults_begin(m);
  m->faulty.accesses += !m->faulty.aside;
}

void machine_faults_aside(struct machine *m, bool aside)
{
  m->faulty.aside = aside;
}

void faults_after_read(struct machine *m, const struct pmon_address *a)
{
  const struct reg *r = m->faulty.n ? map_find(&m->map, a->space, a->device, a->offset) : NULL;
  if (!r || r->block == MAP_GLOBAL || (r->rows->role != REG_CTR && r->rows->role != REG_FIXED_CTR))
    return;
  struct block *b = &m->sockets[a->package].blocks[r->block];
  const unsigned i = r->rows->role == REG_CTR ? r->number : b->n_counters - 1u;
  if (!b->counters[i].wraps)
    return;
  b->counters[i].wraps = false;
  if (b->value[i] == b->counters[i].mask) /* otherwise software has written it */
    counter_add(b, i, 1);
}

/* True if a fault makes a register disappear. The function of a block in configuration space disappears as a whole,
 * with its header. */
static bool fault_takes(const struct machine *m, const struct machine_fault *f, const struct pmon_address *a)
{
  const struct reg *r = map_find(&m->map, a->space, a->device, a->offset);
  const struct socket *s = &m->sockets[f->socket];
  if (a->package != f->socket)
    return false;
  if (r)
    return r->block != MAP_GLOBAL && fault_concerns(f, &s->blocks[r->block]);
  for (uint32_t i = 0; a->space == PMON_SPACE_PCI && i < m->map.n; i++) {
    r = &m->map.regs[i];
    if (r->space == a->space && r->device == a->device && r->block != MAP_GLOBAL &&
        fault_concerns(f, &s->blocks[r->block]))
      return true;
  }
  return false;
}

bool faults_hide(const struct machine *m, const struct pmon_address *a, bool *ret_ones)
{
  *ret_ones = a->space != PMON_SPACE_MSR;
  for (size_t i = 0; i < m->faulty.n; i++) {
    const struct machine_fault *f = &m->faulty.fault[i];
    if (f->kind == FAULT_GONE && m->faulty.begun[i] && fault_takes(m, f, a))
      return true;
    if (f->kind == FAULT_PAGE_LATE && !m->faulty.begun[i] && a->package == f->socket && a->space == PMON_SPACE_MMIO &&
        a->device == PMON_BAR_DISCOVERY)
      return true;
  }
  return false;
}

size_t machine_fault_count(const struct machine *m)
{
  return m->faulty.n;
}

bool machine_fault_hits_msr(const struct machine *m, unsigned processor, uint32_t msr)
{
  for (size_t i = 0; i < m->faulty.n; i++) {
    const struct machine_fault *f = &m->faulty.fault[i];
    if (f->kind == FAULT_MSR && m->faulty.begun[i] && f->processor == processor && f->number == msr)
      return true;
  }
  return false;
}
