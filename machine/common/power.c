/* SPDX-License-Identifier: MIT */
#include "machine/common/power.h"

#include "machine/common/state.h"

enum { TURBO_RATIOS = 0x1ad, POWER_UNIT = 0x606, POWER_INFO = 0x614, DRAM_ENERGY = 0x619, CORES_ENERGY = 0x639 };

/* A milliwatt for a femtosecond is an attojoule; a picojoule is a million of them. */
typedef unsigned __int128 attojoule_t;
static const uint64_t ATTO_PER_PICO = 1000000, ATTO_PER_JOULE = 1000000000000000000;

static attojoule_t core_energy(const struct traffic *t, unsigned core)
{
  const struct power_model *p = t->uncore->power;
  const struct core *c = &t->core[core];
  return (attojoule_t)p->core_mw * (core_reached(c) - c->idle) +
         (attojoule_t)p->instruction_pj * ATTO_PER_PICO * c->front.instructions;
}

static attojoule_t cores_energy(const struct traffic *t, unsigned socket)
{
  attojoule_t sum = 0;
  for (unsigned i = socket * t->cores; i < (socket + 1) * t->cores; i++)
    sum += core_energy(t, i);
  return sum;
}

static attojoule_t dram_energy(const struct traffic *t, unsigned socket)
{
  const struct power_model *p = t->uncore->power;
  const struct traffic_totals *n = &t->socket[socket]->totals;
  return (attojoule_t)p->channel_mw * t->imcs * t->channels * t->reached +
         (attojoule_t)p->column_pj * ATTO_PER_PICO * (n->cas_reads + n->cas_writes) +
         (attojoule_t)p->activate_pj * ATTO_PER_PICO * n->activates;
}

static attojoule_t package_energy(const struct traffic *t, unsigned socket)
{
  const struct power_model *p = t->uncore->power;
  return cores_energy(t, socket) + (attojoule_t)p->package_mw * t->reached +
         (attojoule_t)p->lookup_pj * ATTO_PER_PICO * t->socket[socket]->totals.llc_lookups;
}

static uint32_t energy_count(const struct traffic *t, unsigned socket, enum power_domain domain)
{
  const attojoule_t sum = domain == POWER_DRAM    ? dram_energy(t, socket)
                          : domain == POWER_CORES ? cores_energy(t, socket)
                                                  : package_energy(t, socket);
  return (uint32_t)((sum << t->uncore->power->energy_unit) / ATTO_PER_JOULE);
}

uint32_t power_package_mean(const struct traffic *t, unsigned socket)
{
  return t->reached ? (uint32_t)(package_energy(t, socket) / t->reached) : t->uncore->power->package_mw;
}

uint32_t power_core_mean(const struct traffic *t, unsigned core)
{
  return t->reached ? (uint32_t)(core_energy(t, core) / t->reached) : 0;
}

static enum power_domain domain_of(uint64_t address)
{
  return address == DRAM_ENERGY ? POWER_DRAM : address == CORES_ENERGY ? POWER_CORES : POWER_PACKAGE;
}

/* Returns the cores' frequency in units of 100 MHz, in each of eight bytes: it is the same for any number of active
 * cores. */
static uint64_t turbo_ratios(const struct traffic *t)
{
  static const uint64_t fs_per_ten_ns = 10000000, each_byte = UINT64_C(0x0101010101010101);
  const uint64_t ratio = (fs_per_ten_ns + t->time.core / 2) / t->time.core;
  return (ratio < UINT8_MAX ? ratio : UINT8_MAX) * each_byte;
}

uint64_t power_register_read(struct traffic *t, const struct model_register *r)
{
  if (r->address == TURBO_RATIOS)
    return turbo_ratios(t);
  const enum power_domain domain = domain_of(r->address);
  if (r->address == POWER_UNIT) /* power in units of 1/8 W, time in units of 2^-10 s */
    return 3 | t->uncore->power->energy_unit << 8 | 10 << 16;
  if (r->address == POWER_INFO) /* the limits are 0: the machine limits nothing */
    return t->uncore->power->design_w << 3;
  return (uint32_t)(energy_count(t, r->socket, domain) + t->socket[r->socket]->energy_before[domain]);
}

void power_register_write(struct traffic *t, const struct model_register *r, uint64_t value)
{
  const enum power_domain domain = domain_of(r->address);
  if (r->address != POWER_UNIT && r->address != POWER_INFO && r->address != TURBO_RATIOS)
    t->socket[r->socket]->energy_before[domain] = (uint32_t)value - energy_count(t, r->socket, domain);
}
