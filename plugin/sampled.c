/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/sampled.h"

#include <stdlib.h>
#include "plugin/group.h"
#include "plugin/sampler.h"
#include "plugin/trace.h"

/* ---- callbacks: the common case uses few registers and tail-calls the rare case ---- */

static void sampled_block(unsigned vcpu, void *data)
{
  if (!sampler_block_passes((uintptr_t)data, record_count((uintptr_t)data)))
    sampler_block(vcpu, data);
}

static __attribute__((noinline)) void access_missed(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  const uint64_t record = trace_access(info, va, data);
  const bool store = record_is_store(record);

  if (sampler_between()) {
    if (!filter_has(mine.filter, va, store))
      sampler_line(va, store, record);
    return;
  }
  sampler_later_write(record_ordinal(record));
  sampler_share(va, store);
  trace_store(vcpu, info, va, data);
}

static void sampled_load(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  if (!filter_has(mine.filter, va, false))
    access_missed(vcpu, info, va, data);
}

/* A store; or an instruction that loads and stores, most of whose lines have been stored to. */
static void sampled_store(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  if (!filter_has(mine.filter, va, true))
    access_missed(vcpu, info, va, data);
}

/* A store that bypasses the caches. */
static void sampled_past(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  sampler_later_write(record_ordinal((uintptr_t)data));
  sampler_drop(va);
  trace_store(vcpu, info, va, data);
}

/* ---- groups: one callback, at the first access, for all members, and perhaps for the block ---- */

/* The callback data of a group's first access. */
struct lead {
  uint64_t block;    /* 0: the callback does not stand for the block */
  int16_t low, high; /* range of the members' addresses, relative to the first member's */
  uint32_t n;
  struct {
    int16_t at;
    uint8_t size_log2, ordinal;
  } member[]; /* includes the first one */
};

static void lead_missed(uint64_t va, const struct lead *l, bool store)
{
  if (l->block && !sampler_block_passes(l->block, 0))
    sampler_block(0, (void *)(uintptr_t)l->block);
  const bool between = sampler_between();
  if (!between)
    sampler_later_write(l->member[0].ordinal);
  for (unsigned i = 0; i < l->n; i++) {
    const uint64_t at = va + (uint64_t)(int64_t)l->member[i].at;
    /* every access of a group is alone */
    const uint64_t record = record_access(at, l->member[i].size_log2, store, l->member[i].ordinal) | RECORD_ALONE;

    if (between && !filter_has(mine.filter, at, store))
      sampler_line(at, store, record);
    if (between)
      continue;
    sampler_share(at, store);
    if (i)
      sampler_later_add(record);
    else
      trace_write_address(record);
  }
}

static __attribute__((noinline)) void loads_missed(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  (void)vcpu, (void)info;
  lead_missed(va, data, false);
}

static __attribute__((noinline)) void stores_missed(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  (void)vcpu, (void)info;
  lead_missed(va, data, true);
}

/* True if the filter holds the lines of all members: one line or two. */
static inline bool lead_passes(const struct lead *l, uint64_t va, bool store)
{
  const uint64_t low = va + (uint64_t)(int64_t)l->low, high = va + (uint64_t)(int64_t)l->high;

  return filter_has(mine.filter, low, store) &&
         (!((low ^ high) >> FILTER_LINE_SHIFT) || filter_has(mine.filter, high, store));
}

static void sampled_loads(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  if (!lead_passes(data, va, false))
    loads_missed(vcpu, info, va, data);
}

static void sampled_stores(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  if (!lead_passes(data, va, true))
    stores_missed(vcpu, info, va, data);
}

static void sampled_block_loads(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  const uint64_t block = ((const struct lead *)data)->block;

  if (!sampler_block_passes(block, record_count(block)) || !lead_passes(data, va, false))
    loads_missed(vcpu, info, va, data);
}

static void sampled_block_stores(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  const uint64_t block = ((const struct lead *)data)->block;

  if (!sampler_block_passes(block, record_count(block)) || !lead_passes(data, va, true))
    stores_missed(vcpu, info, va, data);
}

/* ---- translation ---- */

/*
 * QEMU uses a lead as long as its translation may run, and does not report when it drops a single translation; programs
 * that write code have it translated again and again. When QEMU's memory for translations is full, it drops all of them
 * while no thread runs one, and the leads are freed then. They take a small part of that memory at most.
 */
enum { CHUNK_BYTES = 1 << 16 };
static struct chunk {
  struct chunk *next;
  size_t used;
  char bytes[CHUNK_BYTES];
} * chunks;

static void leads_free(uint64_t id)
{
  (void)id;
  for (struct chunk *next; chunks; chunks = next) {
    next = chunks->next;
    free(chunks);
  }
}

static void *lead_allocate(size_t n)
{
  const size_t size = (n + 7) & ~(size_t)7;

  if (!chunks || CHUNK_BYTES - chunks->used < size) {
    struct chunk *c = malloc(sizeof *c);

    if (!c)
      abort(); /* as QEMU does */
    c->next = chunks;
    c->used = 0;
    chunks = c;
  }
  chunks->used += size;
  return chunks->bytes + chunks->used - size;
}

static bool has_groups;
static struct {
  bool groups;                    /* the piece may have groups: it is not a mark of a region */
  uint64_t block;                 /* the block that the first access's callback stands for; 0: none */
  const struct flow_place *place; /* places of the piece's instructions */
} piece;                          /* one for all threads: QEMU translates one block of a program at a time */

void sampled_install(uint64_t id, bool is_64_bit)
{
  has_groups = groups_install(is_64_bit);
  if (has_groups)
    qemu_plugin_register_flush_cb(id, leads_free);
}

void sampled_register_piece(struct qemu_plugin_tb *tb, size_t first, size_t count, uint64_t block,
                            const struct flow_place *places)
{
  struct qemu_plugin_insn *head = qemu_plugin_tb_get_insn(tb, first);

  uint64_t name;

  piece.groups = has_groups && region_of(head, &name) == REGION_NONE;
  groups_begin();
  for (size_t i = 0; piece.groups && i < count; i++) {
    struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, first + i);

    groups_add(qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn), qemu_plugin_insn_vaddr(insn));
  }
  piece.block = piece.groups && group_first() >= 0 ? block : 0;
  piece.place = places;
  if (!piece.block && !first)
    qemu_plugin_register_vcpu_tb_exec_cb(tb, sampled_block, PLUGIN_NO_REGISTERS, (void *)(uintptr_t)block);
  else if (!piece.block)
    qemu_plugin_register_vcpu_insn_exec_cb(head, sampled_block, PLUGIN_NO_REGISTERS, (void *)(uintptr_t)block);
}

static struct lead *lead_new(const struct group *g, uint64_t block)
{
  struct lead *l = lead_allocate(sizeof *l + g->n * sizeof *l->member);

  *l = (struct lead){.block = block, .n = g->n};
  for (unsigned i = 0; i < g->n; i++) {
    l->member[i].at = g->at[i];
    l->member[i].size_log2 = g->size_log2[i];
    l->member[i].ordinal = piece.place[g->insn[i]].ordinal;
    l->low = g->at[i] < l->low ? g->at[i] : l->low;
    l->high = g->at[i] > l->high ? g->at[i] : l->high;
  }
  return l;
}

/* Registers for loads and stores alike: QEMU 7.2 calls callbacks registered for writes at loads too, and at stores
 * those registered for either. */
static void access_register(struct qemu_plugin_insn *insn, memory_fn fn, void *data)
{
  qemu_plugin_register_vcpu_mem_cb(insn, fn, PLUGIN_NO_REGISTERS, PLUGIN_READS_AND_WRITES, data);
}

static memory_fn lead_function(const struct group *g, bool has_block)
{
  if (has_block)
    return g->store ? sampled_block_stores : sampled_block_loads;
  return g->store ? sampled_stores : sampled_loads;
}

void sampled_register_access(struct qemu_plugin_insn *insn, size_t number, void *data)
{
  const bool past = (uintptr_t)data & (uintptr_t)RECORD_PAST_CACHES;
  const struct group *g = piece.groups ? group_of(number) : NULL;
  const uint64_t block = piece.block && (int)number == group_first() ? piece.block : 0;

  if (piece.groups && group_contains(number))
    return;
  if (g && (g->n > 1 || block))
    access_register(insn, lead_function(g, block), lead_new(g, block));
  else if (past)
    access_register(insn, sampled_past, data);
  else
    access_register(insn, piece.groups && group_kind_of(number) == GROUP_LOADS ? sampled_load : sampled_store, data);
}
