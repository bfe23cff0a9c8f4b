/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of QEMU's plugin interface, version 1, that this plugin uses; distributions do not ship its header.
 */
#ifndef PLUGIN_QEMU_H
#define PLUGIN_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;
struct plugin_info {
  const char *target_name;
  struct {
    int min, cur;
  } version;
  bool system_emulation;
};
enum { PLUGIN_NO_REGISTERS = 0 };
enum { PLUGIN_ADD = 0 };
enum { PLUGIN_READS = 1, PLUGIN_WRITES = 2, PLUGIN_READS_AND_WRITES = 3 };
typedef void (*block_fn)(unsigned vcpu, void *data);
typedef void (*memory_fn)(unsigned vcpu, uint32_t info, uint64_t va, void *data);
typedef void (*translation_fn)(uint64_t id, struct qemu_plugin_tb *tb);
typedef void (*vcpu_fn)(uint64_t id, unsigned vcpu);

void qemu_plugin_reset(uint64_t id, void (*fn)(uint64_t id));
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, translation_fn fn);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, block_fn fn, int flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, block_fn fn, int flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, memory_fn fn, int flags, int rw, void *data);
/* Adds `n` to *number at each access, without a callback; op is PLUGIN_ADD. */
void qemu_plugin_register_vcpu_mem_inline(struct qemu_plugin_insn *insn, int rw, int op, void *number, uint64_t n);
void qemu_plugin_register_vcpu_exit_cb(uint64_t id, vcpu_fn fn);
void qemu_plugin_register_vcpu_idle_cb(uint64_t id, vcpu_fn fn);
void qemu_plugin_register_vcpu_resume_cb(uint64_t id, vcpu_fn fn);
/* Called when QEMU drops all translations, while no thread executes one. */
void qemu_plugin_register_flush_cb(uint64_t id, void (*fn)(uint64_t id));
void qemu_plugin_register_vcpu_syscall_cb(uint64_t id, void (*fn)(uint64_t id, unsigned vcpu, int64_t number,
                                                                  uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4,
                                                                  uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8));
void qemu_plugin_register_vcpu_syscall_ret_cb(uint64_t id,
                                              void (*fn)(uint64_t id, unsigned vcpu, int64_t number, int64_t result));
void qemu_plugin_register_atexit_cb(uint64_t id, void (*fn)(uint64_t id, void *data), void *data);
/* Returns the file name of the emulated program; the caller frees it. */
const char *qemu_plugin_path_to_binary(void);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
unsigned qemu_plugin_mem_size_shift(uint32_t info);
bool qemu_plugin_mem_is_store(uint32_t info);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
/* System emulation: */
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(uint32_t info, uint64_t va);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *hwaddr);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *hwaddr);

#endif
