/* SPDX-License-Identifier: MIT */
/* Rows of a model's table of drives (struct machine_drive): what makes a unit's events with these codes count. */
#ifndef MACHINE_COMMON_DRIVE_ROWS_H
#define MACHINE_COMMON_DRIVE_ROWS_H

#include "machine/pmon/coverage.h"

#define MODEL(unit, first, last, part)                                                                                 \
  {                                                                                                                    \
    unit, first, last, MACHINE_MODELLED, 0, part                                                                       \
  }
#define SET_BY(unit, code, part)                                                                                       \
  {                                                                                                                    \
    unit, code, code, MACHINE_CONSTANT, 0, part                                                                        \
  }
#define CONSTANT(unit, first, last, part)                                                                              \
  {                                                                                                                    \
    unit, first, last, MACHINE_CONSTANT, 0, 0, 0, part                                                                 \
  }

#endif
