/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plugin for QEMU that measures the cost of delivery: what=blocks or what=accesses calls a function that does nothing
 * for each block, or each block and each access; what=count adds to a number for each access in QEMU's own code,
 * without a call; what=words stores a word for each block and access, as pmon-trace.so does, without a reader.
 * bench/delivery.sh runs it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "plugin/qemu.h"

#define EXPORT __attribute__((visibility("default")))
enum { WORDS = 1 << 16 };

extern EXPORT int qemu_plugin_version;
EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(uint64_t id, const struct plugin_info *info, int argc, char **argv);

static enum { NOTHING, BLOCKS, ACCESSES, COUNT, STORE } what;
static uint64_t words[WORDS], counted;
static uint32_t head;

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

static void on_translation(uint64_t id, struct qemu_plugin_tb *tb)
{
  const block_fn on_block = what == STORE ? block_store : block_nothing;
  const memory_fn on_access = what == STORE ? access_store : access_nothing;

  (void)id;
  if (what != COUNT)
    qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, PLUGIN_NO_REGISTERS, tb);
  for (size_t i = 0; what != BLOCKS && i < qemu_plugin_tb_n_insns(tb); i++) {
    struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

    if (what == COUNT)
      qemu_plugin_register_vcpu_mem_inline(insn, PLUGIN_READS_AND_WRITES, PLUGIN_ADD, &counted, 1);
    else
      qemu_plugin_register_vcpu_mem_cb(insn, on_access, PLUGIN_NO_REGISTERS, PLUGIN_READS_AND_WRITES, NULL);
  }
}

EXPORT int qemu_plugin_install(uint64_t id, const struct plugin_info *info, int argc, char **argv)
{
  static const char *const names[] = {"nothing", "blocks", "accesses", "count", "words"};
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
    fprintf(stderr, "deliver: an argument is neither what=nothing, blocks, accesses, count nor words\n");
    return -1;
  }
  if (what != NOTHING)
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  return 0;
}
