/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A QEMU plugin that measures the cost of delivery. what=blocks calls an empty function for each block, what=accesses
 * for each block and each access. what=count adds to a number for each access in QEMU's translated code, without a
 * call. what=words stores a word for each block and access, as pmon-trace.so does, but without a reader. what=flushes
 * calls for each block, and makes QEMU translate everything again twice in a million instructions, as it would be
 * needed to alternate between translations with calls for accesses and without.
 * bench/delivery.sh runs it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "plugin/qemu.h"

#define EXPORT __attribute__((visibility("default")))
enum { WORDS = 1 << 16, FLUSH_INSTRUCTIONS = 500000 };

extern EXPORT int qemu_plugin_version;
EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(uint64_t id, const struct plugin_info *info, int argc, char **argv);

static enum { NOTHING, BLOCKS, ACCESSES, COUNT, STORE, FLUSH } what;
static uint64_t words[WORDS], counted;
static uint32_t head;
static uint64_t plugin, instructions, flushes;

static void on_translation(uint64_t id, struct qemu_plugin_tb *tb);

static void block_nothing(unsigned vcpu, void *data)
{
  (void)vcpu, (void)data;
}

static void access_nothing(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  (void)vcpu, (void)info, (void)va, (void)data;
}

static void block_store(unsigned vcpu, void *data)
{
  (void)vcpu;
  words[head++ % WORDS] = (uint64_t)(uintptr_t)data;
}

static void access_store(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  (void)vcpu;
  words[head++ % WORDS] = va | (uint64_t)info << 48 | (uint64_t)(uintptr_t)data;
}

static void flushed(uint64_t id)
{
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
}

/* Discards all translations every half million instructions. */
static void block_flush(unsigned vcpu, void *data)
{
  (void)vcpu;
  instructions += (uintptr_t)data;
  if (instructions / FLUSH_INSTRUCTIONS == flushes)
    return;
  flushes = instructions / FLUSH_INSTRUCTIONS;
  qemu_plugin_reset(plugin, flushed);
}

static void on_translation(uint64_t id, struct qemu_plugin_tb *tb)
{
  const block_fn on_block = what == STORE ? block_store : what == FLUSH ? block_flush : block_nothing;
  const memory_fn on_access = what == STORE ? access_store : access_nothing;

  (void)id;
  if (what != COUNT)
    qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, PLUGIN_NO_REGISTERS, (void *)qemu_plugin_tb_n_insns(tb));
  for (size_t i = 0; what != BLOCKS && what != FLUSH && i < qemu_plugin_tb_n_insns(tb); i++) {
    struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

    if (what == COUNT)
      qemu_plugin_register_vcpu_mem_inline(insn, PLUGIN_READS_AND_WRITES, PLUGIN_ADD, &counted, 1);
    else
      qemu_plugin_register_vcpu_mem_cb(insn, on_access, PLUGIN_NO_REGISTERS, PLUGIN_READS_AND_WRITES, NULL);
  }
}

EXPORT int qemu_plugin_install(uint64_t id, const struct plugin_info *info, int argc, char **argv)
{
  static const char *const names[] = {"nothing", "blocks", "accesses", "count", "words", "flushes"};
  bool known = true;

  (void)info;
  for (int i = 0; i < argc; i++) {
    unsigned n = 0;

    while (n < sizeof names / sizeof *names &&
           (strncmp(argv[i], "what=", 5) != 0 || strcmp(argv[i] + 5, names[n]) != 0))
      n++;
    known &= n < sizeof names / sizeof *names;
    what = n;
  }
  if (!known) {
    fprintf(stderr, "deliver: an argument is neither what=nothing, blocks, accesses, count, words nor flushes\n");
    return -1;
  }
  plugin = id;
  if (what != NOTHING)
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  return 0;
}
