/* SPDX-License-Identifier: MIT */
/* Converts an event file to fact files: the data that `pmon import` collects between reading and writing. */
#ifndef CLI_IMPORT_IMPORT_H
#define CLI_IMPORT_IMPORT_H

#include <stdio.h>
#include "cli/common/cli.h"
#include "cli/facts/intel.h"

/* A unit named by the file: one of the base platform's, or an unknown one with only its events. */
struct import_unit {
  const char *text; /* as in the file */
  uint32_t base;    /* unit of the base platform; UINT32_MAX: none */
  char name[48], prefix[64], title[96];
  char alias[48];    /* if the base numbers its units: the file's name of the unit; else "" */
  uint32_t counters; /* of an unknown unit: the number of counters, from the highest that the file names */
  bool ports;        /* of an unknown unit: events have ports and flow classes, not a longer umask */
};

struct import_row {
  struct intel_event e;
  bool used; /* false: omitted */
  uint32_t unit;
  char *event, *umask;           /* umask NULL: the name has no umask */
  char *settings;                /* from the event's Filter, in the syntax of fact files, or "" */
  const char *overlay, *filters; /* from the same event of the base platform, or "" */
};

struct import {
  struct cli *cli;
  const char *path, *source; /* the file; its name without folders */
  const char *name;          /* of the new platform */
  struct intel_file file;
  const struct pmon_platform *base; /* NULL: none */
  const char *base_path;            /* the base's file if it is user-supplied; else NULL */
  struct import_row *rows;
  struct import_unit units[64];
  uint32_t n_units;
  size_t left_out;
};

/* The field for a value of a row. `setting`: its name in the facts; `bits`: 0 if no such field exists. */
struct import_field {
  char setting[96];
  unsigned bits;
};

/* Reports a row that cannot be used, and marks it as omitted. */
void import_leave_out(struct import *im, struct import_row *row, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The built-in platform that has most of the file's units; NULL if none has any. */
const struct pmon_platform *import_choose(const struct import *im);

/* A user-supplied file as the base (page.c): whether --as names one; CLI_DONE, or an exit code after printing an error;
 * its unit of a type of the discovery page, or UINT32_MAX. */
bool import_is_file(const char *as);
int import_load_base(struct import *im, const char *path);
uint32_t import_find_type(const struct import *im, uint32_t type);

/* Writes the contents of the base's files: register layouts, units with the event file's names, clocks. */
void import_copy_registers(FILE *f, const struct import *im);
void import_copy_units(FILE *f, const struct import *im);
void import_copy_clocks(FILE *f, const struct import *im);

/* Gives each row its unit, and splits its name. PMON_OK, PMON_E_MEMORY. */
int import_place(struct import *im);

/* The field of a unit for the value `name`: in its control register, or (`filters`) in a filter register. */
struct import_field import_field_find(const struct import *im, uint32_t unit, const char *name, bool filters);

/* Omits rows whose values do not fit, and completes the others from the base platform. PMON_OK, PMON_E_MEMORY. */
int import_check(struct import *im);

/* Groups rows of one event and omits those whose name is taken. PMON_OK, PMON_E_MEMORY. */
int import_group(struct import *im);

/* Whether two rows select the same event: equal code and counter, umasks ignored. */
bool import_same_event(const struct import_row *a, const struct import_row *b);

/* Writes NAME.platform and the other files into `folder` (ends with '/', or empty). CLI_DONE, or an exit code after
 * printing an error. */
int import_write(struct import *im, const char *folder);

#endif
