/* SPDX-License-Identifier: MIT */
/* The signals of each stall reason. */
#include "machine/montecito/core/stall.h"
#include <string.h>
#include "machine/montecito/events/umasks.h"
#include "machine/montecito/monitors/counters.h"
#include "machine/montecito/pipeline/pipeline.h"

/* event: the event of the stalling part, with its umasks. For front-end stalls umasks are those of FE_BUBBLE, and
 * `lost` are the umasks of the three events of lost bundles. */
struct stall {
  const char *name;
  uint8_t event;
  uint16_t umasks, lost;
};

enum {
  EV_BACK_END = 0x00,
  EV_RSE = 0x01,
  EV_EXE = 0x02,
  EV_FLUSH = 0x04,
  EV_CYCLES = 0x12,
  EV_DISP = 0x49,
  EV_SYLL = 0x4e,
  EV_FE = 0x71,
  EV_LOST_FE = 0x70,
  EV_LOST_BE = 0x72,
  EV_LOST_IDEAL = 0x73,
  EV_L1D_FPU = 0xca
};
#define L1D(v) (UM(0) | UM(2) | UM(v))
#define RSE(v) (UM_X(0) | UM_X(v))

static const struct stall stalls[STALL_N] = {
    [STALL_FLUSH_BRU] = {"flush.bru", EV_FLUSH, UM_XX00 | UM_XX01, 0},
    [STALL_FLUSH_XPN] = {"flush.xpn", EV_FLUSH, UM_XX00 | UM_XX10, 0},
    [STALL_L1D_FULLSTBUF] = {"l1d.fullstbuf", EV_L1D_FPU, L1D(3), 0},
    [STALL_L1D_RECIRC] = {"l1d.recirc", EV_L1D_FPU, L1D(4), 0},
    [STALL_L1D_HPW] = {"l1d.hpw", EV_L1D_FPU, L1D(5), 0},
    [STALL_L1D_FILLCONF] = {"l1d.fillconf", EV_L1D_FPU, L1D(7), 0},
    [STALL_L1D_ARCR] = {"l1d.arcr", EV_L1D_FPU, L1D(8), 0},
    [STALL_L1D_L2BPRESS] = {"l1d.l2bpress", EV_L1D_FPU, L1D(9), 0},
    [STALL_L1D_TLB] = {"l1d.tlb", EV_L1D_FPU, L1D(10), 0},
    [STALL_L1D_LDCONF] = {"l1d.ldconf", EV_L1D_FPU, L1D(11), 0},
    [STALL_L1D_LDCHK] = {"l1d.ldchk", EV_L1D_FPU, L1D(12), 0},
    [STALL_L1D_NAT] = {"l1d.nat", EV_L1D_FPU, L1D(13), 0},
    [STALL_L1D_STBUFRECIR] = {"l1d.stbufrecir", EV_L1D_FPU, L1D(14), 0},
    [STALL_L1D_NATCONF] = {"l1d.natconf", EV_L1D_FPU, L1D(15), 0},
    [STALL_FPU] = {"fpu", EV_L1D_FPU, UM(0) | UM(1), 0},
    [STALL_EXE_GR] = {"exe.gr", EV_EXE, UM(0) | UM(1), 0},
    [STALL_EXE_GRGR] = {"exe.grgr", EV_EXE, UM(0) | UM(1) | UM(5), 0},
    [STALL_EXE_FR] = {"exe.fr", EV_EXE, UM(0) | UM(2), 0},
    [STALL_EXE_PR] = {"exe.pr", EV_EXE, UM(0) | UM(3) | UM(8), 0},
    [STALL_EXE_ARCR] = {"exe.arcr", EV_EXE, UM(0) | UM(4) | UM(8), 0},
    [STALL_EXE_CANCEL] = {"exe.cancel", EV_EXE, UM(0) | UM(6) | UM(8), 0},
    [STALL_EXE_BANK] = {"exe.bank", EV_EXE, UM(0) | UM(7) | UM(8), 0},
    [STALL_RSE_BANK] = {"rse.bank", EV_RSE, RSE(1), 0},
    [STALL_RSE_AR] = {"rse.ar", EV_RSE, RSE(2), 0},
    [STALL_RSE_OVERFLOW] = {"rse.overflow", EV_RSE, RSE(3), 0},
    [STALL_RSE_UNDERFLOW] = {"rse.underflow", EV_RSE, RSE(4), 0},
    [STALL_RSE_LOADRS] = {"rse.loadrs", EV_RSE, RSE(5), 0},
    [STALL_FE_FLUSH] = {"fe.flush", EV_FE, 0x1003, UM(0) | UM(1)},
    [STALL_FE_TLBMISS] = {"fe.tlbmiss", EV_FE, 0x1891, UM(0) | UM(7)},
    [STALL_FE_IMISS] = {"fe.imiss", EV_FE, 0x1851, UM(0) | UM(6)},
    [STALL_FE_PLP] = {"fe.plp", EV_FE, 0x1e09, UM(0) | UM(11)},
    [STALL_FE_BR_ILOCK] = {"fe.br_ilock", EV_FE, 0x1e09, UM(0) | UM(12)},
    [STALL_FE_BRQ] = {"fe.brq", EV_FE, 0x1e09, UM(0) | UM(10)},
    [STALL_FE_BI] = {"fe.bi", EV_FE, 0x1e09, UM(0) | UM(9)},
    [STALL_FE_FILL_RECIRC] = {"fe.fill_recirc", EV_FE, 0x1d01, UM(0) | UM(8)},
    [STALL_FE_BUBBLE] = {"fe.bubble", EV_FE, 0x3009, UM(0) | UM(13)},
    [STALL_FE_IBFULL] = {"fe.ibfull", EV_FE, 0x0821, UM(0) | UM(5)},
};

int montecito_stall_find(const char *name)
{
  for (int i = 0; i < STALL_N; i++)
    if (!strcmp(stalls[i].name, name))
      return i;
  return -1;
}

const char *montecito_stall_name(unsigned reason)
{
  return reason < STALL_N ? stalls[reason].name : NULL;
}

uint16_t stall_front_umasks(unsigned reason, bool lost)
{
  return lost ? stalls[reason].lost : stalls[reason].umasks;
}

/* Signals the front end's state in a stall of the back end: it is flushed as well, or the instruction buffer is
 * full. */
static void stall_pulse_front(struct montecito_core *c, unsigned reason)
{
  const bool flush = reason == STALL_FLUSH_BRU || reason == STALL_FLUSH_XPN;
  const struct stall *s = &stalls[flush ? STALL_FE_FLUSH : STALL_FE_IBFULL];
  montecito_pulse(c, EV_FE, s->umasks, 1);
  montecito_pulse(c, EV_LOST_FE, s->lost, 2);
  if (flush)
    montecito_pulse(c, EV_LOST_IDEAL, s->lost, 2);
}

static void stall_pulse_signals(struct montecito_core *c, unsigned reason)
{
  const struct stall *s = &stalls[reason];
  const bool front = s->event == EV_FE;
  if (c->front.full)
    stall_pulse_front(c, reason);
  montecito_pulse(c, EV_CYCLES, UM_XXX0, 1);
  montecito_pulse(c, s->event, s->umasks, 1);
  montecito_pulse(c, EV_BACK_END,
                  UM_XX00 | (front                                          ? UM_XX01
                             : s->event == EV_L1D_FPU || s->event == EV_RSE ? UM_XX10
                                                                            : 0),
                  1);
  if (!front) {
    montecito_pulse(c, EV_DISP, UM_ANY, 1);
    return;
  }
  montecito_pulse(c, EV_LOST_FE, s->lost, 2);
  montecito_pulse(c, EV_LOST_BE, s->lost, 2);
  montecito_pulse(c, EV_LOST_IDEAL, s->lost, 2);
  montecito_pulse(c, EV_SYLL, UM_X1XX, 6);
}

/* Records the signals of a cycle without other activity. The signals of the open cycle are saved and restored. */
static void stall_record_profile(struct montecito_core *c, unsigned reason)
{
  struct montecito_stall_profile *p = &c->stalls[reason + (c->front.full ? STALL_N : 0)];
  const uint32_t touched = c->touched;
  uint32_t sum[2 * MONTECITO_COUNTERS];
  memcpy(sum, c->sum, sizeof sum);
  memset(c->sum, 0, sizeof c->sum);
  c->touched = 0;
  stall_pulse_signals(c, reason);
  p->n = 0;
  for (uint32_t mask = c->touched; mask; mask &= mask - 1) {
    const unsigned i = (unsigned)__builtin_ctz(mask);
    p->of[p->n].value = &c->thread[i / MONTECITO_COUNTERS].pmd[MONTECITO_FIRST_COUNTER + i % MONTECITO_COUNTERS];
    p->of[p->n].i = (uint8_t)i;
    p->of[p->n].sum = (uint8_t)c->sum[i];
    p->of[p->n++].step = montecito_counter_step(c, i);
  }
  p->known = true;
  memcpy(c->sum, sum, sizeof sum);
  c->touched = touched;
}

__attribute__((hot)) void stall_signals(struct montecito_core *c, unsigned reason)
{
  const struct montecito_stall_profile *p = &c->stalls[reason + (c->front.full ? STALL_N : 0)];
  if (c->dead) {
    stall_pulse_signals(c, reason);
    return;
  }
  if (!p->known)
    stall_record_profile(c, reason);
  for (unsigned k = 0; k < p->n; k++) {
    c->touched |= 1u << p->of[k].i;
    c->sum[p->of[k].i] += p->of[k].sum;
  }
}

__attribute__((hot)) bool stall_count(struct montecito_core *c, unsigned reason, uint64_t cycles)
{
  const struct montecito_stall_profile *p = &c->stalls[reason + (c->front.full ? STALL_N : 0)];
  if (c->touched || c->dead || c->levels_selected || c->thread[0].etb.stopping || c->thread[1].etb.stopping)
    return false;
  if (!p->known)
    stall_record_profile(c, reason);
  uint64_t any = 0;
  for (unsigned k = 0; k < p->n; k++)
    any |= *p->of[k].value += p->of[k].step * cycles;
  if (any <= COUNT_MASK)
    return true;
  for (unsigned k = 0; k < p->n; k++) /* an overflow may end the stretch */
    *p->of[k].value -= p->of[k].step * cycles;
  return false;
}
