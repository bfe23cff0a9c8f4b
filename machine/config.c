/* SPDX-License-Identifier: MIT */
#include "machine/config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/model.h"
#include "src/base/text.h"
#include "src/base/words.h"

static const struct config_parameter parameters[] = {
#define CONFIG_ROW(id, name, kind, least, most, usual, words, meaning) {name, words, meaning, kind, least, most, usual},
    CONFIG_PARAMETERS(CONFIG_ROW)
#undef CONFIG_ROW
};

const struct parameter_list machine_config_parameters = {parameters, CONFIG_N};

const struct config_parameter *machine_config_parameter(unsigned index)
{
  return index < CONFIG_N ? &parameters[index] : NULL;
}

void machine_config_init(struct machine_config *config)
{
  /* One loop over both arrays is dropped by GCC 12 at -O1 where it is called from this file. */
  memset(config->given, 0, sizeof config->given);
  for (unsigned i = 0; i < CONFIG_N; i++)
    config->value[i] = parameters[i].default_value;
}

/* Models `valgrind --tool=cachegrind`: two cache levels, no prefetch, virtual addresses. The last level has one
 * slice, and each miss fills it. */
static const struct model_setting cachegrind[] = {
    {CONFIG_SOCKETS, 1},          {CONFIG_CORES, 1},
    {CONFIG_CORE_THREADS, 1},     {CONFIG_CHAS, 1},
    {CONFIG_L1I_SIZE, 32 << 10},  {CONFIG_L1I_WAYS, 8},
    {CONFIG_L1D_SIZE, 32 << 10},  {CONFIG_L1D_WAYS, 8},
    {CONFIG_L2_SIZE, 0},          {CONFIG_LLC_SIZE, 8 << 20},
    {CONFIG_LLC_WAYS, 16},        {CONFIG_LLC_POLICY, 1},
    {CONFIG_PREFETCH, 0},         {CONFIG_MAP, 1},
    {CONFIG_CORE_DEPENDENCES, 0},
};

static void settings_apply(struct machine_config *config, const struct model_setting *settings, size_t n)
{
  for (size_t i = 0; i < n; i++)
    config->value[settings[i].id] = settings[i].value;
}

/* Sets `config` to the reference machine of model `index`. */
static void model_preset(struct machine_config *config, size_t index)
{
  const struct processor_model *model = model_get(index);
  machine_config_init(config);
  config->value[CONFIG_PLATFORM] = index;
  settings_apply(config, model->settings, model->n_settings);
}

int machine_config_preset(struct machine_config *config, const char *name)
{
  for (size_t i = 0; i < MODELS_WITH_CONFIG; i++)
    if (!text_order(name, model_get(i)->name)) {
      model_preset(config, i);
      return PMON_OK;
    }
  if (text_order(name, "cachegrind"))
    return PMON_E_UNKNOWN;
  machine_config_init(config);
  settings_apply(config, cachegrind, sizeof cachegrind / sizeof *cachegrind);
  return PMON_OK;
}

uint64_t machine_config_default(const struct machine_config *config, unsigned index)
{
  struct machine_config reference;
  model_preset(&reference, config->value[CONFIG_PLATFORM]);
  return reference.value[index];
}

void machine_config_format(unsigned index, uint64_t value, char *text, size_t text_size)
{
  parameter_format(&parameters[index], value, text, text_size);
}

/* Copies the values of another machine, except for parameters that the user has set. */
static void config_take(struct machine_config *config, const struct machine_config *from)
{
  for (unsigned i = 0; i < CONFIG_N; i++)
    if (i == CONFIG_PLATFORM || !config->given[i])
      config->value[i] = from->value[i];
}

int machine_config_change(struct machine_config *config, const char *name)
{
  struct machine_config preset;
  const int status = machine_config_preset(&preset, name);
  if (!status)
    config_take(config, &preset);
  return status;
}

bool machine_config_has_platform(const struct machine_config *config)
{
  return config->given[CONFIG_PLATFORM];
}

int machine_config_parse(struct machine_config *config, const char *text, char *error, size_t error_size)
{
  struct parameter_value read;
  if (!strchr(text, '=')) {
    int status = machine_config_change(config, text);
    char presets[80];
    if (status)
      snprintf(error, error_size, "%s: expected NAME=VALUE, or the preset %s", text,
               words_format_line(PRESET_WORDS, presets, sizeof presets));
    else
      config->given[CONFIG_PLATFORM] = true;
    return status;
  }
  int status = parameter_parse(&machine_config_parameters, text, &read, error, error_size);
  if (!status && read.index == CONFIG_PLATFORM) {
    struct machine_config reference;
    model_preset(&reference, read.value);
    config_take(config, &reference);
  } else if (!status) {
    config->value[read.index] = read.value;
  }
  if (!status)
    config->given[read.index] = true;
  return status;
}

static int config_refuse(char *error, size_t error_size, unsigned id, const char *reason)
{
  snprintf(error, error_size, "%s: %s", parameters[id].name, reason);
  return PMON_E_RANGE;
}

static int power_of_two(uint64_t n)
{
  return n && !(n & (n - 1));
}

/* Refuses a cache size, and names the next smaller and larger one; a set of the cache has `set_bytes`. */
static int config_refuse_cache(char *error, size_t error_size, unsigned parameter, uint64_t set_bytes, uint64_t bytes)
{
  uint64_t smaller = set_bytes;
  char text[160], larger[48] = "";
  while (smaller % 1024 || smaller <= bytes / 2)
    smaller *= 2;
  if (smaller < bytes && smaller <= UINT64_MAX / 2)
    snprintf(larger, sizeof larger, " or %" PRIu64 "K", 2 * smaller / 1024);
  snprintf(text, sizeof text,
           "size / (64 bytes x ways) must be a power of two, for example %" PRIu64 "K%s with %" PRIu64 " ways",
           smaller / 1024, larger, set_bytes / 64);
  return config_refuse(error, error_size, parameter, text);
}

bool machine_config_applies(const struct machine_config *config, unsigned index)
{
  const unsigned *id = model_of(config)->unused;
  while (*id != CONFIG_N && *id != index)
    id++;
  return *id == CONFIG_N;
}

/* Refuses a value of a parameter that the processor's machine does not read, unless it is the reference machine's. */
static int config_check_unused(const struct machine_config *config, char *error, size_t error_size)
{
  const struct processor_model *model = model_of(config);
  char reason[48];
  for (const unsigned *id = model->unused; *id != CONFIG_N; id++)
    if (config->value[*id] != machine_config_default(config, *id)) {
      snprintf(reason, sizeof reason, "has no effect on %s; omit it", model->name);
      return config_refuse(error, error_size, *id, reason);
    }
  return PMON_OK;
}

/* Refuses a size that an index of address bits cannot select from. */
static int config_check_sizes(const struct machine_config *config, char *error, size_t error_size)
{
  static const unsigned caches[][2] = {{CONFIG_L1I_SIZE, CONFIG_L1I_WAYS},
                                       {CONFIG_L1D_SIZE, CONFIG_L1D_WAYS},
                                       {CONFIG_L2_SIZE, CONFIG_L2_WAYS},
                                       {CONFIG_LLC_SIZE, CONFIG_LLC_WAYS}};
  static const unsigned translations[] = {CONFIG_DTLB_4K, CONFIG_DTLB_2M, CONFIG_DTLB_1G};
  static const unsigned powers[] = {CONFIG_IMCS,       CONFIG_CHANNELS,     CONFIG_DRAM_RANKS,
                                    CONFIG_SF_SETS,    CONFIG_DRAM_SUBS,    CONFIG_DRAM_BANKS,
                                    CONFIG_PCIE_LANES, CONFIG_PCIE_PAYLOAD, CONFIG_PCIE_REQUEST};
  const uint64_t *v = config->value;
  for (size_t i = 0; i < sizeof caches / sizeof *caches; i++) {
    uint64_t bytes = v[caches[i][0]], line = 64 * v[caches[i][1]];
    if (bytes && (bytes % line || !power_of_two(bytes / line)))
      return config_refuse_cache(error, error_size, caches[i][0], line, bytes);
  }
  for (size_t i = 0; i < sizeof powers / sizeof *powers; i++)
    if (!power_of_two(v[powers[i]]))
      return config_refuse(error, error_size, powers[i], "must be a power of two");
  for (unsigned i = 0; i < sizeof translations / sizeof *translations; i++) {
    const uint64_t n = v[translations[i]], ways = config_dtlb_ways(v, i);

    if (n % ways || !power_of_two(n / ways))
      return config_refuse(error, error_size, translations[i], "entries / ways must be a power of two");
  }
  return PMON_OK;
}

static int config_check_memory(const struct machine_config *config, char *error, size_t error_size)
{
  const uint64_t *v = config->value;
  if (v[CONFIG_DRAM_REFRESH] && v[CONFIG_DRAM_BANKS] != 32)
    return config_refuse(error, error_size, CONFIG_DRAM_REFRESH, "same-bank requires dram.banks=32");
  if ((v[CONFIG_DRAM_REFRESH] ? 2 * v[CONFIG_DRAM_TRFCSB] : v[CONFIG_DRAM_TRFC]) >= v[CONFIG_DRAM_TREFI])
    return config_refuse(
        error, error_size, CONFIG_DRAM_TREFI,
        "must be greater than dram.trfc; with dram.refresh=same-bank, greater than twice dram.trfc_sb");
  if (v[CONFIG_DRAM_WPQ_LOW] >= v[CONFIG_DRAM_WPQ_HIGH] || v[CONFIG_DRAM_WPQ_HIGH] > v[CONFIG_DRAM_WPQ])
    return config_refuse(error, error_size, CONFIG_DRAM_WPQ_HIGH, "must be above dram.wpq_low and at most dram.wpq");
  return PMON_OK;
}

/* Checks parameters of caches and sockets that depend on each other. */
static int config_check_levels(const struct machine_config *config, char *error, size_t error_size)
{
  const uint64_t *v = config->value;
  if (v[CONFIG_LLC_IO_WAYS] > v[CONFIG_LLC_WAYS])
    return config_refuse(error, error_size, CONFIG_LLC_IO_WAYS, "must be at most llc.ways");
  if (v[CONFIG_NUMA] >= 2 && v[CONFIG_NUMA] - 2 >= v[CONFIG_SOCKETS])
    return config_refuse(error, error_size, CONFIG_NUMA, "the machine has no such socket");
  if (!v[CONFIG_L2_SIZE] && (v[CONFIG_LLC_POLICY] != 1 || v[CONFIG_CORES] > 1 || v[CONFIG_SOCKETS] > 1))
    return config_refuse(error, error_size, CONFIG_L2_SIZE, "0 requires sockets=1, cores=1 and llc.policy=fill");
  if (v[CONFIG_L2_SIZE] && v[CONFIG_LLC_POLICY] == 1)
    return config_refuse(error, error_size, CONFIG_LLC_POLICY, "fill requires l2.size=0");
  return PMON_OK;
}

int machine_config_check(const struct machine_config *config, char *error, size_t error_size)
{
  const char *reason = "";
  int status = config_check_unused(config, error, error_size);
  if (!status)
    status = config_check_sizes(config, error, error_size);
  if (!status)
    status = config_check_memory(config, error, error_size);
  if (status)
    return status;
  const unsigned refused = model_of(config)->check(config, &reason);
  return refused < CONFIG_N ? config_refuse(error, error_size, refused, reason)
                            : config_check_levels(config, error, error_size);
}

unsigned model_instances(const struct processor_model *model, const char *unit)
{
  struct machine_config config;
  machine_config_init(&config);
  machine_config_preset(&config, model->name);
  for (const struct pmon_unit *u = model->pmon->units; u->name; u++)
    if (!strcmp(u->name, unit))
      return model->pmon->present(&config, u);
  return 0;
}
