/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The accesses of a guest in system emulation: by physical address, one ring for each of its processors. Accesses to
 * devices are left out. A guest boots without being followed, and as fast as without a plugin; when the reader wants to
 * see it, all code is translated anew with the calls in it.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "plugin/trace.h"

#define PAGE_BYTES 4096
enum { MOST_NODES = 2, MOST_FILES = 1024 };

/* The guest's memory in this process: a memfd for each node (docs/vm.md says why), at the guest's addresses one behind
 * the other in the order in which QEMU opened them. */
static struct node {
  const char *at;
  uint64_t bytes, address;
} nodes[MOST_NODES];
static unsigned n_nodes;

static bool has_others; /* processors run in one thread, each in its turn */

/* Where the file with that inode is mapped. */
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

/* The guest's address of what lies there in this process; false: it is no memory of the guest. */
static bool find_address(const char *host, uint64_t *ret)
{
  for (const struct node *n = nodes; host && n < nodes + n_nodes; n++)
    if (host >= n->at && (uint64_t)(host - n->at) < n->bytes) {
      *ret = n->address + (uint64_t)(host - n->at);
      return true;
    }
  return false;
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

/*
 * Whether an x86 instruction that ends a translation block can be followed where there are several processors.
 *
 * QEMU 7.2 does not take back what it noted for the helpers of a block's last instruction, and drops what the note
 * names whenever translated code is dropped, as at each stop for an MSR. An interrupt that another processor takes next
 * would then be told of with what is no more. So of a last instruction (jumps, calls, returns, ways into the kernel and
 * out, the end of a page) the accesses are left out: what it reads and writes is the stack, as a rule. Repeated string
 * instructions have a block of their own, and no helpers.
 */
static bool ends_cleanly(const uint8_t *b, size_t n)
{
  size_t i = 0;
  bool repeats = false;

  for (; i + 1 < n && (b[i] == 0x66 || b[i] == 0xf2 || b[i] == 0xf3 || b[i] == 0x67 || (b[i] & 0xf0) == 0x40); i++)
    repeats |= b[i] == 0xf2 || b[i] == 0xf3;
  return repeats && i + 1 == n && b[i] >= 0xa4 && b[i] <= 0xaf;
}

/* Code that is not in memory (firmware) is not followed. */
static void follow_piece(struct qemu_plugin_tb *tb, size_t first, size_t count, uint32_t bytes)
{
  struct qemu_plugin_insn *head = qemu_plugin_tb_get_insn(tb, first);
  uint64_t address;
  void *block;

  if (!find_address(qemu_plugin_insn_haddr(head), &address))
    return;
  block = (void *)(uintptr_t)record_block(address, bytes, (uint32_t)count);
  qemu_plugin_register_vcpu_insn_exec_cb(head, on_block, PLUGIN_NO_REGISTERS, block);
  for (size_t i = 0; i < count; i++) {
    struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, first + i);

    if (has_others && first + i + 1 == qemu_plugin_tb_n_insns(tb) &&
        !ends_cleanly(qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn)))
      continue;
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
  line_bytes = PAGE_BYTES; /* the next page may be anywhere */
  if (!find_memory())
    return; /* `started` stays as it is, and the reader knows */
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_vcpu_idle_cb(id, on_idle);
  __atomic_store_n(&area->started, 1, __ATOMIC_RELEASE);
}

/* Is it to be followed now? */
static void look(uint64_t id)
{
  if (__atomic_load_n(&area->follow, __ATOMIC_ACQUIRE))
    qemu_plugin_reset(id, begin);
}

/* A processor that goes on after a rest. */
static void on_resume(uint64_t id, unsigned vcpu)
{
  (void)vcpu;
  look(id);
}

/* Code that is new, or new after a stop. */
static void on_first_translation(uint64_t id, struct qemu_plugin_tb *tb)
{
  (void)tb;
  look(id);
}

/* Where one thread runs all processors QEMU does not tell when one rests or goes on. */
int guest_install(uint64_t id, bool one_thread)
{
  has_others = one_thread;
  if (one_thread)
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_first_translation);
  else
    qemu_plugin_register_vcpu_resume_cb(id, on_resume);
  return 0;
}
