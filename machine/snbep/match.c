/* SPDX-License-Identifier: MIT */
/* Decides whether a control register, with the box's filters, selects a report. */
#include <stdbool.h>
#include <stddef.h>
#include "machine/pmon/bits.h"
#include "machine/snbep/attr.h"
#include "machine/snbep/match.h"

#define UMASKS SNB_UMASK(0xff)

static inline uint32_t field_get(uint64_t value, unsigned hi, unsigned lo)
{
  return (uint32_t)(value >> lo) & (~UINT32_C(0) >> (31 - hi + lo));
}

uint32_t snbep_weight(uint64_t ctl, uint64_t attr)
{
  if ((ctl ^ attr) & SNB_EXT)
    return 0;
  return !(attr & UMASKS) || (ctl & attr & UMASKS);
}

/* True if the filter's node mask includes the report's node (umask bit 6 enables the node filter). */
static bool node_passes(uint32_t filter, uint64_t ctl, uint64_t attr)
{
  return !(ctl & CBO_BY_NID) || field_get(filter, 17, 10) & field_get(attr >> 32, 17, 10);
}

/* 2.3.7: LLC_LOOKUP counts nothing without umask bit 0 and a state in the filter; without a request type it counts
 * every type. */
static bool lookup_passes(uint32_t filter, uint64_t ctl, uint64_t attr)
{
  const uint64_t kinds = ctl & (CBO_LOOKUP_READ | CBO_LOOKUP_WRITE | CBO_LOOKUP_SNOOP);
  return ctl & CBO_LOOKUP_ANY && field_get(filter, 22, 18) & field_get(attr >> 32, 22, 18) && (!kinds || kinds & attr);
}

/* Tables 2-30, 2-31. Only entries from the request queue have an opcode (Table 2-12). */
static bool tor_passes(uint32_t filter, uint64_t ctl, uint64_t attr)
{
  const uint32_t opcode = field_get(attr >> 32, 31, 23);
  if (ctl & CBO_TOR_MISS && !(attr & CBO_TOR_MISS))
    return false;
  return ctl & CBO_TOR_ALL || ctl & attr & (CBO_TOR_EVICTION | CBO_TOR_WB) ||
         (ctl & CBO_TOR_OPCODE && opcode && opcode == field_get(filter, 31, 23));
}

/* Table 2-17: the node filter alone selects evicted lines in every state, but not fills that evict no line (MISS). */
static uint64_t victim_states(uint64_t ctl)
{
  const uint64_t lines = CBO_VICTIM_M | CBO_VICTIM_E | CBO_VICTIM_S, states = ctl & (lines | CBO_VICTIM_MISS);
  return states || !(ctl & CBO_BY_NID) ? states : lines;
}

uint32_t snbep_cbo(const uint64_t *filters, uint64_t ctl, uint64_t attr)
{
  const uint32_t filter = (uint32_t)filters[0];
  switch (ctl & 0xff) {
  case CBO_LLC_LOOKUP: return lookup_passes(filter, ctl, attr) && node_passes(filter, ctl, attr);
  case CBO_TOR_INSERTS:
  case CBO_TOR_OCCUPANCY: return tor_passes(filter, ctl, attr) && node_passes(filter, ctl, attr);
  case CBO_LLC_VICTIMS: return attr & victim_states(ctl) && node_passes(filter, ctl, attr);
  default: return snbep_weight(ctl, attr);
  }
}

/* A report contains the state, opcode and node that the filter is compared with. */
uint64_t snbep_cbo_occurrence(const uint64_t *filters, uint64_t ctl)
{
  const uint64_t states = filters[0] & 0x1f << 18, opcode = filters[0] & UINT64_C(0x1ff) << 23,
                 node = ctl & CBO_BY_NID ? bits_lowest(filters[0] & 0xff << 10) : 0;
  switch (ctl & 0xff) {
  case CBO_LLC_LOOKUP:
    return bits_lowest(ctl & (CBO_LOOKUP_READ | CBO_LOOKUP_WRITE | CBO_LOOKUP_SNOOP)) | (bits_lowest(states) | node)
                                                                                            << 32;
  case CBO_TOR_INSERTS:
  case CBO_TOR_OCCUPANCY:
    return (ctl & CBO_TOR_MISS) | bits_lowest(ctl & (CBO_TOR_EVICTION | CBO_TOR_WB)) |
           ((ctl & CBO_TOR_OPCODE ? opcode : 0) | node) << 32;
  case CBO_LLC_VICTIMS: return bits_lowest(victim_states(ctl)) | node << 32;
  default: return bits_lowest(ctl & UMASKS);
  }
}

/* 2.3.3.3: one criterion at a time. The umask tables have rows for opcode with node and for state with node, so
 * those pairs are allowed. */
uint64_t snbep_cbo_misfiltered(uint64_t value, const char **ret_rule)
{
  const uint64_t opc = UINT64_C(0x1ff) << 23, state = 0x1f << 18, nid = 0xff << 10, tid = 0x1f;
  const bool both = value & opc && value & state, thread = value & tid && value & (opc | state | nid);
  *ret_rule = "only one of the filter's criteria may be applied at a time";
  return both || thread ? value & (opc | state | nid | tid) : 0;
}

/* Tables 2-37 to 2-39: pages of 4 KB; bits 11:6 are never compared. */
uint32_t snbep_ha(const uint64_t *filter, uint64_t ctl, uint64_t attr)
{
  const uint64_t address = (filter[HA_FILTER_ADDRESS1] & 0x3fff) << 32 | filter[HA_FILTER_ADDRESS0];
  if ((ctl & 0xff) != HA_ADDR_OPC_MATCH)
    return snbep_weight(ctl, attr);
  if (!(ctl & UMASKS))
    return 0;
  if (ctl & SNB_UMASK(0x01) && address >> 12 != attr >> 30)
    return 0;
  return !(ctl & SNB_UMASK(0x02)) || (filter[HA_FILTER_OPCODE] & 0x3f) == (attr >> 24 & 0x3f);
}

uint64_t snbep_ha_occurrence(const uint64_t *filter, uint64_t ctl)
{
  const uint64_t address = (filter[HA_FILTER_ADDRESS1] & 0x3fff) << 32 | filter[HA_FILTER_ADDRESS0];
  if ((ctl & 0xff) != HA_ADDR_OPC_MATCH)
    return bits_lowest(ctl & UMASKS);
  return HA_MATCH_ADDRESS(address) | HA_MATCH_OPCODE(filter[HA_FILTER_OPCODE]);
}

/* 2.7.3.3: fields of the message are compared where the mask is set. */
uint32_t snbep_qpi(const uint64_t *filter, uint64_t ctl, uint64_t attr)
{
  if ((ctl & 0xff) == QPI_CTO_COUNT && ctl & SNB_EXT) {
    const uint32_t packet = (uint32_t)(attr >> 32), low = packet & QPI_MATCH0_BITS;
    const uint32_t high = field_get(packet, 21, 18) << 16 | field_get(packet, 25, 22);
    return attr & SNB_EXT && !((low ^ filter[QPI_FILTER_MATCH0]) & filter[QPI_FILTER_MASK0]) &&
           !((high ^ filter[QPI_FILTER_MATCH1]) & filter[QPI_FILTER_MASK1]);
  }
  return snbep_weight(ctl, attr);
}

uint64_t snbep_qpi_occurrence(const uint64_t *filter, uint64_t ctl)
{
  const uint64_t low = filter[QPI_FILTER_MATCH0] & filter[QPI_FILTER_MASK0] & QPI_MATCH0_BITS,
                 high = filter[QPI_FILTER_MATCH1] & filter[QPI_FILTER_MASK1];
  if ((ctl & 0xff) != QPI_CTO_COUNT || !(ctl & SNB_EXT))
    return (ctl & SNB_EXT) | bits_lowest(ctl & UMASKS);
  return SNB_EXT | (low | (high >> 16 & 0xf) << 18 | (high & 0xf) << 22) << 32;
}

uint64_t snbep_pcu_latch(const uint64_t *filter, uint8_t code)
{
  const unsigned band = code - SNB_PCU_FREQ_BAND0;
  return band < 4 ? SNB_BAND(filter[0] >> band * 8 & 0xff) : 0;
}

uint32_t snbep_pcu(const uint64_t *filter, uint64_t ctl, uint64_t attr)
{
  const uint64_t select = SNB_OCC_SEL(3), event = ctl & 0x7f;
  (void)filter; /* a level keeps the filter that it began with */
  if (attr & select)
    return (ctl & select) == (attr & select);
  if ((ctl ^ attr) & SNB_EXT)
    return 0;
  if (event >= SNB_PCU_FREQ_BAND0 && event < SNB_PCU_FREQ_BAND0 + 4 && !(ctl & SNB_EXT))
    return (attr >> 32 & 0xff) >= (attr >> 40 & 0xff);
  return 1;
}

/* Bands: at the frequency where the band begins. */
uint64_t snbep_pcu_occurrence(const uint64_t *filter, uint64_t ctl)
{
  const uint64_t event = ctl & 0x7f;
  const bool band = event >= SNB_PCU_FREQ_BAND0 && event < SNB_PCU_FREQ_BAND0 + 4 && !(ctl & SNB_EXT);
  return (ctl & (SNB_EXT | SNB_OCC_SEL(3))) |
         (band ? SNB_FREQUENCY(filter[0] >> (event - SNB_PCU_FREQ_BAND0) * 8 & 0xff) : 0);
}
