/* SPDX-License-Identifier: MIT */
/*
 * The registry of processor models: this file and model.c are the only shared files that name processors. A model with
 * parameters (one with PMON units and traffic) is also a value of the parameter `platform`, in the order of
 * MODEL_WORDS.
 */
#ifndef MACHINE_MODEL_H
#define MACHINE_MODEL_H

#include <stddef.h>
#include <stdint.h>
#include "machine/common/model.h"

enum { MODELS_WITH_CONFIG = 3 };
#define MODEL_WORDS "emr snbep spr"
/* The default model of `pmon vm`: every QEMU version supports it. */
#define GUEST_DEFAULT_MODEL "snbep"
/* For help and completion: presets of machine_config_preset(), and models that can run a guest. */
#define PRESET_WORDS MODEL_WORDS " cachegrind"
#define PRESET_HELP "a whole machine: emr (default), snbep, spr, cachegrind"
#define GUEST_WORDS "snbep emr spr"
#define GUEST_HELP "snbep (E5-2600); emr, spr (Emerald, Sapphire Rapids): need a QEMU built by vm/qemu/build.sh"

/* Returns model `index`, those with parameters first; NULL after the last. Constant. */
const struct processor_model *model_get(size_t index);
/* Returns the model with a name, in any case of letters; NULL: none. */
const struct processor_model *model_find(const char *name);
/* Returns the model that a configuration describes; never NULL. */
const struct processor_model *model_of(const struct machine_config *config);
/* Returns the default model: the first. */
const struct processor_model *model_default(void);
/* Returns the first model whose machine takes an input; NULL: none. */
const struct processor_model *model_for_input(enum model_input input);
/* Returns the first model whose monitors have a sample source (enum pmon_sample_source_kind); NULL: none. */
const struct processor_model *model_for_source(uint32_t kind);
/* Writes the names of all models that satisfy `which`, as "a, b or c", into text. */
enum model_which { MODELS_ALL, MODELS_CONFIGURED, MODELS_FOR_GUESTS };
void model_names(enum model_which which, char *text, size_t text_size);
/* Returns the number of instances of a unit in each socket of the platform's reference machine; 0: none. */
unsigned model_instances(const struct processor_model *model, const char *unit);
/* Returns a clock's rate in Hz. */
uint64_t machine_clock_hz(const struct platform_clock *c, const struct machine_config *config);

#endif
