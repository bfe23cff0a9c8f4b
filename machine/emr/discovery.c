/* SPDX-License-Identifier: MIT */
/* The page by which the hardware describes its PMON blocks (1.9, Tables 1-13, 1-14). */
#include <stdlib.h>
#include <pmon/access.h>
#include "machine/emr/info.h"
#include "machine/emr/units.h"
#include "machine/pmon/map.h"

/* An entry's size: 64 bytes, of which three words are used. */
enum { STRIDE_WORDS = 8, ACCESS_MSR = 0, ACCESS_MMIO = 1, ACCESS_PCI = 2, GLOBAL_CTL_MSR = 0x2ff0, STATUS_BITS = 128 };

static uint64_t offset_of(const struct pmon_unit *u, enum reg_role role)
{
  for (const struct reg_rows *r = u->regs; r < u->regs + UNIT_REGS && r->name; r++)
    if (r->role == role)
      return r->offset;
  return 0;
}

/* Returns where a driver finds the unit control: an MSR number, a physical address, or a packed configuration
 * address. */
static uint64_t control_address(const struct machine *m, unsigned socket, const struct block *b, unsigned *ret_access)
{
  const struct pmon_unit *u = b->unit;
  struct unit_place p =
      u->places ? u->places[b->instance] : (struct unit_place){u->first.device, u->first.base + b->instance * u->step};
  switch (u->space) {
  case PMON_SPACE_MMIO: *ret_access = ACCESS_MMIO; return emr_bar(socket, p.device) + p.base;
  case PMON_SPACE_PCI:
    *ret_access = ACCESS_PCI;
    return UINT64_C(1) << 31 | (uint64_t)emr_bus_number(m, socket, p.device >> 8) << 20 |
           (uint64_t)(p.device & 0xff) << 12 | p.base;
  default: *ret_access = ACCESS_MSR; return p.base;
  }
}

static void discovery_describe_unit(const struct machine *m, unsigned socket, const struct block *b, uint64_t *words)
{
  const struct pmon_unit *u = b->unit;
  unsigned access;
  words[1] = control_address(m, socket, b, &access);
  words[0] = u->counters | offset_of(u, REG_CTL) << 8 | 48u << 16 | offset_of(u, REG_CTR) << 24 |
             offset_of(u, REG_UNIT_STATUS) << 32 | (uint64_t)access << 62;
  words[2] = u->type | (uint64_t)b->instance << 16 | (uint64_t)b->status_position << 32;
}

/* The page does not list units of cores and of power. */
static unsigned discovery_count(const struct socket *s)
{
  unsigned n = 0;
  for (unsigned k = 0; k < s->n_blocks; k++)
    n += !s->blocks[k].unit->unlisted;
  return n;
}

bool emr_discovery_build(struct machine *m)
{
  const unsigned units = discovery_count(&m->sockets[0]); /* unlisted units come last */
  m->page.n = (size_t)(units + 1) * STRIDE_WORDS;
  m->page.words = calloc(m->page.n * m->n_sockets, sizeof *m->page.words);
  if (!m->page.words)
    return false;
  for (unsigned i = 0; i < m->n_sockets; i++) {
    uint64_t *words = m->page.words + i * m->page.n;
    words[0] = (uint64_t)STRIDE_WORDS << 8 | (uint64_t)units << 16 | (uint64_t)ACCESS_MSR << 62;
    words[1] = GLOBAL_CTL_MSR;
    words[2] = 2 | (uint64_t)STATUS_BITS << 8; /* the status is two MSRs after the control */
    for (unsigned k = 0; k < units; k++)
      discovery_describe_unit(m, i, &m->sockets[i].blocks[k], words + (size_t)(k + 1) * STRIDE_WORDS);
  }
  return true;
}
