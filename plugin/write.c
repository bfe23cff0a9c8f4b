/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing of a program's threads into their rings: the callbacks for each block and each access. In the common case
 * these functions save no registers; the rare case is a tail call.
 */
#include "plugin/write.h"

#include "plugin/producer.h"
#include "plugin/qemu.h"
#include "plugin/sampled.h"
#include "plugin/trace.h"

uint64_t write_process_bits;
bool write_repeats_pages;
__thread struct ring *write_ring __attribute__((tls_model("initial-exec")));

/* The part of an access record that follows from QEMU's memory-operation descriptor, cached at first use; 0: not
 * cached. Descriptors of the known QEMU versions fit 18 bits; wider ones are evaluated each time. */
#define KINDS (1u << 18)
static uint64_t access_kinds[KINDS];

void write_pages(uint64_t record)
{
  struct ring *r = write_ring;
  if (r->head >= r->seen_tail + RING_RECORDS)
    r = write_at_limit(r);
  r->record[r->head++ & (RING_RECORDS - 1)] = record ^ write_process_bits >> PAGES_UNIT_SHIFT
                                                                                 << RECORD_PAGES_UNIT_SHIFT;
}

__attribute__((noinline)) struct ring *write_at_limit(struct ring *r)
{
  if (!r) {
    r = write_ring = ring_attach();
    if (sampled_wanted())
      sampled_thread_begins(r);
  }
  if (r != ring_spill && !trace_look_up(r))
    r = write_ring = ring_spill;
  if (r == ring_spill) {
    r->seen_tail = r->head;
    ring_set_limit(r);
  }
  const bool repeats = write_repeats_pages;
  write_repeats_pages = false;
  if (repeats)
    pages_repeat(write_pages);
  return r;
}

/* ---- callbacks for each block and each access ---- */

static __attribute__((noinline)) void block_at_limit(uint64_t block)
{
  struct ring *r = write_at_limit(write_ring);

  r->record[r->head++ & (RING_RECORDS - 1)] = block ^ write_process_bits;
}

void trace_block(unsigned vcpu, void *data)
{
  struct ring *r = write_ring;

  (void)vcpu;
  if (__builtin_expect(!r || r->head >= r->limit, 0)) {
    block_at_limit((uintptr_t)data);
    return;
  }
  const uint64_t at = r->head++;
  r->record[at & (RING_RECORDS - 1)] = (uint64_t)(uintptr_t)data ^ write_process_bits;
  write_prefetch(r, at);
}

static __attribute__((noinline)) uint64_t access_kind(uint32_t info)
{
  const uint64_t kind = TRACE_DATA | (uint64_t)(qemu_plugin_mem_size_shift(info) & 15) << RECORD_SIZE_SHIFT |
                        (qemu_plugin_mem_is_store(info) ? RECORD_STORE : 0);

  if (info < KINDS)
    access_kinds[info] = kind;
  return kind;
}

static inline uint64_t access_record(uint64_t kind, uint64_t va, const void *data)
{
  return (va & RECORD_ADDRESS) ^ kind ^ (uint64_t)(uintptr_t)data;
}

uint64_t trace_access(uint32_t info, uint64_t va, const void *data)
{
  const uint64_t kind = info < KINDS ? access_kinds[info] : 0;

  return access_record(kind ? kind : access_kind(info), va, data);
}

static __attribute__((noinline)) void access_first(uint32_t info, uint64_t va, void *data)
{
  const uint64_t kind = access_kind(info);
  struct ring *r = write_ring;

  r->record[r->head++ & (RING_RECORDS - 1)] = access_record(kind, va, data) ^ write_process_bits;
}

void trace_store(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  struct ring *r = write_ring;

  (void)vcpu;
  if (__builtin_expect(info >= KINDS || !access_kinds[info], 0))
    access_first(info, va, data);
  else
    r->record[r->head++ & (RING_RECORDS - 1)] = access_record(access_kinds[info], va, data) ^ write_process_bits;
}

static __attribute__((noinline)) void vector_first(uint32_t info, uint64_t va, void *data)
{
  write_piece(write_ring, access_record(access_kind(info), va, data) ^ write_process_bits);
}

void trace_vector(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  (void)vcpu;
  if (__builtin_expect(info >= KINDS || !access_kinds[info], 0))
    vector_first(info, va, data);
  else
    write_piece(write_ring, access_record(access_kinds[info], va, data) ^ write_process_bits);
}

void trace_write(uint64_t record)
{
  struct ring *r = write_ring;
  if (__builtin_expect(r->head >= r->limit, 0))
    r = write_at_limit(r);
  r->record[r->head++ & (RING_RECORDS - 1)] = record;
}

void trace_write_address(uint64_t record)
{
  trace_write(record ^ write_process_bits);
}

void trace_show(void)
{
  if (write_ring != ring_spill && __atomic_load_n(&area->serials, __ATOMIC_RELAXED) > 1)
    trace_publish(write_ring);
}
