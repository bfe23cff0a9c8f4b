/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records the accesses of a guest in system emulation: physical addresses, one ring per processor, without accesses to
 * devices. The guest boots without recording, as fast as without a plugin. When the reader starts the recording, all
 * code is translated again with the callbacks.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "plugin/flow.h"
#include "plugin/trace.h"
#include "plugin/write.h"

#define PAGE_BYTES 4096
enum { MOST_NODES = 2, MOST_FILES = 1024, MOST_PENDING = 8192 };

/* The guest's memory in this process: one memfd per node (docs/vm.md explains why), at consecutive guest addresses
 * in the order in which QEMU opened them. */
static struct node {
  const char *at;
  uint64_t bytes, address;
} nodes[MOST_NODES];
static unsigned n_nodes;

static bool has_others; /* one host thread runs all processors */
static bool has_flow;

/* Notes of code that has been translated but not yet executed. QEMU does not report which processor translates. The
 * translating processor is the one that executes the next block; its limit is lowered so that it writes the notes
 * before that block. This is reliable because one host thread runs all processors, or there is only one processor. */
static uint64_t pending[MOST_PENDING];
static size_t n_pending;
static unsigned processors; /* the highest number of a processor that has executed a block, plus one */

/* Finds this process's mapping of the file with that inode. */
static bool find_mapping(unsigned long long wanted, struct node *ret)
{
  FILE *maps = fopen("/proc/self/maps", "re");
  char line[512];
  unsigned long long from, to, offset, inode;

  ret->at = NULL;
  while (maps && !ret->at && fgets(line, sizeof line, maps))
    if (sscanf(line, "%llx-%llx %*s %llx %*s %llu", &from, &to, &offset, &inode) == 4 && inode == wanted && !offset) {
      ret->at = (const char *)(uintptr_t)from;
      ret->bytes = to - from;
    }
  if (maps)
    fclose(maps);
  return ret->at;
}

static bool find_memory(void)
{
  uint64_t address = 0;

  for (int fd = 0; fd < MOST_FILES && n_nodes < MOST_NODES; fd++) {
    char name[64], to[128];
    struct stat st;

    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(name, to, sizeof to - 1);
    to[n > 0 ? n : 0] = 0;
    if (!strstr(to, "/memfd:memory-backend-memfd") || fstat(fd, &st) || !find_mapping(st.st_ino, &nodes[n_nodes]))
      continue;
    nodes[n_nodes].address = address;
    address += nodes[n_nodes++].bytes;
  }
  return n_nodes;
}

/* Translates the host address `host` into the guest's physical address; false: it is not guest memory. */
static bool find_address(const char *host, uint64_t *ret)
{
  for (const struct node *n = nodes; host && n < nodes + n_nodes; n++)
    if (host >= n->at && (uint64_t)(host - n->at) < n->bytes) {
      *ret = n->address + (uint64_t)(host - n->at);
      return true;
    }
  return false;
}

/* Collects the notes of the block that flow_add() has completed. Without room, the block has no notes. */
static void guest_take_notes(uint64_t block)
{
  uint64_t note[NOTE_MOST];
  const size_t n = flow_end(note);

  if (n_pending + n >= MOST_PENDING)
    return;
  memcpy(pending + n_pending, note, n * sizeof *note);
  pending[n_pending + n] = record_note_block(block);
  n_pending += n + 1;
  for (unsigned i = 0; i < processors; i++)
    area->ring[i].limit = 0;
}

static __attribute__((noinline)) void guest_at_limit(struct ring *r)
{
  const unsigned number = (unsigned)(r - area->ring);

  processors = number < processors ? processors : number + 1;
  trace_set_limit(r);
  for (size_t i = 0; i < n_pending; i++) {
    if (r->head >= r->limit)
      trace_look_up(r);
    r->record[r->head++ & (RING_RECORDS - 1)] = pending[i];
  }
  n_pending = 0;
  if (r->head >= r->limit)
    trace_look_up(r);
}

static void guest_on_block(unsigned vcpu, void *data)
{
  struct ring *r = &area->ring[vcpu % RING_THREADS];

  if (__builtin_expect(r->head >= r->limit, 0))
    guest_at_limit(r);
  const uint64_t at = r->head++;
  r->record[at & (RING_RECORDS - 1)] = (uint64_t)(uintptr_t)data;
  write_prefetch(r, at);
}

static void guest_on_access(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  struct ring *r = &area->ring[vcpu % RING_THREADS];
  const struct qemu_plugin_hwaddr *at = qemu_plugin_get_hwaddr(info, va);

  if (at && !qemu_plugin_hwaddr_is_io(at))
    r->record[r->head++ & (RING_RECORDS - 1)] = trace_access(info, qemu_plugin_hwaddr_phys_addr(at), data);
}

/* Records a piece of a vector access. */
static void guest_on_vector(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  struct ring *r = &area->ring[vcpu % RING_THREADS];
  const struct qemu_plugin_hwaddr *at = qemu_plugin_get_hwaddr(info, va);

  if (at && !qemu_plugin_hwaddr_is_io(at))
    write_piece(r, trace_access(info, qemu_plugin_hwaddr_phys_addr(at), data));
}

/*
 * True if the last x86 instruction of a translation block can be traced when there are several processors.
 *
 * QEMU 7.2 keeps its records for the helpers of a block's last instruction too long, and frees their contents whenever
 * translated code is dropped, as at each stop for an MSR. An interrupt on another processor would then use freed
 * memory. The accesses of a last instruction (jumps, calls, returns, kernel entry and exit, the end of a page) are
 * therefore not recorded; they usually access the stack. Repeated string instructions form separate blocks, and have no
 * helpers.
 */
static bool ends_cleanly(const uint8_t *b, size_t n)
{
  size_t i = 0;
  bool repeats = false;

  for (; i + 1 < n && (b[i] == 0x66 || b[i] == 0xf2 || b[i] == 0xf3 || b[i] == 0x67 || (b[i] & 0xf0) == 0x40); i++)
    repeats |= b[i] == 0xf2 || b[i] == 0xf3;
  return repeats && i + 1 == n && b[i] >= 0xa4 && b[i] <= 0xaf;
}

/* Registers the callbacks of one block record. Code outside of the guest's memory (firmware) is not recorded. */
static void follow_piece(struct qemu_plugin_tb *tb, size_t first, size_t count, uint32_t bytes,
                         const struct flow_place place[])
{
  struct qemu_plugin_insn *head = qemu_plugin_tb_get_insn(tb, first);
  uint64_t address;
  void *block;

  if (!find_address(qemu_plugin_insn_haddr(head), &address))
    return;
  block = (void *)(uintptr_t)record_block(address, bytes, (uint32_t)count);
  qemu_plugin_register_vcpu_insn_exec_cb(head, guest_on_block, PLUGIN_NO_REGISTERS, block);
  for (size_t i = 0; i < count; i++) {
    struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, first + i);
    const void *code = qemu_plugin_insn_data(insn);

    if (has_others && first + i + 1 == qemu_plugin_tb_n_insns(tb) && !ends_cleanly(code, qemu_plugin_insn_size(insn)))
      continue;
    qemu_plugin_register_vcpu_mem_cb(insn, place[i].vector ? guest_on_vector : guest_on_access, PLUGIN_NO_REGISTERS,
                                     PLUGIN_READS_AND_WRITES, trace_data(insn, place[i]));
  }
  if (has_flow)
    guest_take_notes((uint64_t)(uintptr_t)block);
}

static void guest_on_translation(uint64_t id, struct qemu_plugin_tb *tb)
{
  size_t n = qemu_plugin_tb_n_insns(tb), count;
  struct flow_place place[RECORD_MAX_COUNT];
  uint32_t bytes;

  (void)id;
  for (size_t first = 0; first < n; first += count) {
    count = trace_piece(tb, first, place, &bytes);
    follow_piece(tb, first, count, bytes, place);
  }
}

static void guest_on_idle(uint64_t id, unsigned vcpu)
{
  (void)id;
  trace_publish(&area->ring[vcpu % RING_THREADS]);
}

/* Starts the recording. A processor's ring has the processor's number. */
static void guest_begin(uint64_t id)
{
  line_bytes = PAGE_BYTES; /* the next page may be at any physical address */
  if (!find_memory())
    return; /* `started` stays 0, and the reader notices that */
  qemu_plugin_register_vcpu_tb_trans_cb(id, guest_on_translation);
  qemu_plugin_register_vcpu_idle_cb(id, guest_on_idle);
  __atomic_store_n(&area->started, 1, __ATOMIC_RELEASE);
}

/* Checks whether recording was requested. */
static void guest_check_follow(uint64_t id)
{
  if (__atomic_load_n(&area->follow, __ATOMIC_ACQUIRE))
    qemu_plugin_reset(id, guest_begin);
}

/* Called when a processor resumes after it was idle. */
static void guest_on_resume(uint64_t id, unsigned vcpu)
{
  (void)vcpu;
  guest_check_follow(id);
}

/* Called for code that is translated for the first time, or again after a stop. */
static void guest_on_first_translation(uint64_t id, struct qemu_plugin_tb *tb)
{
  (void)tb;
  guest_check_follow(id);
}

/* With one host thread for all processors, QEMU does not report when a processor becomes idle or resumes. */
int guest_install(uint64_t id, bool one_thread)
{
  has_others = one_thread;
  has_flow = area->dependences;
  if (one_thread)
    qemu_plugin_register_vcpu_tb_trans_cb(id, guest_on_first_translation);
  else
    qemu_plugin_register_vcpu_resume_cb(id, guest_on_resume);
  return 0;
}
