/* SPDX-License-Identifier: MIT */
/*
 * Parameters of an emulated machine as text: `name=value`. Which parameters a machine has is a table of
 * struct config_parameter: machine/common/config.h for the machines with an uncore, machine/montecito/config.h for the
 * cores of Montecito.
 */
#ifndef MACHINE_COMMON_PARAMETER_H
#define MACHINE_COMMON_PARAMETER_H

#include <stddef.h>
#include <stdint.h>
#include "machine/common/config.h"

/* Description of one parameter; `words` are separated by blanks. */
struct config_parameter {
  const char *name, *words, *meaning;
  enum config_kind kind;
  uint64_t least, most, default_value;
};

struct parameter_list {
  const struct config_parameter *parameter;
  unsigned n;
};

/* Reads `name=value`: the parameter's index in the list and its value, within the parameter's range. PMON_E_UNKNOWN
 * without text (no such parameter); PMON_E_SYNTAX, PMON_E_UNKNOWN, PMON_E_RANGE with the reason in error. */
struct parameter_value {
  unsigned index;
  uint64_t value;
};
int parameter_parse(const struct parameter_list *list, const char *text, struct parameter_value *ret, char *error,
                    size_t error_size);
/* Formats a value as parameter_parse() reads it; text needs 32 bytes. */
void parameter_format(const struct config_parameter *p, uint64_t value, char *text, size_t text_size);

#endif
