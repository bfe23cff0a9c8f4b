/* SPDX-License-Identifier: MIT */
#include "machine/common/core_registers.h"

#include "machine/common/state.h"
#include "machine/common/thermal.h"

enum { SMI_COUNT = 0x34, MPERF = 0xe7, APERF = 0xe8, THERM_STATUS = 0x19c };

static unsigned core_number(const struct traffic *t, const struct model_register *r)
{
  return r->socket * t->cores + r->instance;
}

static uint64_t core_clock(const struct traffic *t, unsigned core, bool actual)
{
  struct core_totals totals;
  traffic_core_totals(t, core, &totals);
  return actual ? totals.cycles : totals.reference_cycles;
}

uint64_t core_register_read(struct traffic *t, const struct model_register *r)
{
  const unsigned core = core_number(t, r);
  const bool actual = r->address == APERF;
  switch (r->address) {
  case MPERF:
  case APERF: return core_clock(t, core, actual) + t->core[core].clocks_before[actual];
  case SMI_COUNT: return t->core[core].interrupts;
  case THERM_STATUS: return thermal_core_status(t, core);
  default: return counters_read(t, core, (uint32_t)r->address);
  }
}

void core_register_write(struct traffic *t, const struct model_register *r, uint64_t value)
{
  const unsigned core = core_number(t, r);
  const bool actual = r->address == APERF;
  switch (r->address) {
  case MPERF:
  case APERF: t->core[core].clocks_before[actual] = value - core_clock(t, core, actual); break;
  case SMI_COUNT: t->core[core].interrupts = value; break;
  case THERM_STATUS: break; /* its log bits show the state at present */
  default: counters_write(t, core, (uint32_t)r->address, value);
  }
}
