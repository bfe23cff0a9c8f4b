/* SPDX-License-Identifier: MIT */
#include "vm/orc.h"

#include <stdlib.h>
#include <string.h>

/* As in the kernel's header asm/orc_types.h: the two offsets, and 4 bits each for the registers that they refer to. The
 * bits above, which differ by version, are not needed: a frame of an interrupt is no call, and ends the walk. */
enum { IP_BYTES = 4 };
enum orc_base { ORC_UNDEFINED = 0, ORC_PREVIOUS_SP = 1, ORC_BP = 4, ORC_SP = 5 };

/* The lowest address of the code of Linux and its modules on x86-64. */
static const uint64_t KERNEL_FROM = 0xffffffff80000000;

struct orc_entry {
  int16_t sp_offset, bp_offset;
  uint16_t bits;
};

static uint64_t orc_address(const struct orc *o, size_t i)
{
  int32_t relative;
  memcpy(&relative, o->ip + i * IP_BYTES, sizeof relative);
  return o->ip_address + i * IP_BYTES + (uint64_t)(int64_t)relative;
}

void orc_init(struct orc *o, const struct elf *image)
{
  struct elf_segment ip, entry;
  *o = (struct orc){.n = 0};
  if (!elf_section(image, ".orc_unwind_ip", &ip) || !elf_section(image, ".orc_unwind", &entry) ||
      entry.size / ORC_ENTRY_BYTES != ip.size / IP_BYTES)
    return;
  struct orc all = {ip.bytes, entry.bytes, ip.address, ip.size / IP_BYTES};
  for (size_t i = 1; i < all.n; i++)
    if (orc_address(&all, i - 1) > orc_address(&all, i))
      return;
  *o = all;
}

static int orc_compare(const void *a, const void *b)
{
  const struct orc_line *x = a, *y = b;
  if (x->address != y->address)
    return x->address < y->address ? -1 : 1;
  return x->number < y->number ? -1 : 1;
}

uint8_t *orc_make(struct orc *o, struct orc_line *line, size_t n)
{
  uint8_t *both = malloc(n * (IP_BYTES + ORC_ENTRY_BYTES));
  *o = (struct orc){.n = 0};
  qsort(line, n, sizeof *line, orc_compare);
  if (!both || line[n - 1].address - line[0].address > INT32_MAX / 2) {
    free(both);
    return NULL;
  }
  *o = (struct orc){both, both + n * IP_BYTES, line[0].address, n};
  for (size_t i = 0; i < n; i++) {
    const int32_t relative = (int32_t)(int64_t)(line[i].address - (o->ip_address + i * IP_BYTES));
    memcpy(both + i * IP_BYTES, &relative, sizeof relative);
    memcpy(both + n * IP_BYTES + i * ORC_ENTRY_BYTES, line[i].entry, ORC_ENTRY_BYTES);
  }
  return both;
}

/* Finds the entry that applies to `code`: the last one that begins at or before it. False: it is not this image's
 * code. */
static bool orc_find(const struct orc *o, uint64_t code, struct orc_entry *ret)
{
  size_t low = 0, high = o->n;
  if (!o->n || code < orc_address(o, 0) || code > orc_address(o, o->n - 1))
    return false;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (orc_address(o, middle) <= code)
      low = middle;
    else
      high = middle;
  }
  memcpy(&ret->sp_offset, o->entry + low * ORC_ENTRY_BYTES, 2);
  memcpy(&ret->bp_offset, o->entry + low * ORC_ENTRY_BYTES + 2, 2);
  memcpy(&ret->bits, o->entry + low * ORC_ENTRY_BYTES + 4, 2);
  return true;
}

static bool orc_find_in_all(const struct orc_all *all, uint64_t code, struct orc_entry *ret)
{
  bool found = false;
  for (size_t i = 0; i < all->n && !found; i++)
    found = orc_find(&all->at[i], code, ret);
  return found;
}

static bool orc_word(const struct orc_state *s, uint64_t address, uint64_t *ret)
{
  if (address < s->rsp || address % 8 != s->rsp % 8 || (address - s->rsp) / 8 >= s->words)
    return false;
  *ret = s->stack[(address - s->rsp) / 8];
  return true;
}

/* Leaves a frame: sp and bp become the caller's. */
static bool orc_leave(const struct orc_state *s, const struct orc_entry *e, uint64_t *sp, uint64_t *bp,
                      uint64_t *ret_return)
{
  const unsigned sp_base = e->bits & 15, bp_base = e->bits >> 4 & 15;
  const uint64_t old_bp = *bp;
  uint64_t up;
  if (sp_base != ORC_SP && sp_base != ORC_BP)
    return false;
  up = (sp_base == ORC_SP ? *sp : old_bp) + (uint64_t)(int64_t)e->sp_offset;
  if (up <= *sp || !orc_word(s, up - 8, ret_return))
    return false;
  if (bp_base == ORC_PREVIOUS_SP && !orc_word(s, up + (uint64_t)(int64_t)e->bp_offset, bp))
    return false;
  if (bp_base == ORC_BP && !orc_word(s, old_bp + (uint64_t)(int64_t)e->bp_offset, bp))
    return false;
  *sp = up;
  return true;
}

size_t orc_walk(const struct orc_all *o, const struct orc_state *from, uint64_t *ret_code, size_t most,
                struct orc_state *ret_end)
{
  uint64_t sp = from->rsp, bp = from->rbp, after = from->rip;
  struct orc_entry e;
  size_t n = 0;
  ret_code[n++] = from->rip;
  while (n < most && orc_find_in_all(o, ret_code[n - 1], &e) && orc_leave(from, &e, &sp, &bp, &after) &&
         after >= KERNEL_FROM)
    ret_code[n++] = after - 1; /* within the call, which may be its function's last instruction */
  const uint64_t passed = (sp - from->rsp) / 8;
  if (ret_end && passed <= from->words)
    *ret_end = (struct orc_state){ret_code[n - 1], sp, bp, from->stack + passed, from->words - passed};
  else if (ret_end)
    *ret_end = (struct orc_state){.rip = ret_code[n - 1]};
  return n;
}
