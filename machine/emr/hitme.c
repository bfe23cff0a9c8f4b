/* SPDX-License-Identifier: MIT */
#include "machine/emr/hitme.h"
#include "machine/common/request.h"

#define HITME_SHARED (UINT64_C(1) << 63)

static uint64_t *hitme_place(struct socket *s, unsigned cha, uint64_t line)
{
  return &emr_socket(s)->hitme[cha].line[address_mix(line) >> 40 & 255];
}

static bool hitme_has(uint64_t place, uint64_t line)
{
  return (place & ~HITME_SHARED) == line;
}

void hitme_request(struct socket *s, const struct request *r, const struct hitme_line *own, fs_t at)
{
  const struct cha *cha = &s->cha[r->cha];
  const bool owns = op_kind(r->op)->owns;
  uint64_t *place = hitme_place(s, r->cha, r->line);
  block_pulse(cha->block, CHA_HITME_LOOKUP, EMR_UMASK(0x01), 0, at, 1);
  if (hitme_has(*place, r->line)) /* SHARED_OWNREQ, SHARED_NONOWNREQ, EX_RDS */
    block_pulse(cha->block, CHA_HITME_HIT, EMR_UMASK(!(*place & HITME_SHARED) ? 0x01 : owns ? 0x04 : 0x02), 0, at, 1);
  else /* SHARED_, NOTSHARED_RDINVOWN, READ_OR_INV */
    block_pulse(cha->block, CHA_HITME_MISS, EMR_UMASK(!owns ? 0x80 : own->shared ? 0x20 : 0x40), 0, at, 1);
  if (owns) { /* RDINVOWN, and RSPFWDI_REM where the home had it modified or exclusive */
    block_pulse(cha->block, CHA_HITME_UPDATE, EMR_UMASK(own->alone ? 0x0a : 0x08), 0, at, 1);
    *place = r->line;
  } else if (own->shared && r->op != OP_RDCUR) {
    block_pulse(cha->block, CHA_HITME_UPDATE, EMR_UMASK(0x04), 0, at, 1); /* SHARED */
    *place = r->line | HITME_SHARED;
  }
}

void hitme_write(struct socket *s, const struct request *r, bool keeps, fs_t at)
{
  const struct cha *cha = &s->cha[r->cha];
  uint64_t *place = hitme_place(s, r->cha, r->line);
  block_pulse(cha->block, CHA_HITME_LOOKUP, EMR_UMASK(0x02), 0, at, 1);
  if (!hitme_has(*place, r->line))
    return;
  block_pulse(cha->block, CHA_HITME_HIT, EMR_UMASK(keeps ? 0x08 : 0x10), 0, at, 1); /* WBMTOE, WBMTOI_OR_S */
  if (keeps)
    return;
  block_pulse(cha->block, CHA_HITME_UPDATE, EMR_UMASK(0x10), 0, at, 1); /* DEALLOCATE */
  *place = 0;
}

void hitme_take_back(struct socket *s, const struct request *r, fs_t at)
{
  uint64_t *place = hitme_place(s, r->cha, r->line);
  if (!hitme_has(*place, r->line))
    return;
  block_pulse(s->cha[r->cha].block, CHA_HITME_UPDATE, EMR_UMASK(0x01), 0, at, 1); /* DEALLOCATE_RSPFWDI_LOC */
  *place = 0;
}
