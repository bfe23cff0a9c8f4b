/* SPDX-License-Identifier: MIT */
#include "machine/montecito/config.h"

#include <stdbool.h>
#include <stdio.h>
#include <pmon/status.h>

static const struct config_parameter parameters[] = {
#define MONTECITO_CONFIG_ROW(id, name, kind, least, most, usual, meaning) {name, "", meaning, kind, least, most, usual},
    MONTECITO_PARAMETERS(MONTECITO_CONFIG_ROW)
#undef MONTECITO_CONFIG_ROW
};

const struct parameter_list montecito_parameters = {parameters, MONTECITO_CONFIG_N};

void montecito_config_init(struct montecito_config *config)
{
  for (unsigned i = 0; i < MONTECITO_CONFIG_N; i++)
    config->value[i] = (uint32_t)parameters[i].default_value;
}

int montecito_config_parse(struct montecito_config *config, const char *text, char *error, size_t error_size)
{
  struct parameter_value read;
  int status = parameter_parse(&montecito_parameters, text, &read, error, error_size);
  if (!status)
    config->value[read.index] = (uint32_t)read.value;
  return status;
}

static bool config_is_power(uint64_t n)
{
  return n && !(n & (n - 1));
}

static int config_refuse_value(const struct montecito_config *config, unsigned id, const char *reason, char *error,
                               size_t error_size)
{
  char value[32];
  parameter_format(&parameters[id], config->value[id], value, sizeof value);
  snprintf(error, error_size, "%s=%s: %s", parameters[id].name, value, reason);
  return PMON_E_RANGE;
}

/* A cache whose sets are no power of two: names the next smaller and larger size. */
static int config_refuse_cache(const struct montecito_config *config, unsigned id, uint64_t set_bytes, char *error,
                               size_t error_size)
{
  uint64_t smaller = set_bytes;
  char reason[160], size[2][32];
  while (smaller * 2 < config->value[id] || smaller % 1024)
    smaller *= 2;
  parameter_format(&parameters[id], smaller, size[0], sizeof size[0]);
  parameter_format(&parameters[id], smaller * 2, size[1], sizeof size[1]);
  snprintf(reason, sizeof reason, "size / (line x ways) must be a power of two, for example %s or %s", size[0],
           size[1]);
  return config_refuse_value(config, id, reason, error, error_size);
}

int montecito_config_check(const struct montecito_config *config, char *error, size_t error_size)
{
  static const struct {
    unsigned size, ways, line;
  } caches[] = {{MONTECITO_L1I_SIZE, MONTECITO_L1I_WAYS, 64},
                {MONTECITO_L1D_SIZE, MONTECITO_L1D_WAYS, 64},
                {MONTECITO_L2I_SIZE, MONTECITO_L2I_WAYS, 128},
                {MONTECITO_L2D_SIZE, MONTECITO_L2D_WAYS, 128},
                {MONTECITO_L3_SIZE, MONTECITO_L3_WAYS, 128}};
  static const unsigned powers[] = {MONTECITO_PAGE_SIZE, MONTECITO_PREDICTOR};
  const uint32_t *v = config->value;
  for (size_t i = 0; i < sizeof caches / sizeof *caches; i++) {
    const uint64_t set = (uint64_t)caches[i].line * v[caches[i].ways];
    if (v[caches[i].ways] % 4)
      return config_refuse_value(config, caches[i].ways, "must be a multiple of 4", error, error_size);
    if (v[caches[i].size] % set || !config_is_power(v[caches[i].size] / set))
      return config_refuse_cache(config, caches[i].size, set, error, error_size);
  }
  for (size_t i = 0; i < sizeof powers / sizeof *powers; i++)
    if (!config_is_power(v[powers[i]]))
      return config_refuse_value(config, powers[i], "must be a power of two", error, error_size);
  return PMON_OK;
}
