/* SPDX-License-Identifier: MIT */
/* From an event file to fact files: what `pmon import` has in hand between reading and writing. */
#ifndef CLI_IMPORT_IMPORT_H
#define CLI_IMPORT_IMPORT_H

#include <stdio.h>
#include "cli/common/cli.h"
#include "cli/facts/intel.h"

/* A unit that the file names: one of the base platform's, or one that nothing is known of but its events. */
struct import_unit {
  const char *text; /* as the file writes it */
  uint32_t base;    /* unit of the base platform; UINT32_MAX: none */
  char name[48], prefix[64], title[96];
  char alias[48];    /* where the base numbers its units: what the file calls it; "" else */
  uint32_t counters; /* of a unit that is not known: how many, by the highest that the file names */
  bool ports;        /* of such a unit: events have ports and flow classes, not a longer umask */
};

struct import_row {
  struct intel_event e;
  bool used; /* false: left out */
  uint32_t unit;
  char *event, *umask;           /* umask NULL: the name has no second part */
  char *settings;                /* of the event's Filter, as the fact files write them, "" */
  const char *overlay, *filters; /* of the same event in the base platform, "" */
};

struct import {
  struct cli *cli;
  const char *path, *source; /* the file; its name without folders */
  const char *name;          /* of the new platform */
  struct intel_file file;
  const struct pmon_platform *base; /* NULL: none */
  const char *base_path;            /* where that is a file of the user's; NULL: it is not */
  struct import_row *rows;
  struct import_unit units[64];
  uint32_t n_units;
  size_t left_out;
};

/* A field that a row's value goes to. `setting`: its name in the facts; `bits`: 0 where there is no such field. */
struct import_field {
  char setting[96];
  unsigned bits;
};

/* Reports a row that cannot be used, and marks it so. */
void import_leave_out(struct import *im, struct import_row *row, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The built-in platform that has most of the file's units; NULL when none has any. */
const struct pmon_platform *import_choose(const struct import *im);

/* A file of the user's as the base (import_page.c): whether --as names one; CLI_DONE, or an exit code after telling the
 * error. Its unit of a type of the discovery page, or UINT32_MAX. */
bool import_is_file(const char *as);
int import_load_base(struct import *im, const char *path);
uint32_t import_find_type(const struct import *im, uint32_t type);

/* Writes what the base's own files have: register layouts, units with the event file's names, clocks. */
void import_copy_registers(FILE *f, const struct import *im);
void import_copy_units(FILE *f, const struct import *im);
void import_copy_clocks(FILE *f, const struct import *im);

/* Gives each row its unit, and splits its name. PMON_OK, PMON_E_MEMORY. */
int import_place(struct import *im);

/* Where a value called `name` goes in a unit: a field of its control, or (`filters`) of a filter register. */
struct import_field import_field_find(const struct import *im, uint32_t unit, const char *name, bool filters);

/* Leaves out rows whose values do not fit, and takes over what the base platform knows of the others. PMON_OK,
 * PMON_E_MEMORY. */
int import_check(struct import *im);

/* Brings rows of one event together and leaves out those of a name that is taken. PMON_OK, PMON_E_MEMORY. */
int import_group(struct import *im);

/* Whether two rows select the same event: code and counter, umasks aside. */
bool import_same_event(const struct import_row *a, const struct import_row *b);

/* Writes NAME.platform and the files beside it into `folder` (ends with '/', or empty). CLI_DONE, or an exit code
 * after telling the error. */
int import_write(struct import *im, const char *folder);

#endif
