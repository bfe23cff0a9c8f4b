/* SPDX-License-Identifier: MIT */
#include "machine/platform.h"

#include <strings.h>
#include "machine/emr/units.h"
#include "machine/snbep/units.h"

/* In the order of the parameter's words. */
static const struct machine_platform *const platforms[] = {&emr_platform, &snbep_platform};

const struct machine_platform *machine_platform(const struct machine_config *config)
{
  return platforms[config->value[CONFIG_PLATFORM]];
}

const struct machine_platform *machine_platform_named(const char *name)
{
  for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++)
    if (!strcasecmp(platforms[i]->name, name))
      return platforms[i];
  return NULL;
}

uint64_t machine_clock_hz(const struct platform_clock *c, const struct machine_config *config)
{
  return c->divide ? config->value[c->config] * 1000000 / c->divide : c->hz;
}
