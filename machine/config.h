/* SPDX-License-Identifier: MIT */
/* Reading, checking and printing the machine's parameters (machine/common/config.h). */
#ifndef MACHINE_CONFIG_H
#define MACHINE_CONFIG_H

#include <stddef.h>
#include <stdint.h>
#include "machine/common/parameter.h"

/* All parameters, in the order of enum config_id. */
extern const struct parameter_list machine_config_parameters;

/* Sets all parameters to their defaults. */
void machine_config_init(struct machine_config *config);
/* Sets all parameters to the values of a named machine: a processor of machine/model.h that has parameters, or
 * "cachegrind" (one core, two levels, caches of the given sizes set afterwards). PMON_E_UNKNOWN. */
int machine_config_preset(struct machine_config *config, const char *name);
/* As machine_config_preset(), but only for parameters that machine_config_parse() has not set in `config`. */
int machine_config_change(struct machine_config *config, const char *name);
/* True if machine_config_parse() has set the platform. */
bool machine_config_has_platform(const struct machine_config *config);
/* Returns the value of a parameter in the platform's reference machine. */
uint64_t machine_config_default(const struct machine_config *config, unsigned index);
/* True if the platform's machine reads the parameter. */
bool machine_config_applies(const struct machine_config *config, unsigned index);
/* Sets one `name=value` parameter, or changes to the preset of that name; `platform=` is such a change. PMON_E_SYNTAX,
 * PMON_E_UNKNOWN, PMON_E_RANGE, with the reason in error. */
int machine_config_parse(struct machine_config *config, const char *text, char *error, size_t error_size);
/* Checks that the values are consistent (powers of two, queue marks in order). PMON_E_RANGE, with the reason in
 * error. */
int machine_config_check(const struct machine_config *config, char *error, size_t error_size);
/* Returns the parameter with an index; NULL after the last. */
const struct config_parameter *machine_config_parameter(unsigned index);
/* Returns the source of the value in the platform's reference machine, in a word: "model" (the model's own), "setup" (a
 * choice of the user or firmware), "guide", "Intel", "Fog", "JEDEC", "PCIe" (machine/sources.c). */
const char *machine_config_source(const struct machine_config *config, unsigned index);
/* Formats a value as machine_config_parse() reads it; text needs 32 bytes. */
void machine_config_format(unsigned index, uint64_t value, char *text, size_t text_size);

#endif
