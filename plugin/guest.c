/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The accesses of a guest in system emulation: by physical address, one ring for each of its processors. Accesses to
 * devices are left out. A guest boots without being followed, and as fast as without a plugin; when the reader wants to
 * see it, all code is translated anew with the calls in it.
 */
#include <stdio.h>
#include <string.h>
#include "plugin/trace.h"

#define PAGE_BYTES 4096

/* The guest's memory in this process. It is a memfd (docs/vm.md says why); what lies in it is at the same place in the
 * guest. */
static const char *memory;
static uint64_t memory_bytes;

static bool find_memory(void)
{
  FILE *maps = fopen("/proc/self/maps", "re");
  char line[512];
  unsigned long long from, to, offset;

  while (maps && !memory && fgets(line, sizeof line, maps))
    if (strstr(line, "/memfd:memory-backend-memfd") &&
        sscanf(line, "%llx-%llx %*s %llx", &from, &to, &offset) == 3 && offset == 0) {
      memory = (const char *)(uintptr_t)from;
      memory_bytes = to - from;
    }
  if (maps)
    fclose(maps);
  return memory;
}

static void on_block(unsigned vcpu, void *data)
{
  struct ring *r = &area->ring[vcpu % RING_THREADS];

  if (__builtin_expect(r->head >= r->limit, 0))
    trace_look_up(r);
  r->record[r->head++ & (RING_RECORDS - 1)] = (uint64_t)(uintptr_t)data;
}

static void on_access(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  struct ring *r = &area->ring[vcpu % RING_THREADS];
  const struct qemu_plugin_hwaddr *at = qemu_plugin_get_hwaddr(info, va);

  if (at && !qemu_plugin_hwaddr_is_io(at))
    r->record[r->head++ & (RING_RECORDS - 1)] = trace_access(info, qemu_plugin_hwaddr_phys_addr(at), data);
}

/* Code that is not in memory (firmware) is not followed. */
static void follow_piece(struct qemu_plugin_tb *tb, size_t first, size_t count, uint32_t bytes)
{
  struct qemu_plugin_insn *head = qemu_plugin_tb_get_insn(tb, first);
  const char *host = qemu_plugin_insn_haddr(head);
  void *block;

  if (!host || host < memory || (uint64_t)(host - memory) >= memory_bytes)
    return;
  block = (void *)(uintptr_t)record_block((uint64_t)(host - memory), bytes, (uint32_t)count);
  qemu_plugin_register_vcpu_insn_exec_cb(head, on_block, PLUGIN_NO_REGISTERS, block);
  for (size_t i = 0; i < count; i++) {
    struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, first + i);

    qemu_plugin_register_vcpu_mem_cb(insn, on_access, PLUGIN_NO_REGISTERS, PLUGIN_READS_AND_WRITES,
                                     trace_data(insn, i));
  }
}

static void on_translation(uint64_t id, struct qemu_plugin_tb *tb)
{
  size_t n = qemu_plugin_tb_n_insns(tb), count;
  uint32_t bytes;

  (void)id;
  for (size_t first = 0; first < n; first += count) {
    count = trace_piece(tb, first, &bytes);
    follow_piece(tb, first, count, bytes);
  }
}

static void on_idle(uint64_t id, unsigned vcpu)
{
  (void)id;
  trace_publish(&area->ring[vcpu % RING_THREADS]);
}

/* From here on; a processor's ring is that of its number. */
static void begin(uint64_t id)
{
  line_bytes = PAGE_BYTES;                 /* the next page may be anywhere */
  if (!find_memory())
    return;                                /* `started` stays as it is, and the reader knows */
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_vcpu_idle_cb(id, on_idle);
  __atomic_store_n(&area->started, 1, __ATOMIC_RELEASE);
}

/* A processor that goes on after a rest: is it to be followed now? */
static void on_resume(uint64_t id, unsigned vcpu)
{
  (void)vcpu;
  if (__atomic_load_n(&area->follow, __ATOMIC_ACQUIRE))
    qemu_plugin_reset(id, begin);
}

int guest_install(uint64_t id)
{
  qemu_plugin_register_vcpu_resume_cb(id, on_resume);
  return 0;
}
