/* SPDX-License-Identifier: MIT */
/* Converts an event file to fact files: the data that `pmon import` collects between reading and writing. */
#ifndef CLI_IMPORT_IMPORT_H
#define CLI_IMPORT_IMPORT_H

#include <stdio.h>
#include "cli/common/cli.h"
#include "cli/facts/intel.h"
#include "cli/import/kinds.h"

/* A unit named by the file: one of the base platform's, or one of which only Linux' names are known. */
struct import_unit {
  uint32_t base; /* unit of the base platform; UINT32_MAX: none */
  char name[48], prefix[64], title[96];
  char alias[48];                 /* if the base numbers its units: the file's name of the unit; else "" */
  const struct import_kind *kind; /* NULL: of the base platform */
  char pmu[64];                   /* of a kind: Linux' PMU */
  bool summed;                    /* of a kind: its instances are counted as one */
  uint32_t counters;              /* of a kind: the number of counters, from the highest that the file names */
};

struct import_row {
  struct intel_event e;
  const char *source; /* the file's name without folders */
  size_t file;        /* the file's number */
  bool used;          /* false: omitted */
  uint32_t unit;
  char *event, *umask;           /* umask NULL: the name has no umask */
  bool apart;                    /* of an event of its own, which the file has as a part of another one */
  char *settings;                /* from the event's Filter, in the syntax of fact files, or "" */
  const char *overlay, *filters; /* from the same event of the base platform, or "" */
  const char *kernel_event;      /* the kernel's name under which the event is counted; NULL: by its terms */
};

/* One event file of a platform. */
struct import_file {
  char *path;
  const char *source; /* its name without folders */
  struct intel_file file;
};

struct import_metrics;

struct import {
  struct cli *cli;
  const char *path, *source; /* the file; its name without folders */
  const char *name;          /* of the new platform */
  const char *title;         /* of the new platform; NULL: from the file's name */
  struct import_file *files;
  size_t n_files;
  const struct pmon_platform *base; /* NULL: none */
  const char *base_path;            /* the base's file if it is user-supplied; else NULL */
  struct import_row *rows;
  size_t n_rows;
  struct import_unit units[64];
  uint32_t n_units;
  size_t left_out;
  size_t n_added;                 /* rows that no file has (topdown.c) */
  bool words;                     /* rows have values for whole filter registers */
  FILE *omitted;                  /* where rows that cannot be used are listed; NULL: on stderr */
  const char *const *wide;        /* units of which a package can have more than 64, terminated by NULL; NULL: none */
  const char *cpus;               /* lines for the platform file, or "" */
  const char *folder;             /* the processor's in Intel's repository, or NULL */
  struct import_metrics *metrics; /* NULL: none */
};

/* The field for a value of a row. `setting`: its name in the facts; `bits`: 0 if no such field exists. */
struct import_field {
  char setting[96];
  unsigned bits;
};

/* Metric files of a platform. Each returns PMON_OK or PMON_E_MEMORY; a metric that cannot be used is listed with its
 * reason where rows are. import_metrics_add: CLI_DONE, or an exit code after printing an error. */
int import_metrics_add(struct import *im, const char *path);
int import_metrics_translate(struct import *im);
/* Reads Intel's mean latencies of retirement, which metrics name as `EVENT:retire_latency`. As import_metrics_add(). */
int import_latencies_add(struct import *im, const char *path);
void import_write_metrics(FILE *f, const struct import *im);
/* The name of metric i, NULL if it cannot be used, and whether it is a share. False: past the last. */
bool import_metric_name(const struct import_metrics *m, size_t i, const char **ret_name, bool *ret_share);
/* Writes the blocks of metric groups (groups.c). */
void import_write_groups(FILE *f, const struct import_metrics *m);
size_t import_metrics_count(const struct import_metrics *m, size_t *ret_usable);
void import_metrics_free(struct import_metrics *m);

enum { IMPORT_MOST_INSTANCES = 64 };
enum { IMPORT_REPORTS = 20 }; /* messages about rows that are left out; further ones are only counted */

/* Reads a file's rows behind those that there are. CLI_DONE, or an exit code after printing an error. */
int import_add_file(struct import *im, const char *path);

/* Turns rows into files: places, checks, groups and writes them into `folder`. CLI_DONE, or an exit code after printing
 * an error. */
int import_finish(struct import *im, const char *folder);
void import_free(struct import *im);

/* A directory as Intel's perfmon repository has it: one platform for each processor. An exit code. */
struct import_directory {
  const char *path, *output, *name, *only;
  const char *as; /* a platform file whose units have registers, or NULL */
  bool host;
};
int import_run_directory(struct cli *cli, const struct import_directory *d);

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

/* Adds the top-down fractions that the metrics name, of a processor that has them (topdown.c). PMON_OK, PMON_E_MEMORY.
 */
int import_add_topdown(struct import *im);

/* Adds free-running counters that only the kernel's driver names, of a unit of the files (kernel_names.c). PMON_OK,
 * PMON_E_MEMORY. */
int import_add_kernel_counters(struct import *im);

/* Whether a used unit is one of which only Linux' names are known; whether any is (units.c). */
bool import_is_generic(const struct import *im, uint32_t unit);
bool import_has_kernel_units(const struct import *im);
/* import_write_units: the units of the base, and those; import_write_registers: the layouts of their registers
 * (write_units.c). */
void import_write_units(FILE *f, const struct import *im);
void import_write_registers(FILE *f, const struct import *im);

/* Facts of other PMUs of Linux than the uncore's, such as energy and idle states (other_pmus.c): whether the platform
 * gets them; writes the layouts, units, events or metrics. */
enum import_facts { IMPORT_REGISTERS, IMPORT_UNITS, IMPORT_EVENTS, IMPORT_METRICS };
bool import_has_other_pmus(const struct import *im);
void import_write_other_pmus(FILE *f, enum import_facts kind);

/* Writes the unit's lines of the events that the kernel lists in sysfs. */
void import_write_kernel_names(FILE *f, const struct import *im, const struct import_unit *u);

/* The umask of a free-running counter in the kernel's PMU of them; 0: it has none. */
uint64_t import_freerunning_umask(const struct import_unit *u, uint32_t index);

/* Gives each row its unit, and splits its name. PMON_OK, PMON_E_MEMORY. */
int import_place(struct import *im);

/* The field of a unit's control register for the value `name`. */
struct import_field import_control_field(const struct import *im, uint32_t unit, const char *name);

/* The field of a longer umask. */
struct import_field import_find_extension(const struct import *im, uint32_t unit);

/* Omits rows whose values do not fit, and completes the others from the base platform. PMON_OK, PMON_E_MEMORY. */
int import_check(struct import *im);

/* Groups rows of one event and omits those whose name is taken. PMON_OK, PMON_E_MEMORY. */
int import_group(struct import *im);

/* Writes free text as one line; `instead` if there is none. */
void import_write_text(FILE *f, const char *text, const char *instead);
/* Writes a row's description as one line that ends in one period: by docs/formats.md it must be complete in itself. */
void import_write_sentence(FILE *f, const char *text);
/* write_events.c: writes all events. */
void import_write_events(FILE *f, const struct import *im);

/* Writes why a row or metric is omitted, without control characters, and ends the line. */
void import_write_line(FILE *f, const char *why);

/* Whether two rows select the same event: equal code and counter, umasks ignored. */
bool import_same_event(const struct import_row *a, const struct import_row *b);

/* Writes NAME.platform and the other files into `folder` (ends with '/', or empty). CLI_DONE, or an exit code after
 * printing an error. */
int import_write(struct import *im, const char *folder);

#endif
