/* SPDX-License-Identifier: MIT */
/* Reading, checking and printing the machine's parameters (machine/common/config.h). */
#ifndef MACHINE_CONFIG_H
#define MACHINE_CONFIG_H

#include <stddef.h>
#include <stdint.h>
#include "machine/common/parameter.h"

/* All of them, in the order of enum config_id. */
extern const struct parameter_list machine_config_parameters;

/* Fills with the defaults. */
void machine_config_init(struct machine_config *config);
/* Fills with the values of a named machine: a processor of machine/model.h that has parameters, or "cachegrind" (one
 * core, two levels, caches of the given sizes set afterwards). PMON_E_UNKNOWN. */
int machine_config_preset(struct machine_config *config, const char *name);
/* The same for all parameters that machine_config_parse() has not set in `config`. */
int machine_config_change(struct machine_config *config, const char *name);
/* Whether machine_config_parse() has set the platform. */
bool machine_config_has_platform(const struct machine_config *config);
/* The value that the parameter has in the platform's reference machine. */
uint64_t machine_config_default(const struct machine_config *config, unsigned index);
/* Sets one `name=value` parameter, or changes to the preset of that name; `platform=` is such a change. PMON_E_SYNTAX,
 * PMON_E_UNKNOWN, PMON_E_RANGE, with the reason in error. */
int machine_config_parse(struct machine_config *config, const char *text, char *error, size_t error_size);
/* Whether the values fit together (powers of two, queue marks in order); as above. */
int machine_config_check(const struct machine_config *config, char *error, size_t error_size);
/* The parameter with that index; NULL after the last. */
const struct config_parameter *machine_config_parameter(unsigned index);
/* Where the value in the platform's reference machine comes from, in a word: "model" (the model's own), "setup" (a
 * choice of who sets the machine up), "guide", "Intel", "Fog", "JEDEC", "PCIe" (machine/sources.c). */
const char *machine_config_source(const struct machine_config *config, unsigned index);
/* A value as machine_config_parse() reads it; text needs 32 bytes. */
void machine_config_format(unsigned index, uint64_t value, char *text, size_t text_size);

#endif
