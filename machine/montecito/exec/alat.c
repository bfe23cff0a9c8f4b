/* SPDX-License-Identifier: MIT */
/* The advanced load address table: 32 entries, any register in any of them, replaced in the order of insertion. */
#include "machine/montecito/exec/cpu.h"

uint64_t exec_alat_register(const struct exec_cpu *c, unsigned r, bool fp)
{
  if (fp)
    return exec_fr_place(c, r);
  if (r < 32)
    return r;
  unsigned i = r - 32;
  if (i < c->frame.sor)
    i = (i + c->frame.rrb_gr) % c->frame.sor;
  return 32 + c->base + i;
}

static struct exec_alat_entry *alat_find(struct exec_cpu *c, uint64_t reg, bool fp)
{
  for (unsigned i = 0; i < ALAT_ENTRIES && c->n_alat; i++)
    if (c->alat[i].bytes && c->alat[i].reg == reg && c->alat[i].fp == fp)
      return &c->alat[i];
  return NULL;
}

static void alat_invalidate(struct exec_cpu *c, struct exec_alat_entry *e)
{
  e->bytes = 0;
  c->n_alat--;
}

bool exec_alat_insert(struct exec_cpu *c, uint64_t reg, bool fp, uint64_t address, unsigned bytes)
{
  struct exec_alat_entry *e = alat_find(c, reg, fp);
  bool full = false;
  for (unsigned i = 0; !e && i < ALAT_ENTRIES; i++)
    if (!c->alat[i].bytes)
      e = &c->alat[i];
  if (!e) {
    e = &c->alat[c->next_alat++ % ALAT_ENTRIES];
    full = true;
  }
  if (!c->n_alat) {
    c->alat_words = c->alat_last = 0;
    c->alat_first = UINT64_MAX;
  }
  c->alat_words |= exec_alat_words(address, bytes);
  c->alat_first = address < c->alat_first ? address : c->alat_first;
  c->alat_last = address + bytes - 1 > c->alat_last ? address + bytes - 1 : c->alat_last;
  if (!e->bytes)
    c->n_alat++;
  *e = (struct exec_alat_entry){.address = address, .reg = reg, .bytes = (uint8_t)bytes, .fp = fp};
  return full;
}

bool exec_alat_check(struct exec_cpu *c, uint64_t reg, bool fp, bool clear)
{
  struct exec_alat_entry *e = alat_find(c, reg, fp);
  if (e && clear)
    alat_invalidate(c, e);
  return e != NULL;
}

void exec_alat_store_slow(struct exec_cpu *c, uint64_t address, unsigned bytes)
{
  for (unsigned i = 0; i < ALAT_ENTRIES; i++) {
    struct exec_alat_entry *e = &c->alat[i];
    if (e->bytes && address < e->address + e->bytes && e->address < address + bytes)
      alat_invalidate(c, e);
  }
}

void exec_alat_clear(struct exec_cpu *c)
{
  for (unsigned i = 0; i < ALAT_ENTRIES; i++)
    c->alat[i].bytes = 0;
  c->n_alat = 0;
}
