/* SPDX-License-Identifier: MIT */
/*
 * A processor model: everything that the machine, the command and the virtual machine need to know of one processor.
 * Each processor's room defines one (machine/emr/model.c, machine/snbep/model.c, machine/montecito/model.c);
 * machine/model.c registers them. Code outside of these rooms asks the model and never compares names.
 */
#ifndef MACHINE_COMMON_MODEL_H
#define MACHINE_COMMON_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmon/sample.h>
#include "machine/common/config.h"
#include "machine/common/guest.h"
#include "machine/common/parameter.h"
#include "machine/pmon/coverage.h"
#include "machine/pmon/hardware.h"

struct uncore;  /* machine/common/state.h */
struct machine; /* machine/pmon/state.h */

/* What drives the machine of a model; bits of processor_model.inputs. */
enum model_input {
  MODEL_PROGRAMS = 1 << 0,  /* commands and recorded traces of memory accesses */
  MODEL_SCENARIOS = 1 << 1, /* threads and devices as text */
  MODEL_BUNDLES = 1 << 2,   /* retired bundles, from a file or generated */
  MODEL_CODE = 1 << 3       /* programs in the processor's own code, which the machine executes */
};

/* A parameter and the value that it has in the model's reference machine. */
struct model_setting {
  unsigned id; /* enum config_id */
  uint64_t value;
};

/* The parameter that sets the number of a unit's instances. */
struct model_shape {
  const char *unit;
  unsigned id; /* enum config_id */
};

/* Where a parameter's value in the reference machine comes from (machine_config_source()). */
struct config_source {
  unsigned parameter;
  const char *source;
};

struct processor_model {
  const char *name;                     /* of the platform, as -p takes it */
  unsigned inputs;                      /* enum model_input */
  const struct machine_platform *pmon;  /* PMON hardware of units and blocks; NULL: the model has monitors of its own */
  const struct uncore *uncore;          /* how its traffic moves; NULL: it has none */
  const struct model_setting *settings; /* of the reference machine, where they differ from the defaults */
  size_t n_settings;
  const struct config_source *origins;     /* exceptions to machine/sources.c; ends with CONFIG_N. NULL: none */
  const struct parameter_list *parameters; /* of a machine without uncore; NULL: those of config.h */
  const struct model_shape *shapes;        /* ends with unit NULL; NULL: none */
  const unsigned *unused;                  /* parameters without effect on its machine; ends with CONFIG_N */
  /* Checks parameters. Returns CONFIG_N, or the first parameter that the processor does not support, with the
   * reason. */
  unsigned (*check)(const struct machine_config *config, const char **ret_reason);
  /* Coverage by reports; the tables end with unit NULL. NULL: unknown. */
  const struct machine_report *reports;
  const struct machine_drive *drives;
  const struct machine_reason *reasons; /* NULL: none beside the drives' */
  /* Coverage row i of a model that lists its rows itself; false after the last. NULL: by reports. */
  bool (*coverage)(size_t i, struct machine_coverage *ret);
  unsigned sources; /* sample sources of its monitors: 1 << enum pmon_sample_source_kind */
  /* Makes the discovery page, after blocks and registers. False: no memory. NULL: the processor has no such page. */
  bool (*discovery)(struct machine *m);
  const struct guest_kind *guest; /* how it appears to a guest; NULL: no guest can run on it */
};

#endif
