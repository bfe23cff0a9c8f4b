/* SPDX-License-Identifier: MIT */
/* Registers that several sessions share: their saved contents, their last value, and who restores them. */
#include "src/access/register.h"
#include "src/session/overlap.h"

void overlap_adopt(struct pmon_session *s)
{
  for (struct pmon_session *o = overlap_first(s); o; o = overlap_next(s, o))
    for (uint32_t i = 0; i < s->n_regs; i++) {
      const struct session_register *theirs = session_lookup_register(o, &s->regs[i].address);
      if (!theirs || theirs->missing || s->regs[i].missing)
        continue;
      s->regs[i].saved = theirs->saved;
      s->regs[i].now = theirs->now;
      s->regs[i].adopted = true;
    }
}

void overlap_note_write(struct pmon_session *s, const struct session_register *r)
{
  for (struct pmon_session *o = overlap_first(s); o; o = overlap_next(s, o)) {
    struct session_register *theirs = session_lookup_register(o, &r->address);
    if (theirs)
      theirs->now = r->now;
  }
}

int session_write(struct pmon_session *s, struct session_register *r, uint64_t value)
{
  /* Noted before the write: a write that fails halfway must be restored, too. */
  if (r->lost)
    return 0;
  r->written = true;
  r->now = value;
  overlap_note_write(s, r);
  int status = access_write(s->backend, &r->address, value);
  return status ? session_fail_or_lose(s, r, "cannot write", status) : 0;
}

bool overlap_uses(const struct pmon_session *s, const struct session_register *r)
{
  for (struct pmon_session *o = overlap_first(s); o; o = overlap_next(s, o))
    for (uint32_t i = 0; session_lookup_register(o, &r->address) && i < o->n_runs; i++)
      for (uint32_t k = 0; k < o->runs[i].n_writes; k++)
        if (session_same_place(&o->regs[o->runs[i].writes[k].reg].address, &r->address))
          return true;
  return false;
}

bool overlap_hand_over(struct pmon_session *s, const struct session_register *r)
{
  bool shared = false;
  for (struct pmon_session *o = overlap_first(s); o; o = overlap_next(s, o)) {
    struct session_register *theirs = session_lookup_register(o, &r->address);
    if (!theirs || theirs->missing)
      continue;
    shared = true;
    theirs->written = true;
  }
  return shared;
}
