/* SPDX-License-Identifier: MIT */
#include "machine/common/thermal.h"

#include "machine/common/power.h"
#include "machine/common/state.h"

enum { TEMPERATURE_TARGET = 0x1a2 };
enum { READOUT_MOST = 127, READOUT_SHIFT = 16, TARGET_SHIFT = 16, LIMIT = 1, LIMIT_LOG = 2 };
#define VALID (UINT64_C(1) << 31)
#define RESOLUTION (UINT64_C(1) << 27) /* one degree */

/* Returns whole degrees Celsius; the model's own (MOD). */
static uint32_t core_temperature(const struct traffic *t, unsigned core)
{
  const struct power_model *p = t->uncore->power;
  const uint64_t package = power_package_mean(t, core / t->cores), own = power_core_mean(t, core);
  return p->still_c + (uint32_t)((package * p->package_mk + own * p->core_mk + 500000) / 1000000);
}

/* Returns the degrees below the limit, and at the limit its status and log bits. */
static uint64_t status_of(const struct traffic *t, uint32_t temperature)
{
  const uint32_t limit = t->uncore->power->limit_c, below = temperature < limit ? limit - temperature : 0;
  return (uint64_t)(below < READOUT_MOST ? below : READOUT_MOST) << READOUT_SHIFT | (below ? 0 : LIMIT | LIMIT_LOG);
}

uint64_t thermal_core_status(const struct traffic *t, unsigned core)
{
  return status_of(t, core_temperature(t, core)) | VALID | RESOLUTION;
}

uint64_t thermal_register_read(struct traffic *t, const struct model_register *r)
{
  uint32_t hottest = 0;
  if (r->address == TEMPERATURE_TARGET)
    return (uint64_t)t->uncore->power->limit_c << TARGET_SHIFT;
  for (unsigned i = r->socket * t->cores; i < (r->socket + 1) * t->cores; i++) {
    const uint32_t temperature = core_temperature(t, i);
    hottest = temperature > hottest ? temperature : hottest;
  }
  return status_of(t, hottest);
}

void thermal_register_write(struct traffic *t, const struct model_register *r, uint64_t value)
{
  (void)t;
  (void)r;
  (void)value;
}
