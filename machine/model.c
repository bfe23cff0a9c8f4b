/* SPDX-License-Identifier: MIT */
#include "machine/model.h"

#include "machine/config.h"
#include "machine/emr/units.h"
#include "machine/montecito/events/events.h"
#include "machine/snbep/units.h"
#include "src/base/text.h"
#include "src/base/words.h"

/* Models with parameters come first, in the order of MODEL_WORDS. */
static const struct processor_model *const models[] = {&emr_model, &snbep_model, &spr_model, &montecito_model};
enum { MODELS = sizeof models / sizeof *models };

const struct processor_model *model_get(size_t index)
{
  return index < MODELS ? models[index] : NULL;
}

const struct processor_model *model_find(const char *name)
{
  for (size_t i = 0; i < MODELS; i++)
    if (!text_order(models[i]->name, name))
      return models[i];
  return NULL;
}

const struct processor_model *model_of(const struct machine_config *config)
{
  return models[config->value[CONFIG_PLATFORM]];
}

const struct processor_model *model_default(void)
{
  return models[0];
}

const struct processor_model *model_for_input(enum model_input input)
{
  for (size_t i = 0; i < MODELS; i++)
    if (models[i]->inputs & input)
      return models[i];
  return NULL;
}

const struct processor_model *model_for_source(uint32_t kind)
{
  for (size_t i = 0; i < MODELS; i++)
    if (kind < PMON_SOURCE_N && models[i]->sources >> kind & 1)
      return models[i];
  return NULL;
}

static bool model_is(const struct processor_model *model, enum model_which which)
{
  switch (which) {
  case MODELS_CONFIGURED: return model->uncore;
  case MODELS_FOR_GUESTS: return model->guest;
  case MODELS_ALL: break;
  }
  return true;
}

void model_names(enum model_which which, char *text, size_t text_size)
{
  const char *names[MODELS];
  for (size_t i = 0; i < MODELS; i++)
    names[i] = model_is(models[i], which) ? models[i]->name : NULL;
  words_format(names, MODELS, text, text_size);
}

uint64_t machine_clock_hz(const struct platform_clock *c, const struct machine_config *config)
{
  return c->divide ? config->value[c->config] * 1000000 / c->divide : c->hz;
}
