/* SPDX-License-Identifier: MIT */
/* Reads registers together: the backend gets them in one list, and combines the accesses as far as the system
 * allows. */
#include <stdlib.h>
#include "src/session/session.h"

int session_lay_out_sweep(struct pmon_session *s)
{
  s->reads = calloc(2 * (size_t)s->n_regs + 1, sizeof *s->reads);
  s->read_regs = calloc(2 * (size_t)s->n_regs + 1, sizeof *s->read_regs);
  return s->reads && s->read_regs ? 0 : PMON_E_MEMORY;
}

static bool in_halves(const struct session_register *r)
{
  return r->address.space == PMON_SPACE_PCI && r->address.width_bits == 64;
}

static void sweep_append_read(struct pmon_session *s, uint32_t reg, uint32_t offset, uint8_t width_bits)
{
  s->reads[s->n_reads] = (struct pmon_read){.address = s->regs[reg].address};
  s->reads[s->n_reads].address.offset += offset;
  s->reads[s->n_reads].address.width_bits = width_bits;
  s->read_regs[s->n_reads++] = reg;
}

void session_sweep_add(struct pmon_session *s, uint32_t reg)
{
  struct session_register *r = &s->regs[reg];
  if (r->missing || r->listed)
    return;
  r->listed = true;
  r->seen_status = 0;
  if (in_halves(r))
    sweep_append_read(s, reg, 4, 32);
  sweep_append_read(s, reg, 0, in_halves(r) ? 32 : r->address.width_bits);
}

/* Stores a value in its register; a failed read is repeated alone to get the reason. */
static int sweep_store_read(struct pmon_session *s, uint32_t i)
{
  struct pmon_read *read = &s->reads[i];
  struct session_register *r = &s->regs[s->read_regs[i]];
  if (r->missing || r->seen_status)
    return 0;
  if (!s->backend->sweep || read->status)
    r->seen_status = s->backend->ops->read(s->backend, &read->address, &read->value);
  if (!s->started && (r->seen_status == PMON_E_NO_DEVICE || (r->seen_status && r->optional)))
    return 0;
  if (r->seen_status)
    return session_fail_or_lose(s, r, "cannot read", r->seen_status);
  if (!in_halves(r))
    r->seen = read->value;
  else if (read->address.offset != r->address.offset)
    r->seen = read->value << 32;
  else
    r->seen |= read->value & UINT32_MAX;
  return 0;
}

int session_sweep(struct pmon_session *s)
{
  int status = 0;
  if (s->backend->sweep)
    s->backend->sweep(s->backend, s->reads, s->n_reads);
  for (uint32_t i = 0; i < s->n_reads; i++) {
    s->regs[s->read_regs[i]].listed = false;
    status = status ? status : sweep_store_read(s, i);
  }
  s->n_reads = 0;
  return status;
}
