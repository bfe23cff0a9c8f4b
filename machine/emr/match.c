/* SPDX-License-Identifier: MIT */
/*
 * Decides whether a control register selects a report. In most events a counter matches any bit of its umask; some
 * events have groups of bits (direction, target, state) that must each match. Where the guide lists a row that leaves a
 * group empty, the empty group matches everything; `need` marks the groups that need a bit.
 */
#include <stdbool.h>
#include <stddef.h>
#include "machine/emr/attr.h"
#include "machine/emr/match.h"
#include "machine/pmon/bits.h"

enum { GROUPS = 5 };
#define UMASKS EMR_UMASK(0xff)
#define EXTS (~(uint64_t)0 << 32)

struct grouped {
  uint8_t code, need;
  uint64_t groups[GROUPS];
}; /* need: bit g for groups[g] */

static uint32_t by_groups(const struct grouped *e, uint64_t ctl, uint64_t attr)
{
  for (unsigned g = 0; g < GROUPS && e->groups[g]; g++) {
    uint64_t wanted = ctl & e->groups[g];
    if (wanted ? !(wanted & attr) : e->need >> g & 1)
      return 0;
  }
  return 1;
}

static const struct grouped *group_find(const struct grouped *table, uint64_t ctl)
{
  for (; table->code; table++)
    if (table->code == (ctl & 0xff))
      return table;
  return NULL;
}

/* Returns one bit of each group, and all bits that are in no group. */
static uint64_t one_each(const struct grouped *e, uint64_t ctl)
{
  uint64_t attr = ctl;
  for (unsigned g = 0; g < GROUPS && e->groups[g]; g++)
    attr = (attr & ~e->groups[g]) | bits_lowest(ctl & e->groups[g]);
  return attr & (UMASKS | EXTS);
}

static uint64_t any_occurrence(uint64_t ctl)
{
  return bits_lowest(ctl & (UMASKS | EXTS));
}

uint32_t baseline_weight(uint64_t ctl, uint64_t attr)
{
  const uint64_t bits = attr & (UMASKS | EXTS);
  return bits ? (ctl & bits) != 0 : !(ctl & UMASKS);
}

/* Filters that match only some entries: a set bit enables the filter (Table 2-73, bits 62:56). */
#define TOR_FILTERS (TOR_NC | TOR_ISOC | TOR_L3HIT_RSD | TOR_NO_ADDR | TOR_IA_MEM_ACC | TOR_CXL_EXP_LOCAL | TOR_CRABORT)
/* 35, 36: queues add up; hit and miss, loc and rem, nm and not_nm: both or neither, no filter; targets add up */
static const struct grouped tor = {0,
                                   1,
                                   {UMASKS, TOR_HIT | TOR_MISS, TOR_LOC | TOR_REM, TOR_NM | TOR_NOT_NM,
                                    TOR_DDR | TOR_PMM | TOR_HBM | TOR_MMCFG | TOR_MMIO}};

/* Both bits of an exclusive pair mean no filter, and so do all targets together: then an entry without any of them
 * matches (a lock has no target). */
static uint64_t tor_filters(uint64_t ctl)
{
  for (unsigned g = 1; g < GROUPS; g++)
    if ((ctl & tor.groups[g]) == tor.groups[g])
      ctl &= ~tor.groups[g];
  return ctl;
}

static uint32_t tor_weight(uint64_t ctl, uint64_t attr)
{
  if (!by_groups(&tor, tor_filters(ctl), attr))
    return 0;
  if (ctl & (TOR_MATCH_OPC | TOR_PREMORPH_OPC) && (ctl ^ attr) & TOR_OPC(0x7ff))
    return 0;
  return !(ctl & TOR_FILTERS & ~attr);
}

static const struct grouped cha_groups[] = {
    /* cause of the CHA's snoop, and how many cores it snooped */
    {CHA_CORE_SNP, 3, {EMR_UMASK(0xf0), EMR_UMASK(0x0f)}},
    /* LLC_LOOKUP, note under Table 2-74: state, and operation, and origin, and home */
    {CHA_LLC_LOOKUP,
     1,
     {UMASKS, EMR_EXT(0x3f), EMR_EXT(0x1ffe7c0) & ~(LLC_HOM_LOCAL | LLC_HOM_REMOTE), LLC_HOM_LOCAL | LLC_HOM_REMOTE}},
    /* Table 2-90 */
    {CHA_LLC_VICTIMS, 0, {EMR_UMASK(0x0f), EMR_UMASK(0x30), VICTIM_LOCAL | VICTIM_REMOTE}},
    {0}};

uint32_t cha_weight(uint64_t ctl, uint64_t attr)
{
  const uint8_t code = ctl & 0xff;
  const struct grouped *e;
  if (code == CHA_TOR_INSERTS || code == CHA_TOR_OCCUPANCY)
    return tor_weight(ctl, attr);
  if (code == CHA_LLC_LOOKUP)
    attr |= LLC_ANY;
  e = group_find(cha_groups, ctl);
  if (code == CHA_LLC_VICTIMS && !(ctl & (UMASKS | EXTS)))
    return 0;
  return e ? by_groups(e, ctl, attr) : baseline_weight(ctl, attr);
}

uint64_t cha_occurrence(const uint64_t *filter, uint64_t ctl)
{
  (void)filter;
  const uint8_t code = ctl & 0xff;
  const struct grouped *e = code == CHA_TOR_INSERTS || code == CHA_TOR_OCCUPANCY ? &tor : group_find(cha_groups, ctl);
  return e ? one_each(e, ctl) : any_occurrence(ctl);
}

/* SNOOP_RESP: the response, and the snoop's type */
static const struct grouped irp_groups[] = {{IRP_SNOOP_RESP, 1, {EMR_UMASK(0x0f), EMR_UMASK(0x70)}}, {0}};

uint32_t irp_weight(uint64_t ctl, uint64_t attr)
{
  const struct grouped *e = group_find(irp_groups, ctl);
  return e ? by_groups(e, ctl, attr) : baseline_weight(ctl, attr);
}

uint64_t irp_occurrence(const uint64_t *filter, uint64_t ctl)
{
  const struct grouped *e = group_find(irp_groups, ctl);
  (void)filter;
  return e ? one_each(e, ctl) : any_occurrence(ctl);
}

/* Tables 2-138, 2-137: bits 7:6 name the pseudo channels, and without one nothing counts; the rest is the
 * kind, and without one (rows PCH0, PCH1) every kind counts. */
static const struct grouped imc_groups[] = {{IMC_CAS_COUNT, 1, {EMR_UMASK(0xc0), EMR_UMASK(0x3f)}},
                                            {IMC_CAS_ISSUED_REQ_LEN, 1, {EMR_UMASK(0xc0), EMR_UMASK(0x3f)}},
                                            {IMC_ACT_PRIO, 1, {EMR_UMASK(0xc0), EMR_UMASK(0x3f)}},
                                            {0}};

uint32_t imc_weight(uint64_t ctl, uint64_t attr)
{
  const struct grouped *e = group_find(imc_groups, ctl);
  return e ? by_groups(e, ctl, attr) : baseline_weight(ctl, attr);
}

uint64_t imc_occurrence(const uint64_t *filter, uint64_t ctl)
{
  (void)filter;
  const struct grouped *e = group_find(imc_groups, ctl);
  return e ? one_each(e, ctl) : any_occurrence(ctl);
}

/* Tables 2-268, 2-269, 2-261: kind, and channel; or kind, and hit or miss. IMC_WRITES has kinds in the extension. */
static const struct grouped m2m_groups[] = {{M2M_IMC_READS, 3, {UMASKS, EMR_EXT(0x7)}},
                                            {M2M_IMC_WRITES, 3, {UMASKS | EMR_EXT(0x7), EMR_EXT(0x18)}},
                                            {M2M_DIRECTORY_UPDATE, 3, {UMASKS, EMR_EXT(0x3)}},
                                            {0}};

uint32_t m2m_weight(uint64_t ctl, uint64_t attr)
{
  const struct grouped *e = group_find(m2m_groups, ctl);
  if ((ctl ^ attr) & M2M_MESH) /* the mesh stop's events, or the M2M's own */
    return 0;
  if (e)
    return by_groups(e, ctl, attr);
  if (attr & EXTS & ~M2M_MESH && !(ctl & attr & EXTS & ~M2M_MESH))
    return 0;
  return baseline_weight(ctl, attr & ~EXTS);
}

uint64_t m2m_occurrence(const uint64_t *filter, uint64_t ctl)
{
  static const struct {
    uint8_t code;
    uint64_t all;
  } always[] = {/* set in every occurrence */
                {M2M_IMC_READS, M2M_RD_ALL},
                {M2M_IMC_WRITES, M2M_WR_ALL},
                {M2M_DIRECTORY_UPDATE, M2M_DIRU_ANY}};
  const struct grouped *e = group_find(m2m_groups, ctl);
  (void)filter;
  for (unsigned i = 0; e && i < sizeof always / sizeof *always; i++)
    if (always[i].code == e->code)
      return one_each(e, ctl) | always[i].all;
  return (ctl & M2M_MESH) | bits_lowest(ctl & UMASKS) | bits_lowest(ctl & EXTS & ~M2M_MESH);
}

/* Tables 2-224, 2-230: the type's bit must be set; each selected slot counts. */
static uint32_t flit_weight(uint64_t ctl, uint64_t attr)
{
  if (!(ctl & attr & (UMASKS & ~FLIT_SLOTS)))
    return 0;
  return (uint32_t)__builtin_popcountll(ctl & attr & FLIT_SLOTS);
}

uint32_t upi_weight(uint64_t ctl, uint64_t attr)
{
  switch (ctl & 0xff) {
  case UPI_TXL_FLITS:
  case UPI_RXL_FLITS:
  case UPI_TXL_ANY_FLITS:
  case UPI_RXL_ANY_FLITS: return flit_weight(ctl, attr);
  case UPI_TXL_BASIC_HDR_MATCH:
  case UPI_RXL_BASIC_HDR_MATCH:
    /* Tables 2-222, 2-229: 3:0 the class, 7:4 the opcode if the extension enables it */
    return !((ctl ^ attr) & (EMR_UMASK(0x0f) | (ctl & HDR_MATCH_OPC ? EMR_UMASK(0xf0) : 0)));
  default: return baseline_weight(ctl, attr);
  }
}

/* A flit has one type and all selected slots; a header has one class and opcode. */
uint64_t upi_occurrence(const uint64_t *filter, uint64_t ctl)
{
  (void)filter;
  switch (ctl & 0xff) {
  case UPI_TXL_FLITS:
  case UPI_RXL_FLITS:
  case UPI_TXL_ANY_FLITS:
  case UPI_RXL_ANY_FLITS: return bits_lowest(ctl & UMASKS & ~FLIT_SLOTS) | (ctl & FLIT_SLOTS);
  case UPI_TXL_BASIC_HDR_MATCH:
  case UPI_RXL_BASIC_HDR_MATCH: return ctl & UMASKS;
  default: return any_occurrence(ctl);
  }
}

/* Table 2-184: channel and flow class apply to events that have them. */
#define IIO_CHANNELS (UINT64_C(0xfff) << 36)
#define IIO_FLOWS (UINT64_C(7) << 48)

uint32_t iio_weight(uint64_t ctl, uint64_t attr)
{
  const uint64_t channel = IIO_CHANNELS, flow = IIO_FLOWS;
  if (attr & channel && !(ctl & attr & channel))
    return 0;
  if (attr & flow && !(ctl & attr & flow))
    return 0;
  return baseline_weight(ctl, attr & ~(channel | flow));
}

uint64_t iio_occurrence(const uint64_t *filter, uint64_t ctl)
{
  (void)filter;
  return bits_lowest(ctl & UMASKS) | bits_lowest(ctl & IIO_CHANNELS) | bits_lowest(ctl & IIO_FLOWS);
}
