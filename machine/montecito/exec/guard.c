/* SPDX-License-Identifier: MIT */
/*
 * Data accesses that the system level forbids (manual, volume 2, chapters 4 and 7): breakpoints on data (PSR.db, DBRs),
 * and protection keys (PSR.pk, PKRs). The model's own: speculative loads are deferred regardless of DCR; prefetches are
 * not checked; memory that the loader or mmap has mapped has no key, only pages that the program's translations map;
 * code is not checked; PSR.dd holds until the next access that would be checked.
 */
#include "machine/montecito/exec/privileged.h"
#include "machine/montecito/machine.h"

enum { PKR_V = 1, PKR_WD = 2, PKR_RD = 4, PKR_KEY_SHIFT = 8, KEY_MASK = 0xffffff };
enum { ACCESS_READ = 1, ACCESS_WRITE = 2 };

static unsigned access_of(const struct montecito_slot *s)
{
  return s->op == OP_SEMAPHORE                     ? ACCESS_READ | ACCESS_WRITE
         : s->op == OP_STORE || s->op == OP_FSTORE ? ACCESS_WRITE
                                                   : ACCESS_READ;
}

/* A pair of DBRs is an address and its mask with the privilege levels and kinds of access. Bits 63:56 are always
 * compared. */
static bool breakpoint_hits(const struct exec_cpu *c, uint64_t address, unsigned access)
{
  const uint64_t top = UINT64_C(0xff) << 56;
  for (unsigned i = 0; i < EXEC_DBRS; i += 2) {
    const uint64_t control = c->dbr[i + 1], mask = (control & ~top) | top;
    const bool wanted = (access & ACCESS_READ && control & BR_X) || (access & ACCESS_WRITE && control & DBR_W);
    if (wanted && control >> BR_PLM_SHIFT >> (c->psr >> PSR_CPL_SHIFT & 3) & 1 && !((c->dbr[i] ^ address) & mask))
      return true;
  }
  return false;
}

static const struct exec_translation *translation_find(const struct exec_translation *t, unsigned n, uint64_t address)
{
  for (unsigned i = 0; i < n; i++)
    if (t[i].bits && t[i].address >> t[i].bits == address >> t[i].bits)
      return &t[i];
  return NULL;
}

bool exec_key_of(const struct exec_cpu *c, uint64_t address, uint32_t *ret_key)
{
  const struct exec_translation *t = translation_find(c->fixed[0], EXEC_TRANSLATION_REGISTERS, address);
  if (!t)
    t = translation_find(c->cached, EXEC_TRANSLATION_CACHE, address);
  *ret_key = t ? t->key : 0;
  return t != NULL;
}

static unsigned key_fault(const struct exec_cpu *c, uint64_t address, unsigned access)
{
  const unsigned denied = (access & ACCESS_READ ? PKR_RD : 0) | (access & ACCESS_WRITE ? PKR_WD : 0);
  uint32_t key;
  if (!exec_key_of(c, address, &key))
    return FAULT_NONE;
  for (unsigned i = 0; i < EXEC_PKRS; i++)
    if (c->pkr[i] & PKR_V && (c->pkr[i] >> PKR_KEY_SHIFT & KEY_MASK) == key)
      return c->pkr[i] & denied ? FAULT_KEY : FAULT_NONE;
  return FAULT_KEY_MISS;
}

void exec_guard_check(struct exec_cpu *c, const struct montecito_slot *s)
{
  const unsigned access = access_of(s);
  unsigned fault = FAULT_NONE;
  if (s->op == OP_LFETCH)
    return;
  if (c->psr & PSR_PK)
    fault = key_fault(c, s->address, access);
  if (!fault && c->psr & PSR_DB && !(c->psr & PSR_DD) && breakpoint_hits(c, s->address, access))
    fault = FAULT_DEBUG;
  c->psr &= ~PSR_DD;
  if (fault)
    exec_set_fault(c, fault, s->address);
}

bool exec_guard_defers(struct exec_cpu *c)
{
  if (c->fault.kind != FAULT_KEY_MISS && c->fault.kind != FAULT_KEY && c->fault.kind != FAULT_DEBUG)
    return false;
  c->fault = (struct exec_fault){0};
  return true;
}
