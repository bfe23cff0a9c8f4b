/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recognises the instructions of include/pmon/region.h, and numbers the names that they give. A name's number is the
 * same for all threads and processes that write into the shared memory.
 */
#include <string.h>
#include "plugin/trace.h"

enum { NOP_BYTES = 7, COMPARE_BYTES = 7, MAGIC_BYTES = 8, CLAIM_TRIES = 1000000 };

static const uint8_t nop[3] = {0x0f, 0x1f, 0x05};                       /* nopl DISPLACEMENT(%rip) */
static const uint8_t compare[6] = {0x80, 0xbf, 0x6e, 0x6f, 0x6d, 0x70}; /* cmpb $KIND, 0x706d6f6e(%rdi) */
static const char magic[MAGIC_BYTES] = {'p', 'm', 'o', 'n', 'r', 'e', 'g', 'n'};

static enum region_mark region_of_nop(const struct qemu_plugin_insn *insn, const uint8_t *b, uint64_t *ret_name)
{
  struct {
    char magic[MAGIC_BYTES];
    uint8_t kind;
  } mark;
  int32_t displacement;

  memcpy(&displacement, b + sizeof nop, sizeof displacement);
  const uint64_t at = qemu_plugin_insn_vaddr(insn) + NOP_BYTES + (uint64_t)(int64_t)displacement;
  if (follow_read(at, &mark, sizeof mark) != sizeof mark || memcmp(mark.magic, magic, sizeof magic))
    return REGION_NONE;
  *ret_name = at + sizeof mark;
  return mark.kind == 1 ? REGION_BEGIN : mark.kind == 2 ? REGION_END : REGION_NONE;
}

enum region_mark region_of(const struct qemu_plugin_insn *insn, uint64_t *ret_name)
{
  const uint8_t *b = qemu_plugin_insn_data(insn);

  if (qemu_plugin_insn_size(insn) != NOP_BYTES)
    return REGION_NONE;
  if (!memcmp(b, compare, sizeof compare))
    return b[6] == 'B' ? REGION_BEGIN_NAMED : b[6] == 'E' ? REGION_END_NAMED : REGION_NONE;
  return memcmp(b, nop, sizeof nop) ? REGION_NONE : region_of_nop(insn, b, ret_name);
}

/* Claims a slot for the name `text`, or reads the name that another thread wrote; true if the slot has this name. A
 * process that is killed between claiming and writing leaves a slot that stays claimed; other threads stop waiting for
 * it after CLAIM_TRIES. */
static bool region_claim(struct ring_name *slot, const char *text)
{
  uint32_t state = NAME_FREE;

  if (__atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) == NAME_FREE &&
      __atomic_compare_exchange_n(&slot->state, &state, NAME_CLAIMED, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
    memcpy(slot->text, text, RING_NAME_BYTES);
    __atomic_store_n(&slot->state, NAME_READY, __ATOMIC_RELEASE);
  }
  for (int i = 0; i < CLAIM_TRIES && __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) == NAME_CLAIMED; i++)
    ;
  return __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) == NAME_READY && !strncmp(slot->text, text, RING_NAME_BYTES);
}

int region_number(uint64_t address)
{
  char text[RING_NAME_BYTES] = "";

  if (follow_read(address, text, sizeof text - 1) && *text)
    for (uint32_t i = 0; i < RING_NAMES; i++)
      if (region_claim(&area->name[i], text))
        return (int)i;
  __atomic_add_fetch(&area->unnamed, 1, __ATOMIC_RELAXED);
  return -1;
}
