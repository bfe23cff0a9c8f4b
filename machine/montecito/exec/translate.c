/* SPDX-License-Identifier: MIT */
/*
 * Translations that a program inserts (manual, volume 2, chapter 4): a page of virtual addresses shows the memory of
 * another address. The physical memory consists of the pages that the loader and mmap have mapped, by their addresses.
 * Pages have 16 KB to 256 MB. The model's own: regions differ by their numbers, not by their identifiers; privilege
 * levels of pages are not checked; 96 translation cache entries, replaced in the order of insertion; the hash of the
 * long format.
 */
#include "machine/montecito/exec/privileged.h"
#include "machine/montecito/machine.h"

enum {
  PS_SHIFT = 2,
  PS_MASK = 63,
  PS_LEAST = EXEC_PAGE_SHIFT,
  PS_MOST = 28,
  RID_SHIFT = 8,
  KEY_SHIFT = 8,
  PTE_AR = 9,
  PTE_MA = 2
};
enum { PTA_VE = 1, PTA_SIZE_SHIFT = 2, PTA_VF = 1 << 8, RR_VE = 1, LONG_BYTES = 32 };
#define PTE_PPN UINT64_C(0x3fffffffff000)
#define OFFSET_MASK (UINT64_C(0x1fffffffffffffff))

/* Returns the access rights by PTE.ar, regardless of the privilege level. */
static unsigned rights_of(uint64_t pte)
{
  static const uint8_t rights[8] = {EXEC_READ,
                                    EXEC_READ | EXEC_EXECUTE,
                                    EXEC_READ | EXEC_WRITE,
                                    EXEC_READ | EXEC_WRITE | EXEC_EXECUTE,
                                    EXEC_READ | EXEC_WRITE,
                                    EXEC_READ | EXEC_WRITE | EXEC_EXECUTE,
                                    EXEC_READ | EXEC_WRITE | EXEC_EXECUTE,
                                    EXEC_READ | EXEC_EXECUTE};
  return rights[pte >> PTE_AR & 7];
}

/* Returns the attribute of the page. Physical addresses above the memory are the ports of devices, and the registers of
 * the device that copies memory: their pages come into existence when a translation maps them. */
static unsigned attribute_of(struct exec_cpu *c, uint64_t pte, uint64_t bytes)
{
  const uint64_t physical = pte & PTE_PPN & ~(bytes - 1);
  unsigned attribute = (unsigned)(pte >> PTE_MA & 7) << EXEC_ATTRIBUTE_SHIFT;
  if (physical < EXEC_DEVICE_BASE)
    return attribute;
  exec_memory_map(c->memory, physical, bytes, EXEC_READ | EXEC_WRITE);
  return attribute | (physical < EXEC_PORTS_BASE ? EXEC_DEVICE : EXEC_PORTS);
}

static void entry_remove(struct exec_cpu *c, struct exec_translation *t)
{
  if (t->bits)
    exec_memory_unalias(c->memory, t->address, UINT64_C(1) << t->bits);
  t->bits = 0;
  c->code_page = NULL;
}

/* Inserts a translation. False: the page has memory of its own, or there is no such memory. */
static bool entry_insert(struct exec_cpu *c, struct exec_translation *t, uint64_t address, uint64_t itir, uint64_t pte)
{
  const unsigned bits = itir >> PS_SHIFT & PS_MASK;
  const uint64_t mask = (UINT64_C(1) << bits) - 1;
  const unsigned access = rights_of(pte) | attribute_of(c, pte, mask + 1);
  entry_remove(c, t);
  if (exec_memory_alias(c->memory, address & ~mask, pte & PTE_PPN & ~mask, mask + 1, access))
    return false;
  *t =
      (struct exec_translation){.address = address & ~mask, .bits = (uint8_t)bits, .key = itir >> KEY_SHIFT & 0xffffff};
  return true;
}

/* Removes the overlapping entries of the translation cache. */
static void cache_purge(struct exec_cpu *c, uint64_t address, unsigned bits)
{
  for (unsigned i = 0; i < EXEC_TRANSLATION_CACHE; i++) {
    struct exec_translation *t = &c->cached[i];
    if (t->bits && t->address < address + (UINT64_C(1) << bits) && address < t->address + (UINT64_C(1) << t->bits))
      entry_remove(c, t);
  }
}

static bool cache_insert(struct exec_cpu *c, uint64_t address, uint64_t itir, uint64_t pte)
{
  const unsigned bits = itir >> PS_SHIFT & PS_MASK;
  cache_purge(c, address & ~((UINT64_C(1) << bits) - 1), bits);
  return entry_insert(c, &c->cached[c->next_cached++ % EXEC_TRANSLATION_CACHE], address, itir, pte);
}

static bool size_is_possible(struct exec_cpu *c, unsigned bits)
{
  if (bits < PS_LEAST || bits > PS_MOST)
    exec_set_fault(c, FAULT_RESERVED, bits);
  return !c->fault.kind;
}

/* itc and itr: the address and the size are in cr.ifa and cr.itir. */
static void translate_insert(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const uint64_t pte = exec_gr_consume(c, v->r2), n = v->operation == EXEC_ITR ? exec_gr_consume(c, v->r3) & 0xff : 0;
  const unsigned bits = c->cr[CR_ITIR] >> PS_SHIFT & PS_MASK;
  (void)s;
  if (!exec_is_privileged(c) || c->fault.kind || !size_is_possible(c, bits))
    return;
  if (c->psr & PSR_IC || n >= EXEC_TRANSLATION_REGISTERS) {
    exec_set_fault(c, c->psr & PSR_IC ? FAULT_ILLEGAL : FAULT_RESERVED, n);
    return;
  }
  if (!(pte & 1) && v->operation == EXEC_ITC)
    return; /* a page that is not present has no memory */
  if (!(v->operation == EXEC_ITC ? cache_insert(c, c->cr[CR_IFA], c->cr[CR_ITIR], pte)
                                 : entry_insert(c, &c->fixed[v->sub][n], c->cr[CR_IFA], c->cr[CR_ITIR], pte)))
    exec_set_fault(c, FAULT_RESERVED, c->cr[CR_IFA]);
}

static void translate_purge(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const uint64_t address = exec_gr_consume(c, v->r3), size = exec_gr_consume(c, v->r2);
  const unsigned bits = size >> PS_SHIFT & PS_MASK;
  (void)s;
  if (!exec_is_privileged(c) || c->fault.kind || !size_is_possible(c, bits))
    return;
  cache_purge(c, address & ~((UINT64_C(1) << bits) - 1), bits);
  for (unsigned i = 0; v->sub >= 4 && i < EXEC_TRANSLATION_REGISTERS; i++) {
    struct exec_translation *t = &c->fixed[v->sub == 5][i];
    if (t->bits && t->address >> bits == address >> bits)
      entry_remove(c, t);
  }
}

/* ptc.e: purges the whole translation cache. */
static void translate_purge_all(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)v;
  (void)s;
  for (unsigned i = 0; exec_is_privileged(c) && i < EXEC_TRANSLATION_CACHE; i++)
    entry_remove(c, &c->cached[i]);
  if (!c->fault.kind && c->n_writes < EXEC_WRITES)
    c->write[c->n_writes++] = (struct exec_write){RECORD_PURGE, 0, 0};
}

/* ---- the VHPT ---- */

static uint64_t table_tag(const struct exec_cpu *c, uint64_t address)
{
  const uint64_t rr = c->rr[address >> 61];
  return (rr >> RID_SHIFT & 0xffffff) << 38 | (address & OFFSET_MASK) >> (rr >> PS_SHIFT & PS_MASK);
}

static uint64_t table_entry(const struct exec_cpu *c, uint64_t address)
{
  const uint64_t pta = c->cr[CR_PTA], rr = c->rr[address >> 61], region = address & ~OFFSET_MASK;
  const unsigned bits = pta >> PTA_SIZE_SHIFT & PS_MASK, size = bits < 15 ? 15 : bits > 61 ? 61 : bits;
  const uint64_t mask = (UINT64_C(1) << size) - 1, page = (address & OFFSET_MASK) >> (rr >> PS_SHIFT & PS_MASK);
  if (!(pta & PTA_VF))
    return region | (pta & OFFSET_MASK & ~mask) | (page * 8 & mask);
  return (pta & ~mask) | ((page ^ (rr >> RID_SHIFT & 0xffffff)) * LONG_BYTES & mask);
}

bool exec_walk_is_on(const struct exec_cpu *c, uint64_t address)
{
  return c->psr >> PSR_DT_BIT & 1 && c->rr[address >> 61] & RR_VE && c->cr[CR_PTA] & PTA_VE;
}

unsigned exec_walk(struct exec_cpu *c, uint64_t address)
{
  const uint64_t rr = c->rr[address >> 61], entry = table_entry(c, address);
  const bool longer = c->cr[CR_PTA] & PTA_VF;
  uint64_t words[3] = {0};
  if (!exec_walk_is_on(c, address))
    return WALK_OFF;
  c->cr[CR_IHA] = entry;
  if (!exec_memory_read(c->memory, entry, words, longer ? 24 : 8))
    return WALK_TABLE;
  if (longer && words[2] != table_tag(c, address))
    return WALK_MISS;
  if (!(words[0] & 1))
    return longer ? WALK_ABSENT : WALK_MISS;
  const unsigned bits = (longer ? words[1] : rr) >> PS_SHIFT & PS_MASK;
  if (bits < PS_LEAST || bits > PS_MOST || !cache_insert(c, address, longer ? words[1] : rr, words[0]))
    return WALK_MISS;
  return WALK_FOUND;
}

/* thash, ttag, tpa, tak: sub 2, 3, 6, 7. */
static void translate_find(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const uint64_t address = exec_gr_consume(c, v->r3);
  uint64_t value = 1; /* tak: no key is known */
  uint32_t key;
  (void)s;
  if (c->fault.kind || (v->sub > 3 && !exec_is_privileged(c)))
    return;
  if (v->sub < 4)
    value = v->sub == 2 ? table_entry(c, address) : table_tag(c, address);
  else if (v->sub == 6 && !exec_memory_physical(c->memory, address, &value)) {
    exec_set_fault(c, FAULT_PAGE, address);
    return;
  }
  if (v->sub == 7 && exec_key_of(c, address, &key))
    value = (uint64_t)key << KEY_SHIFT;
  exec_gr_set(c, v->r1, value, false);
}

exec_fn *const exec_translate[EXEC_OPERATIONS] = {[EXEC_ITC] = translate_insert,
                                                  [EXEC_ITR] = translate_insert,
                                                  [EXEC_PTC] = translate_purge,
                                                  [EXEC_PTC_E] = translate_purge_all,
                                                  [EXEC_TRANSLATE] = translate_find};
